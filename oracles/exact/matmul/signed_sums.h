/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the positive and of the negative terms of some outputs of a matrix product, and what
 * their terms that are not finite add up to: for outputs that may be something else than finite. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_SIGNED_SUMS_H
#define ASSAY_ORACLES_EXACT_MATMUL_SIGNED_SUMS_H

#include <stddef.h>
#include <stdint.h>

enum { SIGNED_SUMS_COLUMNS = 16 };

/* Of one row of the product, by column; every number is the sum in binary64 of the rounded
 * products, one term after the other, from +0.  Those of finite terms mean nothing where the
 * special ones add up to NaN: once all columns are NaN no further terms are looked at. */
typedef struct signed_sums {
  double positive[SIGNED_SUMS_COLUMNS];     /* Of the terms above 0 whose factors are finite. */
  double negative[SIGNED_SUMS_COLUMNS];     /* Of the others whose factors are. */
  double special[SIGNED_SUMS_COLUMNS];      /* Of those with a factor that is not; else +0. */
  int64_t has_special[SIGNED_SUMS_COLUMNS]; /* Nonzero if there are such. */
} signed_sums_t;

/* Of a row `a` of k numbers and `columns` columns of B, at most SIGNED_SUMS_COLUMNS, whose rows
 * begin at `b`, `stride` numbers apart.  What is written beyond those columns means nothing. */
void signed_sums_f32(const float *a, const float *b, size_t k, size_t stride, size_t columns,
                     signed_sums_t *out_sums);
void signed_sums_f64(const double *a, const double *b, size_t k, size_t stride, size_t columns,
                     signed_sums_t *out_sums);

#endif
