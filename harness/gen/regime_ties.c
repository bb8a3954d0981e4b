/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that fall on halfway points of the accumulation type, or just beside them. */
#include <glib.h>

#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

/* Precision in which terms of this operand are added. */
static int accumulation_precision(const regime_operand_t *operand) {
  const format_t *format = operand->target.element->format;
  const element_t *result = operand->program->results[0].element;
  bool is_wider = operand->program->result_count > 0 && result->format != NULL &&
                  result->format->precision > format->precision;
  return is_wider ? result->format->precision : format->precision;
}

/* With 1 as the running sum, 2^-p is half a unit in the last place: a tie.  Its neighbours are just
 * beside it; 2^-p-1 and 3 * 2^-p-1 become ties by twos and fours. */
static uint64_t draw_addend(rng_t *rng, const element_t *element, int half_unit) {
  int precision = element->format->precision;
  uint64_t below = (UINT64_C(1) << precision) - 1;
  uint64_t above = (UINT64_C(1) << (precision - 1)) + 1;
  bool negative = rng_one_in(rng, 4);
  switch (rng_below(rng, 7)) {
    case 0:
    case 1:
      return special_value_number(element, negative, 1, half_unit);
    case 2:
      return special_value_number(element, negative, below, half_unit - precision);
    case 3:
      return special_value_number(element, negative, above, half_unit - (precision - 1));
    case 4:
      return special_value_number(element, negative, 1, half_unit - 1);
    case 5:
      return special_value_number(element, negative, 3, half_unit - 1);
    default:
      return special_value_number(element, negative, 3, half_unit);
  }
}

static void fill_float_ties(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  int scale = rng_one_in(rng, 2) ? 0 : (int)rng_between(rng, -8, 8);
  int half_unit = scale - accumulation_precision(operand);
  size_t large = (size_t)rng_between(rng, 1, FILL_PATTERNS / 2);
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    if (i < large) {
      bool negative = rng_one_in(rng, 4);
      uint64_t significand = rng_one_in(rng, 4) ? 3 : 1;
      patterns[i] = special_value_number(element, negative, significand, scale);
    } else {
      patterns[i] = draw_addend(rng, element, half_unit);
    }
  }
  fill_patterns(rng, &operand->target, patterns);
}

/* Factors that leave ties ties: mostly one power of two. */
static void fill_factors(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    bool is_usual = !rng_one_in(rng, 8);
    bool negative = !is_usual && rng_one_in(rng, 2);
    int exponent = is_usual ? 0 : (int)rng_between(rng, -1, 1);
    patterns[i] = special_value_number(element, negative, 1, exponent);
  }
  fill_patterns(rng, &operand->target, patterns);
}

/* Equal values: what an arg-max must order. */
static void fill_equal_values(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  uint64_t values[3];
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    values[i] = special_value_integer(element, (int)rng_between(rng, -4, 4));
  }
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    patterns[i] = values[rng_below(rng, G_N_ELEMENTS(values))];
  }
  fill_patterns(rng, &operand->target, patterns);
}

void regime_ties(rng_t *rng, const regime_operand_t *operand) {
  if (operand->target.element->format == NULL) {
    fill_equal_values(rng, operand);
  } else if (operand->number == 0) {
    fill_float_ties(rng, operand);
  } else {
    fill_factors(rng, operand);
  }
}
