/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints of both ops. */
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

static bool has_training_counts(const program_t *program) {
  return program->operand_count == BATCH_NORM_TRAINING_OPERANDS &&
         program->result_count == BATCH_NORM_RESULTS;
}

static bool has_grad_counts(const program_t *program) {
  return program->operand_count == BATCH_NORM_GRAD_OPERANDS &&
         program->result_count == BATCH_NORM_RESULTS;
}

static bool has_types(const program_t *program) {
  if (!are_taken(program)) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!batch_norm_is_whole(program, i) && program->operands[i].rank != 1) return false;
  }
  for (uint32_t i = 1; i < BATCH_NORM_RESULTS; i++) {
    if (program->results[i].rank != 1) return false;
  }
  return true;
}

static bool has_epsilon(const program_t *program) {
  return batch_norm_epsilon_is_f32(batch_norm_attributes(program));
}

static bool has_feature(const program_t *program) {
  int64_t feature = batch_norm_attributes(program)->feature_index;
  return feature >= 0 && feature < (int64_t)program->operands[0].rank;
}

/* Whether a type of rank 1 has an element for each channel; the operand is the first one. */
static bool is_by_channel(const program_t *program, const type_t *type) {
  return type->dims[0] == program->operands[0].dims[batch_norm_attributes(program)->feature_index];
}

/* ---- batch_norm_training --------------------------------------------------------------------- */

static bool has_scales(const program_t *program) {
  return is_by_channel(program, &program->operands[BATCH_NORM_TRAINING_SCALE]);
}

static bool has_offsets(const program_t *program) {
  return is_by_channel(program, &program->operands[BATCH_NORM_TRAINING_OFFSET]);
}

static bool has_means(const program_t *program) {
  return is_by_channel(program, &program->results[BATCH_NORM_TRAINING_MEAN]);
}

static bool has_variances(const program_t *program) {
  return is_by_channel(program, &program->results[BATCH_NORM_TRAINING_VARIANCE]);
}

#define EPSILON(clause) OP_FORBIDDEN("epsilon", "epsilon is a number of f32", clause, has_epsilon)
#define FEATURE_AND_ELEMENT                                                                      \
  OP_SPECIFIED("C1", "feature_index is at least 0 and below the rank of the operand",            \
               has_feature),                                                                     \
      OP_SPECIFIED("C2",                                                                         \
                   "operands and results have one element type, but for scales and zero points", \
                   are_of_one_element)

const op_constraint_t batch_norm_training_constraints[] = {
    OP_FORBIDDEN("count", "there are three operands and three results",
                 "inputs (I1-I3) and outputs", has_training_counts),
    OP_FORBIDDEN(
        "types",
        "all are tensors of floats or quantized per tensor, and all but operand and output "
        "have rank 1",
        "inputs (I1-I3) and outputs", has_types),
    EPSILON("inputs (I4)"),
    FEATURE_AND_ELEMENT,
    OP_SPECIFIED("C3", "scale has as many elements as the operand has channels", has_scales),
    OP_SPECIFIED("C4", "offset has as many elements as the operand has channels", has_offsets),
    OP_SPECIFIED("C5", "batch_mean has as many elements as the operand has channels", has_means),
    OP_SPECIFIED("C6", "batch_var has as many elements as the operand has channels", has_variances),
    OP_SPECIFIED("C7", "operand and output have the same type, but for scale and zero point",
                 program_keeps_shape),
    OP_CONSTRAINTS_END,
};

/* ---- batch_norm_grad ------------------------------------------------------------------------- */

static bool has_shapes_of_operand(const program_t *program) {
  const type_t *operand = &program->operands[BATCH_NORM_GRAD_OPERAND];
  return type_shapes_equal(&program->operands[BATCH_NORM_GRAD_OUTPUT], operand) &&
         type_shapes_equal(&program->results[BATCH_NORM_GRAD_OF_OPERAND], operand);
}

static bool has_shapes_of_scale(const program_t *program) {
  const type_t *scale = &program->operands[BATCH_NORM_GRAD_SCALE];
  return type_shapes_equal(&program->operands[BATCH_NORM_GRAD_MEAN], scale) &&
         type_shapes_equal(&program->operands[BATCH_NORM_GRAD_VARIANCE], scale) &&
         type_shapes_equal(&program->results[BATCH_NORM_GRAD_OF_SCALE], scale) &&
         type_shapes_equal(&program->results[BATCH_NORM_GRAD_OF_OFFSET], scale);
}

static bool has_grad_scales(const program_t *program) {
  return is_by_channel(program, &program->operands[BATCH_NORM_GRAD_SCALE]);
}

const op_constraint_t batch_norm_grad_constraints[] = {
    OP_FORBIDDEN("count", "there are five operands and three results", "inputs (I1-I5) and outputs",
                 has_grad_counts),
    OP_FORBIDDEN("types",
                 "all are tensors of floats or quantized per tensor, and all but operand, "
                 "grad_output and grad_operand have rank 1",
                 "inputs (I1-I5) and outputs", has_types),
    EPSILON("inputs (I6)"),
    FEATURE_AND_ELEMENT,
    OP_SPECIFIED("C3", "operand, grad_output and grad_operand have the same shape",
                 has_shapes_of_operand),
    OP_SPECIFIED("C4", "scale, mean, variance, grad_scale and grad_offset have the same shape",
                 has_shapes_of_scale),
    OP_SPECIFIED("C5", "scale has as many elements as the operand has channels", has_grad_scales),
    OP_CONSTRAINTS_END,
};
