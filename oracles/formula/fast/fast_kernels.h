/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of the fast evaluator, one table for each instruction set that they were compiled for:
 * all compute the same bits. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_KERNELS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/model/contract.h"
#include "oracles/formula/fast/fast_numbers.h"

typedef enum fast_binary {
  FAST_ADD,
  FAST_SUBTRACT,
  FAST_MULTIPLY,
  FAST_DIVIDE,
} fast_binary_t;

/* What a function may err by at x, in ulps: the larger one of `ulps` and start + growth * |x|,
 * where x is at most CONTRACT_EXP_MAGNITUDE_MAX. */
typedef struct fast_error {
  double ulps;
  double start;
  double growth;
} fast_error_t;

typedef struct fast_kernels {
  const char *name;       /* "avx512", "avx2", "portable". */
  const format_t *format; /* The working format: f32 or f64. */
  /* Operands have out->count numbers. */
  void (*binary)(fast_binary_t operation, const fast_numbers_t *a, const fast_numbers_t *b,
                 fast_numbers_t *out);
  /* In binary32, of points a, what several steps give: a * b / 2, with a or b halved; a times the
   * one number of factor, or divided by that of divisor, which are not 0.  In binary64 NULL. */
  void (*half_product)(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out);
  void (*scaled)(const fast_numbers_t *a, const fast_numbers_t *factor,
                 const fast_numbers_t *divisor, fast_numbers_t *out);
  void (*square)(const fast_numbers_t *a, fast_numbers_t *out);
  void (*square_root)(const fast_numbers_t *a, fast_numbers_t *out);
  void (*apply)(elementary_t function, fast_error_t error, const fast_numbers_t *a,
                fast_numbers_t *out);
  void (*sum)(const fast_numbers_t *a, fast_totals_t *out);
  /* The products; squares where a and b are one row.  In binary32 they are exact, in binary64
   * rounded to that, and unknown below 2^-900. */
  void (*products)(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out);
  /* The sum of squares of a[i] - mean, a row of points and the point of a number, each within 2^-52
   * of itself, or in binary64 2^-100. */
  void (*squared_deviations)(const fast_numbers_t *a, const fast_numbers_t *mean,
                             fast_totals_t *out);
  double (*greatest)(const double *a, size_t count); /* NaN if one is. */
  /* Whether all numbers, and so all their sums, are multiples of 2^bit. */
  bool (*are_multiples)(const double *a, size_t count, int bit);
  void (*shares)(const fast_numbers_t *a, const fast_totals_t *totals, double error,
                 fast_numbers_t *out);
  /* Each number as many times as `out` has numbers to one of them. */
  void (*repeat)(const fast_numbers_t *one, fast_numbers_t *out);
  /* The hull of both, or the one that is known; and what both hold. */
  void (*either)(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out);
  void (*intersect)(const fast_numbers_t *a, const fast_numbers_t *b, fast_numbers_t *out);
  /* Leaves unknown what a step without overflow or underflow might make otherwise; whether any of
   * that was known. */
  bool (*forget_extremes)(fast_numbers_t *inout_numbers);
  /* Rounds to f16 or bf16, or leaves binary32 as it is; NaN stays. */
  void (*finish)(const fast_numbers_t *a, const format_t *format, double *low, double *high);
} fast_kernels_t;

/* Whether a product below the normal numbers of binary32 is rounded by itself, which only the
 * enclosed evaluator does (enclosed_sums.c). */
static inline bool fast_rounds_tiny(const contract_t *contract, const fast_numbers_t *products) {
  if (PERMITTED(contract, fma) == FMA_YES) return false;
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) return false;
  if (products->tail != NULL) return false; /* In binary64 those are unknown anyway. */
  bool is_any = false;
  for (size_t i = 0; i < products->count; i++) {
    bool is_zero = products->low[i] == 0 && products->high[i] == 0;
    is_any |= !is_zero && products->low[i] > -0x1p-126 && products->high[i] < 0x1p-126;
  }
  return is_any;
}

/* Those of a working format, f32 or f64: the fastest that this machine can run; those of that name,
 * or NULL. */
const fast_kernels_t *fast_kernels_best(const format_t *format);
const fast_kernels_t *fast_kernels_named(const format_t *format, const char *name);

#endif
