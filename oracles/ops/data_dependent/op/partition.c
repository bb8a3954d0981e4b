/* SPDX-License-Identifier: Apache-2.0 */
/* Defines tf.DynamicPartition: rows dealt to several results, each in the order in which they
 * come. */
#include <inttypes.h>

#include "harness/draw/distinct.h"
#include "oracles/ops/data_dependent/op/op.h"

static const char *const label_types[] = {"i32", NULL};

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("num_partitions", attribute_integer, partition_attributes_t, num_partitions)},
    ATTRIBUTES_END,
};

static int64_t partitions_of(const program_t *program) {
  return ((const partition_attributes_t *)program->attributes)->num_partitions;
}

static bool has_counts(const program_t *program) {
  return program->operand_count == 2 && program->result_count > 0 &&
         program->result_count == partitions_of(program);
}

static bool has_labels(const program_t *program) {
  return dependent_is_prefix(&program->operands[1], label_types, &program->operands[0]);
}

static bool has_rows(const program_t *program) {
  const type_t *data = &program->operands[0], *labels = &program->operands[1];
  int64_t rows = 0;
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!dependent_are_rows_behind(&program->results[i], labels, data)) return false;
    rows += program->results[i].dims[0];
  }
  return rows == (int64_t)type_element_count(labels);
}

static bool has_list(const program_t *program) { return program->operands[1].rank == 1; }

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are two operands, and num_partitions results",
                 "num_partitions >= 1, outputs", has_counts),
    OP_FORBIDDEN("partitions", "partitions are of i32, of a shape that data's begins with",
                 "partitions", has_labels),
    OP_FORBIDDEN("rows",
                 "the results have rows of the size and type that data have for each of the "
                 "partitions, together as many",
                 "outputs", has_rows),
    OP_UNMODELLED("list", "partitions is a list", has_list),
    OP_UNMODELLED("types", "nothing is quantized", program_is_plain),
    OP_CONSTRAINTS_END,
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  partition_attributes_t *attributes = ARENA_NEW_ARRAY(arena, partition_attributes_t, 1);
  type_t data = dependent_draw_rows(rng, limits, 1);
  uint32_t parts = (uint32_t)rng_between(rng, 1, CASE_RESULTS_MAX);
  *attributes = (partition_attributes_t){.num_partitions = parts};
  *out_program =
      (program_t){.op = &partition_op,
                  .attributes = attributes,
                  .operand_count = 2,
                  .operands = {data, type_make(element_named(label_types[0]), 1, data.dims)},
                  .result_count = parts};
  int64_t left = data.dims[0];
  for (uint32_t i = 0; i < parts; i++) {
    type_t *result = &out_program->results[i];
    *result = data;
    result->dims[0] = i + 1 == parts ? left : rng_between(rng, 0, left);
    left -= result->dims[0];
  }
}

/* Labels, each as often as its result has rows: in turn, one run after the other, or in any order.
 */
static void settle(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  const tensor_t *labels = &inout_case->operands[1];
  int64_t left[CASE_RESULTS_MAX];
  size_t rows = type_element_count(&labels->type);
  for (uint32_t i = 0; i < program->result_count; i++) left[i] = program->results[i].dims[0];
  uint64_t recipe = rng_below(rng, 4);
  uint32_t label = 0;
  for (size_t row = 0; row < rows; row++) {
    if (recipe == 0) label = (label + 1) % program->result_count;
    if (recipe > 1) label = (uint32_t)rng_below(rng, program->result_count);
    while (left[label] == 0) label = (label + 1) % program->result_count;
    left[label]--;
    element_store(labels->type.element, labels->data, row, label);
  }
}

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "partition");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "deals the rows of ");
  type_print(&program->operands[0], out_text);
  g_string_append_printf(out_text, " to %u results", program->result_count);
}

const op_t partition_op = {
    .name = "tf.DynamicPartition",
    .spec = "TensorFlow raw ops, DynamicPartition",
    .summary = "rows dealt to several results",
    .attributes_bytes = sizeof(partition_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
    .settle_operands = settle,
};
