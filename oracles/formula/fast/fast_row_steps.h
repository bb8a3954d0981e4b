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
  const fast_settings_t *settings = settings_of(formula);
  if (settings->is_unbounded && settings->kernels->forget_extremes(numbers) &&
      settings->out_has_forgotten != NULL) {
    *settings->out_has_forgotten = true;
  }
  return (row_t){.count = numbers->count / fast_groups(formula), .fast = numbers};
}

static inline void store_number(fast_numbers_t *out, size_t i, double low, double high,
                                pair_t point) {
  bool is_good = low <= high && isfinite(low) && isfinite(high);
  out->low[i] = is_good ? low : (double)NAN;
  out->high[i] = is_good ? high : (double)NAN;
  out->point[i] = point.high;
  if (out->tail != NULL) out->tail[i] = point.low;
}

/* The same for all groups. */
static inline row_t one_number(const formula_t *formula, double low, double high, pair_t point) {
  fast_numbers_t *numbers = fast_new(formula, 1);
  for (size_t g = 0; g < numbers->count; g++) store_number(numbers, g, low, high, point);
  return row_of(formula, numbers);
}

static inline double to_f32(double x) { return (double)(float)x; }

/* In the working format. */
static inline double nearest(const formula_t *formula, double x) {
  return is_f64(kernels_of(formula)->format) ? x : to_f32(x);
}

/* One number of each group, repeated. */
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
