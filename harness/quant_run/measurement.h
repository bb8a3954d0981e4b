/* SPDX-License-Identifier: Apache-2.0 */
/* What came of the forms of a model, summed over several sets of inputs. */
#ifndef ASSAY_QUANT_RUN_MEASUREMENT_H
#define ASSAY_QUANT_RUN_MEASUREMENT_H

#include "harness/quant_run/quant_run.h"

/* What came of one form on one executor, over several sets of inputs. */
typedef struct quant_measurement {
  size_t executor;
  quant_lowering_t lowering;
  uint64_t outcomes[OUTCOME_COUNT]; /* Of steps. */
  uint64_t substituted;
  quant_whole_counts_t whole; /* Regions. */
  uint64_t unfinished;        /* Runs. */
  quant_error_t
      *errors;       /* By value of the graph: the largest; zero where no tensor stands for it. */
  bool *is_measured; /* By value. */
} quant_measurement_t;

/* Adds counts. */
void quant_whole_counts_add(const quant_whole_counts_t *counts, quant_whole_counts_t *inout_sum);

/* Adds one run. */
void quant_measurement_add(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                           const quant_run_t *run, quant_measurement_t *inout_measurement);

#endif
