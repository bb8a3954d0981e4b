/* What becomes of a case that kills the program, or hangs it: the backend runs in this process.
 *
 * The case line is written to FOLDER/crash-HASH or FOLDER/hang-HASH, one line on standard error
 * says which case it was and how to replay it in isolation, and the process ends with
 * EXIT_CODE_FAILED. */
#ifndef ASSAY_CLI_FUZZ_CRASH_H
#define ASSAY_CLI_FUZZ_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `folder` is made when it is needed.  `executors` are words for `assay replay`:
 * " --executor NAME".  `watches_hangs`: a case of more than a minute counts as one. */
void fuzz_crash_catch(const char *folder, const char *executors, bool watches_hangs);

/* Between these the program is in the case whose line is `data`, borrowed. */
void fuzz_crash_enter(const uint8_t *data, size_t size);
void fuzz_crash_leave(void);

#endif
