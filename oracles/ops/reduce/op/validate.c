/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of a reduce: counts, ranks and types first, then shapes, dimensions and
 * body; those left to the contract separately. */
#include "oracles/ops/reduce/op/op.h"

static bool counts_agree(const program_t *program) {
  return program->result_count > 0 && program->result_count <= CASE_RESULTS_MAX &&
         program->operand_count == 2 * program->result_count;
}

/* What the op's signature says: tensors and per-tensor quantized ones, initial values of rank 0. */
static bool signature_holds(const program_t *program) {
  uint32_t inputs = reduce_input_count(program);
  for (uint32_t i = 0; i < inputs; i++) {
    const type_t *init = &program->operands[reduce_init_operand(program, i)];
    const type_t *types[] = {&program->operands[i], init, &program->results[i]};
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      if (!reduction_takes(types[t])) return false;
    }
    if (init->rank != 0) return false;
  }
  return true;
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
  if (!type_shapes_equal(type, &program->operands[0])) return "C1";
  scalar_type_t own = scalar_type_of(type);
  scalar_type_t init = scalar_type_of(&program->operands[reduce_init_operand(program, input)]);
  if (!scalar_type_equal(&own, &init)) return "C2";
  return NULL;
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
  reduction_types_t types = reduce_types(program);
  const char *violation = reduction_validate(&attributes->reduction, &types, "C6", "C8");
  if (violation != NULL) return violation;
  for (uint32_t i = 0; i < inputs; i++) {
    if (!is_shape_of_result(program, &program->results[i])) return "C7";
  }
  return reduction_check_model(&attributes->reduction, &types);
}

const char *reduce_validate_under(const program_t *program, const contract_t *contract) {
  reduction_types_t types = reduce_types(program);
  return reduction_validate_under(&types, contract, "C6", "C8");
}
