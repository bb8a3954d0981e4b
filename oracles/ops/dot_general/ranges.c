/* SPDX-License-Identifier: Apache-2.0 */
/* All that is accepted of components of a float dot_general: the ranges of their sums, by every
 * plan, split and precision that the contract permits. */
#include "oracles/exact/sum/range.h"
#include "oracles/ops/dot_general/accept.h"
#include "oracles/ops/dot_general/gather.h"
#include "oracles/ops/dot_general/precisions.h"

enum { PLANS_MAX = ACCUMULATIONS_MAX + DOT_PRECISIONS_MAX };

typedef struct ways {
  size_t count;
  dot_plan_t plans[PLANS_MAX];
} ways_t;

/* As decide() tries them.  None where ranges of floats do not tell what is accepted. */
static status_t list_ways(const oracle_call_t *call, ways_t *out_ways) {
  const program_t *program = &call->instance->program;
  dot_algorithm_t algorithms[DOT_PRECISIONS_MAX];
  *out_ways = (ways_t){0};
  dot_plan_t *plans = out_ways->plans;
  STATUS_TRY(dot_plan_make(program, call->contract, &plans[0], call->error));
  if (plans[0].accumulation == NULL || plans[0].integer != NULL) return STATUS_OK;
  size_t count = dot_plan_count(&plans[0], call->contract);
  for (size_t i = 1; i < count; i++) {
    plans[i] = plans[0];
    dot_plan_accumulate(&plans[i], call->contract, i);
  }
  size_t precisions = dot_precision_algorithms(program, call->contract, algorithms);
  for (size_t i = 0; i < precisions; i++) {
    STATUS_TRY(
        dot_plan_make_for(program, &algorithms[i], call->contract, &plans[count++], call->error));
  }
  out_ways->count = count;
  return STATUS_OK;
}

static accepted_ranges_t ranges_of(const oracle_call_t *call, const ways_t *ways,
                                   const dot_general_layout_t *layout, size_t component) {
  accepted_ranges_t ranges = accepted_ranges_make(call->contract);
  const dot_general_place_t place = dot_general_place(call->instance, layout, component);
  for (size_t i = 0; i < ways->count && ranges.is_known; i++) {
    split_t splits[DOT_SPLITS_MAX];
    size_t split_count = dot_plan_splits(&ways->plans[i], call->contract, splits);
    for (size_t k = 0; k < split_count && ranges.is_known; k++) {
      arena_mark_t mark = arena_mark(call->arena);
      sum_problem_t question = dot_general_sum_question(call->instance, &ways->plans[i], splits[k],
                                                        layout, place, call->arena);
      question.sums_of_case = oracle_call_components(call);
      value_range_t range;
      ranges.is_known = sum_decided_range(&question, call->contract, call->arena, &range);
      if (ranges.is_known) accepted_ranges_add(&ranges, &range);
      arena_rewind(call->arena, mark);
    }
  }
  return ranges;
}

status_t dot_general_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                            accepted_ranges_t *out_ranges) {
  const program_t *program = &call->instance->program;
  const bool is_stored = dot_general_is_quantized(program) || dot_general_is_hybrid(program);
  ways_t ways = {0};
  if (!is_stored && program->results[result].element->format != NULL)
    STATUS_TRY(list_ways(call, &ways));
  for (size_t i = 0; i < span.count; i++) out_ranges[i] = accepted_ranges_unknown();
  if (ways.count == 0) return STATUS_OK;
  const dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  for (size_t i = 0; i < span.count; i++) {
    out_ranges[i] = ranges_of(call, &ways, &layout, span.first + i);
  }
  return STATUS_OK;
}
