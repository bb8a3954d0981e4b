/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op top_k: attributes, constraints, random programs, text. k is drawn over all
 * magnitudes, because implementations switch algorithms as k grows. */
#include <inttypes.h>

#include "oracles/ops/byteir_positions/op/op.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("k", attribute_integer, byteir_top_k_attributes_t, k)},
    {ATTRIBUTE("axis", attribute_list, byteir_top_k_attributes_t, axis)},
    {ATTRIBUTE("sorted", attribute_boolean, byteir_top_k_attributes_t, sorted)},
    ATTRIBUTES_END,
};

static bool has_axis(const program_t *program) {
  const dimension_list_t *axis = &byteir_top_k_attributes(program)->axis;
  return axis->count == 1 && byteir_axes_are_valid(axis, program->operands[0].rank);
}

/* The shape of the results of a program whose axis is in range. */
static type_t result_shape(const program_t *program, const element_t *element) {
  type_t type = program->operands[0];
  type.element = element;
  type.dims[byteir_top_k_axis(program)] = byteir_top_k_attributes(program)->k;
  return type;
}

static bool has_counts(const program_t *program) {
  return program->operand_count == 1 && program->result_count == 2;
}

static int64_t size_of(const program_t *program) {
  return program->operands[0].dims[byteir_top_k_axis(program)];
}

static bool has_k(const program_t *program) {
  int64_t k = byteir_top_k_attributes(program)->k;
  return k >= 0 && k <= size_of(program);
}

static bool has_shapes(const program_t *program) {
  const type_t expected = result_shape(program, program->operands[0].element);
  return type_shapes_equal(&program->results[0], &expected) &&
         type_shapes_equal(&program->results[1], &expected);
}

static bool has_indices(const program_t *program) {
  return !byteir_positions_cannot_be(&program->results[1]);
}

static bool is_modelled(const program_t *program) {
  return byteir_positions_is_modelled(&program->operands[0], &program->results[0],
                                      &program->results[1]);
}

static bool holds_range(const program_t *program) {
  return byteir_positions_holds_indices(program->results[1].element, size_of(program));
}

static bool permits_axes(const program_t *program, const contract_t *contract) {
  return byteir_permits_axes(contract, &byteir_top_k_attributes(program)->axis);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and two results: values and indices",
                 "operands and results", has_counts),
    OP_FORBIDDEN("axis",
                 "axis is a list of one dimension of the operand, counted from the end if negative",
                 "attrs: axis", has_axis),
    OP_FORBIDDEN("k", "k is at least 0 and at most the size of that dimension", "attrs: k", has_k),
    OP_FORBIDDEN("result", "the results have the shape of the operand with a size of k there",
                 "results", has_shapes),
    OP_FORBIDDEN("index", "indices are integers", "results: indices", has_indices),
    OP_UNMODELLED("types", BYTEIR_POSITIONS_TYPES, is_modelled),
    OP_UNMODELLED("range", "the type of indices holds the largest one there can be", holds_range),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t contract_constraints[] = {
    BYTEIR_SIGN(permits_axes),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Few, nearly all, or any order of magnitude: a known kernel goes from a scan to a heap to a
 * selection as k grows. */
static int64_t draw_k(rng_t *rng, int64_t size) {
  switch (rng_below(rng, 4)) {
    case 0:
      return size - rng_between(rng, 0, MIN(size, 2));
    case 1:
      return draw_size(rng, DRAW_SIZES_SMALL, size);
    default:
      return size == 0 ? 0 : rng_between(rng, 1, MIN(size, 4));
  }
}

static void draw_top_k(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                       program_t *out_program) {
  byteir_top_k_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_top_k_attributes_t, 1);
  *attributes = (byteir_top_k_attributes_t){.sorted = !rng_one_in(rng, 3)};
  const element_t *element = draw_element(rng, byteir_positions_is_comparable, NULL);
  type_t type = byteir_draw_shape(rng, limits, element, 1, 1, &attributes->axis);
  *out_program = (program_t){.op = &byteir_top_k_op,
                             .attributes = attributes,
                             .operand_count = 1,
                             .result_count = 2,
                             .operands = {type}};
  int64_t size = type.dims[byteir_top_k_axis(out_program)];
  attributes->k = draw_k(rng, size);
  out_program->results[0] = result_shape(out_program, element);
  out_program->results[1] = result_shape(out_program, byteir_positions_draw_index(rng, size));
}

static void draw_edges(rng_t *rng, case_t *inout_case) {
  byteir_positions_draw_rows(rng, byteir_top_k_axis(&inout_case->program), inout_case);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  bool is_sorted = byteir_top_k_attributes(program)->sorted != 0;
  g_string_append(out_text, is_sorted ? "sorted" : "unsorted");
}

static void print_words(const program_t *program, GString *out_text) {
  const byteir_top_k_attributes_t *attributes = byteir_top_k_attributes(program);
  g_string_append_printf(out_text, "finds the %" PRId64 " largest elements in each row of ",
                         attributes->k);
  type_print(&program->operands[0], out_text);
  g_string_append_printf(out_text, " along dimension %u and their indices, in %s order",
                         byteir_top_k_axis(program),
                         attributes->sorted != 0 ? "descending" : "any");
}

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  (void)operand;
  return 1u << byteir_top_k_axis(program);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The k largest are an axis of their own, behind those of the operand. */
static void set_result_axes(const program_t *program, axes_t *inout_axes) {
  axis_list_t result = inout_axes->operands[0];
  for (uint32_t dim = 0; dim < result.count; dim++) {
    bool is_picked = inout_axes->items[result.axes[dim]].role == AXIS_TERM;
    if (is_picked) result.axes[dim] = program->operands[0].rank;
  }
  inout_axes->results[0] = inout_axes->results[1] = result;
}

static void part_axes(const program_t *program, axes_t *out_axes) {
  byteir_row_axes(&program->operands[0], 1u << byteir_top_k_axis(program), out_axes);
  const int64_t k = byteir_top_k_attributes(program)->k;
  out_axes->items[out_axes->count++] = (axis_t){.role = AXIS_TERM, .size = k};
  set_result_axes(program, out_axes);
}

static void with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  byteir_top_k_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_top_k_attributes_t, 1);
  *attributes = *byteir_top_k_attributes(program);
  attributes->axis = byteir_row_with_axes(program, inout_axes, out_program);
  out_program->attributes = attributes;
  set_result_axes(program, inout_axes);
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_program->results[i] = result_shape(out_program, program->results[i].element);
  }
}

/* ---- The row --------------------------------------------------------------------------------- */

static const char *const policies[] = {"top_k_ties", "top_k_nan", "top_k_zeros", NULL};

const op_t byteir_top_k_op = {
    .name = "byteir.top_k",
    .spec = "ByteIR Additional Ops, byteir.top_k",
    .summary = "largest elements and their indices",
    .attributes_bytes = sizeof(byteir_top_k_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_top_k,
    .print_algorithm = print_algorithm,
    .policies = policies,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = draw_edges,
    .part_axes = part_axes,
    .with_part_axes = with_part_axes,
};
