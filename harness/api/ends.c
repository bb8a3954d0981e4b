/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of what conforms, found by asking the exact side (harness/power/tolerance.h). */
#include <string.h>

#include "harness/api/handles.h"
#include "harness/base/clock.h"
#include "harness/power/measure.h"

enum { WORST_NANOSECONDS = 1000000000 }; /* For the ends of one element; then it has none. */

/* Values to begin with: of a single result only the component's own matters. */
static status_t fill_start(const expectation_t *expectation, const oracle_call_t *call,
                           uint32_t result, size_t component, tensor_t *out_results) {
  const program_t *program = &expectation->instance->program;
  const element_t *element = program->results[result].element;
  uint64_t bits;
  if (program->result_count == 1 &&
      power_find_held(&expectation->accepts[0], element, component, &bits)) {
    out_results[0] = tensor_make(call->arena, &program->results[0]);
    memset(out_results[0].data, 0, type_bytes(&program->results[0]));
    element_store(element, out_results[0].data, component, bits);
    return STATUS_OK;
  }
  const uint8_t *known[CASE_RESULTS_MAX];
  STATUS_TRY(power_fill_known(expectation->oracle, call, out_results, known));
  return known[result][component] != 0 ? STATUS_OK : STATUS_UNDECIDED;
}

status_t ends_find(const expectation_t *expectation, const contract_t *contract, uint32_t result,
                   size_t component, ends_t *out_ends, failure_t *error) {
  *out_ends = (ends_t){.has_ends = false};
  if (expectation->oracle_status != STATUS_OK || expectation->broken != NULL) return STATUS_OK;
  failure_t reason = {0};
  decision_memo_t memo;
  decision_memo_init(&memo);
  const oracle_call_t call = {.instance = expectation->instance,
                              .contract = contract,
                              .memo = &memo,
                              .arena = expectation->arena,
                              .error = &reason};
  arena_mark_t mark = arena_mark(expectation->arena);
  tensor_t results[CASE_RESULTS_MAX];
  status_t status = fill_start(expectation, &call, result, component, results);
  tolerance_t tolerance = {0};
  if (status == STATUS_OK) {
    const tolerance_question_t question = {.oracle = expectation->oracle,
                                           .instance = expectation->instance,
                                           .contract = contract,
                                           .results = results,
                                           .memo = &memo,
                                           .arena = expectation->arena,
                                           .deadline = clock_cpu_nanoseconds() + WORST_NANOSECONDS};
    status = tolerance_find(&question, result, component, &tolerance, &reason);
  }
  arena_rewind(expectation->arena, mark);
  decision_memo_deinit(&memo);
  if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) return STATUS_OK;
  if (status != STATUS_OK) {
    *error = reason;
    return status;
  }
  *out_ends = (ends_t){
      .has_ends = tolerance.is_measured, .lowest = tolerance.lowest, .highest = tolerance.highest};
  return STATUS_OK;
}
