/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of both ops. */
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/types/scalar_type.h"
#include "oracles/ops/batch_norm/batch_norm.h"

/* A tensor of floats, or one quantized per tensor. */
static bool is_taken(const type_t *type) {
  if (type->quantization == NULL) return type->element->kind == ELEMENT_FLOAT;
  return type->quantization->axis == -1;
}

static bool are_taken(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!is_taken(&program->operands[i])) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!is_taken(&program->results[i])) return false;
  }
  return true;
}

/* Scales and zero points aside. */
static bool are_of_one_element(const program_t *program) {
  const scalar_type_t element = scalar_type_of(&program->operands[0]);
  for (uint32_t i = 0; i < program->operand_count + program->result_count; i++) {
    bool is_operand = i < program->operand_count;
    const type_t *type =
        is_operand ? &program->operands[i] : &program->results[i - program->operand_count];
    const scalar_type_t other = scalar_type_of(type);
    if (!scalar_type_has_baseline_of(&element, &other)) return false;
  }
  return true;
}

/* What both have: counts, types, epsilon, C1 and C2. */
static const char *validate_common(const program_t *program, uint32_t operands) {
  if (program->operand_count != operands || program->result_count != BATCH_NORM_RESULTS) {
    return "count";
  }
  if (!are_taken(program)) return "types";
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bool is_whole = batch_norm_is_whole(program, i);
    if (!is_whole && program->operands[i].rank != 1) return "types";
  }
  for (uint32_t i = 1; i < BATCH_NORM_RESULTS; i++) {
    if (program->results[i].rank != 1) return "types";
  }
  const batch_norm_attributes_t *attributes = batch_norm_attributes(program);
  if (!batch_norm_epsilon_is_f32(attributes)) return "epsilon";
  int64_t feature = attributes->feature_index;
  if (feature < 0 || feature >= (int64_t)program->operands[0].rank) return "C1";
  return are_of_one_element(program) ? NULL : "C2";
}

const char *batch_norm_validate_training(const program_t *program) {
  const char *violation = validate_common(program, BATCH_NORM_TRAINING_OPERANDS);
  if (violation != NULL) return violation;
  const type_t *operand = &program->operands[BATCH_NORM_TRAINING_OPERAND];
  int64_t channels = operand->dims[batch_norm_attributes(program)->feature_index];
  if (program->operands[BATCH_NORM_TRAINING_SCALE].dims[0] != channels) return "C3";
  if (program->operands[BATCH_NORM_TRAINING_OFFSET].dims[0] != channels) return "C4";
  if (program->results[BATCH_NORM_TRAINING_MEAN].dims[0] != channels) return "C5";
  if (program->results[BATCH_NORM_TRAINING_VARIANCE].dims[0] != channels) return "C6";
  if (!type_shapes_equal(&program->results[BATCH_NORM_TRAINING_OUTPUT], operand)) return "C7";
  return NULL;
}

const char *batch_norm_validate_grad(const program_t *program) {
  const char *violation = validate_common(program, BATCH_NORM_GRAD_OPERANDS);
  if (violation != NULL) return violation;
  const type_t *operand = &program->operands[BATCH_NORM_GRAD_OPERAND];
  if (!type_shapes_equal(&program->operands[BATCH_NORM_GRAD_OUTPUT], operand)) return "C3";
  if (!type_shapes_equal(&program->results[BATCH_NORM_GRAD_OF_OPERAND], operand)) return "C3";
  const type_t *scale = &program->operands[BATCH_NORM_GRAD_SCALE];
  if (!type_shapes_equal(&program->operands[BATCH_NORM_GRAD_MEAN], scale)) return "C4";
  if (!type_shapes_equal(&program->operands[BATCH_NORM_GRAD_VARIANCE], scale)) return "C4";
  if (!type_shapes_equal(&program->results[BATCH_NORM_GRAD_OF_SCALE], scale)) return "C4";
  if (!type_shapes_equal(&program->results[BATCH_NORM_GRAD_OF_OFFSET], scale)) return "C4";
  int64_t feature = batch_norm_attributes(program)->feature_index;
  return scale->dims[0] == operand->dims[feature] ? NULL : "C5";
}
