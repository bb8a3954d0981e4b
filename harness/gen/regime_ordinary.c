/* SPDX-License-Identifier: Apache-2.0 */
/* The regimes of ordinary data (normal numbers, long tails, what layers of a model leave), and of
 * its opposite, tensors of one extreme value.  All arithmetic is exact or correctly rounded, so
 * that a seed gives the same data on every machine. */
#include <glib.h>
#include <math.h>

#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The sum of eight numbers uniform in 0..65535, less its mean, in units of its standard deviation:
 * a normal number to within 1 % up to three deviations, and never beyond five. */
static double draw_normal(rng_t *rng) {
  static const double MEAN = 8 * 32767.5;
  static const double DEVIATION = 53509.92; /* sqrt(8 (2^32 - 1) / 12). */
  uint64_t sum = 0;
  for (int i = 0; i < 2; i++) {
    uint64_t random = rng_bits(rng);
    for (int part = 0; part < 4; part++) sum += random >> (16 * part) & 0xFFFF;
  }
  return ((double)sum - MEAN) / DEVIATION;
}

/* Rounded to the element type.  Integers get it in units of an eighth of their range, at most 2^20;
 * what has no sign gets the magnitude. */
static uint64_t number_bits(const element_t *element, double value) {
  if (element->format == NULL) {
    if (element->bits == 1) return value > 0;
    double unit = ldexp(1, CLAMP(element->bits - 3, 0, 20));
    return special_value_integer(element, (int)CLAMP(value * unit, -0x1p30, 0x1p30)) &
           element_mask(element);
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

/* Student's distribution of about two degrees of freedom. */
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
