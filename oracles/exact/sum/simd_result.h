/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of dot algorithms: unions of those of several splits, and conversion from the
 * accumulation type to the type of the result.  As all that is fast they may only be too small. */
#ifndef ASSAY_ORACLES_EXACT_SUM_SIMD_RESULT_H
#define ASSAY_ORACLES_EXACT_SUM_SIMD_RESULT_H

#include "harness/base/arena.h"
#include "harness/model/accept.h"

/* Adds what `other` holds: as a second interval, or widening that where they touch; the rest is
 * left to the exact side.  Errors stay measured from the reference of `inout_accept`, with a
 * bound that covers the others' too. */
void fast_result_unite(accept_t *inout_accept, const accept_t *other, arena_t *arena);

/* Rounds both ends to the format of the result, or restricts what conforms to numbers of the
 * accumulation format where the result could hold more. */
void fast_result_convert(accept_t *inout_accept, const format_t *accumulation,
                         const format_t *result, arena_t *arena);

#endif
