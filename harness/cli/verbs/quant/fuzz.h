/* SPDX-License-Identifier: Apache-2.0 */
/* assay quant fuzz: random models and targets, all properties of propagation, and executors held
 * against what is exported. */
#ifndef ASSAY_CLI_VERBS_QUANT_FUZZ_H
#define ASSAY_CLI_VERBS_QUANT_FUZZ_H

#include "harness/cli/verbs/quant/input.h"

/* Returns an exit code. */
int quant_fuzz_verb(const quant_flags_t *flags, int argc, char **argv);

#endif
