/* The oracle row of stablehlo.dot_general: products and sums in the element type of the result
 * (VERDICTS.md, section 4), or by the algorithm that the program asks for (section 5). */
#include "oracles/audit.h"
#include "oracles/ops/dot_general/dot_general_accept.h"
#include "oracles/ops/dot_general/dot_general_consistent.h"
#include "oracles/ops/dot_general/dot_general_gather.h"
#include "oracles/ops/dot_general/dot_general_simulate.h"
#include "oracles/oracle.h"

static status_t dot_general_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                                size_t component, const tensor_t *results, arena_t *arena,
                                answer_t *out_answer, failure_t *error) {
  const element_t *element = results[result].type.element;
  uint64_t bits = element_load(element, results[result].data, component);
  if (element->format != NULL) {
    dot_plan_t plan;
    STATUS_TRY(dot_plan_make(&instance->program, contract, &plan, error));
    return dot_general_ask_plan(instance, &plan, contract, component, bits, arena, out_answer,
                                error);
  }
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, arena);
  dot_general_place_t place = dot_general_place(instance, &layout, component);
  integer_question_t question = dot_general_integer_question(instance, &layout, place, arena);
  integer_answer(&question, contract, bits, out_answer);
  return STATUS_OK;
}

static const oracle_t dot_general_oracle;

static status_t dot_general_audit(const case_t *instance, const contract_t *contract,
                                  const accept_t *accepts, uint32_t result, size_t component,
                                  arena_t *arena, failure_t *error) {
  audit_reference_t reference = {0};
  if (instance->program.results[result].element->format != NULL) {
    dot_plan_t plan;
    STATUS_TRY(dot_plan_make(&instance->program, contract, &plan, error));
    dot_general_layout_t layout = dot_general_layout_make(&instance->program, arena);
    dot_general_place_t place = dot_general_place(instance, &layout, component);
    sum_question_t question =
        dot_general_sum_question(instance, &plan, SPLIT_NEAREST, &layout, place, arena);
    reference.is_known =
        sum_reference(&question, &reference.sum, &reference.tail, &reference.magnitude);
  }
  return audit_component(&dot_general_oracle, instance, contract, accepts, result, component,
                         &reference, arena, error);
}

static const oracle_t dot_general_oracle = {
    .op_name = "stablehlo.dot_general",
    .accept = dot_general_accept,
    .ask = dot_general_ask,
    .audit = dot_general_audit,
    .simulate = dot_general_simulate,
    .names_algorithm = dot_general_names_algorithm,
    .knows_algorithm = dot_general_knows_algorithm,
    .consistent = dot_general_consistent,
};

extern const oracle_t *const dot_general_oracles[];
const oracle_t *const dot_general_oracles[] = {&dot_general_oracle, NULL};
