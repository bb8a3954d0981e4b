/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the terms of one result component, and its initial value, as input of the exact
 * decisions for sums, products and integers. */
#include "oracles/ops/reduce/gather.h"

fold_body_t reduce_fold_body(const program_t *program) {
  static const fold_body_t bodies[REDUCE_BODY_COUNT] = {
      [REDUCE_add] = FOLD_ADD,         [REDUCE_multiply] = FOLD_MULTIPLY,
      [REDUCE_maximum] = FOLD_MAXIMUM, [REDUCE_minimum] = FOLD_MINIMUM,
      [REDUCE_and] = FOLD_AND,         [REDUCE_or] = FOLD_OR,
      [REDUCE_xor] = FOLD_XOR,         [REDUCE_argmax] = FOLD_ARGMAX,
      [REDUCE_argmin] = FOLD_ARGMIN,   [REDUCE_sum_count] = FOLD_ADD,
  };
  return bodies[reduce_attributes(program)->reduction.body];
}

uint64_t reduce_load_integer(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  uint64_t bits = element_load(element, tensor->data, index);
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
}

sum_problem_t reduce_sum_question(const case_t *instance, const reduce_slices_t *slices,
                                  uint32_t result, size_t component, arena_t *arena) {
  const tensor_t *input = &instance->operands[result];
  const tensor_t *init = &instance->operands[reduce_init_operand(&instance->program, result)];
  size_t parts = input->type.element->components;
  size_t base = slices->output_base[component / parts], part = component % parts;
  double *terms = ARENA_NEW_ARRAY(arena, double, slices->term_count);
  for (size_t term = 0; term < slices->term_count; term++) {
    terms[term] = reduce_load_float(input, (base + slices->term_offset[term]) * parts + part);
  }
  return (sum_problem_t){
      .format = instance->program.results[result].element->format,
      .count = slices->term_count,
      .left = terms,
      .left_format = input->type.element->format,
      .has_init = true,
      .init = reduce_load_float(init, part),
  };
}

product_problem_t reduce_product_question(const case_t *instance, const reduce_slices_t *slices,
                                          uint32_t result, size_t component, arena_t *arena) {
  const tensor_t *input = &instance->operands[result];
  const tensor_t *init = &instance->operands[reduce_init_operand(&instance->program, result)];
  size_t parts = input->type.element->components;
  size_t base = slices->output_base[component / parts];
  double *factors = ARENA_NEW_ARRAY(arena, double, slices->term_count *parts);
  for (size_t i = 0; i < slices->term_count * parts; i++) {
    size_t index = base + slices->term_offset[i / parts];
    factors[i] = reduce_load_float(input, index * parts + i % parts);
  }
  return (product_problem_t){
      .format = instance->program.results[result].element->format,
      .count = slices->term_count,
      .factors = factors,
      .init = reduce_load_float(init, 0),
      .init_imaginary = parts == 2 ? reduce_load_float(init, 1) : 0,
  };
}

integer_problem_t reduce_integer_question(const case_t *instance, const reduce_slices_t *slices,
                                          uint32_t result, size_t component, arena_t *arena) {
  const tensor_t *input = &instance->operands[result];
  const tensor_t *init = &instance->operands[reduce_init_operand(&instance->program, result)];
  uint64_t *terms = ARENA_NEW_ARRAY(arena, uint64_t, slices->term_count);
  for (size_t term = 0; term < slices->term_count; term++) {
    terms[term] =
        reduce_load_integer(input, slices->output_base[component] + slices->term_offset[term]);
  }
  return (integer_problem_t){
      .element = instance->program.results[result].element,
      .body = reduce_fold_body(&instance->program),
      .count = slices->term_count,
      .left = terms,
      .has_init = true,
      .init = reduce_load_integer(init, 0),
  };
}
