/* SPDX-License-Identifier: Apache-2.0 */
/* Exact values of C[m,n] = A[m,k] B[k,n]: every C[i,j] = sum over t of A[i,t] * B[t,j] as a real
 * number, correctly rounded, and a rigorous bound on the sum of the absolute values.
 *
 * No tolerance is involved: the reference is the one binary64 number nearest to the exact sum, the
 * same on every machine and instruction set.  How it is found is told in matmul/accumulate.inc and
 * matmul/plan.inc. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_MATMUL_H
#define ASSAY_ORACLES_EXACT_MATMUL_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"

/* All matrices are dense and row-major; m, n and k may each be 0.  k is at most 2^24. */
typedef struct exact_matmul {
  size_t m, n, k;
  double *reference;      /* [m*n]: the exact sum, rounded to nearest even; an exact 0 is +0. */
  double *reference_tail; /* [m*n] or NULL: (exact sum - reference) * (1 + d), |d| <= 2^-50. */
  double *magnitude;      /* [m*n]: S with sum |ab| <= S <= sum |ab| * (1 + 2^-10). */
  uint8_t *uncertified;   /* [m*n]: 1 where nothing above is known, else 0; see below. */
  double *rough_bound;    /* NULL, or what may be rough is: see exact_matmul_is_measured(). */
} exact_matmul_t;

/* Uncertified are exactly the outputs
 *  - with an infinity or NaN in their row of A or their column of B;
 *  - of f64 whose sum |ab| is above 2^1000, or below 2^-900 and not 0;
 *  - of f64 whose reference, or whose tail if asked for, is not 0 and below 2^-1022.
 * Operands of f32 hold every format of at most 24 bits and f32's range.  The arena lends scratch
 * memory, which is given back before the call returns.  The rounding mode must be to nearest. */
void exact_matmul_f32(const exact_matmul_t *matmul, const float *a, const float *b, arena_t *arena);
void exact_matmul_f64(const exact_matmul_t *matmul, const double *a, const double *b,
                      arena_t *arena);

/* Rough products: theory.md, T296.  If rough_bound is not NULL and the operands are large matrices
 * of ordinary numbers, *rough_bound becomes an upper bound of every sum |ab|.  Then a reference,
 * with its tail if that is asked for, may err by exact_rough_error_f32(k) or _f64(k) times its
 * magnitude, beside the half ulp that it lacks without a tail; and a magnitude may be that of some
 * of the terms alone, but for rows that are measured: it has only the upper bound above.
 *
 * Else *rough_bound becomes infinite, and nothing is rough.  Every instruction set gives the same.
 */
enum { EXACT_ROUGH_PERIOD = 64, EXACT_ROUGH_MEASURED = 4, EXACT_ROUGH_TERMS_MAX = 1 << 16 };

/* theory.md, T296; k is at most EXACT_ROUGH_TERMS_MAX. */
static inline double exact_rough_error_f32(size_t k) { return (double)k * 0x1p-43; }
/* Likewise, theory.md, T296. */
static inline double exact_rough_error_f64(size_t k) { return (double)k * (double)k * 0x1p-91; }

static inline bool exact_matmul_is_measured(size_t row) {
  return row % EXACT_ROUGH_PERIOD < EXACT_ROUGH_MEASURED;
}

/* The sums of the columns of B, that is the case m = 1 with A all ones. */
void exact_sums_f32(const exact_matmul_t *sums, const float *b, arena_t *arena);
void exact_sums_f64(const exact_matmul_t *sums, const double *b, arena_t *arena);

#endif
