/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion of element types: what an accumulation may be carried out in.  (StableHLO
 * specification, "Functions on types", is_promotable.) */
#ifndef ASSAY_TYPES_PROMOTION_H
#define ASSAY_TYPES_PROMOTION_H

#include <stdbool.h>

#include "harness/base/status.h"
#include "harness/num/element.h"

/* is_promotable(from, to): both boolean, both integer (of either signedness), both float or both
 * complex, and `to` not narrower.  Equal widths count, so f16 -> bf16 and i8 -> ui8 are promotable,
 * though not every value survives. */
bool element_is_promotable(const element_t *from, const element_t *to);

/* Whether every value of `from` is one of `to`, infinities, NaN and -0 included.  Where it is not,
 * what the others become is implementation-defined. */
bool element_promotion_is_exact(const element_t *from, const element_t *to);

/* STATUS_UNSUPPORTED unless the promotion is exact: the specification leaves open what other
 * conversions give (openxla/stablehlo#180), so nobody knows what is right. */
status_t element_require_exact_promotion(const element_t *from, const element_t *to,
                                         failure_t *error);

#endif
