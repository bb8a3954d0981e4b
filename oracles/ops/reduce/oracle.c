/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle row of stablehlo.reduce (theory.md, D4 and T10). */
#include "oracles/oracle.h"
#include "oracles/audit.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/reduce/accept.h"
#include "oracles/ops/reduce/decide.h"
#include "oracles/ops/reduce/enclose.h"
#include "oracles/ops/reduce/precision.h"
#include "oracles/ops/reduce/simulate.h"

static const oracle_t reduce_oracle;

/* The fast side takes a nonzero initial value once, as one more term. */
static audit_reference_t reference_of_sum(sum_problem_t question, arena_t *arena) {
  double *terms = ARENA_NEW_ARRAY(arena, double, question.count + 1);
  for (size_t i = 0; i < question.count; i++) terms[i] = question.left[i];
  terms[question.count++] = question.init;
  question.left = terms;
  audit_reference_t reference;
  reference.is_known =
      sum_reference(&question, &reference.sum, &reference.tail, &reference.magnitude);
  return reference;
}

static status_t reduce_audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                             size_t component) {
  const case_t *instance = call->instance;
  audit_reference_t reference = {0};
  bool is_float = instance->program.results[result].element->format != NULL &&
                  !reduce_has_written_body(&instance->program);
  if (is_float && reduce_fold_body(&instance->program) == FOLD_ADD) {
    reduce_memory_t *memory = reduce_memory_of(call);
    STATUS_TRY(reduce_find_core(call, memory));
    reduce_core_t core = memory->core;
    reduce_core_accumulate(&core, call->contract, 0);
    const reduce_slices_t *slices = reduce_slices_of(call, memory);
    reference = reference_of_sum(
        reduce_converted_sum_question(instance, &core, slices, result, component, call->arena),
        call->arena);
  }
  return audit_component(&reduce_oracle, call, accepts, result, component, &reference);
}

/* More take too long: of four inputs. */
enum { ROUNDINGS_MAX = 1000 };

static status_t count_roundings(const oracle_call_t *call, size_t *out_count) {
  *out_count = reduce_rounding_count(&call->instance->program, call->contract);
  if (*out_count <= ROUNDINGS_MAX) return STATUS_OK;
  return status_fail(call->error, STATUS_UNSUPPORTED,
                     "no oracle for %zu ways to round the inputs by their words", *out_count);
}

/* An index belongs to a value, which may be of an input that was rounded: it is asked about. */
static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  size_t roundings;
  STATUS_TRY(count_roundings(call, &roundings));
  STATUS_TRY(reduce_accept(call, out_accepts));
  if (roundings == 1 || program->result_count == 1) return STATUS_OK;
  for (uint32_t r = 0; r < program->result_count; r++) {
    out_accepts[r] = accept_decide_all(type_component_count(&program->results[r]), call->arena);
  }
  return STATUS_OK;
}

/* With operands as they are, or rounded as the precision_config permits. */
static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  const program_t *program = &call->instance->program;
  size_t count;
  STATUS_TRY(count_roundings(call, &count));
  STATUS_TRY(reduce_decide_component(call, result, component, out_answer));
  for (size_t i = 1; i < count && !out_answer->conforms; i++) {
    const reduce_rounding_t rounding = reduce_rounding_of(program, call->contract, i);
    const case_t rounded = reduce_round_operands(call->instance, &rounding, call->arena);
    const oracle_call_t other = oracle_call_about(call, &rounded, call->results);
    answer_t answer;
    STATUS_TRY(reduce_decide_component(&other, result, component, &answer));
    if (answer.conforms) *out_answer = answer;
  }
  return STATUS_OK;
}

/* Of operands that may be rounded too nothing is known here. */
static status_t ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                       accepted_ranges_t *out_ranges) {
  if (reduce_rounding_count(&call->instance->program, call->contract) == 1)
    return reduce_ranges(call, result, span, out_ranges);
  for (size_t i = 0; i < span.count; i++) out_ranges[i] = accepted_ranges_unknown();
  return STATUS_OK;
}

static status_t enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]) {
  if (call->contract != NULL && reduce_rounding_count(call->program, call->contract) > 1) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "sums in less than f32 are not enclosed");
  }
  return reduce_enclose(call, out_results);
}

static status_t simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  reduce_rounding_t rounding;
  if (!reduce_rounding_of_model(&call->instance->program, schedule, &rounding)) {
    return reduce_simulate(call, schedule, inout_results);
  }
  const case_t rounded = reduce_round_operands(call->instance, &rounding, call->arena);
  const oracle_call_t other = oracle_call_about(call, &rounded, call->results);
  return reduce_simulate(&other, schedule, inout_results);
}

static const oracle_t reduce_oracle = {
    .op_name = "stablehlo.reduce",
    .has_joint_results = true, /* Of written bodies, and a value with its index. */
    .accept = accept,
    .decide = decide,
    .ranges = ranges,
    .audit = reduce_audit,
    .simulate = simulate,
    .enclose = enclose,
};

extern const oracle_t *const reduce_oracles[];
const oracle_t *const reduce_oracles[] = {&reduce_oracle, NULL};
