/* SPDX-License-Identifier: Apache-2.0 */
/* What the factors of a sum tell of its terms, before any of these is computed. */
#ifndef ASSAY_ORACLES_EXACT_SUM_QUICK_FACTORS_H
#define ASSAY_ORACLES_EXACT_SUM_QUICK_FACTORS_H

#include "oracles/exact/sum/problem.h"

/* Every term is a multiple of 2^this: the least over the primitive products of the sum of the least
 * exponents of lowest set bits of both factors; BINARY64_NO_BIT or more without one. */
int sum_lowest_bit(const sum_problem_t *question);

/* Whether a factor of a format may be taken for zero where the contract flushes: it is subnormal
 * there, or was one in the format that it was rounded from, if not NULL (theory.md, T139). */
bool sum_may_flush_factor(double factor, const format_t *format, const format_t *storage);

/* Whether a term or a sum may be subnormal: sums are multiples of what all terms are multiples of.
 */
bool sum_reaches_subnormal(const sum_problem_t *question);

#endif
