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

#define INPUT                                                                             \
  "the input is a tensor of floats (quantize), or of the element type of the zero point " \
  "(dequantize)"
#define RESULT                                                                                 \
  "the result has the shape of the input, and the element type of the zero point (quantize), " \
  "or is of floats (dequantize)"
#define FLOATS                                                                           \
  "the scale is of f16, bf16, f32 or f64, and so is the input (quantize) or the result " \
  "(dequantize), of the same"

static bool is_float_tensor(const type_t *type) {
  return type->quantization == NULL && type->element->kind == ELEMENT_FLOAT;
}

static bool is_unquantized(const type_t *type, const element_t *element) {
  return type->quantization == NULL && type->element == element;
}

static bool has_counts(const program_t *program) {
  return program->operand_count == QUANTIZE_OPERANDS && program->result_count == 1;
}

static bool has_parameter_types(const program_t *program) {
  const type_t *zero_point = &program->operands[QUANTIZE_ZERO_POINT];
  return is_float_tensor(&program->operands[QUANTIZE_SCALE]) && zero_point->quantization == NULL &&
         byteir_quantize_is_storage(zero_point->element, NULL);
}

static bool is_of_zero_point(const program_t *program, const type_t *type) {
  return is_unquantized(type, program->operands[QUANTIZE_ZERO_POINT].element);
}

static bool quantizes_floats(const program_t *program) {
  return is_float_tensor(&program->operands[QUANTIZE_INPUT]);
}

static bool gives_integers(const program_t *program) {
  return is_of_zero_point(program, &program->results[0]) && program_keeps_shape(program);
}

/* A wrong input is told of before a wrong shape. */
static bool gives_floats(const program_t *program) {
  bool is_asked = is_of_zero_point(program, &program->operands[QUANTIZE_INPUT]);
  return is_float_tensor(&program->results[0]) && (!is_asked || program_keeps_shape(program));
}

static bool dequantizes_integers(const program_t *program) {
  return is_of_zero_point(program, &program->operands[QUANTIZE_INPUT]);
}

static bool has_parameter_shape(const program_t *program) {
  const type_t *scale = &program->operands[QUANTIZE_SCALE];
  return scale->rank <= 1 && type_shapes_equal(scale, &program->operands[QUANTIZE_ZERO_POINT]);
}

static bool has_axis(const program_t *program) {
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  if (axis->is_present != (program->operands[QUANTIZE_SCALE].rank == 1)) return false;
  return !axis->is_present ||
         byteir_axis_in_range(axis->value, program->operands[QUANTIZE_INPUT].rank);
}

static bool has_channels(const program_t *program) {
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  return !axis->is_present || program->operands[QUANTIZE_SCALE].dims[0] ==
                                  input->dims[byteir_axis(axis->value, input->rank)];
}

static bool is_modelled(const program_t *program, const type_t *floats) {
  const element_t *scale = program->operands[QUANTIZE_SCALE].element;
  return byteir_is_float(scale, NULL) && floats->element == scale;
}

static bool is_quantize_modelled(const program_t *program) {
  return is_modelled(program, &program->operands[QUANTIZE_INPUT]);
}

static bool is_dequantize_modelled(const program_t *program) {
  return is_modelled(program, &program->results[0]);
}

#define PARAMETERS                                                                                \
  OP_FORBIDDEN("count", "there are three operands and one result", "operands and results",        \
               has_counts),                                                                       \
      OP_FORBIDDEN("types",                                                                       \
                   "the scale is a tensor of floats, the zero point one of i8, i16, ui8 or ui16", \
                   "operands: scale, zero_point", has_parameter_types)

#define CHANNELS                                                                               \
  OP_FORBIDDEN("parameters", "scale and zero point have one shape, of rank 0 or 1",            \
               "operands: scale, zero_point", has_parameter_shape),                            \
      OP_FORBIDDEN(                                                                            \
          "axis",                                                                              \
          "axis is given if and only if the scale has rank 1, and is then a dimension of the " \
          "input, counted from the end if negative",                                           \
          "attrs: axis", has_axis),                                                            \
      OP_FORBIDDEN("channels",                                                                 \
                   "a scale of rank 1 has as many elements as dimension axis of the input",    \
                   "operands: scale", has_channels)

static const op_constraint_t quantize_constraints[] = {
    PARAMETERS,
    OP_FORBIDDEN("input", INPUT, "operands: input", quantizes_floats),
    OP_FORBIDDEN("result", RESULT, "results: output", gives_integers),
    CHANNELS,
    OP_UNMODELLED("floats", FLOATS, is_quantize_modelled),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t dequantize_constraints[] = {
    PARAMETERS,
    OP_FORBIDDEN("result", RESULT, "results: output", gives_floats),
    OP_FORBIDDEN("input", INPUT, "operands: input", dequantizes_integers),
    CHANNELS,
    OP_UNMODELLED("floats", FLOATS, is_dequantize_modelled),
    OP_CONSTRAINTS_END,
};

static bool permits_storage(const program_t *program, const contract_t *contract) {
  const element_t *storage = program->operands[QUANTIZE_ZERO_POINT].element;
  bool is_i8 = storage->kind == ELEMENT_SIGNED && storage->bits == 8;
  return PERMITTED(contract, byteir) != BYTEIR_SEED || is_i8;
}

static bool permits_axis(const program_t *program, const contract_t *contract) {
  return byteir_permits_axis(contract, byteir_quantize_attributes(program)->axis.value);
}

/* The seed document has Int8Tensor alone, today's one has four types. */
static const op_constraint_t contract_constraints[] = {
    OP_FORBIDDEN_BY_UNDER("storage",
                          "the zero point is of i8 (the document that introduced ByteIR's ops)",
                          "operands: zero_point", BYTEIR_DOCUMENT_SEED, permits_storage),
    OP_FORBIDDEN_BY_UNDER("sign", "axis is not negative (ByteIR's document of today)",
                          "axis attribute must be positive", BYTEIR_DOCUMENT_TODAY, permits_axis),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The parameters run along the channels, which stay whole. */
static void set_parameter_axes(axes_t *inout_axes, bool are_channels) {
  const axis_list_t *input = &inout_axes->operands[QUANTIZE_INPUT];
  axis_list_t channels = {.count = 0};
  for (uint32_t dim = 0; dim < input->count && are_channels; dim++) {
    if (inout_axes->items[input->axes[dim]].role != AXIS_TERM) continue;
    channels.axes[channels.count++] = input->axes[dim];
  }
  inout_axes->operands[QUANTIZE_SCALE] = inout_axes->operands[QUANTIZE_ZERO_POINT] = channels;
}

static void part_axes(const program_t *program, axes_t *out_axes) {
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  uint32_t channels = 0;
  if (axis->is_present) channels = 1u << byteir_axis(axis->value, input->rank);
  byteir_row_axes(input, channels, out_axes);
  set_parameter_axes(out_axes, axis->is_present);
}

static void with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  byteir_quantize_attributes_t *attributes =
      ARENA_NEW_ARRAY(arena, byteir_quantize_attributes_t, 1);
  *attributes = *byteir_quantize_attributes(program);
  const dimension_list_t channels = byteir_row_with_axes(program, inout_axes, out_program);
  if (attributes->axis.is_present) attributes->axis.value = channels.dims[0];
  out_program->attributes = attributes;
  set_parameter_axes(inout_axes, attributes->axis.is_present);
}

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
    .constraints = quantize_constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_quantize,
    .print_algorithm = print_algorithm,
    .formulas = "quantize",
    .policies = quantize_policies,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = byteir_quantize_draw_edges,
    .part_axes = part_axes,
    .with_part_axes = with_part_axes,
};

static const op_t dequantize_op = {
    .name = "byteir.dequantize",
    .spec = "ByteIR Additional Ops, byteir.dequantize",
    .summary = "integers to floats: differences from zero points, scaled",
    .attributes_bytes = sizeof(byteir_quantize_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = dequantize_constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_dequantize,
    .print_algorithm = print_algorithm,
    .formulas = "dequantize",
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = byteir_dequantize_draw_edges,
    .part_axes = part_axes,
    .with_part_axes = with_part_axes,
};

extern const op_t *const byteir_quantize_ops[];
const op_t *const byteir_quantize_ops[] = {&quantize_op, &dequantize_op, NULL};
