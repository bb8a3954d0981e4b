/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle row of stablehlo.reduce (theory.md, D4 and T10). */
#include "oracles/oracle.h"
#include "oracles/audit.h"
#include "oracles/ops/reduce/accept.h"
#include "oracles/ops/reduce/decide.h"
#include "oracles/ops/reduce/enclose.h"
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
  bool is_float = instance->program.results[result].element->format != NULL;
  if (is_float && reduce_fold_body(&instance->program) == FOLD_ADD) {
    reduce_core_t core;
    STATUS_TRY(reduce_core_make(instance, call->arena, &core, call->error));
    reduce_slices_t slices = reduce_slices_make(&instance->program, call->arena);
    reference = reference_of_sum(
        reduce_converted_sum_question(instance, &core, &slices, result, component, call->arena),
        call->arena);
  }
  return audit_component(&reduce_oracle, call, accepts, result, component, &reference);
}

static const oracle_t reduce_oracle = {
    .op_name = "stablehlo.reduce",
    .accept = reduce_accept,
    .decide = reduce_decide_component,
    .audit = reduce_audit,
    .simulate = reduce_simulate,
    .enclose = reduce_enclose,
};

extern const oracle_t *const reduce_oracles[];
const oracle_t *const reduce_oracles[] = {&reduce_oracle, NULL};
