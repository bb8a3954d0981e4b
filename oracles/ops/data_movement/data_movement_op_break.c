/* Programs that break one constraint. */
#include <string.h>

#include "harness/model/draw.h"
#include "harness/model/draw_quantization.h"
#include "oracles/ops/data_movement/data_movement_op.h"

/* ---- What the ops share ---------------------------------------------------------------------- */

/* A copy of the attributes, which may be changed. */
static data_movement_attributes_t *own_attributes(program_t *program, arena_t *arena) {
  data_movement_attributes_t *own = ARENA_NEW_ARRAY(arena, data_movement_attributes_t, 1);
  *own = *data_movement_attributes(program);
  program->attributes = own;
  return own;
}

static bool differs(const element_t *element, const void *other) { return element != other; }

/* Another element type: of quantized ones other parameters, or none. */
static void break_element(rng_t *rng, arena_t *arena, type_t *inout_type) {
  const quantization_t *quantization = inout_type->quantization;
  if (quantization == NULL) {
    inout_type->element = draw_element(rng, differs, inout_type->element);
  } else if (rng_one_in(rng, 3)) {
    inout_type->quantization = NULL;
  } else {
    draw_quantization(rng, arena, draw_expressed_element(rng), -1, false, inout_type);
  }
}

static void break_arity(rng_t *rng, program_t *program) {
  if (rng_one_in(rng, 2)) {
    program->operands[1] = program->operands[0];
    program->operand_count = rng_one_in(rng, 2) ? 0 : 2;
  } else {
    program->results[1] = program->results[0];
    program->result_count = 2;
  }
}

/* One entry more, less, out of range or twice. */
static void break_list(rng_t *rng, int64_t rank, dimension_list_t *list) {
  uint64_t choice = rng_below(rng, 4);
  if (list->count == 0 || (choice == 0 && list->count < TYPE_RANK_MAX)) {
    dimension_list_append(list, rng_between(rng, -1, rank));
  } else if (choice == 1) {
    list->count--;
  } else if (choice == 2) {
    list->dims[rng_below(rng, list->count)] = rng_one_in(rng, 2) ? -1 : rank;
  } else {
    list->dims[rng_below(rng, list->count)] = list->dims[rng_below(rng, list->count)];
  }
}

/* Makes the operand quantized along one of its dimensions; false if it has none of few elements. */
static bool quantize_operand(rng_t *rng, arena_t *arena, program_t *program, uint32_t *out_axis) {
  type_t *operand = &program->operands[0];
  if (operand->rank == 0) return false;
  *out_axis = (uint32_t)rng_below(rng, operand->rank);
  if (!type_takes_axis(operand, *out_axis)) return false;
  operand->element = draw_storage_element(rng);
  draw_quantization(rng, arena, draw_expressed_element(rng), (int32_t)*out_axis, false, operand);
  return true;
}

/* Whether the outcome breaks that one first, and can be written down. */
static bool has_broken(const program_t *program, const char *id) {
  if (!program_obeys_bounds(program)) return false;
  const char *violation = program->op->validate(program);
  return violation != NULL && strcmp(violation, id) == 0;
}

static void unquantize(program_t *program) {
  program->operands[0].quantization = program->results[0].quantization = NULL;
}

/* ---- Reshape --------------------------------------------------------------------------------- */

/* What was before the quantized dimension comes behind it, or the other way round. */
static bool break_reshape_axis(rng_t *rng, arena_t *arena, program_t *program) {
  uint32_t axis;
  if (!quantize_operand(rng, arena, program, &axis)) return false;
  const type_t *operand = &program->operands[0];
  int64_t rest = 1;
  for (uint32_t i = 0; i < operand->rank; i++) rest *= i == axis ? 1 : operand->dims[i];
  uint32_t place = rng_one_in(rng, 2) ? 0 : 1;
  const int64_t dims[] = {place == 0 ? operand->dims[axis] : rest,
                          place == 0 ? rest : operand->dims[axis]};
  program->results[0] = type_make(operand->element, 2, dims);
  program->results[0].quantization = movement_along(operand->quantization, (int32_t)place, arena);
  return true;
}

bool movement_reshape_break(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program) {
  if (strcmp(id, "arity") == 0) {
    break_arity(rng, inout_program);
  } else if (strcmp(id, "C1") == 0) {
    break_element(rng, arena, &inout_program->results[0]);
  } else if (strcmp(id, "C2") == 0) {
    unquantize(inout_program);
    draw_other_shape(rng, &inout_program->results[0]);
  } else if (!break_reshape_axis(rng, arena, inout_program)) {
    return false;
  }
  return has_broken(inout_program, id);
}

/* ---- Transpose ------------------------------------------------------------------------------- */

/* The result is quantized along another dimension, of the same size. */
static bool break_transposed_axis(rng_t *rng, arena_t *arena, program_t *program) {
  const dimension_list_t *permutation = &data_movement_attributes(program)->dimensions;
  type_t *operand = &program->operands[0], *result = &program->results[0];
  if (operand->rank < 2) return false;
  uint32_t place = (uint32_t)rng_below(rng, operand->rank);
  uint32_t other = (place + 1 + (uint32_t)rng_below(rng, operand->rank - 1)) % operand->rank;
  int64_t size = MIN(operand->dims[place], operand->dims[other]);
  if (size == 0 || size > TYPE_SCALES_MAX) return false;
  operand->dims[place] = operand->dims[other] = size;
  operand->element = draw_storage_element(rng);
  draw_quantization(rng, arena, draw_expressed_element(rng), (int32_t)place, false, operand);
  result->element = operand->element;
  for (uint32_t i = 0; i < result->rank; i++) {
    result->dims[i] = operand->dims[permutation->dims[i]];
    if (permutation->dims[i] != other) continue;
    result->quantization = movement_along(operand->quantization, (int32_t)i, arena);
  }
  return true;
}

bool movement_transpose_break(rng_t *rng, const char *id, arena_t *arena,
                              program_t *inout_program) {
  if (strcmp(id, "arity") == 0) {
    break_arity(rng, inout_program);
  } else if (strcmp(id, "C1") == 0) {
    break_element(rng, arena, &inout_program->results[0]);
  } else if (strcmp(id, "C2") == 0) {
    data_movement_attributes_t *attributes = own_attributes(inout_program, arena);
    break_list(rng, inout_program->operands[0].rank, &attributes->dimensions);
  } else if (strcmp(id, "C3") == 0) {
    unquantize(inout_program);
    draw_other_shape(rng, &inout_program->results[0]);
  } else if (!break_transposed_axis(rng, arena, inout_program)) {
    return false;
  }
  return has_broken(inout_program, id);
}

/* ---- Broadcast ------------------------------------------------------------------------------- */

/* The result has other scales than the one of the operand, or along another dimension. */
static bool break_broadcast_scales(rng_t *rng, arena_t *arena, program_t *program) {
  type_t *operand = &program->operands[0], *result = &program->results[0];
  if (operand->rank == 0) return false;
  uint32_t axis = (uint32_t)rng_below(rng, operand->rank);
  operand->dims[axis] = 1;
  operand->element = draw_storage_element(rng);
  draw_quantization(rng, arena, draw_expressed_element(rng), (int32_t)axis, false, operand);
  uint32_t place = (uint32_t)data_movement_attributes(program)->dimensions.dims[axis];
  bool is_elsewhere = result->rank > 1 && rng_one_in(rng, 2);
  if (is_elsewhere) place = (place + 1) % result->rank;
  if (!type_takes_axis(result, place)) return false;
  result->element = operand->element;
  quantization_t own = *movement_repeated(operand->quantization, (int32_t)place,
                                          (uint32_t)result->dims[place], arena);
  double *scales = ARENA_NEW_ARRAY(arena, double, own.count);
  for (uint32_t i = 0; i < own.count; i++) {
    scales[i] = is_elsewhere ? own.scales[i] : draw_scale(rng, own.expressed->format);
  }
  own.scales = scales;
  result->quantization = movement_along(&own, (int32_t)place, arena);
  return true;
}

/* A size that is neither 1 nor that of the result. */
static bool break_broadcast_size(rng_t *rng, program_t *program) {
  type_t *operand = &program->operands[0];
  unquantize(program);
  if (operand->rank == 0) return false;
  operand->dims[rng_below(rng, operand->rank)] += rng_one_in(rng, 2) ? 1 : 2;
  return true;
}

bool movement_broadcast_break(rng_t *rng, const char *id, arena_t *arena,
                              program_t *inout_program) {
  data_movement_attributes_t *attributes = own_attributes(inout_program, arena);
  dimension_list_t *dimensions = &attributes->dimensions;
  bool is_tried = true;
  if (strcmp(id, "arity") == 0) {
    break_arity(rng, inout_program);
  } else if (strcmp(id, "C1") == 0) {
    break_element(rng, arena, &inout_program->results[0]);
  } else if (strcmp(id, "C5") == 0) {
    is_tried = break_broadcast_size(rng, inout_program);
  } else if (strcmp(id, "C6") == 0) {
    is_tried = break_broadcast_scales(rng, arena, inout_program);
  } else if (strcmp(id, "C4") == 0 && dimensions->count > 1) {
    dimensions->dims[0] = dimensions->dims[dimensions->count - 1];
  } else {
    break_list(rng, inout_program->results[0].rank, dimensions);
  }
  return is_tried && has_broken(inout_program, id);
}

/* ---- Concatenate ----------------------------------------------------------------------------- */

/* Another size in a dimension that is not concatenated. */
static bool break_concatenated_shape(rng_t *rng, program_t *program) {
  type_t *operand = &program->operands[rng_below(rng, program->operand_count)];
  if (rng_one_in(rng, 3)) {
    draw_other_shape(rng, operand);
  } else if (operand->rank > 1) {
    int64_t dimension = data_movement_attributes(program)->dimension;
    uint64_t step = 1 + rng_below(rng, operand->rank - 1);
    operand->dims[((uint64_t)dimension + step) % operand->rank]++;
  }
  return true;
}

static bool break_concatenated_axis(rng_t *rng, arena_t *arena, program_t *program) {
  uint32_t axis;
  if (!quantize_operand(rng, arena, program, &axis)) return false;
  for (uint32_t i = 1; i < program->operand_count; i++) {
    program->operands[i].element = program->operands[0].element;
    program->operands[i].quantization = NULL;
  }
  return true;
}

bool movement_concatenate_break(rng_t *rng, const char *id, arena_t *arena,
                                program_t *inout_program) {
  program_t *program = inout_program;
  data_movement_attributes_t *attributes = own_attributes(program, arena);
  uint64_t place = rng_below(rng, program->operand_count);
  bool is_tried = true;
  if (strcmp(id, "arity") == 0) {
    program->results[1] = program->results[0];
    program->result_count = 2;
  } else if (strcmp(id, "C1") == 0) {
    break_element(rng, arena, &program->operands[place]);
  } else if (strcmp(id, "C2") == 0) {
    is_tried = break_concatenated_shape(rng, program);
  } else if (strcmp(id, "C3") == 0) {
    program->operand_count = 0;
  } else if (strcmp(id, "C4") == 0) {
    attributes->dimension = rng_one_in(rng, 2) ? -1 : (int64_t)program->operands[0].rank;
  } else if (strcmp(id, "C5") == 0) {
    break_element(rng, arena, &program->results[0]);
  } else if (strcmp(id, "C6") == 0) {
    draw_other_shape(rng, &program->results[0]);
  } else {
    is_tried = break_concatenated_axis(rng, arena, program);
  }
  return is_tried && has_broken(program, id);
}
