/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of dot_general in order: dimension numbers, shapes, element types,
 * algorithm. Those that documents disagree on are checked under a contract only. */
#include "generated/dot_general_permissions.h"
#include "harness/types/promotion.h"
#include "oracles/ops/dot_general/op/op.h"

/* One operand's side of the dimension numbers. */
typedef struct side {
  const type_t *type;
  const dimension_list_t *batching;
  const dimension_list_t *contracting;
} side_t;

static bool lists_fit(const dot_general_attributes_t *attributes) {
  return attributes->lhs_batching.count <= TYPE_RANK_MAX &&
         attributes->rhs_batching.count <= TYPE_RANK_MAX &&
         attributes->lhs_contracting.count <= TYPE_RANK_MAX &&
         attributes->rhs_contracting.count <= TYPE_RANK_MAX;
}

/* Of both lists together. */
static bool is_side_unique(const side_t *side) {
  if (!dimension_list_is_unique(side->batching)) return false;
  if (!dimension_list_is_unique(side->contracting)) return false;
  for (uint32_t i = 0; i < side->batching->count; i++) {
    if (dimension_list_contains(side->contracting, side->batching->dims[i])) return false;
  }
  return true;
}

static bool sizes_equal(const type_t *lhs, const dimension_list_t *lhs_dims, const type_t *rhs,
                        const dimension_list_t *rhs_dims) {
  for (uint32_t i = 0; i < lhs_dims->count; i++) {
    if (lhs->dims[lhs_dims->dims[i]] != rhs->dims[rhs_dims->dims[i]]) return false;
  }
  return true;
}

/* Whether dimensions first, first + 1, ... of `result` have the sizes of `dims` of `operand`. */
static bool has_sizes(const type_t *result, uint32_t first, const type_t *operand,
                      const dimension_list_t *dims) {
  for (uint32_t i = 0; i < dims->count; i++) {
    if (result->dims[first + i] != operand->dims[dims->dims[i]]) return false;
  }
  return true;
}

static bool is_shape_of_result(const program_t *program, const side_t *lhs, const side_t *rhs) {
  const type_t *result = &program->results[0];
  dimension_list_t rows = dot_general_lhs_result_dimensions(program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  uint32_t batches = lhs->batching->count;
  return result->rank == batches + rows.count + columns.count &&
         has_sizes(result, 0, lhs->type, lhs->batching) &&
         has_sizes(result, batches, lhs->type, &rows) &&
         has_sizes(result, batches + rows.count, rhs->type, &columns);
}

static const char *validate_dimension_numbers(const side_t *lhs, const side_t *rhs) {
  if (lhs->batching->count != rhs->batching->count) return "C1";
  if (lhs->contracting->count != rhs->contracting->count) return "C2";
  if (!is_side_unique(lhs)) return "C3";
  if (!is_side_unique(rhs)) return "C4";
  if (!dimension_list_in_range(lhs->batching, lhs->type->rank)) return "C5";
  if (!dimension_list_in_range(lhs->contracting, lhs->type->rank)) return "C6";
  if (!dimension_list_in_range(rhs->batching, rhs->type->rank)) return "C7";
  if (!dimension_list_in_range(rhs->contracting, rhs->type->rank)) return "C8";
  if (!sizes_equal(lhs->type, lhs->batching, rhs->type, rhs->batching)) return "C9";
  if (!sizes_equal(lhs->type, lhs->contracting, rhs->type, rhs->contracting)) return "C10";
  return NULL;
}

static bool has_quantized(const program_t *program) {
  return program->operands[DOT_GENERAL_LHS].quantization != NULL ||
         program->operands[DOT_GENERAL_RHS].quantization != NULL ||
         program->results[0].quantization != NULL;
}

/* Tensors, or quantized ones, of which the left operand has one scale. */
static bool are_tensors(const program_t *program) {
  const type_t *types[] = {&program->operands[DOT_GENERAL_LHS], &program->operands[DOT_GENERAL_RHS],
                           &program->results[0]};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    if (!types[i]->element->is_tensor_element) return false;
  }
  const quantization_t *lhs = types[DOT_GENERAL_LHS]->quantization;
  return lhs == NULL || lhs->axis == -1;
}

static bool is_promoted(const program_t *program) {
  const element_t *result = program->results[0].element;
  return element_is_promotable(program->operands[DOT_GENERAL_LHS].element, result) &&
         element_is_promotable(program->operands[DOT_GENERAL_RHS].element, result);
}

static bool is_f8(const element_t *element) {
  return element->kind == ELEMENT_FLOAT && element->bits == 8;
}

/* Two kinds of 8-bit floats, for an algorithm that names their types: C13 forbids it, the dialect
 * permits it, and JAX emits it.  The contract decides. */
static bool mixes_f8(const program_t *program) {
  if (has_quantized(program)) return false;
  const element_t *lhs = program->operands[DOT_GENERAL_LHS].element;
  const element_t *rhs = program->operands[DOT_GENERAL_RHS].element;
  return lhs != rhs && is_f8(lhs) && is_f8(rhs) && dot_general_attributes(program)->has_algorithm;
}

/* C13 to C20. */
static const char *validate_elements(const program_t *program) {
  if (has_quantized(program)) return dot_general_validate_quantization(program);
  bool are_equal =
      program->operands[DOT_GENERAL_LHS].element == program->operands[DOT_GENERAL_RHS].element;
  return are_equal || mixes_f8(program) ? NULL : "C13";
}

static const char *validate_counts(const dot_algorithm_attribute_t *algorithm) {
  if (algorithm->lhs_component_count < 1) return "C22";
  if (algorithm->rhs_component_count < 1) return "C23";
  return algorithm->primitive_count < 1 ? "C24" : NULL;
}

const char *dot_general_validate(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  if (program->operand_count != 2 || program->result_count != 1) return "arity";
  side_t lhs = {.type = &program->operands[DOT_GENERAL_LHS],
                .batching = &attributes->lhs_batching,
                .contracting = &attributes->lhs_contracting};
  side_t rhs = {.type = &program->operands[DOT_GENERAL_RHS],
                .batching = &attributes->rhs_batching,
                .contracting = &attributes->rhs_contracting};
  bool ranks_fit = lhs.type->rank <= TYPE_RANK_MAX && rhs.type->rank <= TYPE_RANK_MAX &&
                   program->results[0].rank <= TYPE_RANK_MAX;
  if (!ranks_fit || !lists_fit(attributes)) return "types";
  const char *violation = validate_dimension_numbers(&lhs, &rhs);
  if (violation != NULL) return violation;
  if (attributes->precision.is_present && attributes->precision.count != 2) return "C11";
  if (!is_shape_of_result(program, &lhs, &rhs)) return "C12";
  violation = validate_elements(program);
  if (violation != NULL) return violation;
  if (attributes->has_algorithm) violation = validate_counts(&attributes->algorithm);
  if (violation != NULL) return violation;
  if (!are_tensors(program)) return "types";
  return has_quantized(program) || is_promoted(program) ? NULL : "promotion";
}

const char *dot_general_validate_under(const program_t *program, const contract_t *contract) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  if (!attributes->has_algorithm) return NULL;
  bool is_verifier = PERMITTED(contract, dot_algorithm) == DOT_ALGORITHM_VERIFIER;
  if (!is_verifier && mixes_f8(program)) return "C13";
  if (PERMITTED(contract, dot_algorithm) == DOT_ALGORITHM_RFC) return NULL;
  for (uint32_t i = 0; i < attributes->precision.count; i++) {
    if (attributes->precision.values[i] != PRECISION_DEFAULT) return "C21";
  }
  const dot_algorithm_attribute_t *algorithm = &attributes->algorithm;
  if (algorithm->lhs_type->kind != ELEMENT_FLOAT || algorithm->rhs_type->kind != ELEMENT_FLOAT ||
      algorithm->accumulation_type->kind != ELEMENT_FLOAT) {
    return "float";
  }
  dot_algorithm_t known;
  return is_verifier && !dot_algorithm_find(algorithm, &known) ? "known" : NULL;
}
