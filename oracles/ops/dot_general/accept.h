/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of a dot_general. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_ACCEPT_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_ACCEPT_H

#include "harness/model/accept.h"
#include "oracles/ops/dot_general/plan.h"
#include "oracles/oracle.h"

/* As oracle_t.accept. */
status_t dot_general_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);

/* Of a float or complex dot_general that is computed by that plan: the union over the permitted
 * splits, in the type of the result. */
accept_t dot_general_accept_plan(const oracle_call_t *call, const dot_general_layout_t *layout,
                                 const dot_plan_t *plan);

/* The same for one split alone. */
accept_t dot_general_accept_split(const oracle_call_t *call, const dot_general_layout_t *layout,
                                  const dot_plan_t *plan, split_t split);

/* The last word on one component of such a dot_general. */
status_t dot_general_decide_plan(const oracle_call_t *call, const dot_plan_t *plan,
                                 size_t component, uint64_t bits, answer_t *out_answer);

/* As oracle_t.ranges. */
status_t dot_general_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                            accepted_ranges_t *out_ranges);

#endif
