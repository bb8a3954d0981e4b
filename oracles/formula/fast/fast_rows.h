/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the fast evaluator as such: settings, loading, copying. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_ROWS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_ROWS_H

#include "oracles/formula/fast/fast_kernels.h"
#include "oracles/formula/formula.h"

/* Settings of the evaluator. */
typedef struct fast_settings {
  const fast_kernels_t *kernels;
  bool is_unbounded; /* As enclosing_t's. */
  bool is_wide;      /* Steps may stay unrounded in binary64, as accum_wider=yes permits: theory.md,
                      * T125. */
  /* How many groups of a problem are computed together, where it is more than one: each number of a
   * row is then that many numbers, those of the first group before those of the second. */
  size_t groups;
  bool *out_has_forgotten; /* Or NULL: becomes true where a number is given up since steps without
                            * overflow or underflow might make another of it.  Until then all
                            * numbers are those of steps that overflow and underflow. */
} fast_settings_t;

/* ---- Rows as such: nothing is computed. ------------------------------------------------------ */

static inline size_t fast_groups(const formula_t *formula) {
  const fast_settings_t *settings = formula->settings;
  return settings->groups > 1 ? settings->groups : 1;
}

/* A row without numbers yet, `count` for each group. */
static inline fast_numbers_t *fast_new(const formula_t *formula, size_t count) {
  const fast_settings_t *settings = formula->settings;
  bool has_tail = settings->kernels->format == &format_table[FORMAT_f64];
  count *= fast_groups(formula);
  size_t stride = (count + 7) / 8 * 8; /* Of whole cache lines. */
  double *arrays = ARENA_NEW_ARRAY(formula->arena, double, stride *(has_tail ? 4 : 3));
  fast_numbers_t *numbers = ARENA_NEW_ARRAY(formula->arena, fast_numbers_t, 1);
  *numbers = (fast_numbers_t){.count = count,
                              .is_wide = settings->is_wide,
                              .low = arrays,
                              .high = arrays + stride,
                              .point = arrays + 2 * stride,
                              .tail = has_tail ? arrays + 3 * stride : NULL};
  for (size_t i = 0; has_tail && i < count; i++) numbers->tail[i] = 0;
  return numbers;
}

/* The numbers from `first` on. */
static inline fast_numbers_t fast_slice(const fast_numbers_t *a, size_t first, size_t count) {
  return (fast_numbers_t){.count = count,
                          .are_points = a->are_points,
                          .is_wide = a->is_wide,
                          .low = a->low + first,
                          .high = a->high + first,
                          .point = a->point + first,
                          .tail = a->tail == NULL ? NULL : a->tail + first};
}

/* A row of numbers of the working format, `count` for each group, which must live as long as it. */
static inline row_t fast_row_of_points(const formula_t *formula, double *points, size_t count) {
  const fast_settings_t *settings = formula->settings;
  const size_t total = count * fast_groups(formula);
  fast_numbers_t *numbers = ARENA_NEW_ARRAY(formula->arena, fast_numbers_t, 1);
  /* Nobody writes to a row again. */
  *numbers = (fast_numbers_t){.count = total,
                              .is_wide = settings->is_wide,
                              .are_points = true,
                              .low = points,
                              .high = points,
                              .point = points};
  if (settings->kernels->format == &format_table[FORMAT_f64]) {
    numbers->tail = arena_alloc_zeroed(formula->arena, total * sizeof *numbers->tail);
  }
  return (row_t){.count = count, .fast = numbers};
}

/* A row of patterns of a format whose numbers the working format holds. */
static inline row_t fast_load(formula_t *formula, const format_t *format, const uint64_t *bits,
                              size_t count) {
  double *points = ARENA_NEW_ARRAY(formula->arena, double, count);
  format_to_doubles(format, bits, count, points);
  return fast_row_of_points(formula, points, count);
}

static inline void fast_copy(const fast_numbers_t *from, size_t place, fast_numbers_t *out,
                             size_t i) {
  out->low[i] = from->low[place];
  out->high[i] = from->high[place];
  out->point[i] = from->point[place];
  if (out->tail != NULL && from->tail != NULL) out->tail[i] = from->tail[place];
}

/* Steps of the evaluator. */
static inline row_t fast_pick(formula_t *formula, row_t a, const size_t *places, size_t count) {
  fast_numbers_t *out = fast_new(formula, count);
  for (size_t g = 0; g < fast_groups(formula); g++) {
    for (size_t i = 0; i < count; i++) {
      fast_copy(a.fast, g * a.count + places[i], out, g * count + i);
    }
  }
  out->are_points = a.fast->are_points;
  return (row_t){.count = count, .fast = out};
}

static inline row_t fast_join(formula_t *formula, const row_t *rows, size_t row_count) {
  const size_t count = formula_total(rows, row_count);
  fast_numbers_t *out = fast_new(formula, count);
  size_t next = 0;
  out->are_points = true;
  for (size_t g = 0; g < fast_groups(formula); g++) {
    for (size_t r = 0; r < row_count; r++) {
      size_t first = g * rows[r].count;
      for (size_t i = 0; i < rows[r].count; i++) fast_copy(rows[r].fast, first + i, out, next++);
      out->are_points = out->are_points && rows[r].fast->are_points;
    }
  }
  return (row_t){.count = count, .fast = out};
}

#endif
