/* SPDX-License-Identifier: Apache-2.0 */
/* One problem of a declared op while its steps are taken: floats in evaluate.c, integers and
 * booleans in integers.c.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_RUN_H
#define ASSAY_ORACLES_OPS_DECLARED_RUN_H

#include "oracles/composite/composite.h"
#include "oracles/formula/integers/mixed_steps.h"
#include "oracles/ops/declared/declared.h"

/* Integers or booleans along the inner indices of a step, or one that stands for all. */
typedef struct integer_row {
  size_t count;
  const integer_set_t *sets;
} integer_row_t;

typedef struct run {
  formula_t *formula;
  const declaration_t *declaration;
  const declared_formula_t *meaning;
  const row_t *operands; /* Of floats. */
  binding_t binding;
  bool is_known[DECLARED_STEPS_MAX];
  row_t values[DECLARED_STEPS_MAX];
  integer_row_t integers[DECLARED_STEPS_MAX]; /* Of the steps that have them. */
} run_t;

/* The place of the problem along an index that tells problems apart; these count in their order. */
static inline size_t run_outer_place(const run_t *run, uint8_t index) {
  const declaration_t *declaration = run->declaration;
  uint32_t behind = declared_outer(declaration) & ~((2U << index) - 1);
  size_t stride = declared_extent(declaration, &run->binding, behind);
  return run->formula->group / stride % run->binding.extent[index];
}

/* The inner indices that a step runs along. */
static inline uint32_t run_inner(const run_t *run, uint16_t step) {
  return run->meaning->steps[step].mask & run->declaration->inner;
}

/* How far apart neighbours along each index are in a value along those of `mask`; 0 along others.
 */
void run_strides(const run_t *run, uint32_t mask, size_t out_strides[DECLARED_INDICES_MAX]);

/* The numbers of a step of floats, and of one of integers or booleans; and those along the indices
 * of `mask`, which has the step's. */
row_t run_value(run_t *run, uint16_t step);
integer_row_t run_integers(run_t *run, uint16_t step);
integer_row_t run_integers_along(run_t *run, uint16_t step, uint32_t mask);

/* Where the numbers of a value along `from` are, from place `start` on, for each tuple along `to`,
 * those of `last` running fastest. */
size_t *run_places(const run_t *run, uint32_t from, uint32_t to, uint32_t last, size_t start,
                   size_t *out_count);

/* The first number that STEP_PICK takes of its operand. */
size_t run_start(const run_t *run, const step_t *step);

#endif
