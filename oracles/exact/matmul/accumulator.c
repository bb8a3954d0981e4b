/* SPDX-License-Identifier: Apache-2.0 */
/* Adds binary64 products without error into an array of 32-bit limbs, normalizes carries at the
 * end only, and rounds the total to nearest once. */
#include "oracles/exact/matmul/accumulator.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
  LIMB_BITS = 32,
  TERM_LIMBS = 5,        /* That a product reaches. */
  CARRY_LIMBS = 2,       /* What carries may reach beyond: of 2^29 products a limb has 62 bits. */
  UNIT_EXPONENT = -2148, /* Of the product of two units 2^-1074 of the subnormals. */
  FRACTION_BITS = 52,
  BINADE_MIN = -1022,
  BINADE_MAX = 1023,
};

void exact_accumulator_clear(exact_accumulator_t *accumulator) {
  memset(accumulator, 0, sizeof *accumulator);
  accumulator->first = EXACT_ACCUMULATOR_LIMBS;
}

/* |x| = *out_significand * 2^(position - 1074). */
static unsigned split(double x, uint64_t *out_significand, bool *inout_negative) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  unsigned field = (unsigned)(bits >> FRACTION_BITS) & 0x7ff;
  uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
  *inout_negative ^= (bits >> 63) != 0;
  *out_significand = fraction | (uint64_t)(field != 0) << FRACTION_BITS;
  return field == 0 ? 0 : field - 1;
}

static int64_t with_sign(uint64_t chunk, bool negative) {
  return negative ? -(int64_t)chunk : (int64_t)chunk;
}

void exact_accumulator_add_product(exact_accumulator_t *accumulator, double a, double b) {
  bool negative = false;
  uint64_t a_significand, b_significand;
  unsigned position = split(a, &a_significand, &negative);
  position += split(b, &b_significand, &negative); /* At most 2 * 2045. */
  unsigned __int128 product = (unsigned __int128)a_significand * b_significand; /* < 2^106 */
  if (product == 0) return;
  unsigned shift = position % LIMB_BITS;
  unsigned __int128 low = (product & (((unsigned __int128)1 << 96) - 1)) << shift; /* < 2^127 */
  uint64_t high = (uint64_t)(product >> 96) << shift;                              /* < 2^41 */
  int at = (int)(position / LIMB_BITS);
  accumulator->first = at < accumulator->first ? at : accumulator->first;
  accumulator->end = at + TERM_LIMBS > accumulator->end ? at + TERM_LIMBS : accumulator->end;
  int64_t *limb = accumulator->limb + at;
  limb[0] += with_sign((uint32_t)low, negative);
  limb[1] += with_sign((uint32_t)(low >> 32), negative);
  limb[2] += with_sign((uint32_t)(low >> 64), negative);
  limb[3] += with_sign((uint64_t)(uint32_t)(low >> 96) + (uint32_t)high, negative);
  limb[4] += with_sign(high >> 32, negative);
}

/* The magnitude in base 2^32, from digit `first` of the accumulator on; returns the index of the
 * leading digit, or -1 for zero. */
static int magnitude_digits(const exact_accumulator_t *accumulator,
                            uint32_t digit[EXACT_ACCUMULATOR_LIMBS], bool *out_negative) {
  int first = accumulator->first, end = accumulator->end + CARRY_LIMBS;
  if (end > EXACT_ACCUMULATOR_LIMBS) end = EXACT_ACCUMULATOR_LIMBS;
  int64_t carry = 0;
  for (int i = first; i < end; i++) {
    int64_t value = accumulator->limb[i] + carry;
    digit[i] = (uint32_t)value;
    carry = value >> LIMB_BITS; /* Rounds down: gcc and clang shift arithmetically. */
  }
  *out_negative = carry < 0; /* The top limbs are spare, so the last carry is 0 or -1. */
  uint64_t increment = 1;
  for (int i = first; carry < 0 && i < end; i++) {
    increment += (uint32_t)~digit[i];
    digit[i] = (uint32_t)increment;
    increment >>= LIMB_BITS;
  }
  int top = end - 1;
  while (top >= first && digit[top] == 0) top--;
  return top < first ? -1 : top;
}

/* The 64 leading bits below digit `top`, which is not 0, of those from `first` on, and whether
 * anything but zeros follows. */
static uint64_t leading_bits(const uint32_t *digit, int first, int top, unsigned shift,
                             bool *out_sticky) {
  unsigned __int128 window = 0; /* Four digits, of which the first has `shift` leading zeros. */
  for (int i = top; i > top - 4; i--) window = window << LIMB_BITS | (i >= first ? digit[i] : 0);
  window <<= shift;
  bool sticky = (uint64_t)window != 0;
  for (int i = top - 4; i >= first && !sticky; i--) sticky = digit[i] != 0;
  *out_sticky = sticky;
  return (uint64_t)(window >> 64);
}

bool exact_accumulator_round(const exact_accumulator_t *accumulator, double *out_value) {
  uint32_t digit[EXACT_ACCUMULATOR_LIMBS];
  bool negative, sticky;
  int top = magnitude_digits(accumulator, digit, &negative);
  if (top < 0) {
    *out_value = 0;
    return true;
  }
  unsigned zeros = (unsigned)__builtin_clz(digit[top]);
  int binade = UNIT_EXPONENT + LIMB_BITS * top + LIMB_BITS - 1 - (int)zeros;
  uint64_t window = leading_bits(digit, accumulator->first, top, zeros, &sticky);
  int dropped = 63 - FRACTION_BITS + (binade < BINADE_MIN ? BINADE_MIN - binade : 0);
  if (dropped > 63) return false;
  uint64_t kept = window >> dropped, rest = window << (64 - dropped);
  bool inexact = rest != 0 || sticky;
  if (binade < BINADE_MIN && inexact) return false;
  uint64_t half = UINT64_C(1) << 63;
  if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) kept++;
  double value = ldexp((double)kept, binade - 63 + dropped);
  if (binade > BINADE_MAX || !(value <= 0x1.fffffffffffffp1023)) return false;
  *out_value = negative ? -value : value;
  return true;
}
