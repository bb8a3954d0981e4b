/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op convolution: its description in words and the tables of constraints. The parts
 * with more logic are separate. */
#include <inttypes.h>

#include "harness/model/mlir.h"
#include "oracles/ops/convolution/op/op.h"

/* ---- Words ----------------------------------------------------------------------------------- */

static void print_algorithm(const program_t *program, GString *out_text) {
  precision_list_print_label(&convolution_attributes(program)->precision, out_text);
}

static void print_sizes(const type_t *type, const dimension_list_t *dims, GString *out_text) {
  for (uint32_t i = 0; i < dims->count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : "x", type->dims[dims->dims[i]]);
  }
  if (dims->count == 0) g_string_append(out_text, "no spatial dimensions");
}

static void print_words(const program_t *program, GString *out_text) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  g_string_append(out_text, "slides windows of ");
  print_sizes(rhs, &attributes->kernel.spatial, out_text);
  g_string_append(out_text, " over ");
  print_sizes(lhs, &attributes->input.spatial, out_text);
  g_string_append_printf(out_text,
                         ", from %" PRId64 " features to %" PRId64 ", for a batch of %" PRId64,
                         lhs->dims[attributes->input.feature], rhs->dims[attributes->kernel.batch],
                         lhs->dims[attributes->input.batch]);
  if (attributes->feature_group_count > 1) {
    g_string_append_printf(out_text, ", in %" PRId64 " groups of features",
                           attributes->feature_group_count);
  }
  if (attributes->batch_group_count > 1) {
    g_string_append_printf(out_text, ", in %" PRId64 " groups of the batch",
                           attributes->batch_group_count);
  }
  g_string_append(out_text, ", in ");
  type_print_element(lhs, out_text);
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const convolution_numbers_t *numbers =
      operand == CONVOLUTION_LHS ? &attributes->input : &attributes->kernel;
  return dimension_list_mask(&numbers->spatial) | 1u << numbers->feature;
}

/* ---- The row --------------------------------------------------------------------------------- */

static const op_constraint_t constraints[] = {
    OP_SPECIFIED("C1", "lhs and rhs have the same rank N"),
    OP_SPECIFIED("C2", "window_strides has N - 2 entries"),
    OP_SPECIFIED("C3", "each entry of window_strides is positive"),
    OP_SPECIFIED("C4", "padding has N - 2 rows of 2 entries"),
    OP_SPECIFIED("C5", "lhs_dilation has N - 2 entries"),
    OP_SPECIFIED("C6", "each entry of lhs_dilation is positive"),
    OP_SPECIFIED("C7", "rhs_dilation has N - 2 entries"),
    OP_SPECIFIED("C8", "each entry of rhs_dilation is positive"),
    OP_SPECIFIED("C9", "window_reversal has N - 2 entries"),
    OP_SPECIFIED("C10", "batch_group_count divides the batch of lhs"),
    OP_SPECIFIED("C11", "feature_group_count divides the features of lhs"),
    OP_SPECIFIED("C12", "lhs has N - 2 spatial dimensions"),
    OP_SPECIFIED("C13",
                 "batch, feature and spatial dimensions of lhs are unique, at least 0 and below N"),
    OP_SPECIFIED("C14",
                 "the input features of rhs are those of lhs divided by feature_group_count"),
    OP_SPECIFIED("C15", "batch_group_count divides the output features of rhs"),
    OP_SPECIFIED("C16", "feature_group_count divides the output features of rhs"),
    OP_SPECIFIED("C17", "rhs has N - 2 spatial dimensions"),
    OP_SPECIFIED("C18", "feature and spatial dimensions of rhs are unique, at least 0 and below N"),
    OP_SPECIFIED("C19", "the result has N - 2 spatial dimensions"),
    OP_SPECIFIED(
        "C20",
        "batch, feature and spatial dimensions of the result are unique, at least 0 and below N"),
    OP_SPECIFIED("C21", "feature_group_count is positive"),
    OP_SPECIFIED("C22", "batch_group_count is positive"),
    OP_SPECIFIED("C23", "feature_group_count or batch_group_count is 1"),
    OP_SPECIFIED("C24", "precision_config, if there is one, has two entries"),
    OP_SPECIFIED(
        "C25",
        "the result has the batch of lhs divided by batch_group_count, the output features of rhs, "
        "and in each spatial dimension as many elements as there are windows"),
    OP_SPECIFIED("C26", "the result has rank N"),
    OP_SPECIFIED("C27", "without quantized tensors, both operands have one element type"),
    OP_SPECIFIED("C28", "else rhs is quantized, and the result is if lhs is"),
    OP_SPECIFIED("C29", "an rhs quantized per axis is so along its output features"),
    OP_SPECIFIED("C30", "a result quantized per axis is so along its features"),
    OP_SPECIFIED("C31", "a quantized lhs has the storage type of rhs"),
    OP_SPECIFIED("C32", "a quantized lhs, rhs and result have one expressed type"),
    OP_SPECIFIED("C33", "with a quantized lhs, if rhs is quantized per tensor, so is the result"),
    OP_SPECIFIED("C34",
                 "an lhs that is not quantized and the result have the expressed type of rhs"),
    OP_FORBIDDEN("arity", "there are two operands and one result", "inputs (I1), (I2) and outputs"),
    OP_FORBIDDEN("types", "lhs is a tensor, or one quantized per tensor", "inputs (I1)"),
    OP_UNMODELLED("promotion", "operands can be promoted to the element type of the result"),
    OP_CONSTRAINTS_END,
};

static const op_constraint_t contract_constraints[] = {
    OP_SPECIFIED("C27",
                 "without quantized tensors, all three have one element type "
                 "(convolution_types=spec)"),
    OP_CONSTRAINTS_END,
};

/* Implementations that leave padding out of products. */
static const char *const policies[] = {"convolution_padding", "convolution_types", NULL};

const op_t convolution_op = {
    .name = "stablehlo.convolution",
    .spec = "StableHLO specification, convolution",
    .summary = "sums products of a kernel and the windows of a tensor",
    .attributes_bytes = sizeof(convolution_attributes_t),
    .attribute_rows = convolution_attribute_rows,
    .constraints = constraints,
    .contract_constraints = contract_constraints,
    .draw = convolution_draw,
    .validate = convolution_validate,
    .validate_under = convolution_validate_under,
    .print_algorithm = print_algorithm,
    .formulas = "quantized",
    .policies = policies,
    .print_mlir = mlir_print_module,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = convolution_draw_edges,
};

extern const op_t *const convolution_ops[];
const op_t *const convolution_ops[] = {&convolution_op, NULL};
