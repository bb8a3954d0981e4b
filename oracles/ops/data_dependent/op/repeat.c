/* SPDX-License-Identifier: Apache-2.0 */
/* Defines byteir.repeat: each row so often as its entry of a list says, as torch.repeat_interleave
 * has it. */
#include "harness/draw/distinct.h"
#include "oracles/ops/data_dependent/op/op.h"

static const char *const time_types[] = {"i64", "i32", NULL};

static bool has_rows(const program_t *program) {
  return dependent_rows_are_alike(&program->operands[0], &program->results[0]);
}

static bool has_times(const program_t *program) {
  const type_t *times = &program->operands[1];
  return dependent_is_list(times, time_types) && times->dims[0] == program->operands[0].dims[0];
}

static bool can_repeat(const program_t *program) {
  return program->operands[0].dims[0] > 0 || program->results[0].dims[0] == 0;
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are two operands and one result", "operands and results",
                 program_is_binary),
    OP_FORBIDDEN("result",
                 "the result has any shape with rows of the first operand's size and type",
                 "results", has_rows),
    OP_FORBIDDEN("times", "times is a list of i32 or i64, one for each row", "operands: times",
                 has_times),
    OP_FORBIDDEN("rows", "the result has no rows where the operand has none", "results",
                 can_repeat),
    OP_UNMODELLED("types", "nothing is quantized", program_is_plain),
    OP_CONSTRAINTS_END,
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  (void)arena;
  type_t data = dependent_draw_rows(rng, limits, 2);
  type_t result = data;
  int64_t row = 1; /* Of types a size of 0 counts as 1: type_check(). */
  for (uint32_t i = 1; i < data.rank; i++) row *= MAX(data.dims[i], 1);
  result.dims[0] =
      data.dims[0] == 0 ? 0 : draw_size(rng, limits->sizes, limits->elements_max / row);
  type_t times = type_make(element_named(time_types[rng_below(rng, 2)]), 1, data.dims);
  *out_program = (program_t){.op = &repeat_op,
                             .operand_count = 2,
                             .operands = {data, times},
                             .result_count = 1,
                             .results = {result}};
}

/* Times that add up to the rows of the result: all alike as far as that goes, all of one row, or
 * any. */
static void settle(rng_t *rng, case_t *inout_case) {
  const tensor_t *times = &inout_case->operands[1];
  const element_t *element = times->type.element;
  uint64_t rows = (uint64_t)inout_case->program.operands[0].dims[0];
  uint64_t left = (uint64_t)inout_case->program.results[0].dims[0];
  uint64_t recipe = rng_below(rng, 8), only = rows == 0 ? 0 : rng_below(rng, rows);
  for (uint64_t i = 0; i < rows; i++) element_store(element, times->data, i, 0);
  for (uint64_t given = 0; given < left && rows > 0; given++) {
    uint64_t row = rng_below(rng, rows);
    if (recipe == 0) row = given % rows;
    if (recipe == 1) row = only;
    element_store(element, times->data, row, element_load(element, times->data, row) + 1);
  }
}

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "repeat");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "repeats each row of ");
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " as often as ");
  type_print(&program->operands[1], out_text);
  g_string_append(out_text, " says");
}

const op_t repeat_op = {
    .name = "byteir.repeat",
    .spec = "ByteIR Additional Ops of today, byteir.repeat",
    .summary = "rows, each so often as a list says",
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
    .settle_operands = settle,
};
