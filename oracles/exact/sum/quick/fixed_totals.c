/* SPDX-License-Identifier: Apache-2.0 */
/* Takes factors apart into odd significands, whose products are shifted to a common unit. */
#include "oracles/exact/sum/quick/fixed_totals.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/quick/factors.h"

/* |x| = significand 2^exponent with an odd significand, or 0; of a finite number. */
typedef struct odd_number {
  uint64_t significand;
  int exponent;
} odd_number_t;

static odd_number_t odd_of(double value) {
  uint64_t bits = binary64_bits(value) & ~BINARY64_SIGN;
  int field = (int)(bits >> BINARY64_FRACTION_BITS);
  uint64_t implicit = UINT64_C(1) << BINARY64_FRACTION_BITS;
  uint64_t significand = field == 0 ? bits : (bits & (implicit - 1)) | implicit;
  if (significand == 0) return (odd_number_t){0, 0};
  int zeros = __builtin_ctzll(significand);
  int exponent = (field == 0 ? 1 : field) - BINARY64_BIAS - BINARY64_FRACTION_BITS + zeros;
  return (odd_number_t){significand >> zeros, exponent};
}

int fixed_length(uint128_t value) {
  uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
  if (high != 0) return 128 - __builtin_clzll(high);
  return low == 0 ? 0 : 64 - __builtin_clzll(low);
}

/* A term in units of the totals. */
typedef struct fixed_term {
  uint128_t magnitude;
  bool is_negative; /* Also of -0. */
} fixed_term_t;

/* Of finite factors.  False if it has more than so many bits. */
static bool take_term(const sum_problem_t *question, size_t i, int unit, int bits,
                      fixed_term_t *out_term) {
  double left = question->left[i], right = question->right == NULL ? 1 : question->right[i];
  odd_number_t a = odd_of(left), b = odd_of(right);
  uint128_t product = (uint128_t)a.significand * b.significand;
  out_term->is_negative = (signbit(left) != 0) != (signbit(right) != 0);
  out_term->magnitude = 0;
  if (product == 0) return true;
  int shift = a.exponent + b.exponent - unit;
  if (shift < 0 || shift > bits - fixed_length(product)) return false;
  out_term->magnitude = product << shift;
  return true;
}

bool fixed_of(double value, int unit, int bits, int128_t *out_fixed) {
  if (!isfinite(value)) return false;
  odd_number_t odd = odd_of(value);
  int shift = odd.exponent - unit;
  *out_fixed = 0;
  if (odd.significand == 0) return true;
  if (shift < 0 || shift > bits - fixed_length(odd.significand)) return false;
  int128_t magnitude = (int128_t)((uint128_t)odd.significand << shift);
  *out_fixed = signbit(value) != 0 ? -magnitude : magnitude;
  return true;
}

/* Whether a negative term of that magnitude may become -0: totals.c says the same of its value. */
static bool may_be_fixed_minus_zero(const sum_problem_t *question, uint128_t magnitude, int unit) {
  if (magnitude == 0) return true;
  const format_t *format = question->format;
  int room = format->exponent_min - format->precision - unit; /* Of half the smallest number. */
  if (question->right == NULL || room < 0) return false;
  return room >= FIXED_BITS || magnitude <= (uint128_t)1 << room;
}

/* A zero of the low-order part may have either sign. */
static void note_fixed_sign(fixed_totals_t *totals, const sum_problem_t *question, size_t i,
                            const fixed_term_t *term) {
  bool is_zero = term->magnitude == 0;
  bool is_low = sum_is_split(question) && i < question->count - question->group;
  totals->can_be_minus_zero &=
      (term->is_negative && may_be_fixed_minus_zero(question, term->magnitude, totals->unit)) ||
      (is_low && is_zero);
  totals->must_be_minus_zero &= is_zero && term->is_negative;
}

/* The largest magnitude of a factor that may be flushed, or a little more. */
static double flushable_most(const format_t *format, const format_t *storage) {
  double most = format == NULL ? 0 : format_smallest_normal(format);
  return storage == NULL ? most : fmax(most, format_smallest_normal(storage));
}

static bool is_flushable(const sum_problem_t *question, size_t i) {
  if (sum_may_flush_factor(question->left[i], question->left_format, question->left_storage)) {
    return true;
  }
  return question->right != NULL &&
         sum_may_flush_factor(question->right[i], question->right_format, question->right_storage);
}

/* Notes a term that is not finite; returns false for a finite one. */
static bool note_fixed_special(fixed_totals_t *totals, const sum_problem_t *question, size_t i) {
  double left = question->left[i], right = question->right == NULL ? 1 : question->right[i];
  if (isfinite(left) && isfinite(right)) return false;
  double term = left * right;
  totals->has_nan |= isnan(term);
  totals->has_positive_infinity |= term > 0;
  totals->has_negative_infinity |= term < 0;
  totals->can_be_minus_zero = totals->must_be_minus_zero = false;
  return true;
}

bool fixed_totals_make(const sum_problem_t *question, int unit, fixed_totals_t *out_fixed) {
  fixed_totals_t fixed = {.unit = unit,
                          .can_be_minus_zero = question->count != 0,
                          .must_be_minus_zero = question->count != 0};
  int128_t run_high = 0, run_low = 0;
  int bits = FIXED_BITS - fixed_length(question->count);
  const double left_most = flushable_most(question->left_format, question->left_storage);
  const double right_most = flushable_most(question->right_format, question->right_storage);
  for (size_t i = 0; i < question->count; i++) {
    fixed_term_t term;
    if (note_fixed_special(&fixed, question, i)) continue;
    if (!take_term(question, i, unit, bits, &term)) return false;
    note_fixed_sign(&fixed, question, i, &term);
    int128_t magnitude = (int128_t)term.magnitude;
    int128_t value = term.is_negative ? -magnitude : magnitude;
    if (value > 0) {
      fixed.positive_count++;
      fixed.positive += value;
    } else if (value < 0) {
      fixed.negative_count++;
      fixed.negative += value;
    }
    run_high = run_high + value < 0 ? 0 : run_high + value;
    run_low = run_low + value > 0 ? 0 : run_low + value;
    if (run_high > fixed.highest) fixed.highest = run_high;
    if (run_low < fixed.lowest) fixed.lowest = run_low;
    bool is_small = fabs(question->left[i]) <= left_most ||
                    (question->right != NULL && fabs(question->right[i]) <= right_most);
    if (is_small && value != 0 && is_flushable(question, i)) fixed.flushable += magnitude;
  }
  *out_fixed = fixed;
  return true;
}
