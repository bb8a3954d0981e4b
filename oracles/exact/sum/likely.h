/* SPDX-License-Identifier: Apache-2.0 */
/* What most implementations return for a sum of few terms: fast sets of such sums are no more than
 * that, and the exact side decides all else (theory.md, T27 and T29). */
#ifndef ASSAY_ORACLES_EXACT_SUM_LIKELY_H
#define ASSAY_ORACLES_EXACT_SUM_LIKELY_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/model/contract.h"
#include "oracles/exact/any_order/terms.h"

enum { LIKELY_SUMS = 3 };

/* Results of plain trees, and at last of one with fused products where these are permitted; the
 * same one may stand there more than once. */
typedef struct likely_sums {
  bool is_known; /* Else the sum is judged by its bound (share.h). */
  double values[LIKELY_SUMS];
} likely_sums_t;

/* Of left[i] * right[i], or of left[i] where `right` is NULL, added to `init`. */
typedef struct likely_terms {
  size_t count; /* At most FEW_TERMS_MAX. */
  double left[FEW_TERMS_MAX];
  double right[FEW_TERMS_MAX];
  bool are_products;
  double init;
  size_t divisor; /* See tree_share_divisor(). */
} likely_terms_t;

likely_sums_t likely_sums_of(const likely_terms_t *terms, const format_t *format,
                             const contract_t *contract);

/* Ends of the fast set of one component: two intervals. */
typedef struct likely_ends {
  double *low;
  double *high;
  double *other_low;
  double *other_high;
} likely_ends_t;

/* Makes an interval of likely sums from what low .. high holds, which may be empty; beside it a
 * second one, or none. */
void likely_sums_extend(const likely_sums_t *sums, const format_t *format,
                        const likely_ends_t *ends);

#endif
