/* SPDX-License-Identifier: Apache-2.0 */
/* The regimes of ordinary data (normal numbers, long tails, what layers of a model leave), and of
 * its opposite, tensors of one extreme value.  All arithmetic is exact or correctly rounded, so
 * that a seed gives the same data on every machine. */
#include <glib.h>
#include <math.h>

#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The number of ones among 128 random bits, spread by a uniform number over the steps of 1, in
 * units of its standard deviation.  The distribution function is within 1/1000 of the normal one;
 * beyond three deviations lies 0.97 of what the normal distribution has there, beyond four 0.85. */
static double draw_normal(rng_t *rng) {
  static const double MEAN = 64.5;
  static const double DEVIATION = 5.6641563774; /* sqrt(128 / 4 + 1 / 12). */
  int ones = __builtin_popcountll(rng_bits(rng));
  ones += __builtin_popcountll(rng_bits(rng));
  double within_step = (double)(rng_bits(rng) >> 32) * 0x1p-32;
  return (ones + within_step - MEAN) / DEVIATION;
}

/* Rounded towards zero, and to the end of the type that is next.  What has no sign gets the
 * magnitude. */
static uint64_t integer_bits(const element_t *element, double value) {
  int magnitude_bits = MIN(element->kind == ELEMENT_SIGNED ? element->bits - 1 : element->bits, 30);
  double end = ldexp(1, magnitude_bits);
  double lowest = element->kind == ELEMENT_SIGNED ? -end : -(end - 1);
  return special_value_integer(element, (int)CLAMP(value, lowest, end - 1)) & element_mask(element);
}

/* Rounded to the element type; integers get it in units of an eighth of their range, at most
 * 2^20. */
static uint64_t number_bits(const element_t *element, double value) {
  if (element->format == NULL) {
    if (element->bits == 1) return value > 0;
    return integer_bits(element, value * ldexp(1, CLAMP(element->bits - 3, 0, 20)));
  }
  if (element->format->specials == FORMAT_EXPONENT_ONLY) value = fabs(value);
  return format_from_double(element->format, value);
}

static void store_number(const regime_operand_t *operand, size_t index, double value) {
  const fill_target_t *target = &operand->target;
  element_store(target->element, target->data, index, number_bits(target->element, value));
}

/* Mostly 1; else that of weights, or of logits. */
static double draw_deviation(rng_t *rng) {
  static const double deviations[] = {1, 1, 1, 1, 0.02, 0.125, 4, 10};
  return deviations[rng_below(rng, G_N_ELEMENTS(deviations))];
}

/* ---- Ordinary data --------------------------------------------------------------------------- */

void regime_normal(rng_t *rng, const regime_operand_t *operand) {
  double deviation = draw_deviation(rng);
  for (size_t i = 0; i < operand->target.count; i++) {
    store_number(operand, i, deviation * draw_normal(rng));
  }
}

/* A normal number over the square root of a uniform one: a slash distribution, of which values
 * beyond t have a probability near 1 / t^2. */
void regime_long_tailed(rng_t *rng, const regime_operand_t *operand) {
  double deviation = draw_deviation(rng);
  for (size_t i = 0; i < operand->target.count; i++) {
    double normal = draw_normal(rng);
    double uniform = ((double)(rng_bits(rng) >> 40) + 1) * 0x1p-24;
    store_number(operand, i, deviation * normal / sqrt(uniform));
  }
}

/* After a rectifier, around a mean, or with a few columns of large numbers. */
void regime_activations(rng_t *rng, const regime_operand_t *operand) {
  uint64_t manner = rng_below(rng, 3);
  double mean = manner == 1 ? (double)rng_between(rng, -16, 16) : 0;
  uint64_t period = (uint64_t)rng_between(rng, 16, 128), phase = rng_below(rng, period);
  for (size_t i = 0; i < operand->target.count; i++) {
    double value = draw_normal(rng) + mean;
    if (manner == 0) value = fmax(value, 0);
    if (manner == 2 && i % period == phase) value *= 64;
    store_number(operand, i, value);
  }
}

/* ---- Extremes -------------------------------------------------------------------------------- */

/* The largest number, or in floats one up to 2^20 times smaller, of which sums of some length are
 * just finite. */
static uint64_t draw_large(rng_t *rng, const element_t *element) {
  if (element->format == NULL) {
    uint64_t mask = element_mask(element);
    return element->kind == ELEMENT_SIGNED ? mask >> 1 : mask;
  }
  const format_t *format = element->format;
  if (rng_one_in(rng, 3)) return format->largest_bits;
  int exponent = format->exponent_max - (int)rng_between(rng, 0, 20);
  return special_value_number(element, false, 1, MAX(exponent, format->exponent_min));
}

/* The number above 0, or in floats the smallest normal one. */
static uint64_t draw_tiny(rng_t *rng, const element_t *element) {
  const format_t *format = element->format;
  if (format == NULL) return special_value_integer(element, 1);
  int below = rng_one_in(rng, 2) ? format->precision - 1 : 0;
  return special_value_number(element, false, 1, format->exponent_min - below);
}

/* Of integers the lowest one, which has no opposite. */
static uint64_t lowest_beside(const element_t *element, uint64_t large) {
  if (element->kind == ELEMENT_SIGNED) return UINT64_C(1) << (element->bits - 1);
  return special_value_negated(element, large);
}

void regime_extremes(rng_t *rng, const regime_operand_t *operand) {
  const fill_target_t *target = &operand->target;
  const element_t *element = target->element;
  bool is_large = !rng_one_in(rng, 3);
  uint64_t high = is_large ? draw_large(rng, element) : draw_tiny(rng, element);
  uint64_t low = is_large ? lowest_beside(element, high) : special_value_negated(element, high);
  uint64_t manner = rng_below(rng, 4);
  for (size_t i = 0; i < target->count; i++) {
    bool is_low = manner == 0 || (manner == 1 && i % 2 == 1) || (manner == 2 && rng_one_in(rng, 2));
    element_store(element, target->data, i, is_low ? low : high);
  }
}
