/* SPDX-License-Identifier: Apache-2.0 */
/* assay quant import: from MLIR to a graph. */
#ifndef ASSAY_CLI_VERBS_QUANT_IMPORT_H
#define ASSAY_CLI_VERBS_QUANT_IMPORT_H

#include "harness/cli/verbs/quant/input.h"

/* Reads the module at `path`, prints the graph, or writes it to --out; returns the exit code. */
int quant_verb_import(const quant_flags_t *flags, const char *path);

#endif
