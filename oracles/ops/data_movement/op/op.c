/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops reshape, transpose, broadcast_in_dim and concatenate: attribute tables,
 * words, axes of a transpose, and constraints. */
#include "oracles/ops/data_movement/op/op.h"

#include <inttypes.h>

#include "harness/draw/distinct.h"
#include "harness/model/mlir.h"

movement_t data_movement_of(const program_t *program) {
  if (program->op == &movement_reshape_op) return MOVEMENT_RESHAPE;
  if (program->op == &movement_transpose_op) return MOVEMENT_TRANSPOSE;
  return program->op == &movement_broadcast_op ? MOVEMENT_BROADCAST : MOVEMENT_CONCATENATE;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static const attribute_row_t transpose_attributes[] = {
    {ATTRIBUTE("permutation", attribute_dimensions, data_movement_attributes_t, dimensions)},
    ATTRIBUTES_END,
};

static const attribute_row_t broadcast_attributes[] = {
    {ATTRIBUTE("broadcast_dimensions", attribute_dimensions, data_movement_attributes_t,
               dimensions)},
    ATTRIBUTES_END,
};

static const attribute_row_t concatenate_attributes[] = {
    {ATTRIBUTE("dimension", attribute_integer, data_movement_attributes_t, dimension)},
    ATTRIBUTES_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

/* "stored" or "plain": whether what is moved are storage integers. */
static void print_algorithm(const program_t *program, GString *out_text) {
  bool is_stored = program->result_count > 0 && program->results[0].quantization != NULL;
  g_string_append(out_text, is_stored ? "stored" : "plain");
}

static void print_words(const program_t *program, GString *out_text) {
  static const char *const verbs[] = {
      [MOVEMENT_RESHAPE] = "gives another shape to",
      [MOVEMENT_TRANSPOSE] = "reorders the dimensions of",
      [MOVEMENT_BROADCAST] = "repeats the elements of",
      [MOVEMENT_CONCATENATE] = "joins",
  };
  g_string_append(out_text, verbs[data_movement_of(program)]);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append(out_text, i == 0 ? " " : ", ");
    type_print(&program->operands[i], out_text);
  }
  g_string_append(out_text, " as ");
  type_print(&program->results[0], out_text);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* Each dimension of a transpose's result is an axis, of that number.  The other ops tell nothing:
 * their dimensions are split, stretched or joined. */
static void transpose_axes(const program_t *program, axes_t *out_axes) {
  const dimension_list_t *permutation = &data_movement_attributes(program)->dimensions;
  const type_t *result = &program->results[0];
  out_axes->count = out_axes->operands[0].count = out_axes->results[0].count = result->rank;
  out_axes->is_listed[AXIS_BATCH] = true;
  for (uint32_t i = 0; i < result->rank; i++) {
    out_axes->items[i] = (axis_t){.role = AXIS_BATCH, .size = result->dims[i]};
    out_axes->results[0].axes[i] = i;
    out_axes->operands[0].axes[permutation->dims[i]] = i;
  }
}

static void transpose_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                                program_t *out_program) {
  const axis_list_t *list = &inout_axes->operands[0];
  axis_list_t *kept = &inout_axes->results[0];
  data_movement_attributes_t *attributes = ARENA_NEW_ARRAY(arena, data_movement_attributes_t, 1);
  *attributes = (data_movement_attributes_t){.dimension = 0};
  *out_program = *program;
  out_program->attributes = attributes;
  int64_t from_dims[TYPE_RANK_MAX], to_dims[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < list->count; i++) from_dims[i] = inout_axes->items[list->axes[i]].size;
  kept->count = 0;
  for (uint32_t axis = 0; axis < inout_axes->count; axis++) {
    int place = axis_list_find(list, axis);
    if (place < 0) continue;
    dimension_list_append(&attributes->dimensions, place);
    to_dims[kept->count] = inout_axes->items[axis].size;
    kept->axes[kept->count++] = axis;
  }
  out_program->operands[0] = type_make(program->operands[0].element, list->count, from_dims);
  out_program->operands[0].quantization = program->operands[0].quantization;
  out_program->results[0] = type_make(program->results[0].element, kept->count, to_dims);
  out_program->results[0].quantization = program->results[0].quantization;
}

/* ---- The rows -------------------------------------------------------------------------------- */

const op_t movement_reshape_op = {
    .name = "stablehlo.reshape",
    .spec = "StableHLO specification, reshape",
    .summary = "the same elements in another shape",
    .attributes_bytes = sizeof(data_movement_attributes_t),
    .constraints = movement_reshape_constraints,
    .draw = movement_reshape_draw,
    .print_algorithm = print_algorithm,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
};

const op_t movement_transpose_op = {
    .name = "stablehlo.transpose",
    .spec = "StableHLO specification, transpose",
    .summary = "the dimensions in another order",
    .attributes_bytes = sizeof(data_movement_attributes_t),
    .attribute_rows = transpose_attributes,
    .constraints = movement_transpose_constraints,
    .draw = movement_transpose_draw,
    .print_algorithm = print_algorithm,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
    .axes = transpose_axes,
    .with_axes = transpose_with_axes,
};

const op_t movement_broadcast_op = {
    .name = "stablehlo.broadcast_in_dim",
    .spec = "StableHLO specification, broadcast_in_dim",
    .summary = "elements repeated along new dimensions and those of size 1",
    .attributes_bytes = sizeof(data_movement_attributes_t),
    .attribute_rows = broadcast_attributes,
    .constraints = movement_broadcast_constraints,
    .draw = movement_broadcast_draw,
    .print_algorithm = print_algorithm,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
    .part_axes = movement_broadcast_part_axes,
    .with_part_axes = movement_with_part_axes,
};

const op_t movement_concatenate_op = {
    .name = "stablehlo.concatenate",
    .spec = "StableHLO specification, concatenate",
    .summary = "tensors one behind the other along a dimension",
    .attributes_bytes = sizeof(data_movement_attributes_t),
    .attribute_rows = concatenate_attributes,
    .constraints = movement_concatenate_constraints,
    .draw = movement_concatenate_draw,
    .print_algorithm = print_algorithm,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
    .part_axes = movement_concatenate_part_axes,
    .with_part_axes = movement_with_part_axes,
};

extern const op_t *const data_movement_ops[];
const op_t *const data_movement_ops[] = {&movement_reshape_op, &movement_transpose_op,
                                         &movement_broadcast_op, &movement_concatenate_op, NULL};
