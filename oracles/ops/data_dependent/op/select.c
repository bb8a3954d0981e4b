/* SPDX-License-Identifier: Apache-2.0 */
/* Defines tf.Select: one of two tensors for each element, for each row, or as a whole. */
#include "oracles/ops/data_dependent/op/op.h"

static bool has_counts(const program_t *program) {
  return program->operand_count == 3 && program->result_count == 1;
}

static bool has_one_type(const program_t *program) {
  return type_equal(&program->operands[1], &program->results[0]) &&
         type_equal(&program->operands[2], &program->results[0]);
}

static bool is_row_condition(const type_t *condition, const type_t *data) {
  return condition->rank == 1 && data->rank > 1 && condition->dims[0] == data->dims[0];
}

static bool has_condition(const program_t *program) {
  const type_t *condition = &program->operands[0], *data = &program->operands[1];
  if (condition->element != element_named("i1")) return false;
  return condition->rank == 0 || type_shapes_equal(condition, data) ||
         is_row_condition(condition, data);
}

bool dependent_selects_rows(const program_t *program) {
  return is_row_condition(&program->operands[0], &program->operands[1]);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are three operands and one result", "condition, t, e, output",
                 has_counts),
    OP_FORBIDDEN("types", "the second and third operand and the result have one type",
                 "t, e, output", has_one_type),
    OP_FORBIDDEN("condition",
                 "the condition is of i1: a scalar, a list with an entry for each row, or of the "
                 "others' shape",
                 "condition", has_condition),
    OP_UNMODELLED("quantized", "nothing is quantized", program_is_plain),
    OP_CONSTRAINTS_END,
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  (void)arena;
  dimension_list_t unused;
  type_t data = byteir_draw_shape(rng, limits, draw_element(rng, NULL, NULL), 0, 0, &unused);
  type_t condition = data;
  condition.element = element_named("i1");
  uint64_t choice = rng_below(rng, 4);
  if (choice == 0) condition.rank = 0;
  if (choice >= 2 && data.rank > 1) condition.rank = 1;
  *out_program = (program_t){.op = &select_op,
                             .operand_count = 3,
                             .operands = {condition, data, data},
                             .result_count = 1,
                             .results = {data}};
}

static void print_algorithm(const program_t *program, GString *out_text) {
  const char *by = dependent_selects_rows(program) ? "rows" : "elements";
  g_string_append(out_text, program->operands[0].rank == 0 ? "whole" : by);
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "takes one of two tensors of ");
  type_print(&program->results[0], out_text);
  g_string_append(out_text, ", as ");
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " says");
}

const op_t select_op = {
    .name = "tf.Select",
    .spec = "TensorFlow raw ops, Select",
    .summary = "one of two tensors by element, by row, or whole",
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
};
