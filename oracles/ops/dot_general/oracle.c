/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle row of stablehlo.dot_general: products and sums in the element type of the result
 * (theory.md, T11), or by the algorithm that the program asks for (D7). */
#include "oracles/oracle.h"
#include "oracles/audit.h"
#include "oracles/ops/dot_general/accept.h"
#include "oracles/ops/dot_general/consistent.h"
#include "oracles/ops/dot_general/enclose.h"
#include "oracles/ops/dot_general/gather.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "oracles/ops/dot_general/precisions.h"
#include "oracles/ops/dot_general/quantized/accept.h"
#include "oracles/ops/dot_general/quantized/by_algorithm.h"
#include "oracles/ops/dot_general/quantized/decide.h"

/* By what the words of its precision_config may stand for beside f32. */
static status_t decide_by_precisions(const oracle_call_t *call, size_t component, uint64_t bits,
                                     answer_t *inout_answer) {
  const program_t *program = &call->instance->program;
  dot_algorithm_t algorithms[DOT_PRECISIONS_MAX];
  size_t count = dot_precision_algorithms(program, call->contract, algorithms);
  for (size_t i = 0; i < count && !inout_answer->conforms; i++) {
    dot_plan_t plan;
    answer_t answer;
    STATUS_TRY(dot_plan_make_for(program, &algorithms[i], call->contract, &plan, call->error));
    STATUS_TRY(dot_general_decide_plan(call, &plan, component, bits, &answer));
    if (!answer.conforms) continue;
    dot_precision_print(&algorithms[i], answer.observed, sizeof answer.observed);
    *inout_answer = answer;
  }
  return STATUS_OK;
}

/* By any of the plans that the contract permits; `first` is the first of them. */
static status_t decide_float(const oracle_call_t *call, const dot_plan_t *first, size_t component,
                             uint64_t bits, answer_t *out_answer) {
  STATUS_TRY(dot_general_decide_plan(call, first, component, bits, out_answer));
  dot_plan_t plan = *first;
  size_t count = dot_plan_count(&plan, call->contract);
  for (size_t i = 1; i < count && !out_answer->conforms; i++) {
    dot_plan_accumulate(&plan, call->contract, i);
    answer_t answer;
    STATUS_TRY(dot_general_decide_plan(call, &plan, component, bits, &answer));
    if (answer.conforms) *out_answer = answer;
  }
  return decide_by_precisions(call, component, bits, out_answer);
}

static status_t dot_general_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer) {
  const case_t *instance = call->instance;
  const element_t *element = call->results[result].type.element;
  uint64_t bits = element_load(element, call->results[result].data, component);
  if (dot_general_is_quantized(&instance->program)) {
    return dot_quantized_decide(call, component, bits, out_answer);
  }
  if (dot_general_is_hybrid(&instance->program)) {
    return dot_hybrid_decide(call, component, bits, out_answer);
  }
  if (element->format != NULL || !dot_general_is_plain(&instance->program)) {
    dot_plan_t plan;
    STATUS_TRY(dot_plan_make(&instance->program, call->contract, &plan, call->error));
    return decide_float(call, &plan, component, bits, out_answer);
  }
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
  dot_general_place_t place = dot_general_place(instance, &layout, component);
  integer_problem_t question = dot_general_integer_question(instance, &layout, place, call->arena);
  integer_answer(&question, call->contract, bits, out_answer);
  return STATUS_OK;
}

static const oracle_t dot_general_oracle;

/* What the reference of the fast sets is the exact sum of. */
static status_t first_question(const oracle_call_t *call, size_t component,
                               sum_problem_t *out_question) {
  const case_t *instance = call->instance;
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
  dot_general_place_t place = dot_general_place(instance, &layout, component);
  dot_algorithm_t algorithm;
  if (dot_general_is_hybrid(&instance->program) &&
      dot_quantized_algorithm(&instance->program, &algorithm) != NULL) {
    return dot_by_algorithm_question(call, &algorithm, &layout, place, out_question);
  }
  if (dot_general_is_hybrid(&instance->program)) {
    dot_dequantized_t variants[DOT_VARIANTS_MAX];
    dot_variants(&instance->program, call->contract, variants);
    *out_question = dot_dequantized_question(instance, &variants[0], &layout, place, call->arena);
    return STATUS_OK;
  }
  dot_plan_t plan;
  STATUS_TRY(dot_plan_make(&instance->program, call->contract, &plan, call->error));
  *out_question =
      dot_general_sum_question(instance, &plan, SPLIT_NEAREST, &layout, place, call->arena);
  return STATUS_OK;
}

static status_t dot_general_audit(const oracle_call_t *call, const accept_t *accepts,
                                  uint32_t result, size_t component) {
  audit_reference_t reference = {0};
  if (accepts[result].reference != NULL) {
    sum_problem_t question;
    STATUS_TRY(first_question(call, component, &question));
    reference.is_known =
        sum_reference(&question, &reference.sum, &reference.tail, &reference.magnitude);
  }
  return audit_component(&dot_general_oracle, call, accepts, result, component, &reference);
}

static const oracle_t dot_general_oracle = {
    .op_name = "stablehlo.dot_general",
    .accept = dot_general_accept,
    .decide = dot_general_decide,
    .ranges = dot_general_ranges,
    .audit = dot_general_audit,
    .simulate = dot_general_simulate,
    .names_algorithm = dot_general_names_algorithm,
    .takes_precision = dot_general_takes_precision,
    .knows_algorithm = dot_general_knows_algorithm,
    .loosen_algorithms = dot_general_loosen_algorithms,
    .consistent = dot_general_consistent,
    .find_formula = dot_quantized_find_formula,
    .enclose = dot_general_enclose,
};

extern const oracle_t *const dot_general_oracles[];
const oracle_t *const dot_general_oracles[] = {&dot_general_oracle, NULL};
