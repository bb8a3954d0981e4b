/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of dot_general: dimension numbers, shapes, element types, algorithm.  Those that
 * documents disagree on depend on the contract. */
#include "harness/types/promotion.h"
#include "oracles/ops/dot_general/op/op.h"

/* One operand's side of the dimension numbers. */
typedef struct side {
  const type_t *type;
  const dimension_list_t *batching;
  const dimension_list_t *contracting;
} side_t;

static side_t lhs_of(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return (side_t){.type = &program->operands[DOT_GENERAL_LHS],
                  .batching = &attributes->lhs_batching,
                  .contracting = &attributes->lhs_contracting};
}

static side_t rhs_of(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return (side_t){.type = &program->operands[DOT_GENERAL_RHS],
                  .batching = &attributes->rhs_batching,
                  .contracting = &attributes->rhs_contracting};
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static bool batches_alike(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return attributes->lhs_batching.count == attributes->rhs_batching.count;
}

static bool contracts_alike(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return attributes->lhs_contracting.count == attributes->rhs_contracting.count;
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

static bool is_lhs_unique(const program_t *program) {
  side_t lhs = lhs_of(program);
  return is_side_unique(&lhs);
}

static bool is_rhs_unique(const program_t *program) {
  side_t rhs = rhs_of(program);
  return is_side_unique(&rhs);
}

static bool batches_lhs(const program_t *program) {
  side_t lhs = lhs_of(program);
  return dimension_list_in_range(lhs.batching, lhs.type->rank);
}

static bool contracts_lhs(const program_t *program) {
  side_t lhs = lhs_of(program);
  return dimension_list_in_range(lhs.contracting, lhs.type->rank);
}

static bool batches_rhs(const program_t *program) {
  side_t rhs = rhs_of(program);
  return dimension_list_in_range(rhs.batching, rhs.type->rank);
}

static bool contracts_rhs(const program_t *program) {
  side_t rhs = rhs_of(program);
  return dimension_list_in_range(rhs.contracting, rhs.type->rank);
}

static bool sizes_equal(const type_t *lhs, const dimension_list_t *lhs_dims, const type_t *rhs,
                        const dimension_list_t *rhs_dims) {
  for (uint32_t i = 0; i < lhs_dims->count; i++) {
    if (lhs->dims[lhs_dims->dims[i]] != rhs->dims[rhs_dims->dims[i]]) return false;
  }
  return true;
}

static bool batches_equal_sizes(const program_t *program) {
  side_t lhs = lhs_of(program), rhs = rhs_of(program);
  return sizes_equal(lhs.type, lhs.batching, rhs.type, rhs.batching);
}

static bool contracts_equal_sizes(const program_t *program) {
  side_t lhs = lhs_of(program), rhs = rhs_of(program);
  return sizes_equal(lhs.type, lhs.contracting, rhs.type, rhs.contracting);
}

static bool has_both_precisions(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return !attributes->precision.is_present || attributes->precision.count == 2;
}

/* Whether dimensions first, first + 1, ... of `result` have the sizes of `dims` of `operand`. */
static bool has_sizes(const type_t *result, uint32_t first, const type_t *operand,
                      const dimension_list_t *dims) {
  for (uint32_t i = 0; i < dims->count; i++) {
    if (result->dims[first + i] != operand->dims[dims->dims[i]]) return false;
  }
  return true;
}

static bool has_shape_of_result(const program_t *program) {
  side_t lhs = lhs_of(program), rhs = rhs_of(program);
  const type_t *result = &program->results[0];
  dimension_list_t rows = dot_general_lhs_result_dimensions(program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  uint32_t batches = lhs.batching->count;
  return result->rank == batches + rows.count + columns.count &&
         has_sizes(result, 0, lhs.type, lhs.batching) &&
         has_sizes(result, batches, lhs.type, &rows) &&
         has_sizes(result, batches + rows.count, rhs.type, &columns);
}

/* ---- Element types --------------------------------------------------------------------------- */

bool dot_general_has_quantized(const program_t *program) {
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
  if (dot_general_has_quantized(program) || dot_general_attributes(program)->has_algorithm)
    return true;
  const element_t *result = program->results[0].element;
  return element_is_promotable(program->operands[DOT_GENERAL_LHS].element, result) &&
         element_is_promotable(program->operands[DOT_GENERAL_RHS].element, result);
}

static bool is_f8(const element_t *element) {
  return element->kind == ELEMENT_FLOAT && element->bits == 8;
}

/* Two kinds of 8-bit floats, for an algorithm that names their types: C13 forbids it, the dialect
 * permits it, and JAX emits it.  The contract decides. */
bool dot_general_mixes_f8(const program_t *program) {
  if (dot_general_has_quantized(program)) return false;
  const element_t *lhs = program->operands[DOT_GENERAL_LHS].element;
  const element_t *rhs = program->operands[DOT_GENERAL_RHS].element;
  return lhs != rhs && is_f8(lhs) && is_f8(rhs) && dot_general_attributes(program)->has_algorithm;
}

static bool multiplies_one_element(const program_t *program) {
  bool are_equal =
      program->operands[DOT_GENERAL_LHS].element == program->operands[DOT_GENERAL_RHS].element;
  return are_equal || dot_general_has_quantized(program) || dot_general_mixes_f8(program);
}

/* ---- Quantized types ------------------------------------------------------------------------- */

static const quantization_t *lhs_quantization(const program_t *program) {
  return program->operands[DOT_GENERAL_LHS].quantization;
}

static const quantization_t *rhs_quantization(const program_t *program) {
  return program->operands[DOT_GENERAL_RHS].quantization;
}

/* Of programs that pass, rhs is quantized if anything is, and the result if lhs is. */
static bool quantizes_alike(const program_t *program) {
  bool is_result = program->results[0].quantization != NULL;
  bool is_lhs = lhs_quantization(program) != NULL, is_rhs = rhs_quantization(program) != NULL;
  return is_lhs == is_result && (is_rhs || !is_lhs);
}

static bool has_zero_points_0(const program_t *program) {
  const quantization_t *rhs = rhs_quantization(program);
  for (uint32_t i = 0; rhs != NULL && i < rhs->count; i++) {
    if (rhs->zero_points[i] != 0) return false;
  }
  return true;
}

static bool keeps_scale_when_contracting(const program_t *program) {
  const quantization_t *rhs = rhs_quantization(program);
  return rhs == NULL ||
         !dimension_list_contains(&dot_general_attributes(program)->rhs_contracting, rhs->axis);
}

static bool has_one_storage(const program_t *program) {
  return lhs_quantization(program) == NULL ||
         program->operands[DOT_GENERAL_LHS].element == program->operands[DOT_GENERAL_RHS].element;
}

static bool has_one_expressed(const program_t *program) {
  const quantization_t *lhs = lhs_quantization(program);
  return lhs == NULL || (lhs->expressed == rhs_quantization(program)->expressed &&
                         lhs->expressed == program->results[0].quantization->expressed);
}

static bool has_one_scale(const program_t *program) {
  return lhs_quantization(program) == NULL || rhs_quantization(program)->axis != -1 ||
         program->results[0].quantization->axis == -1;
}

static bool is_hybrid_expressed(const program_t *program) {
  const quantization_t *rhs = rhs_quantization(program);
  const element_t *lhs = program->operands[DOT_GENERAL_LHS].element;
  return rhs == NULL || lhs_quantization(program) != NULL ||
         (lhs == rhs->expressed && lhs == program->results[0].element);
}

/* ---- The tables ------------------------------------------------------------------------------ */

const op_constraint_t dot_general_constraints[] = {
    OP_FORBIDDEN("arity", "there are two operands and one result", "inputs (I1), (I2) and outputs",
                 program_is_binary),
    OP_SPECIFIED("C1", "lhs and rhs have the same number of batching dimensions", batches_alike),
    OP_SPECIFIED("C2", "lhs and rhs have the same number of contracting dimensions",
                 contracts_alike),
    OP_SPECIFIED("C3", "the batching and contracting dimensions of lhs are unique, taken together",
                 is_lhs_unique),
    OP_SPECIFIED("C4", "the batching and contracting dimensions of rhs are unique, taken together",
                 is_rhs_unique),
    OP_SPECIFIED("C5", "each batching dimension of lhs is at least 0 and below its rank",
                 batches_lhs),
    OP_SPECIFIED("C6", "each contracting dimension of lhs is at least 0 and below its rank",
                 contracts_lhs),
    OP_SPECIFIED("C7", "each batching dimension of rhs is at least 0 and below its rank",
                 batches_rhs),
    OP_SPECIFIED("C8", "each contracting dimension of rhs is at least 0 and below its rank",
                 contracts_rhs),
    OP_SPECIFIED("C9", "corresponding batching dimensions have equal sizes", batches_equal_sizes),
    OP_SPECIFIED("C10", "corresponding contracting dimensions have equal sizes",
                 contracts_equal_sizes),
    OP_SPECIFIED("C11", "precision_config, if there is one, has two entries", has_both_precisions),
    OP_SPECIFIED(
        "C12", "the result has the batching sizes, then lhs's other sizes, then rhs's other sizes",
        has_shape_of_result),
    OP_SPECIFIED("C13", "lhs and rhs, if not quantized, have the same element type",
                 multiplies_one_element),
    OP_SPECIFIED(
        "C14",
        "lhs and result are quantized, or neither is; rhs is if one of them is (RFC 003: C14 too)",
        quantizes_alike),
    OP_SPECIFIED("C15", "the zero points of a quantized rhs are 0 (RFC 003: C15; before it, C17)",
                 has_zero_points_0),
    OP_SPECIFIED(
        "C16", "a quantized rhs has no scales along a contracting dimension (RFC 003 has no such)",
        keeps_scale_when_contracting),
    OP_SPECIFIED("C17", "a quantized lhs has rhs's storage type (RFC 003: C16; before it, C15)",
                 has_one_storage),
    OP_SPECIFIED("C18",
                 "quantized lhs, rhs and result have the same expressed type (RFC 003: C17; before "
                 "it, C16)",
                 has_one_expressed),
    OP_SPECIFIED(
        "C19",
        "the result has one scale where a quantized lhs meets a rhs of one scale (RFC 003 has no "
        "such)",
        has_one_scale),
    OP_SPECIFIED(
        "C20", "a float lhs and the result have the quantized rhs's expressed type (RFC 003: C18)",
        is_hybrid_expressed),
    OP_SPECIFIED("C22", "the algorithm's lhs_component_count is positive",
                 dot_general_has_lhs_components),
    OP_SPECIFIED("C23", "the algorithm's rhs_component_count is positive",
                 dot_general_has_rhs_components),
    OP_SPECIFIED(
        "C24",
        "the algorithm's num_primitive_operations (num_primitive_ops in the RFC) is positive",
        dot_general_has_primitives),
    OP_FORBIDDEN("types", "operands and result are tensors, and a quantized lhs has one scale",
                 "inputs (I1), (I2) and outputs", are_tensors),
    OP_UNMODELLED("promotion",
                  "the element type of operands that are not quantized can be promoted to the "
                  "result's",
                  is_promoted),
    OP_CONSTRAINTS_END,
};
