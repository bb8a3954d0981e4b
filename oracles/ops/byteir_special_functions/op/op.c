/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops byteir.gelu and byteir.erf: attributes, constraints, random programs, text and
 * axes. Test data come from intervals where these functions cancel, saturate or differ by
 * approximation. */
#include <math.h>

#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_special_functions/byteir_special_functions.h"

static const char *const approximations[] = {"none", "erf", "tanh", NULL};

static const attribute_row_t gelu_rows[] = {
    {ATTRIBUTE("approximate", attribute_word, byteir_gelu_attributes_t, approximate),
     .words = approximations},
    ATTRIBUTES_END,
};

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and one result", "operands and results",
                 program_is_unary),
    OP_FORBIDDEN("result", "the result has the shape of the operand", "results: output",
                 program_keeps_shape),
    OP_UNMODELLED("types",
                  "operand and result are unquantized tensors of f16, bf16, f32 or f64, "
                  "both of the same",
                  byteir_keeps_float_type),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static void draw_types(rng_t *rng, const draw_limits_t *limits, program_t *inout_program) {
  const element_t *element = draw_element(rng, byteir_is_float, NULL);
  dimension_list_t longest;
  type_t type = byteir_draw_shape(rng, limits, element, 0, 1, &longest);
  inout_program->operand_count = inout_program->result_count = 1;
  inout_program->operands[0] = inout_program->results[0] = type;
}

static const op_t gelu_op, erf_op;

static void draw_gelu(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program) {
  byteir_gelu_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_gelu_attributes_t, 1);
  attributes->approximate = (uint8_t)rng_below(rng, G_N_ELEMENTS(approximations) - 1);
  *out_program = (program_t){.op = &gelu_op, .attributes = attributes};
  draw_types(rng, limits, out_program);
}

static void draw_erf(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *out_program) {
  (void)arena;
  *out_program = (program_t){.op = &erf_op};
  draw_types(rng, limits, out_program);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Where these functions are hard: ranges of |x| that go over many powers of two, 2^low to 2^high,
 * and others. */
typedef struct interval {
  double low;
  double high;
  bool are_exponents;
} interval_t;

static const interval_t intervals[] = {
    {-14, -1, false},     /* The tail of gelu, where 1 + erf cancels, ... */
    {-5.5, -5, false},    /* ... and loses even its sign. */
    {2.6, 2.8, false},    /* Where the two meanings of gelu are farthest apart. */
    {-6, 6, false},       /* Where anything happens. */
    {3.8, 4.1, false},    /* erf reaches 1. */
    {0.45, 1.3, false},   /* Its usual approximations change at 0.5, 0.84375, 1 and 1.25. */
    {-1.3, -0.45, false}, /* The same. */
    {-149, -100, true},   /* Products underflow. */
    {-27, -3, true},      /* erf is nearly linear: absolute errors show. */
    {5, 8, true},         /* x^3 overflows in f16. */
    {40, 43, true},       /* It does in f32. */
    {60, 127, true},      /* x^2 does, and 2 x. */
};

static double draw_number(rng_t *rng, const interval_t *interval) {
  double place = (double)rng_below(rng, 1 << 30) * 0x1p-30;
  if (!interval->are_exponents) return interval->low + place * (interval->high - interval->low);
  int exponent = (int)rng_between(rng, (int64_t)interval->low, (int64_t)interval->high);
  return ldexp(rng_one_in(rng, 2) ? -1 - place : 1 + place, exponent);
}

/* One interval for a whole tensor, so that its elements are near one another, or any. */
static void draw_edges(rng_t *rng, case_t *inout_case) {
  const tensor_t *tensor = &inout_case->operands[0];
  const element_t *element = tensor->type.element;
  size_t count = type_element_count(&tensor->type);
  const interval_t *chosen = &intervals[rng_below(rng, G_N_ELEMENTS(intervals))];
  bool is_mixed = rng_one_in(rng, 2);
  for (size_t i = 0; i < count; i++) {
    if (is_mixed) chosen = &intervals[rng_below(rng, G_N_ELEMENTS(intervals))];
    uint64_t bits = rng_one_in(rng, 50)
                        ? special_value_any(rng, element)
                        : format_from_double(element->format, draw_number(rng, chosen));
    element_store(element, tensor->data, i, bits);
  }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_gelu_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, approximations[byteir_gelu_approximation(program)]);
}

static void print_erf_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "erf");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "%s of each element of ", program->op->summary);
  type_print(&program->operands[0], out_text);
  if (program->op == &gelu_op && byteir_gelu_approximation(program) == GELU_TANH) {
    g_string_append(out_text, ", approximated by tanh");
  }
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void find_axes(const program_t *program, axes_t *out_axes) {
  byteir_row_axes(&program->operands[0], 0, out_axes);
}

static void with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  (void)arena;
  byteir_row_with_axes(program, inout_axes, out_program);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const gelu_readings[] = {"approximate=tanh", "approximate=none", NULL};

static const op_t gelu_op = {
    .name = "byteir.gelu",
    .spec = "ByteIR Additional Ops, byteir.gelu",
    .summary = "the Gaussian error linear unit",
    .attributes_bytes = sizeof(byteir_gelu_attributes_t),
    .attribute_rows = gelu_rows,
    .constraints = constraints,
    .draw = draw_gelu,
    .print_algorithm = print_gelu_algorithm,
    .formulas = "gelu",
    .readings = gelu_readings,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = draw_edges,
    .turns = OP_TURNS("gelu"),
    .axes = find_axes,
    .with_axes = with_axes,
};

static const op_t erf_op = {
    .name = "byteir.erf",
    .spec = "ByteIR Additional Ops, byteir.erf",
    .summary = "the error function",
    .constraints = constraints,
    .draw = draw_erf,
    .print_algorithm = print_erf_algorithm,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = draw_edges,
    .turns = OP_TURNS("erf"),
    .axes = find_axes,
    .with_axes = with_axes,
};

extern const op_t *const byteir_special_functions_ops[];
const op_t *const byteir_special_functions_ops[] = {&gelu_op, &erf_op, NULL};
