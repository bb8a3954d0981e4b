#include "harness/model/promotion.h"
#include "oracles/ops/reduce/reduce_op.h"

bool reduce_body_allows(reduce_body_t body, const element_t *const inputs[],
                        const element_t *const results[]) {
  const element_t *value = results[0];
  switch (reduce_body_table[body].domain) {
    case REDUCE_DOMAIN_ANY:
      return true;
    case REDUCE_DOMAIN_ORDERED:
      return value->kind != ELEMENT_COMPLEX;
    case REDUCE_DOMAIN_BITS:
      return value->kind == ELEMENT_BOOLEAN || element_is_integer(value);
    case REDUCE_DOMAIN_ARG:
      return (element_is_integer(value) || value->kind == ELEMENT_FLOAT) &&
             element_is_integer(results[1]) && inputs[0] == results[0] && inputs[1] == results[1];
    case REDUCE_DOMAIN_COUNT:
      return element_is_integer(results[1]);
  }
  return false;
}

static bool counts_agree(const program_t *program) {
  return program->result_count > 0 && program->result_count <= CASE_RESULTS_MAX &&
         program->operand_count == 2 * program->result_count;
}

/* What the op's signature says: unquantized tensors, and initial values of rank 0. */
static bool signature_holds(const program_t *program) {
  uint32_t inputs = reduce_input_count(program);
  for (uint32_t i = 0; i < inputs; i++) {
    const type_t *init = &program->operands[reduce_init_operand(program, i)];
    const type_t *types[] = {&program->operands[i], init, &program->results[i]};
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      if (types[t]->quantization != NULL || !types[t]->element->is_tensor_element) return false;
      if (types[t]->rank > TYPE_RANK_MAX) return false;
    }
    if (init->rank != 0) return false;
  }
  return true;
}

static bool shapes_equal(const type_t *a, const type_t *b) {
  if (a->rank != b->rank) return false;
  return memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static bool is_shape_of_result(const program_t *program, const type_t *result) {
  dimension_list_t kept = reduce_kept_dimensions(program);
  if (result->rank != kept.count) return false;
  for (uint32_t i = 0; i < kept.count; i++) {
    if (result->dims[i] != program->operands[0].dims[kept.dims[i]]) return false;
  }
  return true;
}

static const char *validate_input(const program_t *program, uint32_t input) {
  const type_t *type = &program->operands[input];
  if (!shapes_equal(type, &program->operands[0])) return "C1";
  if (type->element != program->operands[reduce_init_operand(program, input)].element) return "C2";
  return NULL;
}

static const char *validate_body(const program_t *program) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  uint32_t inputs = reduce_input_count(program);
  if (attributes->body >= REDUCE_BODY_COUNT) return "C6";
  if (reduce_body_table[attributes->body].inputs != inputs) return "C6";
  const element_t *from[CASE_RESULTS_MAX];
  const element_t *to[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < inputs; i++) {
    from[i] = program->operands[i].element;
    to[i] = program->results[i].element;
    if (!element_is_promotable(from[i], to[i])) return "C6";
  }
  return reduce_body_allows(attributes->body, from, to) ? NULL : "types";
}

const char *reduce_validate(const program_t *program) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  if (!counts_agree(program)) return "C3";
  if (!signature_holds(program)) return "types";
  uint32_t inputs = reduce_input_count(program);
  for (uint32_t i = 0; i < inputs; i++) {
    const char *violation = validate_input(program, i);
    if (violation != NULL) return violation;
  }
  if (attributes->dimensions.count > TYPE_RANK_MAX ||
      !dimension_list_in_range(&attributes->dimensions, program->operands[0].rank)) {
    return "C4";
  }
  if (!dimension_list_is_unique(&attributes->dimensions)) return "C5";
  const char *violation = validate_body(program);
  if (violation != NULL) return violation;
  for (uint32_t i = 0; i < inputs; i++) {
    if (!is_shape_of_result(program, &program->results[i])) return "C7";
  }
  return NULL;
}
