/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the pointwise ops.  What is fast has one pattern for each component; where
 * that may be another, MPFR is asked. */
#include "oracles/audit.h"
#include "oracles/ops/pointwise/parts.h"

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  const pointwise_step_t step = pointwise_step_of(program);
  size_t count = type_component_count(&program->results[0]);
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(call->arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) {
    uint64_t operands[POINTWISE_OPERANDS_MAX];
    for (uint32_t k = 0; k < program->operand_count; k++) {
      const tensor_t *operand = &instance->operands[k];
      operands[k] =
          element_load(operand->type.element, operand->data, pointwise_place(program, k, i));
    }
    bool is_open;
    bits[i] = pointwise_apply(&step, operands, &is_open);
    decide[i] = is_open;
  }
  out_accepts[0] = (accept_t){.count = count, .bits = bits, .decide = decide};
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

#define ROW(function, ...)                                                      \
  static const oracle_t function##_oracle = {.op_name = "stablehlo." #function, \
                                             .accept = accept,                  \
                                             .decide = pointwise_decide,        \
                                             .ranges = pointwise_ranges,        \
                                             .audit = audit,                    \
                                             .simulate = pointwise_simulate,    \
                                             __VA_ARGS__};
ROW(divide, .enclose = pointwise_enclose)
ROW(remainder, )
ROW(sqrt, .enclose = pointwise_enclose)
ROW(abs, .enclose = pointwise_enclose)
ROW(sign, .enclose = pointwise_enclose)
ROW(floor, .enclose = pointwise_enclose)
ROW(ceil, .enclose = pointwise_enclose)
ROW(round_nearest_even, .enclose = pointwise_enclose)
ROW(round_nearest_afz, .enclose = pointwise_enclose)
ROW(and, )
ROW(or, )
ROW(xor, )
ROW(not, )
ROW(compare, .enclose = pointwise_enclose)
ROW(select, .enclose = pointwise_enclose)
ROW(clamp, .enclose = pointwise_enclose)

extern const oracle_t *const pointwise_oracles[];
const oracle_t *const pointwise_oracles[] = {&divide_oracle,
                                             &remainder_oracle,
                                             &sqrt_oracle,
                                             &abs_oracle,
                                             &sign_oracle,
                                             &floor_oracle,
                                             &ceil_oracle,
                                             &round_nearest_even_oracle,
                                             &round_nearest_afz_oracle,
                                             &and_oracle,
                                             &or_oracle,
                                             &xor_oracle,
                                             &not_oracle,
                                             &compare_oracle,
                                             &select_oracle,
                                             &clamp_oracle,
                                             NULL};
