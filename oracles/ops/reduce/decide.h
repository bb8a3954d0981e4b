/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on one component of a reduce. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_DECIDE_H
#define ASSAY_ORACLES_OPS_REDUCE_DECIDE_H

#include "oracles/ops/reduce/core.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/oracle.h"

/* What is the same of all components of a case: kept in the memo. */
typedef struct reduce_memory {
  bool has_slices, has_core;
  reduce_slices_t slices;
  reduce_core_t core;
  struct kept_closure *closures; /* Of quantized reductions: quantized/reach_closure.c. */
} reduce_memory_t;

/* The memo's, or one of this question alone where it has none. */
reduce_memory_t *reduce_memory_of(const oracle_call_t *call);

/* Found at the first question. */
const reduce_slices_t *reduce_slices_of(const oracle_call_t *call, reduce_memory_t *inout_memory);
status_t reduce_find_core(const oracle_call_t *call, reduce_memory_t *inout_memory);

/* As oracle_t.ask. */
status_t reduce_decide_component(const oracle_call_t *call, uint32_t result, size_t component,
                                 answer_t *out_answer);

/* As oracle_t.ranges, of operands as they are. */
status_t reduce_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                       accepted_ranges_t *out_ranges);

/* The question about a sum, with the conversions around it. */
sum_problem_t reduce_converted_sum_question(const case_t *instance, const reduce_core_t *core,
                                            const reduce_slices_t *slices, uint32_t result,
                                            size_t component, arena_t *arena);

#endif
