/* SPDX-License-Identifier: Apache-2.0 */
/* An evaluator with a hand on every step whose result is one number: what all elements of a row
 * share, such as the sum of a softmax or the mean and the inverse deviation of a norm (theory.md,
 * T110).  A formula is straight-line code, so that these numbers come in the same order each time:
 * they are recorded once, from the whole row.  After that the formula is run for any of the row's
 * elements with these numbers where somebody wants them.  The steps themselves are those of another
 * evaluator. */
#ifndef ASSAY_ORACLES_FORMULA_SHARED_SHARED_EVALUATOR_H
#define ASSAY_ORACLES_FORMULA_SHARED_SHARED_EVALUATOR_H

#include "oracles/formula/formula.h"

enum { SHARED_NUMBERS_MAX = 96 };

/* What formula_t.shared points to; the first member of what else is known of the numbers. */
typedef struct shared {
  const evaluator_t *base; /* Takes the steps. */
  bool is_recording;       /* Steps that depend on all of the row, or on nothing, are taken: later
                            * their numbers are replayed. */
  /* The number that stands for the result of a step, which is one number; it is given if it depends
   * on all of the row or on nothing, so that no step computes it again. */
  row_t (*keep)(formula_t *formula, row_t row, bool is_given);
  row_t (*replay)(formula_t *formula); /* The number that comes next, which is given. */
} shared_t;

/* With formula_t.shared, and the settings of the base.  Rows have at least two elements: what has
 * one number is shared. */
extern const evaluator_t shared_evaluator;

/* The evaluator that takes the steps of a formula. */
static inline const evaluator_t *shared_base(const formula_t *formula) {
  return formula->shared == NULL ? formula->evaluator : formula->shared->base;
}

#endif
