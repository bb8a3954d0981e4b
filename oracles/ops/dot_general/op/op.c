/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op dot_general: the tables of its attributes and constraints, the codecs of dimension
 * numbers and algorithm, and words. */
#include "oracles/ops/dot_general/op/op.h"

#include <inttypes.h>

#include "harness/kinds/converted.h"
#include "harness/model/mlir.h"

dimension_list_t dot_general_lhs_result_dimensions(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return dimension_list_rest(program->operands[DOT_GENERAL_LHS].rank, &attributes->lhs_batching,
                             &attributes->lhs_contracting);
}

dimension_list_t dot_general_rhs_result_dimensions(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return dimension_list_rest(program->operands[DOT_GENERAL_RHS].rank, &attributes->rhs_batching,
                             &attributes->rhs_contracting);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static status_t parse_pair(const attribute_source_t *from, dimension_list_t *out_lhs,
                           dimension_list_t *out_rhs) {
  STATUS_TRY(dimension_list_parse(from->scan, out_lhs, from->error));
  STATUS_TRY(scan_expect(from->scan, "x", from->error));
  return dimension_list_parse(from->scan, out_rhs, from->error);
}

static void print_pair(const dimension_list_t *lhs, const dimension_list_t *rhs,
                       GString *out_text) {
  dimension_list_print(lhs, out_text);
  g_string_append_c(out_text, 'x');
  dimension_list_print(rhs, out_text);
}

static status_t parse_batch(const attribute_source_t *from, void *out_value) {
  dot_general_attributes_t *attributes = out_value;
  return parse_pair(from, &attributes->lhs_batching, &attributes->rhs_batching);
}

static void print_batch(const void *value, const attribute_sink_t *to) {
  const dot_general_attributes_t *attributes = value;
  print_pair(&attributes->lhs_batching, &attributes->rhs_batching, to->text);
}

static void print_mlir_list(const char *name, const dimension_list_t *list, GString *out_text) {
  g_string_append_printf(out_text, "%s_dimensions = [", name);
  dimension_list_print_entries(list, ", ", out_text);
  g_string_append_c(out_text, ']');
}

static void print_mlir_numbers(const void *value, const attribute_sink_t *to) {
  const dot_general_attributes_t *attributes = value;
  print_mlir_list("#stablehlo.dot<lhs_batching", &attributes->lhs_batching, to->text);
  print_mlir_list(", rhs_batching", &attributes->rhs_batching, to->text);
  print_mlir_list(", lhs_contracting", &attributes->lhs_contracting, to->text);
  print_mlir_list(", rhs_contracting", &attributes->rhs_contracting, to->text);
  g_string_append_c(to->text, '>');
}

static status_t parse_contract(const attribute_source_t *from, void *out_value) {
  dot_general_attributes_t *attributes = out_value;
  return parse_pair(from, &attributes->lhs_contracting, &attributes->rhs_contracting);
}

static void print_contract(const void *value, const attribute_sink_t *to) {
  const dot_general_attributes_t *attributes = value;
  print_pair(&attributes->lhs_contracting, &attributes->rhs_contracting, to->text);
}

static bool is_algorithm_absent(const void *value) {
  return !((const dot_general_attributes_t *)value)->has_algorithm;
}

static status_t parse_algorithm(const attribute_source_t *from, void *out_value) {
  dot_general_attributes_t *attributes = out_value;
  attributes->has_algorithm = true;
  return dot_algorithm_parse(from->scan, &attributes->algorithm, from->error);
}

static void print_algorithm_value(const void *value, const attribute_sink_t *to) {
  dot_algorithm_print(&((const dot_general_attributes_t *)value)->algorithm, to->text);
}

static void print_mlir_algorithm(const void *value, const attribute_sink_t *to) {
  dot_algorithm_print_mlir(&((const dot_general_attributes_t *)value)->algorithm, to->text);
}

/* Their values are the whole struct.  MLIR has the dimensions of both pairs in one. */
static const attribute_codec_t batch_codec = {
    .parse = parse_batch, .print = print_batch, .print_mlir = print_mlir_numbers};
static const attribute_codec_t contract_codec = {.parse = parse_contract, .print = print_contract};
static const attribute_codec_t algorithm_codec = {.is_absent = is_algorithm_absent,
                                                  .parse = parse_algorithm,
                                                  .print = print_algorithm_value,
                                                  .print_mlir = print_mlir_algorithm};

static const attribute_row_t attribute_rows[] = {
    {.key = "batch", .codec = &batch_codec, .mlir = "dot_dimension_numbers"},
    {.key = "contract", .codec = &contract_codec, .is_at_blank = true},
    {ATTRIBUTE("precision", precision_list, dot_general_attributes_t, precision),
     .mlir = "precision_config"},
    {.key = "algorithm", .codec = &algorithm_codec},
    {ATTRIBUTE("accumulation", attribute_element, dot_general_attributes_t, accumulation),
     .mlir = "accumulation_type"},
    ATTRIBUTES_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  if (attributes->has_algorithm) {
    dot_algorithm_print_label(&attributes->algorithm, out_text);
  } else if (attributes->accumulation != NULL) {
    g_string_append_printf(out_text, "accumulation=%s", attributes->accumulation->name);
  } else {
    precision_list_print_label(&attributes->precision, out_text);
  }
}

/* "f32", "i8 for f32 of 4 scales". */
static void print_type_words(const type_t *type, GString *out_text) {
  const quantization_t *quantization = type->quantization;
  g_string_append(out_text, type->element->name);
  if (quantization == NULL) return;
  g_string_append_printf(out_text, " for %s", quantization->expressed->name);
  if (quantization->axis != -1)
    g_string_append_printf(out_text, " of %u scales", quantization->count);
}

static void print_types_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "of ");
  print_type_words(&program->operands[DOT_GENERAL_LHS], out_text);
  if (program->operands[DOT_GENERAL_RHS].quantization != NULL) {
    g_string_append(out_text, " and ");
    print_type_words(&program->operands[DOT_GENERAL_RHS], out_text);
  }
  g_string_append(out_text, ", into ");
  print_type_words(&program->results[0], out_text);
}

static void print_words(const program_t *program, GString *out_text) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const type_t *lhs = &program->operands[DOT_GENERAL_LHS];
  const type_t *rhs = &program->operands[DOT_GENERAL_RHS];
  dimension_list_t rows = dot_general_lhs_result_dimensions(program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  g_string_append_printf(out_text, "multiplies %zu pairs of matrices, %zux%zu by %zux%zu, ",
                         dimension_list_extent(&attributes->lhs_batching, lhs),
                         dimension_list_extent(&rows, lhs),
                         dimension_list_extent(&attributes->lhs_contracting, lhs),
                         dimension_list_extent(&attributes->rhs_contracting, rhs),
                         dimension_list_extent(&columns, rhs));
  print_types_words(program, out_text);
  if (attributes->accumulation != NULL) {
    g_string_append_printf(out_text, ", accumulating in %s", attributes->accumulation->name);
  }
  if (!attributes->has_algorithm) return;
  g_string_append(out_text, ", by algorithm ");
  dot_algorithm_print_label(&attributes->algorithm, out_text);
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return dimension_list_mask(operand == DOT_GENERAL_LHS ? &attributes->lhs_contracting
                                                        : &attributes->rhs_contracting);
}

static bool splits_operands(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return !dot_general_is_plain(program) ||
         (attributes->precision.is_present && precision_concerns(program));
}

static bool is_init_operand(const program_t *program, uint32_t operand) {
  (void)program;
  (void)operand;
  return false;
}

static uint64_t neutral_bits(const program_t *program, uint32_t operand) {
  (void)program;
  (void)operand;
  g_assert_not_reached();
}

/* ---- The row --------------------------------------------------------------------------------- */

/* Implementations that rescale integers in fixed point. */
static const char *const policies[] = {"rescale", NULL};

const op_t dot_general_op = {
    .name = "stablehlo.dot_general",
    .spec = "StableHLO specification, dot_general",
    .summary = "sums products of two tensors over their contracting dimensions",
    .attributes_bytes = sizeof(dot_general_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = dot_general_constraints,
    .contract_constraints = dot_general_contract_constraints,
    .draw = dot_general_draw,
    .print_algorithm = print_algorithm,
    .formulas = "quantized",
    .policies = policies,
    .print_mlir = mlir_print_module,
    .print_mlir_to_run = converted_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .is_init_operand = is_init_operand,
    .splits_operands = splits_operands,
    .neutral_bits = neutral_bits,
    .axes = dot_general_axes,
    .with_axes = dot_general_with_axes,
};

const op_t *const dot_general_ops[] = {&dot_general_op, NULL};
