/* SPDX-License-Identifier: Apache-2.0 */
/* All that is accepted of components of a float sum: their ranges in every accumulation type that
 * the contract permits. */
#include "oracles/exact/sum/range.h"
#include "oracles/ops/reduce/decide.h"
#include "oracles/ops/reduce/quantized/problem.h"
#include "oracles/ops/reduce/written/written.h"

/* One reduction by each of its cores. */
typedef struct cores {
  const oracle_call_t *call;
  size_t count;
  reduce_core_t items[ACCUMULATIONS_MAX];
  reduce_slices_t slices;
  uint32_t result;
} cores_t;

static bool is_float_sum(const program_t *program) {
  if (reduce_has_written_body(program) || reduce_is_quantized(program)) return false;
  return reduce_fold_body(program) == FOLD_ADD;
}

/* None where the result or what it is added in are no floats. */
static status_t list_cores(cores_t *cores) {
  const oracle_call_t *call = cores->call;
  const program_t *program = &call->instance->program;
  reduce_core_t core;
  cores->count = 0;
  STATUS_TRY(reduce_core_make(call->instance, call->arena, &core, call->error));
  bool are_floats = core.instance.program.results[cores->result].element->format != NULL &&
                    program->results[cores->result].element->format != NULL;
  if (!are_floats) return STATUS_OK;
  cores->slices = reduce_slices_make(program, call->arena);
  cores->count = reduce_core_count(&core, call->contract);
  for (size_t i = 0; i < cores->count; i++) {
    cores->items[i] = core;
    reduce_core_accumulate(&cores->items[i], call->contract, i);
  }
  return STATUS_OK;
}

static accepted_ranges_t ranges_of(const cores_t *cores, size_t component) {
  const oracle_call_t *call = cores->call;
  const element_t *element = call->instance->program.results[cores->result].element;
  accepted_ranges_t ranges = accepted_ranges_make(call->contract);
  size_t output = component / element->components;
  if (reduce_core_has_open_term(&cores->items[0], &cores->slices, cores->result, output)) {
    const value_range_t anything = value_range_anything(element->format);
    accepted_ranges_add(&ranges, &anything);
    return ranges;
  }
  for (size_t i = 0; i < cores->count && ranges.is_known; i++) {
    arena_mark_t mark = arena_mark(call->arena);
    sum_problem_t question = reduce_converted_sum_question(
        call->instance, &cores->items[i], &cores->slices, cores->result, component, call->arena);
    question.sums_of_case = oracle_call_components(call);
    value_range_t range;
    ranges.is_known = sum_decided_range(&question, call->contract, call->arena, &range);
    if (ranges.is_known) accepted_ranges_add(&ranges, &range);
    arena_rewind(call->arena, mark);
  }
  return ranges;
}

status_t reduce_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                       accepted_ranges_t *out_ranges) {
  cores_t cores = {.call = call, .result = result};
  if (is_float_sum(&call->instance->program)) STATUS_TRY(list_cores(&cores));
  for (size_t i = 0; i < span.count; i++) {
    out_ranges[i] =
        cores.count == 0 ? accepted_ranges_unknown() : ranges_of(&cores, span.first + i);
  }
  return STATUS_OK;
}
