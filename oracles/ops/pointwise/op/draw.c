/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the pointwise ops, and data in which their faults show: halves, neighbours and equal
 * numbers, quotients that are exact or nearly so, divisors about zero. */
#include <math.h>

#include "harness/draw/special_values.h"
#include "harness/kinds/byteir.h"
#include "oracles/ops/pointwise/pointwise.h"

/* ---- Programs -------------------------------------------------------------------------------- */

static bool is_taken(const element_t *element, const void *function) {
  return pointwise_takes(*(const pointwise_t *)function, element);
}

static uint8_t type_of_comparison(const element_t *element) {
  switch (element->kind) {
    case ELEMENT_FLOAT:
      return COMPARISON_TYPE_FLOAT;
    case ELEMENT_SIGNED:
      return COMPARISON_TYPE_SIGNED;
    default:
      return COMPARISON_TYPE_UNSIGNED;
  }
}

static void draw_compare(rng_t *rng, arena_t *arena, program_t *inout_program) {
  compare_attributes_t *attributes = ARENA_NEW_ARRAY(arena, compare_attributes_t, 1);
  attributes->direction = (uint8_t)rng_below(rng, COMPARISON_COUNT);
  attributes->type = COMPARISON_TYPE_ABSENT;
  if (rng_one_in(rng, 2)) attributes->type = type_of_comparison(inout_program->operands[0].element);
  inout_program->attributes = attributes;
  inout_program->results[0].element = element_named("i1");
}

static type_t scalar_of(const type_t *type) { return type_make(type->element, 0, NULL); }

void pointwise_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                    program_t *inout_program) {
  pointwise_t function = pointwise_of(inout_program);
  const element_t *element = draw_element(rng, is_taken, &function);
  dimension_list_t unused;
  type_t type = byteir_draw_shape(rng, limits, element, 0, 0, &unused);
  inout_program->attributes = arena_alloc(arena, 0);
  inout_program->operand_count = pointwise_arity(function);
  inout_program->result_count = 1;
  for (uint32_t i = 0; i < inout_program->operand_count; i++) inout_program->operands[i] = type;
  inout_program->results[0] = type;
  if (function == POINTWISE_COMPARE) draw_compare(rng, arena, inout_program);
  if (function == POINTWISE_SELECT) {
    if (rng_one_in(rng, 4)) inout_program->operands[0] = scalar_of(&type);
    inout_program->operands[0].element = element_named("i1");
  }
  if (function == POINTWISE_CLAMP) {
    if (rng_one_in(rng, 2)) inout_program->operands[0] = scalar_of(&type);
    if (rng_one_in(rng, 2)) inout_program->operands[2] = scalar_of(&type);
  }
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Multiples of 1/2 and their neighbours, whose fractions are at the edges of what rounds. */
static uint64_t draw_half(rng_t *rng, const element_t *element) {
  const format_t *format = element->format;
  uint64_t magnitude = rng_below(rng, rng_one_in(rng, 2) ? 8 : UINT64_C(1) << format->precision);
  bool negative = rng_one_in(rng, 2);
  if (magnitude == 0) return special_value_zero(element, negative);
  uint64_t bits = special_value_number(element, negative, magnitude, -1);
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) return format_next_up(format, bits);
  return choice == 1 ? format_next_down(format, bits) : bits;
}

/* A product with a small number, so that a quotient is that or next to it. */
static uint64_t draw_multiple(rng_t *rng, const element_t *element, uint64_t divisor) {
  const format_t *format = element->format;
  double factor = (double)rng_between(rng, -40, 40);
  if (rng_one_in(rng, 3)) factor = ldexp(1, (int)rng_between(rng, -8, 8));
  uint64_t bits = format_from_double(format, format_to_double(format, divisor) * factor);
  if (format_is_nan(format, bits)) return bits;
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) return format_next_up(format, bits);
  return choice == 1 ? format_next_down(format, bits) : bits;
}

static uint64_t draw_number(rng_t *rng, const element_t *element) {
  if (element->format == NULL || rng_one_in(rng, 3)) return special_value_any(rng, element);
  return draw_half(rng, element);
}

static uint64_t draw_float_partner(rng_t *rng, pointwise_t function, const element_t *element,
                                   uint64_t other) {
  const format_t *format = element->format;
  bool is_number = !format_has_nan(format) || !format_is_nan(format, other);
  bool divides = function == POINTWISE_DIVIDE || function == POINTWISE_REMAINDER;
  if (divides && is_number && rng_one_in(rng, 2)) return draw_multiple(rng, element, other);
  if (!is_number && rng_one_in(rng, 2)) return other;
  if (!is_number || rng_one_in(rng, 3)) return draw_number(rng, element);
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) return special_value_negated(element, other);
  if (choice == 1) return format_next_up(format, other);
  return choice == 2 ? format_next_down(format, other) : other;
}

/* Divisors about zero, and what is compared is about equal. */
static uint64_t draw_integer_partner(rng_t *rng, const element_t *element, uint64_t other) {
  uint64_t near = (uint64_t)rng_between(rng, -2, 2);
  uint64_t choice = rng_below(rng, 3);
  if (choice == 0) return special_value_any(rng, element);
  return (choice == 1 ? near : other + near) & element_mask(element);
}

void pointwise_settle(rng_t *rng, case_t *inout_case) {
  (void)rng;
  const tensor_t *dividends = &inout_case->operands[0], *divisors = &inout_case->operands[1];
  const element_t *element = divisors->type.element;
  if (element->format != NULL) return;
  uint64_t least = (uint64_t)element_integer_min(element) & element_mask(element);
  for (size_t i = 0; i < type_element_count(&divisors->type); i++) {
    uint64_t divisor = element_load(element, divisors->data, i);
    bool is_signed = element->kind == ELEMENT_SIGNED;
    bool overflows = is_signed && divisor == element_mask(element) &&
                     element_load(element, dividends->data, i) == least;
    if (divisor == 0 || overflows) element_store(element, divisors->data, i, 1);
  }
}

/* The last operand that is no predicate is drawn first, and the others beside it. */
void pointwise_draw_edges(rng_t *rng, case_t *inout_case) {
  pointwise_t function = pointwise_of(&inout_case->program);
  uint32_t last = inout_case->program.operand_count - 1;
  for (uint32_t i = last + 1; i-- > 0;) {
    const tensor_t *tensor = &inout_case->operands[i], *partner = &inout_case->operands[last];
    const element_t *element = tensor->type.element;
    size_t count = type_component_count(&tensor->type);
    size_t known = partner->type.element == element ? type_component_count(&partner->type) : 0;
    for (size_t k = 0; k < count; k++) {
      uint64_t bits = draw_number(rng, element);
      if (i < last && known > 0) {
        uint64_t other = element_load(element, partner->data, MIN(k, known - 1));
        bits = element->format != NULL ? draw_float_partner(rng, function, element, other)
                                       : draw_integer_partner(rng, element, other);
      }
      element_store(element, tensor->data, k, bits);
    }
  }
}
