/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops byteir.quantize and byteir.dequantize: attributes, constraints and their
 * validation, random programs, text. Storage types that documents disagree on depend on the
 * contract. */
#include <inttypes.h>

#include "oracles/ops/byteir_quantize/byteir_quantize.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("axis", attribute_optional_integer, byteir_quantize_attributes_t, axis)},
    ATTRIBUTES_END,
};

/* ---- Constraints ----------------------------------------------------------------------------- */

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are three operands and one result", "operands and results"),
    OP_FORBIDDEN("types",
                 "the scale is a tensor of floats, the zero point one of i8, i16, ui8 or ui16",
                 "operands: scale, zero_point"),
    OP_FORBIDDEN("input",
                 "the input is a tensor of floats (quantize), or of the element type of the zero "
                 "point (dequantize)",
                 "operands: input"),
    OP_FORBIDDEN("result",
                 "the result has the shape of the input, and the element type of the zero point "
                 "(quantize), or is of floats (dequantize)",
                 "results: output"),
    OP_FORBIDDEN("parameters", "scale and zero point have one shape, of rank 0 or 1",
                 "operands: scale, zero_point"),
    OP_FORBIDDEN(
        "axis",
        "axis is given if and only if the scale has rank 1, and is then a dimension of the "
        "input, counted from the end if negative",
        "attrs: axis"),
    OP_FORBIDDEN("channels",
                 "a scale of rank 1 has as many elements as dimension axis of the input",
                 "operands: scale"),
    OP_UNMODELLED("floats",
                  "the scale is of f16, bf16, f32 or f64, and so is the input (quantize) or the "
                  "result (dequantize), of the same"),
    OP_CONSTRAINTS_END,
};

/* The seed document has Int8Tensor alone, today's one has four types. */
static const op_constraint_t contract_constraints[] = {
    OP_FORBIDDEN_BY("storage",
                    "the zero point is of i8 (the document that introduced ByteIR's ops)",
                    "operands: zero_point", BYTEIR_DOCUMENT_SEED),
    OP_FORBIDDEN_BY("sign", "axis is not negative (ByteIR's document of today)",
                    "axis attribute must be positive", BYTEIR_DOCUMENT_TODAY),
    OP_CONSTRAINTS_END,
};

static bool is_float_tensor(const type_t *type) {
  return type->quantization == NULL && type->element->kind == ELEMENT_FLOAT;
}

static bool is_unquantized(const type_t *type, const element_t *element) {
  return type->quantization == NULL && type->element == element;
}

static const char *validate_axis(const program_t *program) {
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  const type_t *scale = &program->operands[QUANTIZE_SCALE];
  if (axis->is_present != (scale->rank == 1)) return "axis";
  if (!axis->is_present) return NULL;
  if (!byteir_axis_in_range(axis->value, input->rank)) return "axis";
  bool fits = scale->dims[0] == input->dims[byteir_axis(axis->value, input->rank)];
  return fits ? NULL : "channels";
}

/* What both ops have; the integers are the result of one and the input of the other. */
static const char *validate_types(const program_t *program, const type_t *floats,
                                  const char *floats_id, const type_t *integers,
                                  const char *integers_id) {
  const type_t *scale = &program->operands[QUANTIZE_SCALE];
  const type_t *zero_point = &program->operands[QUANTIZE_ZERO_POINT];
  bool is_known = is_float_tensor(scale) && zero_point->quantization == NULL &&
                  byteir_quantize_is_storage(zero_point->element, NULL);
  if (!is_known) return "types";
  if (!is_float_tensor(floats)) return floats_id;
  if (!is_unquantized(integers, zero_point->element)) return integers_id;
  if (!type_shapes_equal(floats, integers)) return "result";
  if (scale->rank > 1 || !type_shapes_equal(scale, zero_point)) return "parameters";
  const char *violation = validate_axis(program);
  if (violation != NULL) return violation;
  bool is_modelled = byteir_is_float(scale->element, NULL) && floats->element == scale->element;
  return is_modelled ? NULL : "floats";
}

static bool has_counts(const program_t *program) {
  return program->operand_count == QUANTIZE_OPERANDS && program->result_count == 1;
}

static const char *validate_quantize(const program_t *program) {
  if (!has_counts(program)) return "count";
  return validate_types(program, &program->operands[QUANTIZE_INPUT], "input", &program->results[0],
                        "result");
}

static const char *validate_dequantize(const program_t *program) {
  if (!has_counts(program)) return "count";
  return validate_types(program, &program->results[0], "result", &program->operands[QUANTIZE_INPUT],
                        "input");
}

static const char *validate_under(const program_t *program, const contract_t *contract) {
  const element_t *storage = program->operands[QUANTIZE_ZERO_POINT].element;
  bool is_i8 = storage->kind == ELEMENT_SIGNED && storage->bits == 8;
  if (PERMITTED(contract, byteir) == BYTEIR_SEED && !is_i8) return "storage";
  return byteir_check_axis_sign(contract, byteir_quantize_attributes(program)->axis.value);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static const op_t quantize_op, dequantize_op;

static void draw_quantize(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                          program_t *out_program) {
  *out_program = (program_t){.op = &quantize_op};
  byteir_quantize_draw_program(rng, limits, arena, out_program);
}

/* A quantize with input and result exchanged. */
static void draw_dequantize(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                            program_t *out_program) {
  *out_program = (program_t){.op = &dequantize_op};
  byteir_quantize_draw_program(rng, limits, arena, out_program);
  type_t floats = out_program->operands[QUANTIZE_INPUT];
  out_program->operands[QUANTIZE_INPUT] = out_program->results[0];
  out_program->results[0] = floats;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static bool is_per_channel(const program_t *program) {
  return byteir_quantize_attributes(program)->axis.is_present;
}

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, is_per_channel(program) ? "per-channel" : "per-tensor");
}

static void print_parameters(const program_t *program, GString *out_text) {
  if (!is_per_channel(program)) {
    g_string_append(out_text, ", by one scale and zero point for all");
    return;
  }
  byteir_quantize_channels_t channels = byteir_quantize_channels(program);
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  int64_t dim = byteir_axis(byteir_quantize_attributes(program)->axis.value, input->rank);
  g_string_append_printf(out_text, ", by %zu scales and zero points along dimension %" PRId64,
                         channels.count, dim);
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "%ss ", program->op->formulas);
  type_print(&program->operands[QUANTIZE_INPUT], out_text);
  g_string_append_printf(out_text, " to %s", program->results[0].element->name);
  print_parameters(program, out_text);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const quantize_policies[] = {"quantize_ties", "quantize_nan", NULL};

static const op_t quantize_op = {
    .name = "byteir.quantize",
    .spec = "ByteIR Additional Ops, byteir.quantize",
    .summary = "floats to integers: quotients rounded, plus zero points, clamped",
    .attributes_bytes = sizeof(byteir_quantize_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_quantize,
    .validate = validate_quantize,
    .validate_under = validate_under,
    .print_algorithm = print_algorithm,
    .formulas = "quantize",
    .policies = quantize_policies,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = byteir_quantize_draw_edges,
};

static const op_t dequantize_op = {
    .name = "byteir.dequantize",
    .spec = "ByteIR Additional Ops, byteir.dequantize",
    .summary = "integers to floats: differences from zero points, scaled",
    .attributes_bytes = sizeof(byteir_quantize_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_dequantize,
    .validate = validate_dequantize,
    .validate_under = validate_under,
    .print_algorithm = print_algorithm,
    .formulas = "dequantize",
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = byteir_dequantize_draw_edges,
};

extern const op_t *const byteir_quantize_ops[];
const op_t *const byteir_quantize_ops[] = {&quantize_op, &dequantize_op, NULL};
