/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of the fast evaluator have in common.  Private to fast_evaluator.c and
 * fast_sums.c.
 */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_ROW_STEPS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_ROW_STEPS_H

#include <math.h>

#include "oracles/formula/fast/fast_rows.h"
#include "oracles/formula/fast/pairs.h"

/* Errors that the contract permits are taken for this much less, which is far more than binary64
 * loses beside them: theory.md, T69. */
#define LESS (1 - 0x1p-10)

static inline bool is_f64(const format_t *format) { return format == &format_table[FORMAT_f64]; }

static inline const fast_settings_t *settings_of(const formula_t *formula) {
  return formula->settings;
}

static inline const fast_kernels_t *kernels_of(const formula_t *f) {
  return settings_of(f)->kernels;
}

/* Rounded to the working format such a number is what it is rounded to 24 bits, or 53, whatever its
 * exponent.  What is lost of smaller terms of a sum is at most 2^-149 each, which is 2^-59 of it:
 * far less than the 2^-34 n that LESS leaves of the bound of a sum of n.  In binary64 that is
 * 2^-174. */
static inline bool is_ordinary(double x, bool is_double) {
  return is_double ? fabs(x) > 0x1p-900 && fabs(x) < 0x1p1000
                   : fabs(x) > 0x1p-90 && fabs(x) < 0x1p127;
}

/* Steps that neither overflow nor underflow are computed here by such as do.  They are the same
 * where everything is of ordinary size, or 0 altogether; all else is unknown. */
static inline void forget_extremes(fast_numbers_t *inout_numbers) {
  bool wide = inout_numbers->tail != NULL;
  for (size_t i = 0; i < inout_numbers->count; i++) {
    double low = inout_numbers->low[i], high = inout_numbers->high[i];
    double point = inout_numbers->point[i];
    bool is_zero = low == 0 && high == 0 && point == 0;
    bool are_ordinary =
        is_ordinary(low, wide) && is_ordinary(high, wide) && is_ordinary(point, wide);
    if (is_zero || are_ordinary) continue;
    inout_numbers->low[i] = inout_numbers->high[i] = (double)NAN;
  }
}

static inline row_t row_of(const formula_t *formula, fast_numbers_t *numbers) {
  if (settings_of(formula)->is_unbounded) forget_extremes(numbers);
  return (row_t){.count = numbers->count, .fast = numbers};
}

static inline row_t one_number(const formula_t *formula, double low, double high, pair_t point) {
  fast_numbers_t *numbers = fast_new(formula, 1);
  bool is_good = low <= high && isfinite(low) && isfinite(high);
  numbers->low[0] = is_good ? low : (double)NAN;
  numbers->high[0] = is_good ? high : (double)NAN;
  numbers->point[0] = point.high;
  if (numbers->tail != NULL) numbers->tail[0] = point.low;
  return row_of(formula, numbers);
}

static inline double to_f32(double x) { return (double)(float)x; }

/* In the working format. */
static inline double nearest(const formula_t *formula, double x) {
  return is_f64(kernels_of(formula)->format) ? x : to_f32(x);
}

/* One number repeated. */
static inline const fast_numbers_t *expand(const formula_t *formula, row_t a, size_t count) {
  if (a.count == count) return a.fast;
  fast_numbers_t *numbers = fast_new(formula, count);
  for (size_t i = 0; i < count; i++) {
    numbers->low[i] = a.fast->low[0];
    numbers->high[i] = a.fast->high[0];
    numbers->point[i] = a.fast->point[0];
    if (numbers->tail != NULL) numbers->tail[i] = a.fast->tail[0];
  }
  return numbers;
}

static inline size_t common_count(row_t a, row_t b) { return a.count == 1 ? b.count : a.count; }

static inline row_t fast_binary(formula_t *formula, fast_binary_t operation, row_t a, row_t b) {
  size_t count = common_count(a, b);
  fast_numbers_t *out = fast_new(formula, count);
  kernels_of(formula)->binary(operation, expand(formula, a, count), expand(formula, b, count), out);
  return row_of(formula, out);
}

#endif
