/* SPDX-License-Identifier: Apache-2.0 */
/* Dot algorithms on dequantized operands: for each component a program of one row and one column in
 * floats, of which the plans and the exact sums of float dot_generals tell the rest. */
#include "oracles/ops/dot_general/quantized/by_algorithm.h"

#include "oracles/exact/range_convert.h"
#include "oracles/exact/sum/range.h"
#include "oracles/ops/dot_general/accept.h"
#include "oracles/ops/dot_general/integers.h"

const dot_algorithm_t *dot_quantized_algorithm(const program_t *program,
                                               dot_algorithm_t *out_algorithm) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  bool is_asked =
      attributes->has_algorithm && dot_algorithm_find(&attributes->algorithm, out_algorithm);
  return is_asked ? out_algorithm : NULL;
}

status_t dot_by_algorithm_accept(const oracle_call_t *call, const case_t *floats,
                                 const dot_algorithm_t *algorithm, accept_t *out_accept) {
  const dot_general_layout_t layout = dot_general_layout_make(&floats->program, call->arena);
  dot_plan_t plan;
  STATUS_TRY(dot_plan_make_for(&floats->program, algorithm, call->contract, &plan, call->error));
  const oracle_call_t float_call = oracle_call_about(call, floats, NULL);
  *out_accept = dot_general_accept_plan(&float_call, &layout, &plan);
  return STATUS_OK;
}

/* ---- One component --------------------------------------------------------------------------- */

/* Its floats as a program of two rows of terms, whose result is this component. */
typedef struct component_floats {
  case_t instance;
  dot_plan_t plan;
  dot_general_layout_t layout;
  dot_general_place_t place;
} component_floats_t;

static status_t make_component(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                               const dot_dequantized_t *variant, const dot_general_layout_t *layout,
                               dot_general_place_t place, component_floats_t *out) {
  const program_t *program = &call->instance->program;
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(call->arena, dot_general_attributes_t, 1);
  *attributes = *dot_general_attributes(program);
  const dimension_list_t none = {.count = 0}, first = {.count = 1, .dims = {0}};
  attributes->lhs_batching = attributes->rhs_batching = none;
  attributes->lhs_contracting = attributes->rhs_contracting = first;
  *out = (component_floats_t){.instance = {.program = *program}};
  program_t *floats = &out->instance.program;
  floats->attributes = attributes;
  floats->results[0] = type_make(program->results[0].element, 0, NULL);
  if (dot_general_is_quantized(program)) {
    floats->results[0].element = element_named(variant->rounded->name);
  }
  for (uint32_t i = 0; i < 2; i++) {
    out->instance.operands[i] =
        dot_dequantized_terms(&call->instance->operands[i], i, variant, layout, place, call->arena);
    floats->operands[i] = out->instance.operands[i].type;
  }
  out->layout = dot_general_layout_make(floats, call->arena);
  return dot_plan_make_for(floats, algorithm, call->contract, &out->plan, call->error);
}

/* The same question about it, which shares what the whole case may cost. */
static oracle_call_t about(const oracle_call_t *call, const component_floats_t *floats) {
  oracle_call_t part = oracle_call_about(call, &floats->instance, NULL);
  part.whole_count = oracle_call_components(call);
  return part;
}

static status_t decide_by_variant(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                  const dot_dequantized_t *variant, size_t component, uint64_t bits,
                                  answer_t *out_answer) {
  const dot_general_layout_t layout =
      dot_general_layout_make(&call->instance->program, call->arena);
  const dot_general_place_t place = dot_general_place(call->instance, &layout, component);
  component_floats_t floats;
  STATUS_TRY(make_component(call, algorithm, variant, &layout, place, &floats));
  const oracle_call_t part = about(call, &floats);
  return dot_general_decide_plan(&part, &floats.plan, 0, bits, out_answer);
}

status_t dot_by_algorithm_decide(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer) {
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  size_t count = dot_variants(&call->instance->program, call->contract, variants);
  for (size_t i = 0; i < count; i++) {
    answer_t answer = {0};
    STATUS_TRY(decide_by_variant(call, algorithm, &variants[i], component, bits, &answer));
    if (i == 0 || answer.conforms) *out_answer = answer;
    if (answer.conforms) break;
  }
  return STATUS_OK;
}

/* What operands that are split in one way give. */
static status_t range_of_split(const oracle_call_t *call, const component_floats_t *floats,
                               split_t split, value_range_t *out_range, bool *out_is_known) {
  const oracle_call_t part = about(call, floats);
  if (floats->plan.accumulation == NULL) {
    *out_is_known =
        dot_integers_range(&part, &floats->plan, split, &floats->layout, floats->place, out_range);
    return STATUS_OK;
  }
  sum_problem_t question = dot_general_sum_question(&floats->instance, &floats->plan, split,
                                                    &floats->layout, floats->place, call->arena);
  *out_is_known = !question.is_open;
  if (question.is_open) return STATUS_OK;
  return sum_range(&question, call->contract, call->arena, out_range, call->error);
}

status_t dot_by_algorithm_range(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                const dot_dequantized_t *variant, const dot_component_t *component,
                                value_range_t *out_range, bool *out_is_known) {
  component_floats_t floats;
  STATUS_TRY(
      make_component(call, algorithm, variant, component->layout, component->place, &floats));
  split_t splits[DOT_SPLITS_MAX];
  size_t split_count = dot_plan_splits(&floats.plan, call->contract, splits);
  *out_is_known = true;
  for (size_t i = 0; i < split_count && *out_is_known; i++) {
    value_range_t range;
    STATUS_TRY(range_of_split(call, &floats, splits[i], &range, out_is_known));
    if (!*out_is_known) break;
    if (i == 0) *out_range = range;
    value_range_unite(out_range, &range);
  }
  return STATUS_OK;
}

status_t dot_by_algorithm_question(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                   const dot_general_layout_t *layout, dot_general_place_t place,
                                   sum_problem_t *out_question) {
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(&call->instance->program, call->contract, variants);
  component_floats_t floats;
  STATUS_TRY(make_component(call, algorithm, &variants[0], layout, place, &floats));
  *out_question = dot_general_sum_question(&floats.instance, &floats.plan, SPLIT_NEAREST,
                                           &floats.layout, floats.place, call->arena);
  return STATUS_OK;
}
