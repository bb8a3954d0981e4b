/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op dot_general: parses and prints dimension numbers, precision and algorithm, prints
 * MLIR and words, and holds the tables of constraints. */
#include "oracles/ops/dot_general/op/op.h"

#include <inttypes.h>

#include "harness/model/mlir.h"

static const char *const precision_names[DOT_PRECISION_COUNT] = {"DEFAULT", "HIGH", "HIGHEST"};

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

/* ---- Text ------------------------------------------------------------------------------------ */

static status_t parse_pair(scan_t *scan, dimension_list_t *out_lhs, dimension_list_t *out_rhs,
                           failure_t *error) {
  STATUS_TRY(dimension_list_parse(scan, out_lhs, error));
  STATUS_TRY(scan_expect(scan, "x", error));
  return dimension_list_parse(scan, out_rhs, error);
}

static status_t parse_precision(scan_t *scan, dot_precision_t *out_precision, failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, ",] ");
  for (int i = 0; i < DOT_PRECISION_COUNT; i++) {
    if (str_equal_text(name, precision_names[i])) {
      *out_precision = (dot_precision_t)i;
      return STATUS_OK;
    }
  }
  return scan_fail(&start, error, "expected a precision: DEFAULT, HIGH or HIGHEST");
}

static status_t parse_precisions(scan_t *scan, dot_general_attributes_t *attributes,
                                 failure_t *error) {
  attributes->has_precision = true;
  STATUS_TRY(scan_expect(scan, "[", error));
  if (scan_accept(scan, "]")) return STATUS_OK;
  do {
    uint32_t count = attributes->precision_count;
    if (count == DOT_GENERAL_PRECISIONS_MAX) {
      return scan_fail(scan, error, "a list holds at most %d precisions",
                       (int)DOT_GENERAL_PRECISIONS_MAX);
    }
    STATUS_TRY(parse_precision(scan, &attributes->precisions[count], error));
    attributes->precision_count++;
  } while (scan_accept(scan, ","));
  return scan_expect(scan, "]", error);
}

static status_t parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                 failure_t *error) {
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes = (dot_general_attributes_t){0};
  STATUS_TRY(scan_expect(scan, " ", error));
  STATUS_TRY(scan_expect(scan, "batch=", error));
  STATUS_TRY(parse_pair(scan, &attributes->lhs_batching, &attributes->rhs_batching, error));
  STATUS_TRY(scan_expect(scan, " contract=", error));
  STATUS_TRY(parse_pair(scan, &attributes->lhs_contracting, &attributes->rhs_contracting, error));
  if (scan_accept(scan, " precision=")) STATUS_TRY(parse_precisions(scan, attributes, error));
  attributes->has_algorithm = scan_accept(scan, " algorithm=");
  if (attributes->has_algorithm) {
    STATUS_TRY(dot_algorithm_parse(scan, &attributes->algorithm, error));
  }
  inout_program->attributes = attributes;
  return STATUS_OK;
}

/* "DEFAULT,HIGHEST": each name with `prefix` and `suffix` around it. */
static void print_precisions(const dot_general_attributes_t *attributes, const char *prefix,
                             const char *suffix, const char *separator, GString *out_text) {
  for (uint32_t i = 0; i < attributes->precision_count; i++) {
    g_string_append_printf(out_text, "%s%s%s%s", i == 0 ? "" : separator, prefix,
                           precision_names[attributes->precisions[i]], suffix);
  }
}

static void print_pair(const char *key, const dimension_list_t *lhs, const dimension_list_t *rhs,
                       GString *out_text) {
  g_string_append_printf(out_text, " %s=", key);
  dimension_list_print(lhs, out_text);
  g_string_append_c(out_text, 'x');
  dimension_list_print(rhs, out_text);
}

static void print_attributes(const program_t *program, GString *out_text) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  print_pair("batch", &attributes->lhs_batching, &attributes->rhs_batching, out_text);
  print_pair("contract", &attributes->lhs_contracting, &attributes->rhs_contracting, out_text);
  if (attributes->has_precision) {
    g_string_append(out_text, " precision=[");
    print_precisions(attributes, "", "", ",", out_text);
    g_string_append_c(out_text, ']');
  }
  if (!attributes->has_algorithm) return;
  g_string_append(out_text, " algorithm=");
  dot_algorithm_print(&attributes->algorithm, out_text);
}

static void print_algorithm(const program_t *program, GString *out_text) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const dot_precision_t *precisions = attributes->precisions;
  if (attributes->has_algorithm) {
    dot_algorithm_print_label(&attributes->algorithm, out_text);
  } else if (!attributes->has_precision) {
    g_string_append(out_text, "default");
  } else if (attributes->precision_count == 2 && precisions[0] == precisions[1]) {
    g_string_append_printf(out_text, "precision=%s", precision_names[precisions[0]]);
  } else {
    g_string_append(out_text, "precision=");
    print_precisions(attributes, "", "", ",", out_text);
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
  if (!attributes->has_algorithm) return;
  g_string_append(out_text, ", by algorithm ");
  dot_algorithm_print_label(&attributes->algorithm, out_text);
}

/* ---- MLIR ------------------------------------------------------------------------------------ */

static void print_mlir_list(const char *name, const dimension_list_t *list, bool is_last,
                            GString *out_text) {
  g_string_append_printf(out_text, "%s = [", name);
  for (uint32_t i = 0; i < list->count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : ", ", list->dims[i]);
  }
  g_string_append(out_text, is_last ? "]" : "], ");
}

static void print_mlir(const program_t *program, GString *out_text) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  mlir_open(program, program->op->name, out_text);
  g_string_append(out_text, " <{dot_dimension_numbers = #stablehlo.dot<");
  print_mlir_list("lhs_batching_dimensions", &attributes->lhs_batching, false, out_text);
  print_mlir_list("rhs_batching_dimensions", &attributes->rhs_batching, false, out_text);
  print_mlir_list("lhs_contracting_dimensions", &attributes->lhs_contracting, false, out_text);
  print_mlir_list("rhs_contracting_dimensions", &attributes->rhs_contracting, true, out_text);
  g_string_append_c(out_text, '>');
  if (attributes->has_precision) {
    g_string_append(out_text, ", precision_config = [");
    print_precisions(attributes, "#stablehlo<precision ", ">", ", ", out_text);
    g_string_append_c(out_text, ']');
  }
  if (attributes->has_algorithm) {
    g_string_append(out_text, ", algorithm = ");
    dot_algorithm_print_mlir(&attributes->algorithm, out_text);
  }
  g_string_append(out_text, "}>");
  mlir_close(program, out_text);
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return dimension_list_mask(operand == DOT_GENERAL_LHS ? &attributes->lhs_contracting
                                                        : &attributes->rhs_contracting);
}

static bool splits_operands(const program_t *program) {
  return dot_general_attributes(program)->has_algorithm;
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

const op_t dot_general_op = {
    .name = "stablehlo.dot_general",
    .spec = "StableHLO specification, dot_general",
    .summary = "sums products of two tensors over their contracting dimensions",
    .attributes_bytes = sizeof(dot_general_attributes_t),
    .constraints = dot_general_constraints,
    .contract_constraints = dot_general_contract_constraints,
    .draw = dot_general_draw,
    .parse_attributes = parse_attributes,
    .print_attributes = print_attributes,
    .print_algorithm = print_algorithm,
    .formulas = "quantized",
    .print_mlir = print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .is_init_operand = is_init_operand,
    .splits_operands = splits_operands,
    .neutral_bits = neutral_bits,
    .axes = dot_general_axes,
    .with_axes = dot_general_with_axes,
};

const op_t *const dot_general_ops[] = {&dot_general_op, NULL};
