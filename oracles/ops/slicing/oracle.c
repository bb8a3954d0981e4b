/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the ops that take parts of tensors.  Nothing is computed, so one value is
 * right. */
#include "oracles/audit.h"
#include "oracles/copied.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/exact/sum/choice_set.h"
#include "oracles/ops/slicing/enclose.h"
#include "oracles/ops/slicing/sources.h"

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const type_t *result = &call->instance->program.results[0];
  size_t count = type_component_count(result), parts = result->element->components;
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(call->arena, uint8_t, count);
  slicing_source_t *sources = slicing_sources(call->instance, FAULT_NONE, call->arena);
  for (size_t i = 0; i < count; i++) {
    bool is_open;
    bits[i] = slicing_load(call->instance, sources[i / parts], i % parts, &is_open);
    decide[i] = is_open;
  }
  out_accepts[0] = (accept_t){.count = count, .bits = bits, .decide = decide};
  return STATUS_OK;
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  const element_t *element = call->results[result].type.element;
  slicing_source_t source = slicing_define(call->instance, component / element->components);
  bool is_open;
  uint64_t due = slicing_load(call->instance, source, component % element->components, &is_open);
  uint64_t bits = element_load(element, call->results[result].data, component);
  if (is_open) {
    const choice_set_t anything = {.any = true};
    answer_t answer = {.conforms = true};
    choice_set_judge(&anything, element, bits, &answer);
    *out_answer = answer;
    return STATUS_OK;
  }
  *out_answer = copied_answer(element, call->contract, due, bits);
  return STATUS_OK;
}

/* The fast side follows tables, the exact one the formulas. */
static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

static status_t simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  tensor_t *result = &inout_results[0];
  const element_t *element = result->type.element;
  slicing_source_t *sources = slicing_sources(call->instance, schedule->fault, call->arena);
  for (size_t i = 0; i < type_component_count(&result->type); i++) {
    size_t number = i / element->components;
    bool is_open;
    if (fault_skips_store(schedule->fault, number, result)) continue;
    uint64_t bits =
        slicing_load(call->instance, sources[number], i % element->components, &is_open);
    element_store(element, result->data, i, copied_spoil(schedule->fault, element, bits, number));
  }
  return STATUS_OK;
}

#define ROW(function, ...)                                                      \
  static const oracle_t function##_oracle = {.op_name = "stablehlo." #function, \
                                             .accept = accept,                  \
                                             .decide = decide,                  \
                                             .audit = audit,                    \
                                             .simulate = simulate,              \
                                             __VA_ARGS__};
ROW(slice, .enclose = slicing_enclose)
ROW(pad, .enclose = slicing_enclose)
ROW(reverse, .enclose = slicing_enclose)
ROW(iota)
ROW(dynamic_slice)
ROW(dynamic_update_slice)
ROW(gather)

extern const oracle_t *const slicing_oracles[];
const oracle_t *const slicing_oracles[] = {&slice_oracle,         &pad_oracle,
                                           &reverse_oracle,       &iota_oracle,
                                           &dynamic_slice_oracle, &dynamic_update_slice_oracle,
                                           &gather_oracle,        NULL};
