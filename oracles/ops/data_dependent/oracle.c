/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the ops whose operands say where elements go.  Nothing is computed, so one
 * value is right. */
#include "oracles/audit.h"
#include "oracles/copied.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/ops/data_dependent/definition.h"
#include "oracles/ops/data_dependent/sources.h"

static status_t check(const oracle_call_t *call) {
  bool may_flush = PERMITTED(call->contract, ftz) != FTZ_NONE;
  return dependent_check(call->instance, may_flush, call->error);
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  source_t *sources[CASE_RESULTS_MAX];
  STATUS_TRY(check(call));
  dependent_sources(call->instance, true, FAULT_NONE, call->arena, sources);
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *element = program->results[i].element;
    size_t count = type_component_count(&program->results[i]);
    uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
    for (size_t k = 0; k < count; k++) {
      bits[k] = source_load(call->instance, sources[i][k / element->components], element,
                            k % element->components);
    }
    out_accepts[i] = (accept_t){.count = count, .bits = bits};
  }
  return STATUS_OK;
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  const element_t *element = call->results[result].type.element;
  STATUS_TRY(check(call));
  source_t source = dependent_define(call->instance, result, component / element->components);
  uint64_t due = source_load(call->instance, source, element, component % element->components);
  uint64_t bits = element_load(element, call->results[result].data, component);
  *out_answer = copied_answer(element, call->contract, due, bits);
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

static status_t simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  source_t *sources[CASE_RESULTS_MAX];
  /* A trial run has zeros for operands, which fit nothing: its results are zeros too. */
  bool fits = dependent_check(call->instance, false, NULL) == STATUS_OK;
  dependent_sources(call->instance, fits, schedule->fault, call->arena, sources);
  for (uint32_t i = 0; i < call->instance->program.result_count; i++) {
    tensor_t *result = &inout_results[i];
    const element_t *element = result->type.element;
    for (size_t k = 0; k < type_component_count(&result->type); k++) {
      size_t to = k / element->components;
      if (fault_skips_store(schedule->fault, to, result)) continue;
      uint64_t bits = source_load(call->instance, sources[i][to], element, k % element->components);
      element_store(element, result->data, k, copied_spoil(schedule->fault, element, bits, to));
    }
  }
  return STATUS_OK;
}

#define FUNCTIONS .accept = accept, .decide = decide, .audit = audit, .simulate = simulate

static const oracle_t repeat_oracle = {.op_name = "byteir.repeat", FUNCTIONS};
static const oracle_t non_zero_oracle = {.op_name = "byteir.non_zero", FUNCTIONS};
static const oracle_t partition_oracle = {.op_name = "tf.DynamicPartition", FUNCTIONS};
static const oracle_t stitch_oracle = {.op_name = "tf.DynamicStitch", FUNCTIONS};
static const oracle_t select_oracle = {.op_name = "tf.Select", FUNCTIONS};

extern const oracle_t *const data_dependent_oracles[];
const oracle_t *const data_dependent_oracles[] = {
    &repeat_oracle, &non_zero_oracle, &partition_oracle, &stitch_oracle, &select_oracle, NULL};
