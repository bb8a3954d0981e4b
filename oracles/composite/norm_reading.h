/* SPDX-License-Identifier: Apache-2.0 */
/* What norms have in common: the root that they divide by, with epsilon where the op or the
 * contract has it (permissions.def), and the count of a variance. */
#ifndef ASSAY_ORACLES_COMPOSITE_NORM_READING_H
#define ASSAY_ORACLES_COMPOSITE_NORM_READING_H

#include "oracles/formula/formula.h"

/* The values of permission norm_epsilon. */
typedef enum norm_epsilon {
  NORM_EPSILON_DEFINED,
  NORM_EPSILON_ADDED,          /* sqrt(v + epsilon) */
  NORM_EPSILON_ADDED_OUTSIDE,  /* sqrt(v) + epsilon */
  NORM_EPSILON_LARGER,         /* sqrt(max(v, epsilon)) */
  NORM_EPSILON_LARGER_OUTSIDE, /* max(sqrt(v), epsilon) */
} norm_epsilon_t;

/* The values of permission norm_variance. */
typedef enum norm_variance {
  NORM_VARIANCE_POPULATION,
  NORM_VARIANCE_SAMPLE,
  NORM_VARIANCE_SAMPLE_RETURNED,
} norm_variance_t;

/* The contract's, or `defined` where that leaves it to the op. */
norm_epsilon_t norm_epsilon_of(const contract_t *contract, norm_epsilon_t defined);
norm_variance_t norm_variance_of(const contract_t *contract);

/* What numbers are divided by, and its inverse: by an inverse square root, or 1 / itself. */
typedef struct norm_divisor {
  row_t square; /* Of which it is the root; where epsilon is outside, v. */
  row_t itself;
  row_t inverse;
} norm_divisor_t;

/* `place` is not NORM_EPSILON_DEFINED. */
norm_divisor_t norm_divisor(formula_t *formula, row_t v, row_t epsilon, norm_epsilon_t place);

/* A sum divided by a count, or multiplied by its inverse. */
row_t norm_divide(formula_t *formula, row_t sum, size_t count);

/* The variance of a sample of so many numbers, by the sum of their squared deviations; or by the
 * sum of their squares, their mean, and mean(x^2) - mean^2.  Of one number it is 0 / 0. */
row_t norm_sample_variance(formula_t *formula, row_t squared_deviations, size_t terms);
row_t norm_sample_variance_in_one_pass(formula_t *formula, row_t squares, row_t mean,
                                       row_t difference, size_t terms);

/* Whether normalized numbers may be rounded to the operands' type: by permission normalized, or as
 * all that is between may be, by intermediate. */
bool norm_may_round(const contract_t *contract);

/* Normalized numbers; where the formula rounds them, rounded to the type of the operands. */
row_t norm_round(formula_t *formula, row_t normal);

/* normal * weight + bias, `normal` being rounded to the type of the operands first: in that type,
 * or in the formula's.  Where the formula rounds them. */
row_t norm_affine_of_rounded(formula_t *formula, row_t normal, row_t weight, row_t bias);

/* Whether two contracts read norms alike, so that the exact values are the same. */
bool norm_reads_alike(const contract_t *a, const contract_t *b);

#endif
