/* The quick accept sets of many float sums at once, from their exact values. */
#ifndef ASSAY_ORACLES_QUICK_SUMS_H
#define ASSAY_ORACLES_QUICK_SUMS_H

#include "harness/base/arena.h"
#include "harness/model/accept.h"
#include "oracles/exact/error_bound.h"

/* Fills in low, high and the bounds of `accept`, whose count, reference, reference_tail (or NULL)
 * and magnitude are set.  `ask` has one entry per component: nonzero where the reference is not
 * known; it is completed and becomes accept->ask.  References that are not known are set to NaN.
 * With `ask_all` (an in-order contract, say) the interval decides nothing. */
void quick_sums_finish(accept_t *inout_accept, const format_t *format, const contract_t *contract,
                       bound_shape_t shape, bool ask_all, uint8_t *inout_ask, arena_t *arena);

/* An accept set that knows nothing: every component must be asked about. */
accept_t accept_ask_all(size_t count, arena_t *arena);

#endif
