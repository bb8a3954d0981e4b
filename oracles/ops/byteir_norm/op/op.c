/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops byteir.layer_norm and byteir.l2_norm: attributes, constraints and their
 * validation, random programs, and text. No numerics. */
#include <inttypes.h>

#include "oracles/ops/byteir_norm/byteir_norm.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("epsilon", attribute_number, byteir_norm_attributes_t, epsilon)},
    {ATTRIBUTE("axis", attribute_list, byteir_norm_attributes_t, axis)},
    {ATTRIBUTE("eps_outside_sqrt", attribute_optional_boolean, byteir_norm_attributes_t,
               eps_outside_sqrt)},
    ATTRIBUTES_END,
};

/* ---- Constraints ----------------------------------------------------------------------------- */

#define AXIS                                                                                 \
  "every axis is a dimension of the operand, counted from the end if negative, and none is " \
  "named twice"

type_t byteir_norm_weight_type(const type_t *operand, const dimension_list_t *dimensions) {
  type_t type = type_make(operand->element, dimensions->count, dimensions->dims);
  for (uint32_t i = 0; i < dimensions->count; i++) {
    type.dims[i] = operand->dims[dimensions->dims[i]];
  }
  return type;
}

type_t byteir_norm_moment_type(const type_t *operand, const dimension_list_t *dimensions) {
  type_t type = *operand;
  for (uint32_t i = 0; i < dimensions->count; i++) type.dims[dimensions->dims[i]] = 1;
  return type;
}

static bool has_axes(const program_t *program) {
  return byteir_axes_are_valid(&byteir_norm_attributes(program)->axis, program->operands[0].rank);
}

static bool has_layer_norm_counts(const program_t *program) {
  return program->operand_count == 3 && (program->result_count == 1 || program->result_count == 3);
}

static bool has_weights(const program_t *program) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  type_t weight = byteir_norm_weight_type(&program->operands[LAYER_NORM_INPUT], &dimensions);
  return type_shapes_equal(&program->operands[LAYER_NORM_WEIGHT], &weight) &&
         type_shapes_equal(&program->operands[LAYER_NORM_BIAS], &weight);
}

static bool has_moments(const program_t *program) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  type_t moment = byteir_norm_moment_type(&program->operands[LAYER_NORM_INPUT], &dimensions);
  for (uint32_t i = LAYER_NORM_MEAN; i < program->result_count; i++) {
    if (!type_shapes_equal(&program->results[i], &moment)) return false;
  }
  return true;
}

static bool permits_axes(const program_t *program, const contract_t *contract) {
  return byteir_permits_axes(contract, &byteir_norm_attributes(program)->axis);
}

static const op_constraint_t layer_norm_constraints[] = {
    OP_FORBIDDEN("count", "there are three operands, and one result or three",
                 "operands and results", has_layer_norm_counts),
    OP_FORBIDDEN("axis", AXIS, "attrs: axis", has_axes),
    OP_FORBIDDEN("weight", "weight and bias have the operand's dimensions named by axis, ascending",
                 "operands: weight, bias", has_weights),
    OP_FORBIDDEN("result", "the first result has the shape of the operand", "results: output",
                 program_keeps_shape),
    OP_FORBIDDEN("moments",
                 "mean and inv_std_dev have that shape with size 1 in the dimensions named by axis",
                 "results: mean, inv_std_dev", has_moments),
    OP_UNMODELLED("types",
                  "all are unquantized tensors of f16, bf16, f32 or f64, of the same; or the input "
                  "is of f16 or bf16 and others are of f32",
                  byteir_has_float_types),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t l2_norm_constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and one result", "operands and results",
                 program_is_unary),
    OP_FORBIDDEN("axis", AXIS, "attrs: axis", has_axes),
    OP_FORBIDDEN("result", "the result has the shape of the operand", "results: output",
                 program_keeps_shape),
    OP_UNMODELLED("types",
                  "operand and result are unquantized tensors of f16, bf16, f32 or f64, "
                  "both of the same, or the result of f32 and the operand of f16 or bf16",
                  byteir_has_float_types),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t contract_constraints[] = {
    BYTEIR_SIGN(permits_axes),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Mostly one that matters beside no variance, and some that outweigh any; 2^-1074 is the smallest
 * number of all. */
static double draw_epsilon(rng_t *rng) {
  static const double epsilons[] = {0,   0,    1e-12,    1e-12,     1e-5, 1e-5,
                                    0.5, 1000, 0x1p-140, 0x1p-1074, 1e-3, 9.9999997473787516e-06};
  return epsilons[rng_below(rng, G_N_ELEMENTS(epsilons))];
}

static void draw_input(rng_t *rng, const draw_limits_t *limits, uint32_t axis_count, arena_t *arena,
                       program_t *inout_program) {
  byteir_norm_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_norm_attributes_t, 1);
  const element_t *element = draw_element(rng, byteir_is_float, NULL);
  type_t type = byteir_draw_shape(rng, limits, element, axis_count, axis_count, &attributes->axis);
  attributes->epsilon = draw_epsilon(rng);
  attributes->eps_outside_sqrt = (optional_boolean_t)rng_below(rng, 3);
  inout_program->attributes = attributes;
  inout_program->operand_count = inout_program->result_count = 1;
  inout_program->operands[0] = inout_program->results[0] = type;
}

static const op_t layer_norm_op, l2_norm_op;

/* Any axes, mostly one. */
static uint32_t draw_axis_count(rng_t *rng) { return rng_one_in(rng, 3) ? 0 : 1; }

static void draw_layer_norm(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                            program_t *out_program) {
  *out_program = (program_t){.op = &layer_norm_op};
  draw_input(rng, limits, draw_axis_count(rng), arena, out_program);
  const type_t *input = &out_program->operands[LAYER_NORM_INPUT];
  dimension_list_t dimensions = byteir_norm_dimensions(out_program);
  type_t weight = byteir_norm_weight_type(input, &dimensions);
  out_program->operand_count = 3;
  out_program->operands[LAYER_NORM_WEIGHT] = out_program->operands[LAYER_NORM_BIAS] = weight;
  if (!rng_one_in(rng, 2)) {
    type_t moment = byteir_norm_moment_type(input, &dimensions);
    out_program->result_count = 3;
    out_program->results[LAYER_NORM_MEAN] = moment;
    out_program->results[LAYER_NORM_INVERSE_DEVIATION] = moment;
  }
  byteir_draw_mixed(rng, out_program);
}

static void draw_l2_norm(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  *out_program = (program_t){.op = &l2_norm_op};
  draw_input(rng, limits, draw_axis_count(rng), arena, out_program);
  byteir_draw_mixed(rng, out_program);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->formulas);
  if (byteir_norm_eps_outside_sqrt(program)) g_string_append(out_text, "_eps_outside");
}

static void print_words(const program_t *program, GString *out_text) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  g_string_append_printf(out_text, "%s of ", program->op->summary);
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " along dimensions ");
  dimension_list_print(&dimensions, out_text);
  g_string_append_printf(out_text, " with epsilon %g %s the root",
                         byteir_norm_attributes(program)->epsilon,
                         byteir_norm_eps_outside_sqrt(program) ? "outside" : "inside");
}

/* Of weight and bias no dimension: their elements are not combined with one another. */
static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  dimension_list_t dimensions = byteir_norm_dimensions(program);
  return operand == 0 ? dimension_list_mask(&dimensions) : 0;
}

/* ---- Readings -------------------------------------------------------------------------------- */

/* Epsilon is added outside the root in the Annotated Transformer's norm, which is of a sample; it
 * bounds the deviation in tf.image.per_image_standardization, the norm in PyTorch's normalize, and
 * is added to the sum of squares in Core ML's L2 normalization. */
static const char *const layer_norm_readings[] = {
    "eps_outside_sqrt=true",
    "eps_outside_sqrt=false",
    "norm_epsilon=larger",
    "norm_epsilon=larger-outside",
    "norm_variance=sample",
    "normalized=rounded",
    "epsilon=0",
    "epsilon=1e-12",
    "epsilon=1e-8",
    "epsilon=1e-6",
    "epsilon=1e-5",
    "epsilon=1e-3",
    "eps_outside_sqrt=true,norm_variance=sample",
    "eps_outside_sqrt=false,norm_variance=sample",
    "norm_epsilon=larger,norm_variance=sample",
    "norm_epsilon=larger-outside,norm_variance=sample",
    NULL,
};

static const char *const l2_norm_readings[] = {
    "eps_outside_sqrt=true",
    "eps_outside_sqrt=false",
    "norm_epsilon=added",
    "norm_epsilon=added-outside",
    "epsilon=0",
    "epsilon=1e-12",
    "epsilon=1e-8",
    "epsilon=1e-6",
    "epsilon=1e-5",
    "epsilon=1e-3",
    NULL,
};

/* ---- The rows -------------------------------------------------------------------------------- */

static const op_t layer_norm_op = {
    .name = "byteir.layer_norm",
    .spec = "ByteIR Additional Ops, byteir.layer_norm",
    .summary = "deviations from the mean divided by the standard deviation, scaled and shifted",
    .attributes_bytes = sizeof(byteir_norm_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = layer_norm_constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_layer_norm,
    .print_algorithm = print_algorithm,
    .formulas = "layer_norm",
    .readings = layer_norm_readings,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = byteir_layer_norm_draw_edges,
    .turns = OP_TURNS("square"),
    .axes = byteir_norm_axes,
    .with_axes = byteir_norm_with_axes,
};

static const op_t l2_norm_op = {
    .name = "byteir.l2_norm",
    .spec = "ByteIR Additional Ops, byteir.l2_norm",
    .summary = "numbers divided by the root of the sum of their squares",
    .attributes_bytes = sizeof(byteir_norm_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = l2_norm_constraints,
    .contract_constraints = contract_constraints,
    .draw = draw_l2_norm,
    .print_algorithm = print_algorithm,
    .formulas = "l2_norm",
    .readings = l2_norm_readings,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = byteir_l2_norm_draw_edges,
    .turns = OP_TURNS("square"),
    .axes = byteir_norm_axes,
    .with_axes = byteir_norm_with_axes,
};

extern const op_t *const byteir_norm_ops[];
const op_t *const byteir_norm_ops[] = {&layer_norm_op, &l2_norm_op, NULL};
