/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of convert, uniform_quantize and uniform_dequantize. */
#include "oracles/audit.h"
#include "oracles/ops/element_conversion/parts.h"

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

static const oracle_t convert_oracle = {
    .op_name = "stablehlo.convert",
    .accept = convert_accept,
    .decide = convert_decide,
    .audit = audit,
    .simulate = convert_simulate,
    .enclose = convert_enclose,
};

static const oracle_t uniform_quantize_oracle = {
    .op_name = "stablehlo.uniform_quantize",
    .accept = uniform_quantize_accept,
    .decide = uniform_quantize_decide,
    .audit = audit,
    .simulate = uniform_quantize_simulate,
    .enclose = uniform_quantize_enclose,
    .find_formula = uniform_quantize_find_formula,
};

static const oracle_t uniform_dequantize_oracle = {
    .op_name = "stablehlo.uniform_dequantize",
    .accept = uniform_dequantize_accept,
    .decide = uniform_dequantize_decide,
    .audit = audit,
    .simulate = uniform_dequantize_simulate,
    .enclose = uniform_dequantize_enclose,
};

extern const oracle_t *const element_conversion_oracles[];
const oracle_t *const element_conversion_oracles[] = {&convert_oracle, &uniform_quantize_oracle,
                                                      &uniform_dequantize_oracle, NULL};
