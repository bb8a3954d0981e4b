/* The constraints of both ops: holding a program against them, and breaking them. */
#include <string.h>

#include "harness/model/draw.h"
#include "harness/model/scalar_type.h"
#include "oracles/ops/batch_norm/batch_norm.h"

/* ---- Holding --------------------------------------------------------------------------------- */

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

/* ---- Breaking -------------------------------------------------------------------------------- */

static bool is_no_float(const element_t *element, const void *unused) {
  (void)unused;
  return element->kind != ELEMENT_FLOAT;
}

static bool is_other_float(const element_t *element, const void *known) {
  return element->kind == ELEMENT_FLOAT && element != known;
}

static batch_norm_attributes_t *copy_attributes(arena_t *arena, program_t *inout_program) {
  batch_norm_attributes_t *attributes = ARENA_NEW_ARRAY(arena, batch_norm_attributes_t, 1);
  *attributes = *batch_norm_attributes(inout_program);
  inout_program->attributes = attributes;
  return attributes;
}

/* Any operand or result; *out_is_whole tells whether it is not by channel. */
static type_t *draw_type(rng_t *rng, program_t *program, bool *out_is_whole) {
  uint32_t index = (uint32_t)rng_below(rng, program->operand_count + program->result_count);
  bool is_operand = index < program->operand_count;
  uint32_t result = is_operand ? 0 : index - program->operand_count;
  *out_is_whole = is_operand ? batch_norm_is_whole(program, index) : result == 0;
  return is_operand ? &program->operands[index] : &program->results[result];
}

/* One channel more or less. */
static void change_size(rng_t *rng, type_t *type) {
  type->dims[0] += type->dims[0] == 0 || rng_one_in(rng, 2) ? 1 : -1;
}

static type_t *grad_channels(rng_t *rng, program_t *program) {
  type_t *const types[] = {
      &program->operands[BATCH_NORM_GRAD_MEAN], &program->operands[BATCH_NORM_GRAD_VARIANCE],
      &program->results[BATCH_NORM_GRAD_OF_SCALE], &program->results[BATCH_NORM_GRAD_OF_OFFSET]};
  return types[rng_below(rng, G_N_ELEMENTS(types))];
}

/* All that is by channel. */
static void change_all_sizes(rng_t *rng, program_t *program) {
  type_t channels = program->operands[BATCH_NORM_GRAD_SCALE];
  change_size(rng, &channels);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!batch_norm_is_whole(program, i)) program->operands[i] = channels;
  }
  for (uint32_t i = 1; i < program->result_count; i++) program->results[i] = channels;
}

static void break_training(rng_t *rng, int constraint, program_t *program) {
  switch (constraint) {
    case 3:
      change_size(rng, &program->operands[BATCH_NORM_TRAINING_SCALE]);
      break;
    case 4:
      change_size(rng, &program->operands[BATCH_NORM_TRAINING_OFFSET]);
      break;
    case 5:
      change_size(rng, &program->results[BATCH_NORM_TRAINING_MEAN]);
      break;
    case 6:
      change_size(rng, &program->results[BATCH_NORM_TRAINING_VARIANCE]);
      break;
    default:
      draw_other_shape(rng, &program->results[BATCH_NORM_TRAINING_OUTPUT]);
  }
}

static void break_grad(rng_t *rng, int constraint, program_t *program) {
  if (constraint == 3) {
    type_t *types[] = {&program->operands[BATCH_NORM_GRAD_OUTPUT],
                       &program->results[BATCH_NORM_GRAD_OF_OPERAND]};
    draw_other_shape(rng, types[rng_below(rng, G_N_ELEMENTS(types))]);
  } else if (constraint == 4) {
    change_size(rng, grad_channels(rng, program));
  } else {
    change_all_sizes(rng, program);
  }
}

static void break_types(rng_t *rng, program_t *program) {
  bool is_whole;
  type_t *type = draw_type(rng, program, &is_whole);
  if (!is_whole && rng_one_in(rng, 2)) {
    type->dims[type->rank++] = 1;
  } else {
    type->element = draw_element(rng, is_no_float, NULL);
    type->quantization = NULL;
  }
}

bool batch_norm_break_constraint(rng_t *rng, const char *id, arena_t *arena,
                                 program_t *inout_program) {
  program_t *program = inout_program;
  int64_t rank = program->operands[0].rank;
  if (strcmp(id, "count") == 0) {
    program->operand_count -= rng_one_in(rng, 2) ? 1 : 2;
  } else if (strcmp(id, "types") == 0) {
    break_types(rng, program);
  } else if (strcmp(id, "epsilon") == 0) {
    copy_attributes(arena, program)->epsilon = rng_one_in(rng, 2) ? 1e-5 : 0x1p-1074;
  } else if (strcmp(id, "C1") == 0) {
    int64_t beyond = (int64_t)rng_below(rng, 3);
    copy_attributes(arena, program)->feature_index =
        rng_one_in(rng, 2) ? rank + beyond : -1 - beyond;
  } else if (strcmp(id, "C2") == 0) {
    bool is_whole;
    type_t *type = draw_type(rng, program, &is_whole);
    type->element = draw_element(rng, is_other_float, type->element);
    type->quantization = NULL;
  } else if (batch_norm_is_grad(program)) {
    break_grad(rng, id[1] - '0', program);
  } else {
    break_training(rng, id[1] - '0', program);
  }
  return program_obeys_bounds(program);
}
