/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops arg_max and arg_min: attributes, constraints, random programs, text. The two
 * differ only in name. */
#include "oracles/ops/byteir_positions/op/op.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("axis", attribute_integer, byteir_arg_attributes_t, axis)},
    {ATTRIBUTE("keep_dims", attribute_boolean, byteir_arg_attributes_t, keep_dims)},
    {ATTRIBUTE("select_last_index", attribute_boolean, byteir_arg_attributes_t, select_last_index)},
    ATTRIBUTES_END,
};

/* The shape of the results of a program whose axis is in range. */
static type_t result_shape(const program_t *program, const element_t *element) {
  const type_t *operand = &program->operands[0];
  uint32_t axis = byteir_arg_axis(program);
  bool keeps = byteir_arg_attributes(program)->keep_dims != 0;
  type_t type = type_make(element, 0, NULL);
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    if (dim != axis) {
      type.dims[type.rank++] = operand->dims[dim];
    } else if (keeps) {
      type.dims[type.rank++] = 1;
    }
  }
  return type;
}

static bool has_counts(const program_t *program) {
  return program->operand_count == 1 && (program->result_count == 1 || program->result_count == 2);
}

static bool has_axis(const program_t *program) {
  return byteir_axis_in_range(byteir_arg_attributes(program)->axis, program->operands[0].rank);
}

static bool has_shapes(const program_t *program) {
  const type_t expected = result_shape(program, program->operands[0].element);
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!type_shapes_equal(&program->results[i], &expected)) return false;
  }
  return true;
}

static const type_t *indices_of(const program_t *program) {
  return &program->results[program->result_count - 1];
}

static bool has_indices(const program_t *program) {
  return !byteir_positions_cannot_be(indices_of(program));
}

static bool is_modelled(const program_t *program) {
  const type_t *values = program->result_count == 2 ? &program->results[0] : NULL;
  return byteir_positions_is_modelled(&program->operands[0], values, indices_of(program));
}

static int64_t size_of(const program_t *program) {
  return program->operands[0].dims[byteir_arg_axis(program)];
}

static bool is_nonempty(const program_t *program) { return size_of(program) != 0; }

static bool holds_range(const program_t *program) {
  return byteir_positions_holds_indices(indices_of(program)->element, size_of(program));
}

static bool permits_axis(const program_t *program, const contract_t *contract) {
  return byteir_permits_axis(contract, byteir_arg_attributes(program)->axis);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count",
                 "there are one operand and one or two results: indices, or values and indices",
                 "operands and results", has_counts),
    OP_FORBIDDEN("axis", "axis is a dimension of the operand, counted from the end if negative",
                 "attrs: axis", has_axis),
    OP_FORBIDDEN("result",
                 "the results have the shape of the operand without that dimension, or with a size "
                 "of 1 there if keep_dims",
                 "results, attrs: keep_dims", has_shapes),
    OP_FORBIDDEN("index", "indices are integers", "results: indices", has_indices),
    OP_UNMODELLED("types", BYTEIR_POSITIONS_TYPES, is_modelled),
    OP_UNMODELLED("empty", "the dimension has an element", is_nonempty),
    OP_UNMODELLED("range", "the type of indices holds the largest one there can be", holds_range),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t contract_constraints[] = {
    BYTEIR_SIGN(permits_axis),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static void draw_program(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *inout_program) {
  byteir_arg_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_arg_attributes_t, 1);
  dimension_list_t axes;
  const element_t *element = draw_element(rng, byteir_positions_is_comparable, NULL);
  type_t type = byteir_draw_shape(rng, limits, element, 1, 1, &axes);
  *attributes = (byteir_arg_attributes_t){.axis = axes.dims[0],
                                          .keep_dims = rng_one_in(rng, 2),
                                          .select_last_index = rng_one_in(rng, 2)};
  inout_program->attributes = attributes;
  inout_program->operand_count = 1;
  inout_program->operands[0] = type;
  int64_t *size = &inout_program->operands[0].dims[byteir_arg_axis(inout_program)];
  *size = MAX(*size, 1);
  uint32_t last = rng_one_in(rng, 2) ? 1 : 0;
  inout_program->result_count = last + 1;
  inout_program->results[0] = result_shape(inout_program, element);
  inout_program->results[last] =
      result_shape(inout_program, byteir_positions_draw_index(rng, *size));
}

static void draw_arg_max(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  *out_program = (program_t){.op = &byteir_arg_max_op};
  draw_program(rng, limits, arena, out_program);
}

static void draw_arg_min(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  *out_program = (program_t){.op = &byteir_arg_min_op};
  draw_program(rng, limits, arena, out_program);
}

static void draw_edges(rng_t *rng, case_t *inout_case) {
  byteir_positions_draw_rows(rng, byteir_arg_axis(&inout_case->program), inout_case);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  bool selects_last = byteir_arg_attributes(program)->select_last_index != 0;
  g_string_append(out_text, selects_last ? "last" : "first");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "finds the %s in each row of ", program->op->summary);
  type_print(&program->operands[0], out_text);
  g_string_append_printf(out_text, " along dimension %u, of equal ones the ",
                         byteir_arg_axis(program));
  print_algorithm(program, out_text);
  g_string_append(out_text, program->result_count == 1 ? ": its index" : ": it and its index");
}

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  (void)operand;
  return 1u << byteir_arg_axis(program);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* What is left of the picked axis, of size 1, comes behind those of the operand. */
static void set_result_axes(const program_t *program, axes_t *inout_axes) {
  const axis_list_t *operand = &inout_axes->operands[0];
  const bool keeps = byteir_arg_attributes(program)->keep_dims != 0;
  axis_list_t *result = &inout_axes->results[0];
  result->count = 0;
  for (uint32_t dim = 0; dim < operand->count; dim++) {
    bool is_picked = inout_axes->items[operand->axes[dim]].role == AXIS_TERM;
    if (is_picked && !keeps) continue;
    result->axes[result->count++] = is_picked ? program->operands[0].rank : operand->axes[dim];
  }
  inout_axes->results[1] = *result;
}

static void part_axes(const program_t *program, axes_t *out_axes) {
  byteir_row_axes(&program->operands[0], 1u << byteir_arg_axis(program), out_axes);
  out_axes->items[out_axes->count++] = (axis_t){.role = AXIS_TERM, .size = 1};
  set_result_axes(program, out_axes);
}

static void with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  byteir_arg_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_arg_attributes_t, 1);
  *attributes = *byteir_arg_attributes(program);
  const dimension_list_t picked = byteir_row_with_axes(program, inout_axes, out_program);
  attributes->axis = picked.dims[0];
  out_program->attributes = attributes;
  set_result_axes(program, inout_axes);
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_program->results[i] = result_shape(out_program, program->results[i].element);
  }
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const policies[] = {"arg_nan", NULL};
static const char *const readings[] = {"select_last_index=true", "select_last_index=false", NULL};

const op_t byteir_arg_max_op = {
    .name = "byteir.arg_max",
    .spec = "ByteIR Additional Ops, byteir.arg_max",
    .summary = "largest element",
    .attributes_bytes = sizeof(byteir_arg_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_arg_max,
    .print_algorithm = print_algorithm,
    .policies = policies,
    .readings = readings,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = draw_edges,
    .part_axes = part_axes,
    .with_part_axes = with_part_axes,
};

const op_t byteir_arg_min_op = {
    .name = "byteir.arg_min",
    .spec = "ByteIR Additional Ops, byteir.arg_min",
    .summary = "smallest element",
    .attributes_bytes = sizeof(byteir_arg_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_arg_min,
    .print_algorithm = print_algorithm,
    .policies = policies,
    .readings = readings,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = draw_edges,
    .part_axes = part_axes,
    .with_part_axes = with_part_axes,
};
