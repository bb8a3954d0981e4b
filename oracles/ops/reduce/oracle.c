/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle row of stablehlo.reduce (theory.md, D4 and T10). */
#include "oracles/oracle.h"
#include "oracles/audit.h"
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
    reduce_core_t core;
    STATUS_TRY(reduce_core_make(instance, call->arena, &core, call->error));
    reduce_core_accumulate(&core, call->contract, 0);
    reduce_slices_t slices = reduce_slices_make(&instance->program, call->arena);
    reference = reference_of_sum(
        reduce_converted_sum_question(instance, &core, &slices, result, component, call->arena),
        call->arena);
  }
  return audit_component(&reduce_oracle, call, accepts, result, component, &reference);
}

/* With operands as they are, or rounded as the precision_config permits. */
static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  STATUS_TRY(reduce_decide_component(call, result, component, out_answer));
  reduce_precision_t precisions[REDUCE_PRECISIONS_MAX];
  size_t count = reduce_precisions(&call->instance->program, call->contract, precisions);
  for (size_t i = 0; i < count && !out_answer->conforms; i++) {
    const case_t rounded = reduce_round_operands(call->instance, &precisions[i], call->arena);
    const oracle_call_t other = oracle_call_about(call, &rounded, call->results);
    answer_t answer;
    STATUS_TRY(reduce_decide_component(&other, result, component, &answer));
    if (answer.conforms) *out_answer = answer;
  }
  return STATUS_OK;
}

static status_t enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]) {
  reduce_precision_t precisions[REDUCE_PRECISIONS_MAX];
  if (call->contract != NULL && reduce_precisions(call->program, call->contract, precisions) > 0) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "sums in less than f32 are not enclosed");
  }
  return reduce_enclose(call, out_results);
}

static status_t simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  reduce_precision_t precision;
  if (!reduce_precision_of_model(&call->instance->program, schedule, &precision)) {
    return reduce_simulate(call, schedule, inout_results);
  }
  const case_t rounded = reduce_round_operands(call->instance, &precision, call->arena);
  const oracle_call_t other = oracle_call_about(call, &rounded, call->results);
  return reduce_simulate(&other, schedule, inout_results);
}

static const oracle_t reduce_oracle = {
    .op_name = "stablehlo.reduce",
    .accept = reduce_accept,
    .decide = decide,
    .audit = reduce_audit,
    .simulate = simulate,
    .enclose = enclose,
};

extern const oracle_t *const reduce_oracles[];
const oracle_t *const reduce_oracles[] = {&reduce_oracle, NULL};
