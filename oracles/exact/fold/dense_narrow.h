/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path of fold.h for formats of 16 bits: sequential sums and dot products, many
 * results at once. */
#ifndef ASSAY_ORACLES_EXACT_FOLD_DENSE_NARROW_H
#define ASSAY_ORACLES_EXACT_FOLD_DENSE_NARROW_H

#include "oracles/exact/fold/dense.h"

/* True if dense_narrow_dot() does what fold_output() would: a sequential, faultless sum of bf16 or
 * f16 whose products are rounded too. */
bool dense_narrow_applies(const fold_t *fold);

/* As dense_fold_dot(), with numbers of the format in binary64. */
void dense_narrow_dot(const fold_t *fold, const dense_dot_t *dot, const double *lhs,
                      const double *rhs, double *result);

/* As dense_fold_sum(). */
void dense_narrow_sum(const fold_t *fold, const dense_sum_t *sum, const double *data, double init,
                      double *result);

/* The first `count` numbers of a tensor of floats. */
void dense_narrow_load(const tensor_t *operand, size_t count, double *out);

/* Writes results to the elements from `first` on; NaNs as fold_output() writes them. */
void dense_narrow_store(const fold_t *fold, const double *results, size_t count, size_t first,
                        uint8_t *out_data);

#endif
