/* SPDX-License-Identifier: Apache-2.0 */
/* Sums as matrix units make them that accumulate imprecisely: a few products and the accumulator
 * are aligned to the largest of them, cut to some bits, added, and cut again (theory.md, T14). */
#ifndef ASSAY_ORACLES_EXACT_FOLD_ALIGNED_SUM_H
#define ASSAY_ORACLES_EXACT_FOLD_ALIGNED_SUM_H

#include <stddef.h>

/* The sum of left[i] * right[i], `width` products at a time, with `bits` (at most 24) bits kept.
 * Factors have at most 26 bits each, so that products are exact. */
double aligned_sum(const double *left, const double *right, size_t count, size_t width, int bits);

#endif
