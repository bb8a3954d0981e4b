/* In-order contracts: only the specification's trees conform, whose nodes combine contiguous ranges
 * (VERDICTS.md, section 3). */
#ifndef ASSAY_ORACLES_IN_ORDER_H
#define ASSAY_ORACLES_IN_ORDER_H

#include "harness/base/arena.h"
#include "harness/model/contract.h"
#include "oracles/exact/schedules.h"

/* Whether the order of `terms` terms can tell anything that the any-order bound does not: the
 * contract is in-order with plain nodes of the accumulation type, and there are three terms or
 * more.  In-order contracts that permit wider nodes, truncation or flushing are judged by the
 * any-order bound. */
bool in_order_matters(size_t terms, const contract_t *contract);

/* Whether an in-order tree gives `value`, which lies within the any-order bound and is finite; the
 * sign of zero does not count.  Up to 64 terms by the exact set of all trees, up to about 500 by
 * its hull; beyond, and for more than 4 initial values, everything within the any-order bound is
 * admitted. */
status_t in_order_admits(const schedules_t *schedules, double value, arena_t *arena,
                         bool *out_admits, error_t *error);

#endif
