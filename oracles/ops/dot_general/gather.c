/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the factors of one result component, as reals, split components, complex parts or
 * integers, as input of the exact sum and integer decisions. */
#include "oracles/ops/dot_general/gather.h"

dot_general_place_t dot_general_place(const case_t *instance, const dot_general_layout_t *layout,
                                      size_t component) {
  size_t parts = instance->program.results[0].element->components;
  size_t element = component / parts;
  size_t matrix = layout->row_count * layout->column_count;
  return (dot_general_place_t){
      .batch = element / matrix,
      .row = element % matrix / layout->column_count,
      .column = element % layout->column_count,
      .part = (int)(component % parts),
  };
}

static double load(const tensor_t *tensor, size_t component) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, component));
}

void dot_general_load_components(const tensor_t *operand, const dot_plan_t *plan, split_t split,
                                 uint32_t side, size_t index,
                                 double out_components[DOT_COMPONENTS_MAX]) {
  const format_t *precision = dot_plan_precision(plan, side);
  int count = plan->component_counts[side];
  dot_stored_t number = {.storage = operand->type.element->format};
  number.bits = element_load(operand->type.element, operand->data, index);
  number.value = format_to_double(number.storage, number.bits);
  if (number.storage == precision && count == 1) {
    out_components[0] = number.value;
  } else {
    dot_split(dot_plan_split(plan, side, split), precision, count, &number, out_components);
  }
}

/* The factors of the terms of one sum. */
typedef struct factors {
  double *left;
  double *right;
} factors_t;

/* re = a.re b.re + (-a.im) b.im;  im = a.re b.im + a.im b.re. */
static void gather_complex(const case_t *instance, const dot_general_layout_t *layout,
                           dot_general_place_t place, const factors_t *out_factors) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const tensor_t *rhs = &instance->operands[DOT_GENERAL_RHS];
  for (size_t term = 0; term < layout->term_count; term++) {
    size_t l = dot_general_lhs_index(layout, place, term),
           r = dot_general_rhs_index(layout, place, term);
    double imaginary = load(lhs, 2 * l + 1);
    out_factors->left[2 * term] = load(lhs, 2 * l);
    out_factors->left[2 * term + 1] = place.part == 0 ? -imaginary : imaginary;
    out_factors->right[2 * term] = load(rhs, 2 * r + (place.part == 0 ? 0 : 1));
    out_factors->right[2 * term + 1] = load(rhs, 2 * r + (place.part == 0 ? 1 : 0));
  }
}

/* All products of components, one primitive product after the other. */
static void gather_components(const case_t *instance, const dot_plan_t *plan, split_t split,
                              const dot_general_layout_t *layout, dot_general_place_t place,
                              const factors_t *out_factors) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const tensor_t *rhs = &instance->operands[DOT_GENERAL_RHS];
  double a[DOT_COMPONENTS_MAX], b[DOT_COMPONENTS_MAX];
  for (size_t term = 0; term < layout->term_count; term++) {
    dot_general_load_components(lhs, plan, split, DOT_GENERAL_LHS,
                                dot_general_lhs_index(layout, place, term), a);
    dot_general_load_components(rhs, plan, split, DOT_GENERAL_RHS,
                                dot_general_rhs_index(layout, place, term), b);
    for (int i = 0; i < plan->primitive_count; i++) {
      size_t to = (size_t)i * layout->term_count + term;
      out_factors->left[to] = a[plan->primitives[i].lhs];
      out_factors->right[to] = b[plan->primitives[i].rhs];
    }
  }
}

sum_problem_t dot_general_sum_question(const case_t *instance, const dot_plan_t *plan,
                                       split_t split, const dot_general_layout_t *layout,
                                       dot_general_place_t place, arena_t *arena) {
  size_t parts = instance->program.operands[DOT_GENERAL_LHS].element->components;
  size_t count = layout->term_count * parts * (size_t)plan->primitive_count;
  factors_t factors;
  factors.left = ARENA_NEW_ARRAY(arena, double, count);
  factors.right = ARENA_NEW_ARRAY(arena, double, count);
  if (parts == 1) {
    gather_components(instance, plan, split, layout, place, &factors);
  } else {
    gather_complex(instance, layout, place, &factors);
  }
  return (sum_problem_t){
      .format = plan->accumulation,
      .count = count,
      .left = factors.left,
      .right = factors.right,
      .left_format = plan->lhs,
      .right_format = plan->rhs,
      .left_storage = instance->operands[DOT_GENERAL_LHS].type.element->format,
      .right_storage = instance->operands[DOT_GENERAL_RHS].type.element->format,
      .is_complex_part = parts == 2,
      .result = plan->result,
      .group = plan->primitive_count > 1 ? layout->term_count : 0,
      .imprecise_bits = plan->imprecise_bits,
      .factors_exceed = plan->factors_exceed,
  };
}

static uint64_t load_integer(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  uint64_t bits = element_load(element, tensor->data, index);
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
}

integer_problem_t dot_general_integer_question(const case_t *instance,
                                               const dot_general_layout_t *layout,
                                               dot_general_place_t place, arena_t *arena) {
  uint64_t *left = ARENA_NEW_ARRAY(arena, uint64_t, layout->term_count);
  uint64_t *right = ARENA_NEW_ARRAY(arena, uint64_t, layout->term_count);
  for (size_t term = 0; term < layout->term_count; term++) {
    left[term] = load_integer(&instance->operands[DOT_GENERAL_LHS],
                              dot_general_lhs_index(layout, place, term));
    right[term] = load_integer(&instance->operands[DOT_GENERAL_RHS],
                               dot_general_rhs_index(layout, place, term));
  }
  return (integer_problem_t){
      .element = instance->program.results[0].element,
      .body = FOLD_ADD,
      .count = layout->term_count,
      .left = left,
      .right = right,
  };
}
