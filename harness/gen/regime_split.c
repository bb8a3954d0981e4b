/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses of dot algorithms: data for which the algorithms that may have run give different sums.
 *
 * What tells them apart (oracles/theory.md, D7): the bits of an operand that a narrower type
 * cuts off; products of low-order components, seen only where the leading products cancel or where
 * so few bits are set that no sum is rounded; exponents that a type has not; low-order components
 * that underflow; numbers that overflow when they are rounded to fewer bits but not when they are
 * cut; infinities, whose low-order components are NaN; and NaNs whose payload a cut removes. */
#include <glib.h>

#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

/* Where types end, in bits after the leading one: 8-bit floats, bf16, f16 and tf32, twice and three
 * times bf16 and tf32, f32, and one beside each. */
static const int boundary_bits[] = {2,  3,  4,  7,  8,  9,  10, 11, 12,
                                    15, 16, 17, 18, 21, 22, 23, 24, 51};

static int draw_bit(rng_t *rng) {
  return boundary_bits[rng_below(rng, G_N_ELEMENTS(boundary_bits))];
}

/* 1 and few more bits, as a significand of 53 bits. */
static uint64_t draw_sparse(rng_t *rng) {
  uint64_t significand = UINT64_C(1) << 52;
  uint64_t bits = rng_below(rng, 4);
  for (uint64_t i = 0; i < bits; i++) significand |= UINT64_C(1) << (52 - draw_bit(rng));
  return significand;
}

/* 1, then ones from one boundary to another: low-order components as large as they can be. */
static uint64_t draw_run(rng_t *rng) {
  int from = draw_bit(rng), to = draw_bit(rng);
  uint64_t significand = UINT64_C(1) << 52;
  for (int bit = MIN(from, to); bit <= MAX(from, to); bit++) {
    significand |= UINT64_C(1) << (52 - bit);
  }
  return significand;
}

static uint64_t draw_full(rng_t *rng) { return rng_bits(rng) >> 12 | UINT64_C(1) << 52; }

typedef uint64_t draw_significand_t(rng_t *rng);

/* Numbers of 2^low to 2^high with such significands. */
static void fill_numbers(rng_t *rng, const regime_operand_t *operand, draw_significand_t *draw,
                         int low, int high) {
  const element_t *element = operand->target.element;
  for (size_t i = 0; i < operand->target.count; i++) {
    int exponent = (int)rng_between(rng, low, high);
    uint64_t bits = special_value_number(element, rng_one_in(rng, 2), draw(rng), exponent - 52);
    element_store(element, operand->target.data, i, bits);
  }
}

/* Integers of any length of their type with such significands: what they round to tells types
 * apart, and small ones are held by all. */
static void fill_long_integers(rng_t *rng, const regime_operand_t *operand) {
  static draw_significand_t *const significands[] = {draw_sparse, draw_run, draw_full};
  const element_t *element = operand->target.element;
  draw_significand_t *draw = significands[rng_below(rng, G_N_ELEMENTS(significands))];
  int longest = MIN((int)element->bits - 2, 52);
  for (size_t i = 0; i < operand->target.count; i++) {
    int bits = (int)rng_between(rng, 0, MAX(longest, 0));
    uint64_t magnitude = draw(rng) >> (52 - bits);
    bool is_negative = element->kind == ELEMENT_SIGNED && rng_one_in(rng, 2);
    uint64_t value = is_negative ? 0 - magnitude : magnitude;
    element_store(element, operand->target.data, i, value & element_mask(element));
  }
}

/* Numbers about 1, few of them zeros, so that single products stand alone. */
static void fill_near_one(rng_t *rng, const regime_operand_t *operand) {
  static draw_significand_t *const significands[] = {draw_sparse, draw_sparse, draw_run, draw_full};
  int spread = rng_one_in(rng, 2) ? 0 : (int)rng_between(rng, 1, 6);
  fill_numbers(rng, operand, significands[rng_below(rng, G_N_ELEMENTS(significands))], -spread,
               spread);
  const element_t *element = operand->target.element;
  if (!rng_one_in(rng, 3)) return;
  for (size_t i = 0; i < operand->target.count; i++) {
    if (rng_one_in(rng, 2)) continue;
    element_store(element, operand->target.data, i, special_value_zero(element, false));
  }
}

/* Where ranges of types end: the smallest numbers of f32 and bf16 and what is above them, of which
 * low-order components underflow; of f16; of 8-bit floats; and the largest. */
static void fill_at_range_end(rng_t *rng, const regime_operand_t *operand) {
  static const struct {
    int low;
    int high;
  } ends[] = {{-149, -110}, {-134, -120}, {-28, -12}, {-14, -4}, {7, 17}, {120, 127}};
  size_t end = rng_below(rng, G_N_ELEMENTS(ends));
  draw_significand_t *draw = rng_one_in(rng, 2) ? draw_sparse : draw_full;
  fill_numbers(rng, operand, draw, ends[end].low, ends[end].high);
}

/* A number that overflows when rounded to fewer bits, an infinity, or a NaN with a payload in its
 * lowest bits. */
static uint64_t draw_special(rng_t *rng, const element_t *element) {
  const format_t *format = element->format;
  switch (rng_below(rng, 4)) {
    case 0:
      return format->largest_bits - rng_below(rng, 3);
    case 1:
      return special_value_infinity(rng, element);
    case 2:
      if (format->specials != FORMAT_IEEE) return special_value_nan(rng, element);
      return format->largest_bits + 2 + rng_below(rng, 3); /* After infinity: signalling NaNs. */
    default:
      return special_value_special(rng, element);
  }
}

static void fill_specials(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  fill_near_one(rng, operand);
  for (size_t i = 0; i < operand->target.count; i++) {
    if (!rng_one_in(rng, 4)) continue;
    element_store(element, operand->target.data, i, draw_special(rng, element));
  }
}

/* One operand so small that its third component of bf16 is one unit of bf16's smallest number, the
 * other with a second component as large as can be: the products of both are seen, although they
 * are the least. */
static void fill_underflowing_third(rng_t *rng, const regime_operand_t *operand, bool is_small) {
  if (is_small) {
    fill_numbers(rng, operand, draw_full, -126, -122);
  } else {
    fill_numbers(rng, operand, rng_one_in(rng, 2) ? draw_run : draw_full, 0, 1);
  }
}

/* Numbers of three components of one bit each, however they are split, among ones that cancel their
 * leading products: what is left shows which of the least products were kept. */
static void fill_lone_thirds(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  bool negates_ones = operand->number == 0;
  for (size_t i = 0; i < operand->target.count; i++) {
    uint64_t significand = UINT64_C(1) << 52;
    bool is_one = rng_one_in(rng, 2);
    int second = (int)rng_between(rng, 9, 10);
    int third = second + (int)rng_between(rng, 9, 11);
    if (!is_one) significand |= UINT64_C(1) << (52 - second) | UINT64_C(1) << (52 - third);
    uint64_t bits = special_value_number(element, is_one && negates_ones, significand, -52);
    element_store(element, operand->target.data, i, bits);
  }
}

/* Leading products cancel if one operand is mirrored with the other sign and the other without. */
static void mirror_sometimes(rng_t *rng, const regime_operand_t *operand) {
  if (operand->reduced_dimensions == 0 || !rng_one_in(rng, 2)) return;
  mirror_operand(rng, operand, operand->number == 0);
}

void regime_split(rng_t *rng, const regime_operand_t *operand) {
  if (operand->target.element->format == NULL) {
    regime_small_integers(rng, operand);
    bool is_long = operand->names_algorithm && element_is_integer(operand->target.element);
    if (is_long && !rng_one_in(rng, 3)) fill_long_integers(rng, operand);
    return;
  }
  bool is_chosen = (operand->case_key >> 8) % 2 == operand->number % 2;
  switch (operand->case_key % 12) {
    case 0:
    case 1:
      fill_lone_thirds(rng, operand);
      return;
    case 2:
      fill_underflowing_third(rng, operand, is_chosen);
      return;
    case 3:
      fill_at_range_end(rng, operand);
      break;
    case 4:
      (is_chosen ? fill_at_range_end : fill_near_one)(rng, operand);
      break;
    case 5:
      fill_specials(rng, operand);
      break;
    case 6:
    case 7: /* Sums of like signs and unlike sizes: how many bits the accumulation keeps. */
      fill_numbers(rng, operand, draw_sparse, -6, 6);
      break;
    default:
      fill_near_one(rng, operand);
      break;
  }
  mirror_sometimes(rng, operand);
}
