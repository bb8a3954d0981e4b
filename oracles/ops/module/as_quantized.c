/* SPDX-License-Identifier: Apache-2.0 */
/* A sum, difference, product, maximum or minimum of two dequantized tensors that is quantized, as
 * the op on quantized types that the specification defines as these steps (theory.md, T213). */
#include "generated/element_conversion_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/ops/module/module.h"

/* Whether a value is zeros of floats: a constant, or a broadcast of one. */
static bool is_zeros(const module_t *module, module_value_t value) {
  const module_step_t *step = module_definition(module, value);
  if (step != NULL && module_step_is(step, "broadcast_in_dim")) value = step->operands[0];
  const tensor_t *constant = module_constant(module, value);
  if (constant == NULL || constant->type.element->format == NULL) return false;
  size_t count = type_element_count(&constant->type);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(constant->type.element, constant->data, i);
    if (format_to_double(constant->type.element->format, bits) != 0) return false;
  }
  return true;
}

/* The step that gives a value, before a maximum with zeros if there is one. */
static const module_step_t *find_inner(const module_t *module, module_value_t value,
                                       bool *out_has_maximum) {
  const module_step_t *step = module_definition(module, value);
  *out_has_maximum = false;
  if (step == NULL || !module_step_is(step, "maximum")) return step;
  for (uint32_t side = 0; side < 2; side++) {
    if (!is_zeros(module, step->operands[side])) continue;
    *out_has_maximum = true;
    return module_definition(module, step->operands[1 - side]);
  }
  return step;
}

static bool is_pairwise(const module_step_t *step) {
  static const char *const names[] = {"add", "subtract", "multiply", "maximum", "minimum"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (module_step_is(step, names[i])) return true;
  }
  return false;
}

bool module_find_quantized(const module_t *module, const module_step_t *step,
                           module_quantized_t *out) {
  if (!module_step_is(step, "uniform_quantize")) return false;
  const module_step_t *inner = find_inner(module, step->operands[0], &out->has_maximum);
  if (inner == NULL || !is_pairwise(inner)) return false;
  out->program = inner->program;
  out->program.results[0] = step->program.results[0];
  for (uint32_t i = 0; i < 2; i++) {
    const module_step_t *before = module_definition(module, inner->operands[i]);
    if (before == NULL || !module_step_is(before, "uniform_dequantize")) return false;
    out->program.operands[i] = before->program.operands[0];
    out->sources[i] = before->operands[0];
  }
  return program_broken(&out->program) == NULL;
}

contract_t module_contract_of_quantized(const contract_t *contract) {
  contract_t merged = *contract;
  PERMITTED(&merged, quantized) = contract_value_spelled("quantized", "integer");
  if (PERMITTED(&merged, rescale) == contract_value_spelled("rescale", "exact")) {
    PERMITTED(&merged, rescale) = contract_value_spelled("rescale", "float");
  } else if (PERMITTED(&merged, rescale) == contract_value_spelled("rescale", "fixed")) {
    PERMITTED(&merged, rescale) = contract_value_spelled("rescale", "either");
  }
  return merged;
}

/* Who computes wider has wider nodes in sums, unrounded products, and one multiplication in place
 * of two: those are permitted of the steps then. */
contract_t module_contract_of_steps(const contract_t *contract) {
  contract_t steps = *contract;
  if (PERMITTED(contract, intermediates) == INTERMEDIATES_ROUNDED) return steps;
  PERMITTED(&steps, accum_wider) = ACCUM_WIDER_YES;
  PERMITTED(&steps, fma) = FMA_YES;
  if (PERMITTED(contract, intermediates) == INTERMEDIATES_EITHER) {
    uint8_t merged = contract_value_spelled("requantize", "merged");
    PERMITTED(&steps, requantize) = MAX(PERMITTED(&steps, requantize), merged);
  }
  return steps;
}
