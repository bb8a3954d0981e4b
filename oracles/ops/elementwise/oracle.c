/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the elementwise ops. */
#include "oracles/audit.h"
#include "oracles/ops/elementwise/enclose.h"
#include "oracles/ops/elementwise/parts.h"

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

#define ROW(function, find)                   \
  static const oracle_t function##_oracle = { \
      .op_name = "stablehlo." #function,      \
      .accept = elementwise_accept,           \
      .decide = elementwise_decide,           \
      .ranges = elementwise_ranges,           \
      .audit = audit,                         \
      .simulate = elementwise_simulate,       \
      .find_formula = find,                   \
      .enclose = elementwise_enclose,         \
  };
ROW(add, elementwise_find_formula)
ROW(subtract, elementwise_find_formula)
ROW(multiply, elementwise_find_formula)
ROW(maximum, elementwise_find_formula)
ROW(minimum, elementwise_find_formula)
ROW(negate, elementwise_find_formula)
ROW(shift_right_arithmetic, NULL)

extern const oracle_t *const elementwise_oracles[];
const oracle_t *const elementwise_oracles[] = {&add_oracle,
                                               &subtract_oracle,
                                               &multiply_oracle,
                                               &maximum_oracle,
                                               &minimum_oracle,
                                               &negate_oracle,
                                               &shift_right_arithmetic_oracle,
                                               NULL};
