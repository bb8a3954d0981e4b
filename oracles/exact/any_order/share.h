/* SPDX-License-Identifier: Apache-2.0 */
/* Which sums of a case are judged by their trees, where doing so for all would take too long.  The
 * choice depends on nothing but the case, so that a replay judges as the run did, and on the terms
 * of the sum alone, so that both sides of an oracle make it alike (theory.md, T105). */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_SHARE_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* Of `sum_count` sums of `term_count` terms in a case, one in so many is judged by its trees; 1 if
 * all are.  The other ones are judged by their bound, which holds all that trees give (theory.md,
 * T10). */
size_t tree_share_divisor(size_t sum_count, size_t term_count);

/* Whether the sum of these terms, left[i] * right[i] or left[i] where `right` is NULL, is one of
 * them.  The order of terms makes no difference. */
bool tree_share_has(size_t divisor, size_t term_count, const double *left, const double *right);

#endif
