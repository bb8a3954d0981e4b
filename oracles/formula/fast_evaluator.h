/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluator that is fast: of the numbers that a conforming implementation may reach it finds
 * an interval, in vector loops (fast_kernels.h).  What it says is a part of what the enclosed
 * evaluator says of the same formula, step by step; where it is not sure it says nothing, and
 * somebody asks that one. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_EVALUATOR_H
#define ASSAY_ORACLES_FORMULA_FAST_EVALUATOR_H

#include "oracles/formula/fast_kernels.h"
#include "oracles/formula/formula.h"

/* Its working format is f32. */
extern const evaluator_t fast_evaluator;

/* Settings of the evaluator. */
typedef struct fast_settings {
  const fast_kernels_t *kernels;
  bool is_unbounded; /* As enclosing_t's. */
  bool is_wide;      /* Steps may stay unrounded in binary64, as accum_wider=yes permits: theory.md,
                      * T125. */
} fast_settings_t;

/* A row of patterns of a format whose numbers f32 holds. */
row_t fast_load(formula_t *formula, const format_t *format, const uint64_t *bits, size_t count);

/* fast_rows.c: a row without numbers yet; steps of the evaluator. */
fast_numbers_t *fast_new(const formula_t *formula, size_t count);
row_t fast_pick(formula_t *formula, row_t a, const size_t *places, size_t count);
row_t fast_join(formula_t *formula, const row_t *rows, size_t row_count);

#endif
