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

static inline row_t row_of(const formula_t *formula, fast_numbers_t *numbers) {
  if (settings_of(formula)->is_unbounded) kernels_of(formula)->forget_extremes(numbers);
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
  kernels_of(formula)->repeat(a.fast, numbers);
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
