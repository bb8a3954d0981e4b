/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops convert, uniform_quantize and uniform_dequantize: constraints, validation, axes
 * and words. The three share drawing, distinguished by the kind of conversion. */

#include "harness/model/mlir.h"
#include "oracles/ops/element_conversion/element_conversion.h"

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool is_float(const type_t *type) {
  return type->quantization == NULL && type->element->kind == ELEMENT_FLOAT;
}

static const element_t *expressed_element(const type_t *type) {
  return type->quantization == NULL ? type->element : type->quantization->expressed;
}

static bool is_unquantized(const program_t *program) {
  return program->operands[0].quantization == NULL && program->results[0].quantization == NULL;
}

static bool quantizes(const program_t *program) {
  const type_t *operand = &program->operands[0];
  return (operand->quantization != NULL || is_float(operand)) &&
         program->results[0].quantization != NULL;
}

static bool dequantizes(const program_t *program) {
  return program->operands[0].quantization != NULL && is_float(&program->results[0]);
}

static bool keeps_expressed_element(const program_t *program) {
  return expressed_element(&program->operands[0]) == expressed_element(&program->results[0]);
}

#define ARITY                                                                              \
  OP_FORBIDDEN("arity", "there are one operand and one result", "inputs (I1) and outputs", \
               program_is_unary)
#define SAME_SHAPE OP_SPECIFIED("C1", "operand and result have the same shape", program_keeps_shape)

static const op_constraint_t convert_constraints[] = {
    ARITY,
    OP_FORBIDDEN("types", "operand and result are unquantized tensors", "inputs (I1) and outputs",
                 is_unquantized),
    SAME_SHAPE,
    OP_CONSTRAINTS_END,
};

static const op_constraint_t quantize_constraints[] = {
    ARITY,
    OP_FORBIDDEN("types",
                 "the operand is a tensor of floats or quantized, and the result is quantized",
                 "inputs (I1) and outputs", quantizes),
    SAME_SHAPE,
    OP_SPECIFIED("C2",
                 "the result's expressed type is the float of the operand, or its expressed type",
                 keeps_expressed_element),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t dequantize_constraints[] = {
    ARITY,
    OP_FORBIDDEN("types",
                 "the operand is quantized, and the result an unquantized tensor of floats",
                 "inputs (I1) and outputs", dequantizes),
    SAME_SHAPE,
    OP_SPECIFIED("C2", "the result's element type is the expressed type of the operand",
                 keeps_expressed_element),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static const op_t convert_op, quantize_op, dequantize_op;

static void draw_convert(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  *out_program = (program_t){.op = &convert_op};
  element_conversion_draw(rng, CONVERSION_CONVERT, limits, arena, out_program);
}

static void draw_quantize(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                          program_t *out_program) {
  *out_program = (program_t){.op = &quantize_op};
  element_conversion_draw(rng, CONVERSION_QUANTIZE, limits, arena, out_program);
}

static void draw_dequantize(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                            program_t *out_program) {
  *out_program = (program_t){.op = &dequantize_op};
  element_conversion_draw(rng, CONVERSION_DEQUANTIZE, limits, arena, out_program);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *kind_word(const type_t *type) {
  static const char *const words[] = {[ELEMENT_BOOLEAN] = "boolean",
                                      [ELEMENT_SIGNED] = "integer",
                                      [ELEMENT_UNSIGNED] = "integer",
                                      [ELEMENT_FLOAT] = "float",
                                      [ELEMENT_COMPLEX] = "complex"};
  return type->quantization != NULL ? "quantized" : words[type->element->kind];
}

/* "float-to-integer": what kinds of numbers meet. */
static void print_algorithm(const program_t *program, GString *out_text) {
  if (!program_is_unary(program)) {
    g_string_append(out_text, "none");
    return;
  }
  g_string_append_printf(out_text, "%s-to-%s", kind_word(&program->operands[0]),
                         kind_word(&program->results[0]));
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "converts each element of ");
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " to ");
  type_print_element(&program->results[0], out_text);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* Each dimension is an axis of its own; convert alone tells, since the scales of a quantized
 * dimension would have to go along with it. */
static void find_axes(const program_t *program, axes_t *out_axes) {
  const type_t *operand = &program->operands[0];
  out_axes->count = out_axes->operands[0].count = operand->rank;
  for (uint32_t i = 0; i < operand->rank; i++) {
    out_axes->items[i] = (axis_t){.role = AXIS_BATCH, .size = operand->dims[i]};
    out_axes->operands[0].axes[i] = i;
  }
  out_axes->results[0] = out_axes->operands[0];
}

static void with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  (void)arena;
  *out_program = *program;
  const axis_list_t *list = &inout_axes->operands[0];
  inout_axes->results[0] = *list;
  int64_t dims[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < list->count; i++) dims[i] = inout_axes->items[list->axes[i]].size;
  out_program->operands[0] = type_make(program->operands[0].element, list->count, dims);
  out_program->results[0] = type_make(program->results[0].element, list->count, dims);
}

/* Of quantized ones scales stay whole. */
static void with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  (void)arena;
  const axis_list_t *list = &inout_axes->operands[0];
  inout_axes->results[0] = *list;
  out_program->operands[0] = axes_type(&program->operands[0], inout_axes, list);
  out_program->results[0] = axes_type(&program->results[0], inout_axes, list);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const convert_policies[] = {"convert_infinity",   "convert_rounding",
                                               "convert_overflow",   "convert_narrowing",
                                               "convert_truncation", NULL};

static const op_t convert_op = {
    .name = "stablehlo.convert",
    .conversion = OP_CONVERTS_NUMBERS,
    .spec = "StableHLO specification, convert",
    .summary = "elements of one type to another",
    .constraints = convert_constraints,
    .draw = draw_convert,
    .print_algorithm = print_algorithm,
    .policies = convert_policies,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .draw_edges = element_conversion_draw_convert_edges,
    .axes = find_axes,
    .with_axes = with_axes,
};

/* What libraries do otherwise than the specification's formula. */
static const char *const quantize_policies[] = {"quantize_zero_point", "quantize", "quantize_ties",
                                                "quantize_quotient", NULL};

static const op_t quantize_op = {
    .name = "stablehlo.uniform_quantize",
    .conversion = OP_CONVERTS_QUANTIZED,
    .spec = "StableHLO specification, uniform_quantize",
    .summary = "floats or quantized elements to quantized ones",
    .constraints = quantize_constraints,
    .draw = draw_quantize,
    .print_algorithm = print_algorithm,
    .formulas = "requantize",
    .policies = quantize_policies,
    .is_composite = true,
    .part_axes = find_axes,
    .with_part_axes = with_part_axes,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .draw_edges = element_conversion_draw_quantize_edges,
};

static const char *const dequantize_policies[] = {"dequantize", NULL};

static const op_t dequantize_op = {
    .name = "stablehlo.uniform_dequantize",
    .spec = "StableHLO specification, uniform_dequantize",
    .summary = "quantized elements to floats",
    .constraints = dequantize_constraints,
    .draw = draw_dequantize,
    .policies = dequantize_policies,
    .print_algorithm = print_algorithm,
    .is_composite = true,
    .part_axes = find_axes,
    .with_part_axes = with_part_axes,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
};

extern const op_t *const element_conversion_ops[];
const op_t *const element_conversion_ops[] = {&convert_op, &quantize_op, &dequantize_op, NULL};
