/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path of fold.h: sequential sums of f32 or f64, many results at once.  The results are the
 * vector lanes, so each result's own operations keep their order and their bits. */
#ifndef ASSAY_ORACLES_EXACT_FOLD_DENSE_H
#define ASSAY_ORACLES_EXACT_FOLD_DENSE_H

#include "oracles/exact/fold/fold.h"

enum { DENSE_LANES = 16 };

/* `count` rounded up to whole blocks of lanes. */
static inline size_t dense_padded(size_t count) {
  return (count + DENSE_LANES - 1) / DENSE_LANES * DENSE_LANES;
}

/* True if these functions do what fold_output() would: a sequential, faultless sum of f32 or f64.
 * `void` below stands for dense data of fold->element. */
bool dense_fold_applies(const fold_t *fold);

/* Products of a `rows` x `terms` matrix with a `terms` x `columns` matrix, both row-major. */
typedef struct dense_dot {
  size_t rows;
  size_t terms;
  size_t columns; /* A multiple of DENSE_LANES. */
} dense_dot_t;

/* Writes `rows` x `columns` results.  As in fold_run(), the initial value is +0. */
void dense_fold_dot(const fold_t *fold, const dense_dot_t *dot, const void *lhs, const void *rhs,
                    void *result);

/* Sums of the elements output_base[output] + term_offset[term] for each output. */
typedef struct dense_sum {
  size_t outputs;
  size_t terms;
  const size_t *output_base;
  const size_t *term_offset;
} dense_sum_t;

/* Writes `outputs` results; `init` points to one element. */
void dense_fold_sum(const fold_t *fold, const dense_sum_t *sum, const void *data, const void *init,
                    void *result);

/* Writes the elements base + offset[i] of `data` one after the other. */
void dense_gather(const fold_t *fold, const void *data, size_t base, const size_t *offset,
                  size_t count, void *out_data);

/* Copies `count` results to `out_data`; NaNs become the format's quiet NaN, as fold_output() writes
 * it. */
void dense_store(const fold_t *fold, const void *results, size_t count, void *out_data);

/* The elements of a tensor in the accumulation type: its own data if they are so already. */
const void *dense_promote(const fold_t *fold, const tensor_t *operand, arena_t *arena);

#endif
