/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of the fast evaluator that compute nothing, the same for both working formats.  Private to
 * fast_kernels.c and fast_pair_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_ROW_LOOPS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_ROW_LOOPS_H

#include <float.h>
#include <math.h>

#include "oracles/formula/fast/fast_numbers.h"
#include "oracles/formula/fast/fast_steps.h"

/* `count` times the same. */
KERNEL_INLINE void fill(double *out, double value, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = value;
}

/* Each number for as many as there are to one. */
static void repeat(const fast_numbers_t *one, fast_numbers_t *out) {
  const size_t count = out->count / one->count;
  for (size_t g = 0; g < one->count; g++) {
    fill(out->low + g * count, one->low[g], count);
    fill(out->high + g * count, one->high[g], count);
    fill(out->point + g * count, one->point[g], count);
    if (out->tail != NULL) fill(out->tail + g * count, one->tail[g], count);
  }
}

/* The hull, or the one that is known. */
static void either(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  const size_t count = out->count;
  const double *a_low = a->low, *a_high = a->high, *a_point = a->point;
  const double *b_low = b->low, *b_high = b->high, *b_point = b->point;
  double *restrict lows = out->low, *restrict highs = out->high, *restrict points = out->point;
  for (size_t i = 0; i < count; i++) {
    bool is_unknown = !(fabs(a_low[i]) <= DBL_MAX), is_told = fabs(b_low[i]) <= DBL_MAX;
    bool is_low = is_unknown | (is_told & (b_low[i] < a_low[i]));
    bool is_high = is_unknown | (is_told & (b_high[i] > a_high[i]));
    lows[i] = is_low ? b_low[i] : a_low[i];
    highs[i] = is_high ? b_high[i] : a_high[i];
    points[i] = is_unknown ? b_point[i] : a_point[i];
  }
  if (out->tail == NULL) return;
  double *restrict tails = out->tail;
  for (size_t i = 0; i < count; i++) {
    tails[i] = fabs(a_low[i]) <= DBL_MAX ? a->tail[i] : b->tail[i];
  }
}

/* What both intervals hold. */
static void intersect(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out) {
  const size_t count = out->count;
  const double *a_low = a->low, *a_high = a->high, *b_low = b->low, *b_high = b->high;
  double *restrict lows = out->low, *restrict highs = out->high, *restrict points = out->point;
  for (size_t i = 0; i < count; i++) {
    double low = most(a_low[i], b_low[i]), high = least(a_high[i], b_high[i]);
    bool is_known = (a_low[i] == a_low[i]) & (b_low[i] == b_low[i]) & (low <= high);
    lows[i] = is_known ? low : not_a_number();
    highs[i] = is_known ? high : not_a_number();
    points[i] = a->point[i];
  }
  double *restrict tails = out->tail;
  for (size_t i = 0; tails != NULL && i < count; i++) tails[i] = a->tail[i];
}

/* Rounded to the working format such a number is what it is rounded to 24 bits, or 53, whatever its
 * exponent.  What is lost of smaller terms of a sum is at most 2^-149 each, which is 2^-59 of it:
 * far less than the 2^-34 n that LESS leaves of the bound of a sum of n.  In binary64 that is
 * 2^-174. */
KERNEL_INLINE int is_ordinary(double x, double least_size, double most_size) {
  return (fabs(x) > least_size) & (fabs(x) < most_size);
}

/* Steps that neither overflow nor underflow are computed here by such as do.  They are the same
 * where everything is of ordinary size, or 0 altogether; all else is unknown. */
KERNEL_INLINE int is_kept(double low, double high, double point, double least_size,
                          double most_size) {
  int is_zero = (low == 0) & (high == 0) & (point == 0);
  int are_ordinary = is_ordinary(low, least_size, most_size) &
                     is_ordinary(high, least_size, most_size) &
                     is_ordinary(point, least_size, most_size);
  return is_zero | are_ordinary;
}

/* is_ordinary() by the pattern without sign, which orders as the magnitude: one comparison. */
KERNEL_INLINE uint64_t is_other(double x, uint64_t first, uint64_t count) {
  return binary64_bits(fabs(x)) - first >= count ? 1 : 0;
}

static bool are_all_ordinary(const fast_numbers_t *numbers, double least_size, double most_size) {
  const double *low = numbers->low, *high = numbers->high, *point = numbers->point;
  const uint64_t first = binary64_bits(least_size) + 1;
  const uint64_t count = binary64_bits(most_size) - first;
  uint64_t others = 0;
  for (size_t i = 0; i < numbers->count; i++) {
    others |= is_other(low[i], first, count) | is_other(high[i], first, count) |
              is_other(point[i], first, count);
  }
  return others == 0;
}

static bool forget_extremes(fast_numbers_t *inout_numbers) {
  const size_t count = inout_numbers->count;
  double *restrict low = inout_numbers->low, *restrict high = inout_numbers->high;
  const double *restrict point = inout_numbers->point;
  const double least_size = inout_numbers->tail != NULL ? 0x1p-900 : 0x1p-90;
  const double most_size = inout_numbers->tail != NULL ? 0x1p1000 : 0x1p127;
  if (are_all_ordinary(inout_numbers, least_size, most_size)) return false;
  uint64_t are_forgotten = 0;
  for (size_t i = 0; i < count; i++) {
    int stays = is_kept(low[i], high[i], point[i], least_size, most_size);
    are_forgotten |= stays | ((low[i] != low[i]) & (high[i] != high[i])) ? 0 : 1;
  }
  for (size_t i = 0; are_forgotten != 0 && i < count; i++) {
    int stays = is_kept(low[i], high[i], point[i], least_size, most_size);
    low[i] = stays ? low[i] : not_a_number();
    high[i] = stays ? high[i] : not_a_number();
  }
  return are_forgotten != 0;
}

#endif
