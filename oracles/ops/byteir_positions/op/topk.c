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

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and two results: values and indices",
                 "operands and results"),
    OP_FORBIDDEN("axis",
                 "axis is a list of one dimension of the operand, counted from the end if negative",
                 "attrs: axis"),
    OP_FORBIDDEN("k", "k is at least 0 and at most the size of that dimension", "attrs: k"),
    OP_FORBIDDEN("result", "the results have the shape of the operand with a size of k there",
                 "results"),
    OP_FORBIDDEN("index", "indices are integers", "results: indices"),
    OP_UNMODELLED("types", BYTEIR_POSITIONS_TYPES),
    OP_UNMODELLED("range", "the type of indices holds the largest one there can be"),
    OP_CONSTRAINTS_END,
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

static const char *validate(const program_t *program) {
  if (program->operand_count != 1 || program->result_count != 2) return "count";
  const type_t *operand = &program->operands[0];
  if (!has_axis(program)) return "axis";
  int64_t size = operand->dims[byteir_top_k_axis(program)];
  int64_t k = byteir_top_k_attributes(program)->k;
  if (k < 0 || k > size) return "k";
  const type_t expected = result_shape(program, operand->element);
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!type_shapes_equal(&program->results[i], &expected)) return "result";
  }
  const type_t *indices = &program->results[1];
  if (byteir_positions_cannot_be(indices)) return "index";
  if (!byteir_positions_is_modelled(operand, &program->results[0], indices)) return "types";
  return byteir_positions_holds_indices(indices->element, size) ? NULL : "range";
}

static const char *validate_under(const program_t *program, const contract_t *contract) {
  return byteir_check_axes_sign(contract, &byteir_top_k_attributes(program)->axis);
}

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

/* ---- The row --------------------------------------------------------------------------------- */

static const char *const policies[] = {"top_k_ties", "top_k_nan", "top_k_zeros", NULL};

const op_t byteir_top_k_op = {
    .name = "byteir.top_k",
    .spec = "ByteIR Additional Ops, byteir.top_k",
    .summary = "largest elements and their indices",
    .attributes_bytes = sizeof(byteir_top_k_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = byteir_sign_constraints,
    .draw = draw_top_k,
    .validate = validate,
    .validate_under = validate_under,
    .print_algorithm = print_algorithm,
    .policies = policies,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = draw_edges,
};
