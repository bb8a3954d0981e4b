/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op reduce: the table of its attributes, its MLIR and description in words, which
 * operands are initial values, and the tables of constraints. */
#include "oracles/ops/reduce/op/op.h"

#include <inttypes.h>

#include "harness/kinds/converted.h"
#include "harness/model/mlir.h"

reduction_types_t reduce_types(const program_t *program) {
  return reduction_types(&reduce_attributes(program)->reduction, program->operands,
                         program->results, reduce_input_count(program));
}

dimension_list_t reduce_kept_dimensions(const program_t *program) {
  return dimension_list_rest(program->operands[0].rank, &reduce_attributes(program)->dimensions,
                             NULL);
}

dimension_list_t reduce_reduced_dimensions(const program_t *program) {
  dimension_list_t kept = reduce_kept_dimensions(program);
  return dimension_list_rest(program->operands[0].rank, &kept, NULL);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("body", reduction_body, reduce_attributes_t, reduction)},
    {ATTRIBUTE_AT_BLANK("dims", attribute_dimensions, reduce_attributes_t, dimensions),
     .mlir = "dimensions"},
    {ATTRIBUTE("accumulation", reduction_accumulation, reduce_attributes_t, reduction)},
    {ATTRIBUTE("precision", precision_list, reduce_attributes_t, precision),
     .mlir = "precision_config"},
    ATTRIBUTES_END,
};

static void print_mlir(const program_t *program, GString *out_text) {
  mlir_open_regions(program, ATTRIBUTES_AS_LISTED, out_text);
  reduction_print_region(&reduce_attributes(program)->reduction, program->results,
                         program->result_count, out_text);
  mlir_close_regions(program, out_text);
}

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, reduce_body_table[reduce_attributes(program)->reduction.body].name);
}

/* "dimensions 0 and 2", "no dimension". */
static void print_dimension_words(const dimension_list_t *list, GString *out_text) {
  if (list->count == 0) g_string_append(out_text, "no dimension");
  for (uint32_t i = 0; i < list->count; i++) {
    const char *before = i == 0 ? (list->count == 1 ? "dimension " : "dimensions ")
                                : (i + 1 == list->count ? " and " : ", ");
    g_string_append_printf(out_text, "%s%" PRId64, before, list->dims[i]);
  }
}

static void print_words(const program_t *program, GString *out_text) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  const type_t *input = &program->operands[0];
  dimension_list_t reduced = reduce_reduced_dimensions(program);
  g_string_append_printf(out_text, "%s each slice of ",
                         reduce_body_table[attributes->reduction.body].summary);
  type_print(input, out_text);
  g_string_append(out_text, " along ");
  print_dimension_words(&attributes->dimensions, out_text);
  reduction_types_t types = reduce_types(program);
  reduction_print_words(&types, out_text);
  g_string_append_printf(out_text, ": %zu result elements of %zu terms each",
                         type_element_count(&program->results[0]),
                         dimension_list_extent(&reduced, input));
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  if (operand >= reduce_input_count(program)) return 0;
  return dimension_list_mask(&reduce_attributes(program)->dimensions);
}

static bool is_init_operand(const program_t *program, uint32_t operand) {
  return operand >= reduce_input_count(program);
}

static uint64_t neutral_bits(const program_t *program, uint32_t operand) {
  scalar_type_t type = scalar_type_of(&program->operands[operand]);
  return reduction_neutral_bits(&reduce_attributes(program)->reduction, &type,
                                operand - reduce_input_count(program));
}

/* ---- The row --------------------------------------------------------------------------------- */

const op_t reduce_op = {
    .name = "stablehlo.reduce",
    .spec = "StableHLO specification, reduce",
    .summary = "combines the elements of slices with a body, from an initial value",
    .attributes_bytes = sizeof(reduce_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = reduce_constraints,
    .contract_constraints = reduce_contract_constraints,
    .draw = reduce_draw,
    .print_algorithm = print_algorithm,
    .print_mlir = print_mlir,
    .print_mlir_to_run = converted_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .is_init_operand = is_init_operand,
    .neutral_bits = neutral_bits,
    .axes = reduce_axes,
    .with_axes = reduce_with_axes,
};

const op_t *const reduce_ops[] = {&reduce_op, NULL};
