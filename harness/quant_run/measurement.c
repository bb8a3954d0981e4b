/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up runs of exported graphs. */
#include "harness/quant_run/measurement.h"

#include <math.h>

void quant_measurement_add(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                           const quant_run_t *run, quant_measurement_t *inout_measurement) {
  quant_measurement_t *sum = inout_measurement;
  for (int i = 0; i < OUTCOME_COUNT; i++) sum->outcomes[i] += run->outcomes[i];
  sum->substituted += run->substituted;
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
