/* SPDX-License-Identifier: Apache-2.0 */
/* Exact totals over the terms of a sum, and what specials are among them. */
#ifndef ASSAY_ORACLES_EXACT_SUM_TOTALS_H
#define ASSAY_ORACLES_EXACT_SUM_TOTALS_H

#include <mpfr.h>

#include "oracles/exact/sum/problem.h"
#include "oracles/exact/sum/quick/factors.h"

typedef struct sum_totals {
  bool has_nan; /* A NaN term, or a product of infinity and zero. */
  bool has_positive_infinity;
  bool has_negative_infinity;
  bool can_be_minus_zero;  /* Every term is -0, or a negative product that may underflow to it. */
  bool must_be_minus_zero; /* Every term is exactly -0. */
  int lowest_bit;          /* sum_lowest_bit() */
  size_t positive_count;   /* Of finite terms, as below. */
  size_t negative_count;
  mpfr_t sum;       /* Of the finite terms, exact; likewise all below. */
  mpfr_t positive;  /* Sum of the positive terms. */
  mpfr_t negative;  /* Sum of the negative terms, at most 0. */
  mpfr_t magnitude; /* Sum of the absolute values. */
  mpfr_t flushable; /* Sum of the absolute values of terms with a subnormal factor. */
  mpfr_t highest;   /* Largest and smallest sum of a contiguous range of terms (Kadane), 0 if */
  mpfr_t lowest;    /* all ranges are negative or positive. */
} sum_totals_t;

/* Precision that holds the sums of the question exactly. */
mpfr_prec_t sum_precision(const sum_problem_t *question);

/* Computes them; sum_totals_deinit() frees the numbers. */
void sum_totals_init(sum_totals_t *totals, const sum_problem_t *question);

/* The same with MPFR alone; and in integers of 128 bits alone, or false, with nothing to free,
 * where they may not hold the totals (theory.md, T249).  Tests hold one against the other. */
void sum_totals_init_plain(sum_totals_t *totals, const sum_problem_t *question);
bool sum_totals_init_fixed(sum_totals_t *totals, const sum_problem_t *question);

void sum_totals_deinit(sum_totals_t *totals);

#endif
