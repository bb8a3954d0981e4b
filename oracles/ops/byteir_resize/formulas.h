/* SPDX-License-Identifier: Apache-2.0 */
/* Linear interpolation of byteir.resize as formulas over abstract numbers (formula.h): between the
 * 2^k corners of a cell, by k weights. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_FORMULAS_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_FORMULAS_H

#include "oracles/formula/enclosed.h"
#include "oracles/formula/formula.h"

/* In the order of permission resize_linear. */
typedef enum resize_formula {
  RESIZE_SEPARABLE,  /* Dimension by dimension, from the last to the first or the other way. */
  RESIZE_PRODUCTS,   /* In any order. */
  RESIZE_NORMALIZED, /* As by a matrix whose rows are divided by their sums. */
  RESIZE_DIFFERENCE,
  RESIZE_FORMULA_COUNT,
} resize_formula_t;

enum { RESIZE_AXES_MAX = 5, RESIZE_CORNERS_MAX = 1 << RESIZE_AXES_MAX };

/* A cell, or a row of them: all rows of numbers have one count. */
typedef struct resize_cell {
  size_t axis_count;
  row_t corners[RESIZE_CORNERS_MAX]; /* Bit i of a corner's number: the upper one of axis i. */
  row_t weights[RESIZE_AXES_MAX];    /* Of the upper corners. */
  bool is_edge[RESIZE_AXES_MAX];     /* Both corners are the element at the end. */
} resize_cell_t;

/* The interpolated numbers, by whatever evaluator. */
row_t resize_interpolate(formula_t *formula, resize_formula_t which, const resize_cell_t *cell);

/* The numbers of both sets, of the enclosed evaluator, and all between them. */
row_t resize_hull(formula_t *formula, row_t a, row_t b);

/* What the enclosed evaluator makes of one cell whose corners are finite and whose weights are
 * intervals: tighter than resize_interpolate(), which takes 1 - t and t for independent. */
row_t resize_enclose(formula_t *formula, resize_formula_t which, const resize_cell_t *cell);

#endif
