#include "oracles/ops/dot_general/dot_general_gather.h"

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

/* Index of the element of either operand that term `term` takes. */
static size_t lhs_index(const dot_general_layout_t *layout, dot_general_place_t place,
                        size_t term) {
  return layout->lhs_batch_offset[place.batch] + layout->lhs_row_offset[place.row] +
         layout->lhs_term_offset[term];
}

static size_t rhs_index(const dot_general_layout_t *layout, dot_general_place_t place,
                        size_t term) {
  return layout->rhs_batch_offset[place.batch] + layout->rhs_column_offset[place.column] +
         layout->rhs_term_offset[term];
}

static double load(const tensor_t *tensor, size_t component) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, component));
}

sum_question_t dot_general_sum_question(const case_t *instance, const dot_general_layout_t *layout,
                                        dot_general_place_t place, arena_t *arena) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const tensor_t *rhs = &instance->operands[DOT_GENERAL_RHS];
  size_t parts = lhs->type.element->components;
  size_t count = layout->term_count * parts;
  double *left = ARENA_NEW_ARRAY(arena, double, count);
  double *right = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t term = 0; term < layout->term_count; term++) {
    size_t l = lhs_index(layout, place, term), r = rhs_index(layout, place, term);
    if (parts == 1) {
      left[term] = load(lhs, l);
      right[term] = load(rhs, r);
      continue;
    }
    /* re = a.re b.re + (-a.im) b.im;  im = a.re b.im + a.im b.re. */
    double imaginary = load(lhs, 2 * l + 1);
    left[2 * term] = load(lhs, 2 * l);
    left[2 * term + 1] = place.part == 0 ? -imaginary : imaginary;
    right[2 * term] = load(rhs, 2 * r + (place.part == 0 ? 0 : 1));
    right[2 * term + 1] = load(rhs, 2 * r + (place.part == 0 ? 1 : 0));
  }
  return (sum_question_t){
      .format = instance->program.results[0].element->format,
      .count = count,
      .left = left,
      .right = right,
      .left_format = lhs->type.element->format,
      .right_format = rhs->type.element->format,
      .is_complex_part = parts == 2,
  };
}

static uint64_t load_integer(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  uint64_t bits = element_load(element, tensor->data, index);
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
}

integer_question_t dot_general_integer_question(const case_t *instance,
                                                const dot_general_layout_t *layout,
                                                dot_general_place_t place, arena_t *arena) {
  uint64_t *left = ARENA_NEW_ARRAY(arena, uint64_t, layout->term_count);
  uint64_t *right = ARENA_NEW_ARRAY(arena, uint64_t, layout->term_count);
  for (size_t term = 0; term < layout->term_count; term++) {
    left[term] = load_integer(&instance->operands[DOT_GENERAL_LHS], lhs_index(layout, place, term));
    right[term] =
        load_integer(&instance->operands[DOT_GENERAL_RHS], rhs_index(layout, place, term));
  }
  return (integer_question_t){
      .element = instance->program.results[0].element,
      .body = FOLD_ADD,
      .count = layout->term_count,
      .left = left,
      .right = right,
  };
}
