/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op convolution: its description in words, its MLIR with dimension numbers in both
 * spellings, its axes, and the tables of constraints. The parts with more logic are separate. */
#include <inttypes.h>

#include "harness/model/mlir.h"
#include "oracles/ops/convolution/op/op.h"

static const convolution_letters_t tensor_letters = {.batch = 'b', .feature = 'f'};
static const convolution_letters_t kernel_letters = {.batch = 'o', .feature = 'i'};

/* ---- Words ----------------------------------------------------------------------------------- */

static void print_algorithm(const program_t *program, GString *out_text) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  if (!attributes->has_precision) {
    g_string_append(out_text, "default");
    return;
  }
  g_string_append(out_text, "precision=");
  bool are_equal =
      attributes->precision_count == 2 && attributes->precisions[0] == attributes->precisions[1];
  convolution_attributes_t one = *attributes;
  if (are_equal) one.precision_count = 1;
  convolution_print_precisions(&one, "", "", ",", out_text);
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

/* ---- MLIR ------------------------------------------------------------------------------------ */

static void print_mlir_integers(const char *key, const dimension_list_t *list, GString *out_text) {
  g_string_append_printf(out_text, "%s = array<i64", key);
  for (uint32_t i = 0; i < list->count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? ": " : ", ", list->dims[i]);
  }
  g_string_append(out_text, ">, ");
}

static void print_mlir_padding(const convolution_attributes_t *attributes, GString *out_text) {
  g_string_append(out_text, "padding = dense<");
  for (uint32_t i = 0; i < attributes->padding_count; i++) {
    g_string_append_printf(out_text, "%s[%" PRId64 ", %" PRId64 "]", i == 0 ? "[" : ", ",
                           attributes->padding[i].low, attributes->padding[i].high);
  }
  g_string_append_printf(out_text, "%s> : tensor<%ux2xi64>, ",
                         attributes->padding_count == 0 ? "" : "]", attributes->padding_count);
}

static void print_mlir_reversal(const convolution_attributes_t *attributes, GString *out_text) {
  g_string_append(out_text, "window_reversal = array<i1");
  for (uint32_t i = 0; i < attributes->reversal_count; i++) {
    g_string_append_printf(out_text, "%s%s", i == 0 ? ": " : ", ",
                           attributes->window_reversal[i] ? "true" : "false");
  }
  g_string_append(out_text, ">, ");
}

static void print_raw_spatial(const char *name, const dimension_list_t *dims, const char *end,
                              GString *out_text) {
  g_string_append_printf(out_text, "%s_spatial_dimensions = [", name);
  for (uint32_t i = 0; i < dims->count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : ", ", dims->dims[i]);
  }
  g_string_append_printf(out_text, "]%s", end);
}

/* Numbers that leave places out or give one two meanings have no other spelling in MLIR. */
static void print_raw_numbers(const convolution_attributes_t *attributes, GString *out_text) {
  const convolution_numbers_t *input = &attributes->input;
  const convolution_numbers_t *kernel = &attributes->kernel;
  const convolution_numbers_t *output = &attributes->output;
  g_string_append_printf(
      out_text, "raw input_batch_dimension = %" PRId64 ", input_feature_dimension = %" PRId64 ", ",
      input->batch, input->feature);
  print_raw_spatial("input", &input->spatial, ", ", out_text);
  g_string_append_printf(out_text,
                         "kernel_input_feature_dimension = %" PRId64
                         ", kernel_output_feature_dimension = %" PRId64 ", ",
                         kernel->feature, kernel->batch);
  print_raw_spatial("kernel", &kernel->spatial, ", ", out_text);
  g_string_append_printf(
      out_text, "output_batch_dimension = %" PRId64 ", output_feature_dimension = %" PRId64 ", ",
      output->batch, output->feature);
  print_raw_spatial("output", &output->spatial, "", out_text);
}

static void print_mlir_numbers(const convolution_attributes_t *attributes, GString *out_text) {
  GString *text = g_string_new(NULL);
  convolution_print_places(&attributes->input, tensor_letters, ", ", text);
  g_string_append_c(text, 'x');
  convolution_print_places(&attributes->kernel, kernel_letters, ", ", text);
  g_string_append(text, "->");
  convolution_print_places(&attributes->output, tensor_letters, ", ", text);
  g_string_append(out_text, "dimension_numbers = #stablehlo.conv<");
  if (strpbrk(text->str, "?+") == NULL) {
    g_string_append(out_text, text->str);
  } else {
    print_raw_numbers(attributes, out_text);
  }
  g_string_append(out_text, ">, ");
  g_string_free(text, TRUE);
}

void convolution_print_mlir(const program_t *program, GString *out_text) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  mlir_open(program, program->op->name, out_text);
  g_string_append(out_text, " <{");
  print_mlir_integers("window_strides", &attributes->window_strides, out_text);
  print_mlir_padding(attributes, out_text);
  print_mlir_integers("lhs_dilation", &attributes->lhs_dilation, out_text);
  print_mlir_integers("rhs_dilation", &attributes->rhs_dilation, out_text);
  print_mlir_reversal(attributes, out_text);
  print_mlir_numbers(attributes, out_text);
  g_string_append_printf(
      out_text, "feature_group_count = %" PRId64 " : i64, batch_group_count = %" PRId64 " : i64",
      attributes->feature_group_count, attributes->batch_group_count);
  if (attributes->has_precision) {
    g_string_append(out_text, ", precision_config = [");
    convolution_print_precisions(attributes, "#stablehlo<precision ", ">", ", ", out_text);
    g_string_append_c(out_text, ']');
  }
  g_string_append(out_text, "}>");
  mlir_close(program, out_text);
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const convolution_numbers_t *numbers =
      operand == CONVOLUTION_LHS ? &attributes->input : &attributes->kernel;
  return dimension_list_mask(&numbers->spatial) | 1u << numbers->feature;
}

/* ---- The row --------------------------------------------------------------------------------- */

/* Implementations that leave padding out of products. */
static const char *const policies[] = {"convolution_padding", "convolution_types", NULL};

const op_t convolution_op = {
    .name = "stablehlo.convolution",
    .spec = "StableHLO specification, convolution",
    .summary = "sums products of a kernel and the windows of a tensor",
    .attributes_bytes = sizeof(convolution_attributes_t),
    .constraints = convolution_constraints,
    .contract_constraints = convolution_contract_constraints,
    .draw = convolution_draw,
    .parse_attributes = convolution_parse_attributes,
    .print_attributes = convolution_print_attributes,
    .print_algorithm = print_algorithm,
    .formulas = "quantized",
    .policies = policies,
    .print_mlir = convolution_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = convolution_draw_edges,
};

extern const op_t *const convolution_ops[];
const op_t *const convolution_ops[] = {&convolution_op, NULL};
