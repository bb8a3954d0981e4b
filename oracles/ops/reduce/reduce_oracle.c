/* The oracle row of stablehlo.reduce (VERDICTS.md, sections 3 and 4). */
#include "oracles/audit.h"
#include "oracles/ops/reduce/reduce_accept.h"
#include "oracles/ops/reduce/reduce_gather.h"
#include "oracles/ops/reduce/reduce_pick.h"
#include "oracles/ops/reduce/reduce_simulate.h"
#include "oracles/oracle.h"

/* Floats and complex numbers under add and multiply. */
static status_t ask_rounded(const case_t *instance, const reduce_slices_t *slices,
                            const contract_t *contract, uint32_t result, size_t component,
                            uint64_t bits, arena_t *arena, answer_t *out_answer, failure_t *error) {
  if (reduce_fold_body(&instance->program) == FOLD_ADD) {
    sum_question_t question = reduce_sum_question(instance, slices, result, component, arena);
    return sum_answer(&question, contract, bits, arena, out_answer, error);
  }
  product_question_t question = reduce_product_question(instance, slices, result, component, arena);
  if (instance->program.results[result].element->components == 1) {
    return product_answer(&question, contract, bits, arena, out_answer, error);
  }
  return complex_product_answer(&question, contract, (int)(component % 2), bits, out_answer, error);
}

static status_t reduce_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                           size_t component, const tensor_t *results, arena_t *arena,
                           answer_t *out_answer, failure_t *error) {
  reduce_slices_t slices = reduce_slices_make(&instance->program, arena);
  fold_body_t body = reduce_fold_body(&instance->program);
  const element_t *element = results[result].type.element;
  bool is_extreme = body == FOLD_MAXIMUM || body == FOLD_MINIMUM;
  bool picks =
      body == FOLD_ARGMAX || body == FOLD_ARGMIN || (is_extreme && element->format != NULL);
  uint64_t bits = element_load(element, results[result].data, component);
  if (picks) {
    reduce_pick_ask(instance, &slices, contract, result, component, results, arena, out_answer);
    return STATUS_OK;
  }
  if (element->format != NULL) {
    return ask_rounded(instance, &slices, contract, result, component, bits, arena, out_answer,
                       error);
  }
  integer_question_t question =
      reduce_integer_question(instance, &slices, result, component, arena);
  integer_answer(&question, contract, bits, out_answer);
  return STATUS_OK;
}

static const oracle_t reduce_oracle;

/* The quick side takes a nonzero initial value once, as one more term. */
static audit_reference_t reference_of_sum(sum_question_t question, arena_t *arena) {
  double *terms = ARENA_NEW_ARRAY(arena, double, question.count + 1);
  for (size_t i = 0; i < question.count; i++) terms[i] = question.left[i];
  terms[question.count++] = question.init;
  question.left = terms;
  audit_reference_t reference;
  reference.is_known =
      sum_reference(&question, &reference.sum, &reference.tail, &reference.magnitude);
  return reference;
}

static status_t reduce_audit(const case_t *instance, const contract_t *contract,
                             const accept_t *accepts, uint32_t result, size_t component,
                             arena_t *arena, failure_t *error) {
  audit_reference_t reference = {0};
  bool is_float = instance->program.results[result].element->format != NULL;
  if (is_float && reduce_fold_body(&instance->program) == FOLD_ADD) {
    reduce_slices_t slices = reduce_slices_make(&instance->program, arena);
    reference =
        reference_of_sum(reduce_sum_question(instance, &slices, result, component, arena), arena);
  }
  return audit_component(&reduce_oracle, instance, contract, accepts, result, component, &reference,
                         arena, error);
}

static const oracle_t reduce_oracle = {
    .op_name = "stablehlo.reduce",
    .accept = reduce_accept,
    .ask = reduce_ask,
    .audit = reduce_audit,
    .simulate = reduce_simulate,
};

extern const oracle_t *const reduce_oracles[];
const oracle_t *const reduce_oracles[] = {&reduce_oracle, NULL};
