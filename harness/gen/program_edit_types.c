/* SPDX-License-Identifier: Apache-2.0 */
/* Random changes to the types of a program. */
#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "harness/gen/program_edit.h"

/* Any type of the program or of the donor. */
static const type_t *draw_type(rng_t *rng, const program_t *program, const program_t *donor) {
  const program_t *from = rng_one_in(rng, 3) ? donor : program;
  uint64_t count = from->operand_count + from->result_count;
  if (count == 0) return &donor->results[0];
  uint64_t index = rng_below(rng, count);
  return index < from->operand_count ? &from->operands[index]
                                     : &from->results[index - from->operand_count];
}

/* A dimension to quantize along, or -1. */
static int32_t draw_axis(rng_t *rng, const type_t *type) {
  if (type->rank == 0 || rng_one_in(rng, 2)) return -1;
  uint32_t axis = (uint32_t)rng_below(rng, type->rank);
  return type_takes_axis(type, axis) ? (int32_t)axis : -1;
}

/* After a change of shape: one scale for each element of the quantized dimension. */
static void mend_quantization(rng_t *rng, arena_t *arena, type_t *type) {
  const quantization_t *old = type->quantization;
  if (old == NULL || old->axis == -1) return;
  bool has_axis = (uint32_t)old->axis < type->rank;
  if (has_axis && type->dims[old->axis] == old->count) return;
  int32_t axis = has_axis && type_takes_axis(type, old->axis) ? old->axis : -1;
  draw_quantization(rng, arena, old->expressed, axis, rng_one_in(rng, 2), type);
}

static void change_shape(rng_t *rng, const type_t *other, type_t *type) {
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0 || type->rank == 0) {
    draw_other_shape(rng, type);
  } else if (choice == 1) {
    type->rank = other->rank;
    for (uint32_t i = 0; i < other->rank; i++) type->dims[i] = other->dims[i];
  } else if (choice == 2) {
    uint32_t a = (uint32_t)rng_below(rng, type->rank), b = (uint32_t)rng_below(rng, type->rank);
    int64_t size = type->dims[a];
    type->dims[a] = type->dims[b];
    type->dims[b] = size;
  } else {
    type->dims[rng_below(rng, type->rank)] = rng_between(rng, 0, 3);
  }
}

/* Another element type; of quantized types other parameters, or a part of them. */
static void change_element(rng_t *rng, arena_t *arena, const type_t *other, type_t *type) {
  const quantization_t *old = type->quantization;
  uint64_t choice = rng_below(rng, 8);
  if (choice < 3) {
    type->element = other->element;
    type->quantization = other->quantization;
    mend_quantization(rng, arena, type);
  } else if (old == NULL && choice < 6) {
    bool is_near = rng_one_in(rng, 2);
    type->element = is_near ? draw_same_kind(rng, type->element) : draw_element(rng, NULL, NULL);
  } else if (old == NULL) {
    const element_t *expressed = draw_expressed_element(rng);
    type->element = draw_storage_element(rng);
    draw_quantization(rng, arena, expressed, draw_axis(rng, type), rng_one_in(rng, 2), type);
  } else if (choice == 3) {
    type->element = rng_one_in(rng, 2) ? old->expressed : type->element;
    type->quantization = NULL;
  } else {
    if (choice == 4) type->element = draw_storage_element(rng);
    const element_t *expressed = choice == 5 ? draw_expressed_element(rng) : old->expressed;
    int32_t axis = choice == 6 ? draw_axis(rng, type) : old->axis;
    draw_quantization(rng, arena, expressed, axis, rng_one_in(rng, 2), type);
  }
}

/* One entry less, one twice, or two exchanged. */
static void change_list(rng_t *rng, uint32_t count_max, type_t *types, uint32_t *inout_count) {
  uint32_t count = *inout_count;
  if (count == 0) return;
  uint32_t a = (uint32_t)rng_below(rng, count), b = (uint32_t)rng_below(rng, count);
  uint64_t choice = rng_below(rng, 3);
  if (choice == 0) {
    for (uint32_t i = a; i + 1 < count; i++) types[i] = types[i + 1];
    *inout_count = count - 1;
  } else if (choice == 1 && count < count_max) {
    types[count] = types[a];
    *inout_count = count + 1;
  } else {
    type_t type = types[a];
    types[a] = types[b];
    types[b] = type;
  }
}

static void change_counts(rng_t *rng, program_t *program) {
  if (rng_one_in(rng, 2)) {
    change_list(rng, CASE_OPERANDS_MAX, program->operands, &program->operand_count);
  } else {
    change_list(rng, CASE_RESULTS_MAX, program->results, &program->result_count);
  }
}

/* ---- All types at once ----------------------------------------------------------------------- */

static type_t *type_at(program_t *program, uint64_t index) {
  return index < program->operand_count ? &program->operands[index]
                                        : &program->results[index - program->operand_count];
}

static bool has_element_of(const type_t *type, const type_t *other) {
  return type->element == other->element &&
         quantization_equal(type->quantization, other->quantization);
}

static void redraw_scales(rng_t *rng, arena_t *arena, type_t *type) {
  if (type->quantization == NULL) return;
  quantization_t *own = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *own = *type->quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, own->count);
  for (uint32_t i = 0; i < own->count; i++) scales[i] = draw_scale(rng, own->expressed->format);
  own->scales = scales;
  type->quantization = own;
}

/* Where one element type stands there comes another, everywhere; quantized, each has its own scales
 * or all have the same. */
static void change_elements_alike(rng_t *rng, arena_t *arena, const type_t *other,
                                  program_t *program) {
  uint64_t count = program->operand_count + program->result_count;
  const type_t before = *type_at(program, rng_below(rng, count));
  type_t after = before;
  change_element(rng, arena, other, &after);
  bool is_redrawn = rng_one_in(rng, 2);
  for (uint64_t i = 0; i < count; i++) {
    type_t *type = type_at(program, i);
    if (!has_element_of(type, &before)) continue;
    type->element = after.element;
    type->quantization = after.quantization;
    if (is_redrawn) redraw_scales(rng, arena, type);
    mend_quantization(rng, arena, type);
  }
}

/* All sizes alike become another one. */
static void change_sizes_alike(rng_t *rng, arena_t *arena, program_t *program) {
  uint64_t count = program->operand_count + program->result_count;
  const type_t *chosen = type_at(program, rng_below(rng, count));
  if (chosen->rank == 0) return;
  int64_t before = chosen->dims[rng_below(rng, chosen->rank)], after = rng_between(rng, 0, 4);
  for (uint64_t i = 0; i < count; i++) {
    type_t *type = type_at(program, i);
    for (uint32_t dim = 0; dim < type->rank; dim++) {
      if (type->dims[dim] == before) type->dims[dim] = after;
    }
    mend_quantization(rng, arena, type);
  }
}

static void repeat_list(uint32_t count_max, type_t *types, uint32_t *inout_count) {
  uint32_t count = *inout_count;
  if (2 * count > count_max) return;
  for (uint32_t i = 2 * count; i-- > 0;) types[i] = types[i / 2];
  *inout_count = 2 * count;
}

/* As if the op worked on twice as many tensors. */
static void repeat_all(program_t *program) {
  repeat_list(CASE_OPERANDS_MAX, program->operands, &program->operand_count);
  repeat_list(CASE_RESULTS_MAX, program->results, &program->result_count);
}

static void change_alike(rng_t *rng, arena_t *arena, const type_t *other, program_t *program) {
  uint64_t choice = rng_below(rng, 8);
  if (choice == 0) {
    repeat_all(program);
  } else if (choice < 3) {
    change_sizes_alike(rng, arena, program);
  } else {
    change_elements_alike(rng, arena, other, program);
  }
}

/* ---- One type -------------------------------------------------------------------------------- */

static void change_one(rng_t *rng, arena_t *arena, const type_t *other, program_t *program) {
  uint64_t count = program->operand_count + program->result_count;
  type_t *type = type_at(program, rng_below(rng, count));
  if (rng_one_in(rng, 2)) {
    change_shape(rng, other, type);
    mend_quantization(rng, arena, type);
  } else {
    change_element(rng, arena, other, type);
  }
}

void program_edit_types(rng_t *rng, const program_t *donor, arena_t *arena,
                        program_t *inout_program) {
  program_t *program = inout_program;
  bool is_empty = program->operand_count + program->result_count == 0;
  const type_t other = *draw_type(rng, program, donor);
  if (is_empty || rng_one_in(rng, 8)) {
    change_counts(rng, program);
  } else if (rng_one_in(rng, 3)) {
    change_alike(rng, arena, &other, program);
  } else {
    change_one(rng, arena, &other, program);
  }
}
