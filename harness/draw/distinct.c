/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through all patterns in odd steps. */
#include "harness/draw/distinct.h"

#include "harness/draw/draw_quantization.h"

void draw_distinct_operands(rng_t *rng, case_t *inout_case) {
  uint64_t bits = rng_bits(rng), step = rng_bits(rng) | 1;
  for (uint32_t i = 0; i < inout_case->program.operand_count; i++) {
    tensor_t *operand = &inout_case->operands[i];
    const element_t *element = operand->type.element;
    size_t count = type_component_count(&operand->type);
    for (size_t component = 0; component < count; component++, bits += step) {
      element_store(element, operand->data, component, bits & element_mask(element));
    }
    clamp_stored(operand);
  }
}
