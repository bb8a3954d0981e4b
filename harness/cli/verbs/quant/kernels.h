/* SPDX-License-Identifier: Apache-2.0 */
/* assay quant fuse, unfuse and revert: from ops to kernels, and back. */
#ifndef ASSAY_CLI_VERBS_QUANT_KERNELS_H
#define ASSAY_CLI_VERBS_QUANT_KERNELS_H

#include "harness/cli/verbs/quant/input.h"

/* Each reads the graph at `path`, prints the new one, or writes it to --out; returns the exit code.
 */
int quant_verb_fuse(const quant_flags_t *flags, const char *path);
int quant_verb_unfuse(const quant_flags_t *flags, const char *path);
int quant_verb_revert(const quant_flags_t *flags, const char *path);

#endif
