/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces empty fast sets under in-order contracts by the results of a simulated plain sequential
 * evaluation, which always conforms, so that few components need the exact decision. */
#include "oracles/sequential.h"

#include <string.h>

static bool knows_nothing(const accept_t *accept) {
  return accept->bits == NULL && accept->low == NULL && accept->count != 0;
}

status_t accept_sequential(const oracle_call_t *call, oracle_simulate_t *simulate,
                           const format_t *accumulator, accept_t *inout_accepts) {
  const program_t *program = &call->instance->program;
  bool is_needed = false;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    is_needed |= knows_nothing(&inout_accepts[i]);
    results[i] = tensor_make(call->arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&program->results[i]));
  }
  if (!is_needed) return STATUS_OK;
  implementation_model_t plain = schedule_plain();
  plain.accumulator = accumulator;
  STATUS_TRY(simulate(call, &plain, results));
  for (uint32_t i = 0; i < program->result_count; i++) {
    accept_t *accept = &inout_accepts[i];
    if (!knows_nothing(accept)) continue;
    uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, accept->count);
    for (size_t component = 0; component < accept->count; component++) {
      bits[component] = element_load(program->results[i].element, results[i].data, component);
    }
    accept->bits = bits;
    accept->decide = NULL;
  }
  return STATUS_OK;
}
