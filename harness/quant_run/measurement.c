/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up runs of exported graphs. */
#include "harness/quant_run/measurement.h"

#include <math.h>

void quant_whole_counts_add(const quant_whole_counts_t *counts, quant_whole_counts_t *inout_sum) {
  for (int i = 0; i < OUTCOME_COUNT; i++) inout_sum->outcomes[i] += counts->outcomes[i];
  inout_sum->same += counts->same;
  inout_sum->differ += counts->differ;
  inout_sum->whole_outside += counts->whole_outside;
  inout_sum->steps_outside += counts->steps_outside;
  inout_sum->both_inside += counts->both_inside;
}

void quant_measurement_add(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                           const quant_run_t *run, quant_measurement_t *inout_measurement) {
  quant_measurement_t *sum = inout_measurement;
  for (int i = 0; i < OUTCOME_COUNT; i++) sum->outcomes[i] += run->outcomes[i];
  sum->substituted += run->substituted;
  quant_whole_counts_add(&run->whole, &sum->whole);
  sum->unfinished += run->unfinished != QUANT_NONE;
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    int32_t value = steps->tensors[i].value;
    bool is_made = run->tensors[i].data != NULL && steps->tensors[i].constant == NULL;
    if (value == QUANT_NONE || !is_made) continue;
    const quant_error_t error = quant_error_of(steps, enclosure, i, &run->tensors[i]);
    quant_error_t *worst = &sum->errors[value];
    worst->certified = fmax(worst->certified, error.certified);
    worst->observed = fmax(worst->observed, error.observed);
    worst->outside += error.outside;
    sum->is_measured[value] = true;
  }
}
