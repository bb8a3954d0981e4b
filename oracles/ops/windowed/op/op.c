/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops reduce_window and select_and_scatter: the tables of their attributes and
 * constraints, numbers and types of windows, and words. */
#include "oracles/ops/windowed/op/op.h"
#include "harness/kinds/converted.h"

#include <inttypes.h>

window_t windowed_along(const windowed_attributes_t *attributes, uint32_t dim) {
  bool has_dilations = attributes->base_dilations.count > 0;
  return (window_t){
      .size = attributes->window_dimensions.dims[dim],
      .stride = attributes->window_strides.dims[dim],
      .base_dilation = has_dilations ? attributes->base_dilations.dims[dim] : 1,
      .window_dilation = has_dilations ? attributes->window_dilations.dims[dim] : 1,
      .low = attributes->padding.low[dim],
      .high = attributes->padding.high[dim],
  };
}

type_t windowed_counts(const windowed_attributes_t *attributes, const type_t *operand) {
  type_t counts = *operand;
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    window_t window = windowed_along(attributes, dim);
    counts.dims[dim] = window_count(&window, operand->dims[dim]);
  }
  return counts;
}

static bool is_reduce_window(const program_t *program) { return program->op == &reduce_window_op; }

reduction_types_t windowed_types(const program_t *program) {
  const type_t *inputs = &program->operands[is_reduce_window(program) ? 0 : SELECT_SOURCE];
  return reduction_types(&windowed_attributes(program)->reduction, inputs, program->results,
                         program->result_count);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static const char *const select_names[WINDOWED_SELECT_COUNT] = {"ge", "gt", "le", "lt"};

static status_t parse_select(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  str_t name = scan_until(from->scan, " ");
  for (int select = 0; select < WINDOWED_SELECT_COUNT; select++) {
    if (!str_equal_text(name, select_names[select])) continue;
    *(windowed_select_t *)out_value = (windowed_select_t)select;
    return STATUS_OK;
  }
  return scan_fail_expecting(&start, from->error, "ge, gt, le or lt");
}

static void print_select(const void *value, const attribute_sink_t *to) {
  g_string_append(to->text, select_names[*(const windowed_select_t *)value]);
}

static const attribute_codec_t select_codec = {.parse = parse_select, .print = print_select};

#define ROW(key, codec, member) {ATTRIBUTE(key, codec, windowed_attributes_t, member)}
#define ROW_AT_BLANK(member, codec) \
  {ATTRIBUTE_AT_BLANK(#member, codec, windowed_attributes_t, member)}

static const attribute_row_t reduce_window_rows[] = {
    ROW("body", reduction_body, reduction),
    ROW_AT_BLANK(window_dimensions, attribute_dimensions),
    ROW_AT_BLANK(window_strides, attribute_dimensions),
    ROW_AT_BLANK(base_dilations, attribute_dimensions),
    ROW_AT_BLANK(window_dilations, attribute_dimensions),
    ROW_AT_BLANK(padding, padding_list),
    ROW("accumulation", reduction_accumulation, reduction),
    ATTRIBUTES_END,
};

static const attribute_row_t select_and_scatter_rows[] = {
    ROW_AT_BLANK(select, select_codec),
    ROW("scatter", reduction_body, reduction),
    ROW_AT_BLANK(window_dimensions, attribute_dimensions),
    ROW_AT_BLANK(window_strides, attribute_dimensions),
    ROW_AT_BLANK(padding, padding_list),
    ROW("accumulation", reduction_accumulation, reduction),
    ATTRIBUTES_END,
};

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, reduce_body_table[windowed_attributes(program)->reduction.body].name);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* "2x3"; "1" of no dimension. */
static void print_sizes(const dimension_list_t *list, GString *out_text) {
  if (list->count == 0) g_string_append_c(out_text, '1');
  for (uint32_t i = 0; i < list->count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : "x", list->dims[i]);
  }
}

static bool has_steps(const dimension_list_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] != 1) return true;
  }
  return false;
}

static void print_steps(const char *before, const dimension_list_t *list, GString *out_text) {
  if (!has_steps(list)) return;
  g_string_append(out_text, before);
  print_sizes(list, out_text);
}

/* "windows of 2x3 elements, stride 2x1, padding [[0,0],[1,1]]" and so on, as far as needed. */
static void print_windows(const windowed_attributes_t *attributes, GString *out_text) {
  bool is_padded = false;
  for (uint32_t i = 0; i < attributes->padding.count; i++) {
    is_padded |= attributes->padding.low[i] != 0 || attributes->padding.high[i] != 0;
  }
  g_string_append(out_text, "windows of ");
  print_sizes(&attributes->window_dimensions, out_text);
  print_steps(", strides ", &attributes->window_strides, out_text);
  print_steps(", base dilations ", &attributes->base_dilations, out_text);
  print_steps(", window dilations ", &attributes->window_dilations, out_text);
  if (!is_padded) return;
  g_string_append(out_text, ", padding ");
  padding_list_print(&attributes->padding, out_text);
}

static void print_reduce_window_words(const program_t *program, GString *out_text) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  reduction_types_t types = windowed_types(program);
  g_string_append_printf(out_text, "%s each window of ",
                         reduce_body_table[attributes->reduction.body].summary);
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " (");
  print_windows(attributes, out_text);
  g_string_append_c(out_text, ')');
  reduction_print_words(&types, out_text);
  g_string_append_printf(out_text, ": %zu windows", type_element_count(&program->results[0]));
}

static void print_select_words(const program_t *program, GString *out_text) {
  static const char *const selects[WINDOWED_SELECT_COUNT] = {
      "first of the largest", "last of the largest", "first of the smallest",
      "last of the smallest"};
  const windowed_attributes_t *attributes = windowed_attributes(program);
  reduction_types_t types = windowed_types(program);
  g_string_append_printf(out_text, "gives each element of the source to the %s in a window of ",
                         selects[attributes->select]);
  type_print(&program->operands[SELECT_OPERAND], out_text);
  g_string_append(out_text, " (");
  print_windows(attributes, out_text);
  g_string_append_printf(out_text, "), and %s what each element gets",
                         reduce_body_table[attributes->reduction.body].summary);
  reduction_print_words(&types, out_text);
  g_string_append_printf(out_text, ": %zu windows",
                         type_element_count(&program->operands[SELECT_SOURCE]));
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static bool is_init_operand(const program_t *program, uint32_t operand) {
  return is_reduce_window(program) ? operand >= program->operand_count / 2 : operand == SELECT_INIT;
}

static uint64_t neutral_bits(const program_t *program, uint32_t operand) {
  uint32_t input = is_reduce_window(program) ? operand - program->operand_count / 2 : 0;
  scalar_type_t type = scalar_type_of(&program->operands[operand]);
  return reduction_neutral_bits(&windowed_attributes(program)->reduction, &type, input);
}

/* Windows may overlap along any of them. */
static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  if (is_init_operand(program, operand)) return 0;
  const dimension_list_t *sizes = &windowed_attributes(program)->window_dimensions;
  uint32_t mask = 0;
  for (uint32_t i = 0; i < sizes->count; i++) {
    if (sizes->dims[i] > 1) mask |= 1u << i;
  }
  return mask;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const reduce_window_policies[] = {"window_padding", NULL};
static const char *const select_policies[] = {"selection", NULL};

const op_t reduce_window_op = {
    .name = "stablehlo.reduce_window",
    .spec = "StableHLO specification, reduce_window",
    .summary = "combines the elements of windows with a body, from an initial value",
    .attributes_bytes = sizeof(windowed_attributes_t),
    .attribute_rows = reduce_window_rows,
    .constraints = reduce_window_constraints,
    .contract_constraints = reduce_window_contract_constraints,
    .draw = reduce_window_draw,
    .print_algorithm = print_algorithm,
    .policies = reduce_window_policies,
    .print_mlir = reduce_window_print_mlir,
    .print_mlir_to_run = converted_print_mlir,
    .print_words = print_reduce_window_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = reduce_window_draw_edges,
    .part_axes = reduce_window_part_axes,
    .with_part_axes = windowed_with_part_axes,
    .is_init_operand = is_init_operand,
    .neutral_bits = neutral_bits,
};

const op_t select_and_scatter_op = {
    .name = "stablehlo.select_and_scatter",
    .spec = "StableHLO specification, select_and_scatter",
    .summary = "combines the source elements of the windows that select the same element",
    .attributes_bytes = sizeof(windowed_attributes_t),
    .attribute_rows = select_and_scatter_rows,
    .constraints = select_and_scatter_constraints,
    .contract_constraints = select_and_scatter_contract_constraints,
    .draw = select_and_scatter_draw,
    .print_algorithm = print_algorithm,
    .policies = select_policies,
    .print_mlir = select_and_scatter_print_mlir,
    .print_mlir_to_run = converted_print_mlir_if_exact,
    .print_words = print_select_words,
    .reduced_dimensions = reduced_dimensions,
    .draw_edges = select_and_scatter_draw_edges,
    .part_axes = select_and_scatter_part_axes,
    .with_part_axes = windowed_with_part_axes,
    .is_init_operand = is_init_operand,
    .neutral_bits = neutral_bits,
};

const op_t *const windowed_ops[] = {&reduce_window_op, &select_and_scatter_op, NULL};
