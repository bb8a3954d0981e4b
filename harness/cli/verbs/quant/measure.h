/* SPDX-License-Identifier: Apache-2.0 */
/* assay quant run: executes the exported forms of a model, and tells certified and observed errors.
 */
#ifndef ASSAY_CLI_VERBS_QUANT_MEASURE_H
#define ASSAY_CLI_VERBS_QUANT_MEASURE_H

#include <stdio.h>

#include "harness/cli/verbs/quant/input.h"
#include "harness/quant_run/quant_run.h"

/* Runs the graph at `path`; returns an exit code. */
int quant_measure(const quant_flags_t *flags, const char *path, int argc, char **argv);

/* The steps as case lines on inputs drawn from the seed, with the plain model's results between
 * them; each after a comment that names it. */
status_t quant_print_cases(const quant_steps_t *steps, const char *seed, FILE *file,
                           failure_t *error);

#endif
