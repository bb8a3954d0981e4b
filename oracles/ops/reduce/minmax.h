/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that pick one of their operands: maximum and minimum of floats, argmax and argmin.  What
 * they may return does not depend on rounding, only on ties, NaN and whether the initial value
 * enters. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_MINMAX_H
#define ASSAY_ORACLES_OPS_REDUCE_MINMAX_H

#include "harness/model/accept.h"
#include "oracles/ops/reduce/reduce.h"
#include "oracles/oracle_call.h"

/* The fast accept sets of all results: what the sequential schedule returns. */
void reduce_minmax_accept(const case_t *instance, const reduce_slices_t *slices, arena_t *arena,
                          accept_t out_accepts[CASE_RESULTS_MAX]);

/* The last word on one component.  A value is judged alone, an index beside the value that came
 * with it.  `storage`: the format that floats were converted from, where they may be subnormal, or
 * NULL (theory.md, T139). */
void reduce_minmax_ask(const oracle_call_t *call, const reduce_slices_t *slices, uint32_t result,
                       size_t component, const format_t *storage, answer_t *out_answer);

#endif
