/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of what conforms, found by asking the exact side (harness/power/tolerance.h). */
#include <math.h>
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
  STATUS_TRY(power_fill_known(expectation->oracle, call, expectation->accepts, out_results, known));
  return known[result][component] != 0 ? STATUS_OK : STATUS_UNDECIDED;
}

static status_t find_ends(const expectation_t *expectation, const contract_t *contract,
                          const verdict_t *verdict, tolerance_t *out_tolerance, failure_t *error) {
  decision_memo_t memo;
  decision_memo_init(&memo);
  const oracle_call_t call = {.instance = expectation->instance,
                              .contract = contract,
                              .memo = &memo,
                              .arena = expectation->arena,
                              .error = error};
  arena_mark_t mark = arena_mark(expectation->arena);
  tensor_t results[CASE_RESULTS_MAX];
  status_t status = fill_start(expectation, &call, verdict->result, verdict->component, results);
  if (status == STATUS_OK) {
    const tolerance_question_t question = {.oracle = expectation->oracle,
                                           .instance = expectation->instance,
                                           .contract = contract,
                                           .results = results,
                                           .memo = &memo,
                                           .arena = expectation->arena,
                                           .deadline = clock_cpu_nanoseconds() + WORST_NANOSECONDS};
    status = tolerance_find(&question, verdict->result, verdict->component, out_tolerance, error);
  }
  arena_rewind(expectation->arena, mark);
  decision_memo_deinit(&memo);
  return status;
}

status_t worst_find(const expectation_t *expectation, const contract_t *contract,
                    const verdict_t *verdict, worst_t *out_worst, failure_t *error) {
  *out_worst = (worst_t){.exact = NAN};
  bool is_known = verdict->wrong_count > 0 && expectation->oracle_status == STATUS_OK &&
                  expectation->broken == NULL;
  if (!is_known) return STATUS_OK;
  const accept_t *accept = &expectation->accepts[verdict->result];
  if (accept->reference != NULL) out_worst->exact = accept->reference[verdict->component];
  failure_t reason = {0};
  tolerance_t tolerance = {0};
  status_t status = find_ends(expectation, contract, verdict, &tolerance, &reason);
  if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) return STATUS_OK;
  if (status != STATUS_OK) {
    *error = reason;
    return status;
  }
  out_worst->has_ends = tolerance.is_measured;
  out_worst->lowest = tolerance.lowest;
  out_worst->highest = tolerance.highest;
  return STATUS_OK;
}
