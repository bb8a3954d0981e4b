/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of a double, and back: moves bits, computes nothing. */
#ifndef ASSAY_NUM_BINARY64_H
#define ASSAY_NUM_BINARY64_H

#include <stdint.h>

#define BINARY64_SIGN (UINT64_C(1) << 63)
#define BINARY64_EXPONENT_FIELD (UINT64_C(0x7ff) << 52)

enum { BINARY64_FRACTION_BITS = 52, BINARY64_BIAS = 1023 };

static inline uint64_t binary64_bits(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double binary64_value(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/* 2^exponent, as ldexp() has it, which costs a call and tests that are idle here: 0 below all
 * numbers, infinity above. */
static inline double binary64_power(int exponent) {
  if (exponent > BINARY64_BIAS) return __builtin_inf();
  if (exponent > -BINARY64_BIAS) {
    return binary64_value((uint64_t)(exponent + BINARY64_BIAS) << BINARY64_FRACTION_BITS);
  }
  int bit = exponent + BINARY64_BIAS + BINARY64_FRACTION_BITS - 1; /* Of a subnormal number. */
  return bit < 0 ? 0 : binary64_value(UINT64_C(1) << bit);
}

enum { BINARY64_NO_BIT = 1 << 20 }; /* Above every exponent. */

/* Exponent of the lowest set bit of a finite number, which is a multiple of 2^that and of no higher
 * power of two; BINARY64_NO_BIT for zero. */
static inline int binary64_lowest_bit(double value) {
  uint64_t bits = binary64_bits(value);
  uint64_t fraction = bits & ((UINT64_C(1) << BINARY64_FRACTION_BITS) - 1);
  int field = (int)(bits >> BINARY64_FRACTION_BITS) & 0x7ff;
  if (field == 0 && fraction == 0) return BINARY64_NO_BIT;
  if (field != 0) fraction |= UINT64_C(1) << BINARY64_FRACTION_BITS;
  int exponent = (field == 0 ? 1 : field) - BINARY64_BIAS - BINARY64_FRACTION_BITS;
  return exponent + __builtin_ctzll(fraction);
}

#endif
