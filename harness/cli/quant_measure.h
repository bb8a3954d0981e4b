/* assay quant run: executes the exported forms of a model, and tells certified and observed errors.
 */
#ifndef ASSAY_CLI_QUANT_MEASURE_H
#define ASSAY_CLI_QUANT_MEASURE_H

#include <stdio.h>

#include "harness/cli/quant_input.h"
#include "harness/run/quant_run.h"

/* Runs the graph at `path`; returns an exit code. */
int quant_measure(const quant_flags_t *flags, const char *path, int argc, char **argv);

/* The steps as case lines on inputs drawn from the seed, with the plain model's results between
 * them; each after a comment that names it. */
status_t quant_print_cases(const quant_steps_t *steps, const char *seed, FILE *file,
                           failure_t *error);

/* What came of one form on one executor, over several sets of inputs. */
typedef struct quant_measurement {
  size_t executor;
  quant_form_t form;
  uint64_t outcomes[OUTCOME_COUNT]; /* Of steps. */
  uint64_t substituted;
  uint64_t unfinished; /* Runs. */
  quant_error_t
      *errors;       /* By value of the graph: the largest; zero where no tensor stands for it. */
  bool *is_measured; /* By value. */
} quant_measurement_t;

/* Adds one run. */
void quant_measurement_add(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                           const quant_run_t *run, quant_measurement_t *inout_measurement);

#endif
