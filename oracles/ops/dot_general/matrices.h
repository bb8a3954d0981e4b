/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of one batch of a float or complex dot_general as two dense matrices, components of
 * split operands side by side, for the exact matrix product. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_MATRICES_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_MATRICES_H

#include "oracles/ops/dot_general/plan.h"

/* A dense matrix of f32 or, where its format is f64, of f64: every other format's numbers are f32
 * numbers. */
typedef struct matrix {
  bool is_f64;
  void *data;
} matrix_t;

static inline double matrix_load(const matrix_t *matrix, size_t index) {
  return matrix->is_f64 ? ((const double *)matrix->data)[index]
                        : (double)((const float *)matrix->data)[index];
}

/* What is gathered: operands split in one way, for some of the plan's primitive products. */
typedef struct matrices {
  const case_t *instance;
  const dot_general_layout_t *layout;
  const dot_plan_t *plan;
  bool may_be_rough;   /* See oracle_call_t; set by those who ask for accept sets. */
  size_t sums_of_case; /* See sum_problem_t; set by those who ask for accept sets. */
  int primitive_count; /* Products that are not zero throughout. */
  dot_primitive_t primitives[DOT_PRIMITIVES_MAX];
  /* Components of all elements of both operands, by number of element; unused without algorithm. */
  matrix_t components[2][DOT_COMPONENTS_MAX];
} matrices_t;

matrices_t matrices_make(const case_t *instance, const dot_general_layout_t *layout,
                         const dot_plan_t *plan, split_t split, arena_t *arena);

/* Terms of the exact matrix product: those of the layout, for each part of complex operands and
 * each primitive product. */
size_t matrices_terms(const matrices_t *matrices);

/* [rows][terms] and [terms][columns] of one batch.  The `part` of complex results (0 real, 1
 * imaginary) decides order and signs. */
matrix_t matrices_gather_lhs(const matrices_t *matrices, size_t batch, int part, arena_t *arena);
matrix_t matrices_gather_rhs(const matrices_t *matrices, size_t batch, int part, arena_t *arena);

/* Whether both hold the same components for all elements of both operands. */
bool matrices_are_equal(const matrices_t *a, const matrices_t *b);

#endif
