/* SPDX-License-Identifier: Apache-2.0 */
/* One row of a composite op under one variant, with the numbers that its elements share kept within
 * intervals or at points: what that explains.  Private to oracles/composite. */
#ifndef ASSAY_ORACLES_COMPOSITE_ROWS_SHARED_ROW_H
#define ASSAY_ORACLES_COMPOSITE_ROWS_SHARED_ROW_H

#include "oracles/composite/parts.h"
#include "oracles/formula/shared/shared_numbers.h"

typedef struct shared_row {
  problem_t problem; /* With an arena for scratch. */
  variant_t variant;
  part_t row;
  const tensor_t *results;
  shared_numbers_t shared;
  size_t evaluated; /* Elements so far, each as often as it was. */
} shared_row_t;

/* Elements of a row, and the numbers of their results, one result after the other. */
enum { ROW_ELEMENTS_MAX = 32, ROW_RESULTS_MAX = (ROW_ELEMENTS_MAX + 1) * CASE_RESULTS_MAX };

/* On which side of its set each of these numbers is: 0 if that holds it, -1 below, 1 above. */
typedef struct row_sides {
  int8_t sides[ROW_RESULTS_MAX];
} row_sides_t;

/* Records what the row's numbers may be, in `arena`; `problem` has an arena for scratch.  The row
 * has at least two terms. */
shared_row_t shared_row_make(const problem_t *problem, const variant_t *variant, const part_t *row,
                             const tensor_t *results, arena_t *arena);

/* Keeps the numbers within a cell, which has an interval for each; or makes it what the last
 * evaluation left of it. */
void shared_row_set_cell(shared_row_t *row, const enclosed_t *cell);
void shared_row_keep_found(const shared_row_t *row, enclosed_t *out_cell);

/* Whether nothing within the cell explains all of some elements (T110), or its middle does not
 * (T111), by the mode; and which of their results are outside. */
bool shared_row_fails(shared_row_t *row, const part_t *elements, shared_mode_t mode,
                      row_sides_t *out_sides);

/* The elements of the row that are farthest outside on either side, in widths of their sets, where
 * the numbers are in the middle of the cell. */
typedef struct row_outside {
  bool has_some;
  double gaps[2]; /* Below and above; 0 if none is. */
  size_t terms[2];
} row_outside_t;
row_outside_t shared_row_find_outside(shared_row_t *row, shared_mode_t mode);

/* Whether one value for each number explains all of the row, which has at most 512 terms; and the
 * ends of the set of each number of a result with these, one result after the other. */
bool shared_row_holds_at(shared_row_t *row, const double *points, double *out_ends);

/* The number whose interval in the cell is most to blame that sets still hold what they do not
 * where all numbers are in the middle: `sides` tells what that is.  Returns false if none is. */
bool shared_row_choose(shared_row_t *row, const part_t *elements, const enclosed_t *cell,
                       const row_sides_t *sides, size_t *out_number);

/* Makes an interval its middle. */
void shared_row_set_to_middle(enclosed_t *inout);

#endif
