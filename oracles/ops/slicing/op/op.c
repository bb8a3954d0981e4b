/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the slicing ops: attribute tables, MLIR of a gather, words. */
#include "oracles/ops/slicing/op/op.h"

#include <inttypes.h>

#include "harness/draw/distinct.h"
#include "harness/model/mlir.h"

static const op_t *const rows[SLICING_COUNT] = {
    [SLICING_SLICE] = &slice_op,
    [SLICING_PAD] = &pad_op,
    [SLICING_REVERSE] = &reverse_op,
    [SLICING_IOTA] = &iota_op,
    [SLICING_DYNAMIC_SLICE] = &dynamic_slice_op,
    [SLICING_DYNAMIC_UPDATE_SLICE] = &dynamic_update_slice_op,
    [SLICING_GATHER] = &gather_op,
};

slicing_t slicing_of(const program_t *program) {
  uint32_t op = 0;
  while (rows[op] != program->op) op++;
  return (slicing_t)op;
}

int64_t slicing_index(const tensor_t *tensor, size_t element) {
  uint64_t bits = element_load(tensor->type.element, tensor->data, element);
  if (tensor->type.element->kind == ELEMENT_SIGNED) {
    return element_signed_value(tensor->type.element, bits);
  }
  return (int64_t)MIN(bits, (uint64_t)INT64_MAX);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

#define LIST(key, member) {ATTRIBUTE(key, attribute_dimensions, slicing_attributes_t, member)}

static const attribute_row_t slice_rows[] = {
    LIST("start_indices", low),
    LIST("limit_indices", high),
    LIST("strides", between),
    ATTRIBUTES_END,
};

static const attribute_row_t pad_rows[] = {
    LIST("edge_padding_low", low),
    LIST("edge_padding_high", high),
    LIST("interior_padding", between),
    ATTRIBUTES_END,
};

static const attribute_row_t reverse_rows[] = {LIST("dimensions", reversed), ATTRIBUTES_END};

static const attribute_row_t iota_rows[] = {
    {ATTRIBUTE("iota_dimension", attribute_integer, slicing_attributes_t, iota_dimension)},
    ATTRIBUTES_END,
};

static const attribute_row_t dynamic_slice_rows[] = {LIST("slice_sizes", slice_sizes),
                                                     ATTRIBUTES_END};

static const attribute_row_t gather_rows[] = {
    LIST("offset_dims", offset_dims),
    LIST("collapsed_slice_dims", collapsed_slice_dims),
    LIST("operand_batching_dims", operand_batching_dims),
    LIST("start_indices_batching_dims", start_indices_batching_dims),
    LIST("start_index_map", start_index_map),
    {ATTRIBUTE("index_vector_dim", attribute_integer, slicing_attributes_t, index_vector_dim)},
    LIST("slice_sizes", slice_sizes),
    {ATTRIBUTE("indices_are_sorted", attribute_boolean, slicing_attributes_t, indices_are_sorted)},
    ATTRIBUTES_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_mlir_list(const char *name, const dimension_list_t *list, GString *out_text) {
  if (list->count == 0) return;
  g_string_append_printf(out_text, "%s = [", name);
  dimension_list_print_entries(list, ", ", out_text);
  g_string_append(out_text, "], ");
}

/* Its dimension numbers are one attribute there. */
static void print_mlir_gather(const program_t *program, GString *out_text) {
  const slicing_attributes_t *attributes = slicing_attributes(program);
  mlir_open(program, program->op->name, out_text);
  g_string_append(out_text, " <{dimension_numbers = #stablehlo.gather<");
  print_mlir_list("offset_dims", &attributes->offset_dims, out_text);
  print_mlir_list("collapsed_slice_dims", &attributes->collapsed_slice_dims, out_text);
  print_mlir_list("operand_batching_dims", &attributes->operand_batching_dims, out_text);
  print_mlir_list("start_indices_batching_dims", &attributes->start_indices_batching_dims,
                  out_text);
  print_mlir_list("start_index_map", &attributes->start_index_map, out_text);
  g_string_append_printf(out_text, "index_vector_dim = %" PRId64 ">, indices_are_sorted = %s",
                         attributes->index_vector_dim,
                         attributes->indices_are_sorted ? "true" : "false");
  bool is_empty = attributes->slice_sizes.count == 0;
  g_string_append(out_text, is_empty ? ", slice_sizes = array<i64" : ", slice_sizes = array<i64: ");
  dimension_list_print_entries(&attributes->slice_sizes, ", ", out_text);
  g_string_append(out_text, ">}>");
  mlir_close(program, out_text);
}

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "plain");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->summary);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append(out_text, i == 0 ? " of " : ", ");
    type_print(&program->operands[i], out_text);
  }
  g_string_append(out_text, " as ");
  type_print(&program->results[0], out_text);
}

/* ---- The rows -------------------------------------------------------------------------------- */

#define ROW(function, words, ...)                                               \
  const op_t function##_op = {.name = "stablehlo." #function,                   \
                              .spec = "StableHLO specification, " #function,    \
                              .summary = words,                                 \
                              .attributes_bytes = sizeof(slicing_attributes_t), \
                              .constraints = function##_constraints,            \
                              .draw = function##_draw,                          \
                              .print_algorithm = print_algorithm,               \
                              .print_words = print_words,                       \
                              .draw_edges = draw_distinct_operands,             \
                              __VA_ARGS__}
ROW(slice, "a part", .attribute_rows = slice_rows, .print_mlir = mlir_print_module);
ROW(pad, "the elements with others around and between them", .attribute_rows = pad_rows,
    .print_mlir = mlir_print_module);
ROW(reverse, "the elements in the opposite order", .attribute_rows = reverse_rows,
    .print_mlir = mlir_print_module);
ROW(iota, "the index along a dimension", .attribute_rows = iota_rows,
    .print_mlir = mlir_print_module);
ROW(dynamic_slice, "a part that begins where operands say", .attribute_rows = dynamic_slice_rows,
    .print_mlir = mlir_print_module, .settle_operands = slicing_settle);
ROW(dynamic_update_slice, "the first operand with a part replaced by the second one",
    .print_mlir = mlir_print_module, .settle_operands = slicing_settle);
ROW(gather, "parts that begin where an operand of indices says", .attribute_rows = gather_rows,
    .print_mlir = print_mlir_gather, .settle_operands = slicing_settle);

extern const op_t *const slicing_ops[];
const op_t *const slicing_ops[] = {
    &slice_op,  &pad_op, &reverse_op, &iota_op, &dynamic_slice_op, &dynamic_update_slice_op,
    &gather_op, NULL};
