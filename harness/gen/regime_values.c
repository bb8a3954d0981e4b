/* SPDX-License-Identifier: Apache-2.0 */
/* The regimes in which components are independent of each other. */
#include <glib.h>

#include "harness/draw/special_values.h"
#include "harness/gen/gen.h"
#include "harness/gen/regime.h"

static const format_t *format_of(const regime_operand_t *operand) {
  return operand->target.element->format;
}

/* ---- Tame numbers ---------------------------------------------------------------------------- */

/* Sums of products of integers up to this stay exact for as many terms as the precision allows:
 *   precision   largest   products   exact terms
 *   24 and 53   8         64         2^18 and more
 *   11          3         9          227
 *   8           2         4          64
 *   5 and less  1         1          2^p */
static int largest_small_integer(const element_t *element) {
  if (element->format == NULL) return element->bits < 8 ? 1 : 8;
  int precision = element->format->precision;
  return precision >= 24 ? 8 : precision >= 11 ? 3 : precision >= 8 ? 2 : 1;
}

void regime_small_integers(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  int largest = (int)rng_between(rng, 1, largest_small_integer(element));
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    patterns[i] = special_value_integer(element, (int)rng_between(rng, -largest, largest));
  }
  fill_patterns(rng, &operand->target, patterns);
}

void regime_edges(rng_t *rng, const regime_operand_t *operand) {
  regime_small_integers(rng, operand);
}

/* Uniform integers of a random width k: -2^k .. 2^k - 1, or 0 .. 2^k - 1. */
static void fill_uniform_integers(rng_t *rng, const fill_target_t *target, bool is_signed) {
  const element_t *element = target->element;
  bool type_is_signed = element->kind == ELEMENT_SIGNED;
  int width = (int)rng_between(rng, 1, element->bits - type_is_signed);
  uint64_t largest = UINT64_MAX >> (64 - width);
  if (is_signed && type_is_signed) {
    fill_integers(rng, target, ~largest, 2 * largest + 1);
  } else {
    fill_integers(rng, target, 0, largest);
  }
}

void regime_uniform(rng_t *rng, const regime_operand_t *operand) {
  if (format_of(operand) == NULL) {
    fill_uniform_integers(rng, &operand->target, true);
  } else {
    fill_uniform_floats(rng, &operand->target, true);
  }
}

void regime_positive(rng_t *rng, const regime_operand_t *operand) {
  if (format_of(operand) == NULL) {
    fill_uniform_integers(rng, &operand->target, false);
  } else {
    fill_uniform_floats(rng, &operand->target, false);
  }
}

/* ---- All magnitudes -------------------------------------------------------------------------- */

/* All exponents, or a random band of them. */
static fill_floats_t draw_exponents(rng_t *rng, const format_t *format) {
  uint32_t fields = fill_exponent_max(format) + 1;
  fill_floats_t how = {.exponent_span = fields, .is_signed = true};
  if (rng_one_in(rng, 2)) {
    how.exponent_span = 1 + (uint32_t)rng_below(rng, fields);
    how.exponent_low = (uint32_t)rng_below(rng, fields - how.exponent_span + 1);
  }
  return how;
}

void regime_wide(rng_t *rng, const regime_operand_t *operand) {
  const format_t *format = format_of(operand);
  if (format == NULL) return fill_wide_integers(rng, &operand->target);
  fill_floats_t how = draw_exponents(rng, format);
  fill_floats(rng, &operand->target, &how);
}

static void fill_integer_powers(rng_t *rng, const fill_target_t *target) {
  const element_t *element = target->element;
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    patterns[i] = UINT64_C(1) << rng_below(rng, element->bits);
    if (rng_one_in(rng, 2)) patterns[i] = special_value_negated(element, patterns[i]);
  }
  fill_patterns(rng, target, patterns);
}

void regime_powers(rng_t *rng, const regime_operand_t *operand) {
  const format_t *format = format_of(operand);
  if (format == NULL) return fill_integer_powers(rng, &operand->target);
  fill_floats_t how = draw_exponents(rng, format);
  how.is_power_of_two = true;
  fill_floats(rng, &operand->target, &how);
}

void regime_any_bits(rng_t *rng, const regime_operand_t *operand) {
  fill_bits(rng, &operand->target);
}

/* ---- Corners --------------------------------------------------------------------------------- */

/* Boundaries alone, or among small integers, so that not every sum overflows. */
void regime_boundaries(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  size_t boundaries = (size_t)rng_between(rng, 1, FILL_PATTERNS);
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    patterns[i] = i < boundaries ? special_value_boundary(rng, element)
                                 : special_value_integer(element, (int)rng_between(rng, -2, 2));
  }
  fill_patterns(rng, &operand->target, patterns);
}

typedef uint64_t draw_special_t(rng_t *rng, const element_t *element);

static uint64_t draw_zero(rng_t *rng, const element_t *element) {
  return special_value_zero(element, rng_one_in(rng, 2));
}

/* Few specials leave most results finite; one kind of them keeps NaN from hiding the others. */
void regime_specials(rng_t *rng, const regime_operand_t *operand) {
  static draw_special_t *const kinds[] = {special_value_special, special_value_nan,
                                          special_value_infinity, draw_zero};
  const fill_target_t *target = &operand->target;
  regime_small_integers(rng, operand);
  if (target->count == 0) return;
  draw_special_t *draw = kinds[rng_below(rng, G_N_ELEMENTS(kinds))];
  uint64_t few = MIN(target->count, 3);
  uint64_t count = 1 + rng_below(rng, rng_one_in(rng, 2) ? few : (target->count + 7) / 8);
  for (uint64_t i = 0; i < count; i++) {
    size_t index = rng_below(rng, target->count);
    element_store(target->element, target->data, index, draw(rng, target->element));
  }
}

void regime_zeros(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  size_t others = (size_t)rng_below(rng, FILL_PATTERNS / 4);
  /* Only negative zeros, only positive ones, or both. */
  uint64_t negative_of_4 = 2 * rng_below(rng, 3);
  uint64_t patterns[FILL_PATTERNS];
  for (size_t i = 0; i < FILL_PATTERNS; i++) {
    bool negative = rng_below(rng, 4) < negative_of_4;
    patterns[i] =
        i < others ? special_value_any(rng, element) : special_value_zero(element, negative);
  }
  fill_patterns(rng, &operand->target, patterns);
}
