/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op convolution: its description in words and the tables of constraints. The parts
 * with more logic are separate. */
#include <inttypes.h>

#include "harness/kinds/converted.h"
#include "harness/model/mlir.h"
#include "oracles/ops/convolution/op/op.h"

/* ---- Words ----------------------------------------------------------------------------------- */

static void print_algorithm(const program_t *program, GString *out_text) {
  const element_t *accumulation = convolution_attributes(program)->accumulation;
  if (accumulation != NULL) {
    g_string_append_printf(out_text, "accumulation=%s", accumulation->name);
    return;
  }
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

/* Implementations that leave padding out of products, and that rescale integers in fixed point. */
static const char *const policies[] = {"convolution_padding", "convolution_types", "rescale", NULL};

static bool splits_operands(const program_t *program) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  return attributes->accumulation != NULL ||
         (attributes->precision.is_present && precision_concerns(program));
}

const op_t convolution_op = {
    .name = "stablehlo.convolution",
    .spec = "StableHLO specification, convolution",
    .summary = "sums products of a kernel and the windows of a tensor",
    .attributes_bytes = sizeof(convolution_attributes_t),
    .attribute_rows = convolution_attribute_rows,
    .constraints = convolution_constraints,
    .contract_constraints = convolution_contract_constraints,
    .draw = convolution_draw,
    .print_algorithm = print_algorithm,
    .formulas = "quantized",
    .policies = policies,
    .print_mlir = mlir_print_module,
    .print_mlir_to_run = converted_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .splits_operands = splits_operands,
    .draw_edges = convolution_draw_edges,
    .part_axes = convolution_part_axes,
    .with_part_axes = convolution_with_part_axes,
};

extern const op_t *const convolution_ops[];
const op_t *const convolution_ops[] = {&convolution_op, NULL};
