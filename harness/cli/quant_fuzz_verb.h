/* assay quant fuzz: random models and targets, all properties of propagation, and executors held
 * against what is exported. */
#ifndef ASSAY_CLI_QUANT_FUZZ_VERB_H
#define ASSAY_CLI_QUANT_FUZZ_VERB_H

#include "harness/cli/quant_input.h"

/* Returns an exit code. */
int quant_fuzz_verb(const quant_flags_t *flags, int argc, char **argv);

#endif
