/* SPDX-License-Identifier: Apache-2.0 */
/* Scales as exact numbers: positive rationals significand * 2^exponent, their quotients, and the
 * integer multipliers that stand for them.  No step rounds but where it says so. */
#ifndef ASSAY_QUANT_LOWER_SCALE_H
#define ASSAY_QUANT_LOWER_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* significand * 2^exponent; the significand is odd and below 2^127, so that equal numbers have
 * equal members. */
typedef struct exact_scale {
  unsigned __int128 significand;
  int32_t exponent;
} exact_scale_t;

/* A positive finite number. */
exact_scale_t exact_scale_of(double value);

bool exact_scale_equal(exact_scale_t a, exact_scale_t b);

/* 2^exponent times a scale. */
exact_scale_t exact_scale_shift(exact_scale_t scale, int32_t exponent);

/* False if the product's significand does not fit: four numbers of f32 always do. */
bool exact_scale_multiply(exact_scale_t a, exact_scale_t b, exact_scale_t *out_product);

/* Whether numerator / denominator is 2^-shift with 0 <= shift < 62. */
bool exact_scale_ratio_is_shift(exact_scale_t numerator, exact_scale_t denominator,
                                int32_t *out_shift);

/* numerator / denominator as multiplier * 2^-shift, 1 <= shift <= 62.  The multiplier is the
 * quotient times 2^shift rounded to nearest (ties up) and has `bits` bits, 2 <= bits <= 31: it lies
 * in [2^(bits - 1), 2^bits), or below where the shift would be more than 62.  So
 *   |multiplier * 2^-shift - quotient| <= 2^-(shift + 1) <= quotient * 2^-bits
 * (the latter where the multiplier is not below 2^(bits - 1)).  False if the shift would be less
 * than 1: the quotient is 2^(bits - 1) or more. */
typedef struct multiplier {
  int64_t multiplier;
  int32_t shift;
} multiplier_t;
bool multiplier_make(exact_scale_t numerator, exact_scale_t denominator, uint32_t bits,
                     multiplier_t *out_multiplier);

/* value * numerator / denominator rounded to the nearest integer, ties to even.  False if that
 * exceeds 2^62 in magnitude, or the product has no exact form. */
bool exact_scale_round(int64_t value, exact_scale_t numerator, exact_scale_t denominator,
                       int64_t *out_rounded);

/* value / denominator likewise; the value is finite. */
bool exact_scale_round_double(double value, exact_scale_t denominator, int64_t *out_rounded);

#endif
