/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products that no schedule rounds: what their terms are multiples of, on the fast side. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_FAST_EXACT_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_FAST_EXACT_H

#include "oracles/ops/dot_general/fast/few.h"

/* Whether fast_sums_may_be_exact() of some component.  Every term of a component is a multiple of
 * 2^lowest_bit, the sum of the least exponents of lowest set bits of its left and of its right
 * factors, by primitive products of `group` terms each; so low that nothing is exact where the
 * answer is no. */
bool fast_exact_find(const fast_product_t *product, size_t group, const format_t *format,
                     arena_t *arena, int *out_lowest_bit);

#endif
