/* Ctrl-C once: finish and summarise; twice: stop now. */
#ifndef ASSAY_CLI_INTERRUPT_H
#define ASSAY_CLI_INTERRUPT_H

#include <signal.h>

/* Catches SIGINT and SIGTERM.  The flag becomes nonzero at the first one; the second one ends the
 * process. */
const volatile sig_atomic_t *interrupt_catch(void);

#endif
