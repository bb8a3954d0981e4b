/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops byteir.softmax and log_softmax: attributes, constraints, random programs, text
 * and axes. Test data sit at the thresholds of exp, with masked and dominating elements. */
#include <inttypes.h>
#include <math.h>

#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_softmax/byteir_softmax.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("axis", attribute_integer, byteir_softmax_attributes_t, axis)},
    ATTRIBUTES_END,
};

static bool has_axis(const program_t *program) {
  return byteir_axis_in_range(byteir_softmax_attributes(program)->axis, program->operands[0].rank);
}

static bool permits_axis(const program_t *program, const contract_t *contract) {
  return byteir_permits_axis(contract, byteir_softmax_attributes(program)->axis);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and one result", "operands and results",
                 program_is_unary),
    OP_FORBIDDEN("result", "the result has the shape of the operand", "results: output",
                 program_keeps_shape),
    OP_FORBIDDEN("axis", "axis is a dimension of the operand, counted from the end if negative",
                 "attrs: axis", has_axis),
    OP_UNMODELLED("types",
                  "operand and result are unquantized tensors of f16, bf16, f32 or f64, "
                  "both of the same, or the result of f32 and the operand of f16 or bf16",
                  byteir_has_float_types),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t contract_constraints[] = {
    BYTEIR_SIGN(permits_axis),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static void draw_program(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *inout_program) {
  byteir_softmax_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_softmax_attributes_t, 1);
  dimension_list_t axes;
  const element_t *element = draw_element(rng, byteir_is_float, NULL);
  type_t type = byteir_draw_shape(rng, limits, element, 1, 1, &axes);
  attributes->axis = axes.dims[0];
  inout_program->attributes = attributes;
  inout_program->operand_count = inout_program->result_count = 1;
  inout_program->operands[0] = inout_program->results[0] = type;
  byteir_draw_mixed(rng, inout_program);
}

static const op_t softmax_op, log_softmax_op;

static void draw_softmax(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  *out_program = (program_t){.op = &softmax_op};
  draw_program(rng, limits, arena, out_program);
}

static void draw_log_softmax(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                             program_t *out_program) {
  *out_program = (program_t){.op = &log_softmax_op};
  draw_program(rng, limits, arena, out_program);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* How the numbers of one row are drawn. */
typedef struct row_recipe {
  double shift;    /* Added to all. */
  double spread;   /* Numbers lie within shift +- spread. */
  int order;       /* 0: any; 1: ascending, so that every one is a new maximum; -1: descending. */
  int masked_of_4; /* So many of four numbers are -infinity. */
  bool has_peak;   /* One number is far above the others. */
} row_recipe_t;

/* Thresholds of exp in f32 (88.7 above, -87.3 and -103.3 below) and f16 (11.1, -9.7 and -16.6), and
 * shifts that vanish beside nothing, or beside everything. */
static row_recipe_t draw_recipe(rng_t *rng, const format_t *format) {
  static const double shifts[] = {0,  0,   0,    1,     11.1, -9.7, -16.6, 50,  -50,
                                  88, -88, 88.8, -87.3, -104, 1000, -1000, 1e4, 1e30};
  static const double spreads[] = {0, 1e-3, 1, 4, 10, 20, 100, 1000};
  static const int masks[] = {0, 0, 0, 1, 3, 4};
  double largest = format_to_double(format, format->largest_bits);
  double shift = shifts[rng_below(rng, G_N_ELEMENTS(shifts))];
  if (rng_one_in(rng, 16)) shift = rng_one_in(rng, 2) ? largest : -largest;
  return (row_recipe_t){.shift = CLAMP(shift, -largest, largest),
                        .spread = spreads[rng_below(rng, G_N_ELEMENTS(spreads))],
                        .order = (int)rng_between(rng, -1, 1),
                        .masked_of_4 = masks[rng_below(rng, G_N_ELEMENTS(masks))],
                        .has_peak = rng_one_in(rng, 6)};
}

/* The numbers that a mask leaves, as attention has it: the first ones, where later words are
 * hidden; the last ones, behind padding; or some between.  The others are hidden by -infinity, or
 * by a number so low that exp of it is 0 beside any other. */
typedef struct visible {
  size_t begin, end;
  double hidden;
} visible_t;

/* From a copy of the random numbers, some ahead: what follows is what it would be without. */
static visible_t draw_visible(const rng_t *rng, const format_t *format, size_t count) {
  enum { AHEAD = 7, LONG_ROW = 512 };
  rng_t own = *rng;
  for (int i = 0; i < AHEAD; i++) (void)rng_bits(&own);
  visible_t visible = {.end = count, .hidden = -INFINITY};
  if (count < 2 || !rng_one_in(&own, count < LONG_ROW ? 4 : 2)) return visible;
  uint64_t kind = rng_below(&own, 3);
  if (kind != 0) visible.begin = rng_below(&own, count);
  if (kind != 1) visible.end = visible.begin + 1 + rng_below(&own, count - visible.begin);
  if (rng_one_in(&own, 3)) visible.hidden = -format_to_double(format, format->largest_bits);
  return visible;
}

static double draw_number(rng_t *rng, const row_recipe_t *recipe, size_t term, size_t count) {
  double place = recipe->order == 0 ? (double)rng_below(rng, 1 << 20) * 0x1p-20
                                    : ((double)term + 0.5) / (double)count;
  if (recipe->order < 0) place = 1 - place;
  return recipe->shift + recipe->spread * (2 * place - 1);
}

static void draw_row(rng_t *rng, const tensor_t *tensor, size_t base, const size_t *offsets,
                     size_t count) {
  enum { SHORT_ROW = 200 };
  const element_t *element = tensor->type.element;
  const visible_t visible = draw_visible(rng, element->format, count);
  const row_recipe_t recipe = draw_recipe(rng, element->format);
  size_t peak = count == 0 ? 0 : rng_below(rng, count);
  /* One NaN makes NaN of the row: of long rows most are to have none. */
  size_t special_one_in = MAX(SHORT_ROW, 2 * count);
  for (size_t term = 0; term < count; term++) {
    double value = draw_number(rng, &recipe, term, count);
    if (recipe.has_peak && term == peak) value += (double)rng_below(rng, 200);
    if ((int)rng_below(rng, 4) < recipe.masked_of_4) value = -INFINITY;
    if (term < visible.begin || term >= visible.end) value = visible.hidden;
    uint64_t bits = rng_one_in(rng, special_one_in) ? special_value_any(rng, element)
                                                    : format_from_double(element->format, value);
    element_store(element, tensor->data, base + offsets[term], bits);
  }
}

static void draw_edges(rng_t *rng, case_t *inout_case) {
  const tensor_t *tensor = &inout_case->operands[0];
  dimension_list_t dimension = byteir_softmax_dimension(&inout_case->program);
  dimension_list_t kept = dimension_list_rest(tensor->type.rank, &dimension, NULL);
  arena_t arena;
  arena_init(&arena);
  const size_t *bases = dimension_list_offsets(&kept, &tensor->type, &arena);
  const size_t *offsets = dimension_list_offsets(&dimension, &tensor->type, &arena);
  size_t rows = dimension_list_extent(&kept, &tensor->type);
  size_t terms = dimension_list_extent(&dimension, &tensor->type);
  for (size_t row = 0; row < rows; row++) draw_row(rng, tensor, bases[row], offsets, terms);
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->formulas);
}

static void print_words(const program_t *program, GString *out_text) {
  dimension_list_t dimension = byteir_softmax_dimension(program);
  g_string_append_printf(out_text, "%s of ", program->op->summary);
  type_print(&program->operands[0], out_text);
  g_string_append_printf(out_text, " along dimension %" PRId64, dimension.dims[0]);
}

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  (void)operand;
  dimension_list_t dimension = byteir_softmax_dimension(program);
  return dimension_list_mask(&dimension);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void find_axes(const program_t *program, axes_t *out_axes) {
  byteir_row_axes(&program->operands[0], reduced_dimensions(program, 0), out_axes);
}

/* Nothing is a softmax along no dimension. */
static void with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  byteir_softmax_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_softmax_attributes_t, 1);
  dimension_list_t terms = byteir_row_with_axes(program, inout_axes, out_program);
  attributes->axis = terms.count == 1 ? terms.dims[0] : TYPE_RANK_MAX;
  out_program->attributes = attributes;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const op_t softmax_op = {
    .name = "byteir.softmax",
    .spec = "ByteIR Additional Ops, byteir.softmax",
    .summary = "exponentials divided by their sum",
    .attributes_bytes = sizeof(byteir_softmax_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_softmax,
    .print_algorithm = print_algorithm,
    .formulas = "softmax",
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .counts_zeros = true,
    .draw_edges = draw_edges,
    .turns = OP_TURNS("exp"),
    .axes = find_axes,
    .with_axes = with_axes,
};

static const op_t log_softmax_op = {
    .name = "byteir.log_softmax",
    .spec = "ByteIR Additional Ops, byteir.log_softmax",
    .summary = "logarithms of exponentials divided by their sum",
    .attributes_bytes = sizeof(byteir_softmax_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_log_softmax,
    .print_algorithm = print_algorithm,
    .formulas = "log_softmax",
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .counts_zeros = true,
    .draw_edges = draw_edges,
    .turns = OP_TURNS("exp"),
    .axes = find_axes,
    .with_axes = with_axes,
};

extern const op_t *const byteir_softmax_ops[];
const op_t *const byteir_softmax_ops[] = {&softmax_op, &log_softmax_op, NULL};
