/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of a dot_general as the oracle computes with them. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_GATHER_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_GATHER_H

#include "oracles/exact/product/integer.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/ops/dot_general/plan.h"

/* Which result element a component belongs to, and which part of it it is. */
typedef struct dot_general_place {
  size_t batch;
  size_t row;
  size_t column;
  int part; /* 0 real, 1 imaginary. */
} dot_general_place_t;

dot_general_place_t dot_general_place(const case_t *instance, const dot_general_layout_t *layout,
                                      size_t component);

/* Index of the element of either operand that term `term` takes. */
static inline size_t dot_general_lhs_index(const dot_general_layout_t *layout,
                                           dot_general_place_t place, size_t term) {
  return layout->lhs_batch_offset[place.batch] + layout->lhs_row_offset[place.row] +
         layout->lhs_term_offset[term];
}
static inline size_t dot_general_rhs_index(const dot_general_layout_t *layout,
                                           dot_general_place_t place, size_t term) {
  return layout->rhs_batch_offset[place.batch] + layout->rhs_column_offset[place.column] +
         layout->rhs_term_offset[term];
}

/* The question that one component of a float or complex dot_general asks, with operands split like
 * that; arrays in the arena. */
sum_problem_t dot_general_sum_question(const case_t *instance, const dot_plan_t *plan,
                                       split_t split, const dot_general_layout_t *layout,
                                       dot_general_place_t place, arena_t *arena);

/* The same for integers and booleans. */
integer_problem_t dot_general_integer_question(const case_t *instance,
                                               const dot_general_layout_t *layout,
                                               dot_general_place_t place, arena_t *arena);

#endif
