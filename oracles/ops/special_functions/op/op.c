/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the special functions, one table entry each, with the rules that they share. */
#include "harness/kinds/byteir.h"
#include "harness/model/mlir.h"
#include "oracles/ops/special_functions/special_functions.h"

/* The rows are at the end; a program's row tells its function. */
static const op_t rows[SPECIAL_FUNCTION_COUNT];

special_function_t special_function_of(const program_t *program) {
  return (special_function_t)(program->op - rows);
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool takes_type(const program_t *program) {
  const type_t *type = &program->operands[0];
  return type->quantization != NULL || type->element->format != NULL;
}

static bool is_modelled(const program_t *program) {
  return byteir_is_float(program->operands[0].element, NULL);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("arity", "there are one operand and one result", "inputs (I1) and outputs",
                 program_is_unary),
    OP_FORBIDDEN("types", "the operand is of floats or complex numbers, or quantized",
                 "inputs (I1)", takes_type),
    OP_UNMODELLED("quantized", "nothing is quantized", program_is_plain),
    OP_SPECIFIED("C1", "operand and result have one type", program_has_one_type),
    OP_UNMODELLED("numbers", "the element type is f16, bf16, f32 or f64", is_modelled),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static void draw(special_function_t function, rng_t *rng, const draw_limits_t *limits,
                 program_t *out_program) {
  dimension_list_t unused;
  const element_t *element = draw_element(rng, byteir_is_float, NULL);
  type_t type = byteir_draw_shape(rng, limits, element, 0, 0, &unused);
  *out_program = (program_t){.op = &rows[function],
                             .operand_count = 1,
                             .operands = {type},
                             .result_count = 1,
                             .results = {type}};
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->name + strlen("stablehlo."));
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "%s of each element of ", program->op->summary);
  type_print(&program->operands[0], out_text);
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

#define DRAW(function, index)                                                          \
  static void draw_##function(rng_t *rng, const draw_limits_t *limits, arena_t *arena, \
                              program_t *out_program) {                                \
    (void)arena;                                                                       \
    draw(index, rng, limits, out_program);                                             \
  }
DRAW(exponential, SPECIAL_EXPONENTIAL)
DRAW(exponential_minus_one, SPECIAL_EXPONENTIAL_MINUS_ONE)
DRAW(log, SPECIAL_LOG)
DRAW(log_plus_one, SPECIAL_LOG_PLUS_ONE)
DRAW(logistic, SPECIAL_LOGISTIC)
DRAW(tanh, SPECIAL_TANH)
DRAW(rsqrt, SPECIAL_RSQRT)
DRAW(sine, SPECIAL_SINE)
DRAW(cosine, SPECIAL_COSINE)

#define ROW(function, words, ...)                 \
  {.name = "stablehlo." #function,                \
   .spec = "StableHLO specification, " #function, \
   .summary = words,                              \
   .constraints = constraints,                    \
   .draw = draw_##function,                       \
   .print_algorithm = print_algorithm,            \
   .is_composite = true,                          \
   .print_mlir = mlir_print_module,               \
   .print_words = print_words,                    \
   .draw_edges = special_function_draw_edges,     \
   .axes = find_axes,                             \
   .with_axes = with_axes,                        \
   __VA_ARGS__}

static const op_t rows[SPECIAL_FUNCTION_COUNT] = {
    [SPECIAL_EXPONENTIAL] = ROW(exponential, "the exponential", .turns = OP_TURNS("exp")),
    [SPECIAL_EXPONENTIAL_MINUS_ONE] =
        ROW(exponential_minus_one, "the exponential, less 1", .turns = OP_TURNS("expm1")),
    [SPECIAL_LOG] = ROW(log, "the natural logarithm", .turns = OP_TURNS("log")),
    [SPECIAL_LOG_PLUS_ONE] =
        ROW(log_plus_one, "the natural logarithm of 1 more", .turns = OP_TURNS("log1p")),
    [SPECIAL_LOGISTIC] = ROW(logistic, "the logistic function", .formulas = "logistic",
                             .turns = OP_TURNS("logistic")),
    [SPECIAL_TANH] = ROW(tanh, "the hyperbolic tangent", .turns = OP_TURNS("tanh")),
    [SPECIAL_RSQRT] = ROW(rsqrt, "the inverse square root", .turns = OP_TURNS("root")),
    [SPECIAL_SINE] = ROW(sine, "the sine", .turns = OP_TURNS("sine")),
    [SPECIAL_COSINE] = ROW(cosine, "the cosine", .turns = OP_TURNS("sine")),
};

extern const op_t *const special_functions_ops[];
const op_t *const special_functions_ops[] = {
    &rows[SPECIAL_EXPONENTIAL], &rows[SPECIAL_EXPONENTIAL_MINUS_ONE],
    &rows[SPECIAL_LOG],         &rows[SPECIAL_LOG_PLUS_ONE],
    &rows[SPECIAL_LOGISTIC],    &rows[SPECIAL_TANH],
    &rows[SPECIAL_RSQRT],       &rows[SPECIAL_SINE],
    &rows[SPECIAL_COSINE],      NULL};
