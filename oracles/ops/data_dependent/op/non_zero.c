/* SPDX-License-Identifier: Apache-2.0 */
/* Defines byteir.non_zero: the indices of all elements other than zero, one row each, in row-major
 * order, as torch.nonzero has it.  NaN is no zero, -0 is one. */
#include "harness/draw/special_values.h"
#include "oracles/ops/data_dependent/op/op.h"

static const char *const index_types[] = {"i64", "i32", NULL};

static bool has_indices(const program_t *program) {
  const type_t *data = &program->operands[0], *result = &program->results[0];
  if (result->rank != 2 || result->dims[1] != data->rank || result->quantization != NULL)
    return false;
  bool is_index = false;
  for (size_t i = 0; index_types[i] != NULL; i++) {
    is_index = is_index || result->element == element_named(index_types[i]);
  }
  return is_index && result->dims[0] <= (int64_t)type_element_count(data);
}

/* Numbers of which one pattern or two are zero. */
static bool may_be_zero(const element_t *element, const void *unused) {
  (void)unused;
  if (element->components != 1) return false;
  return element->format == NULL || format_is_zero(element->format, 0);
}

static bool is_modelled(const program_t *program) {
  return program_is_plain(program) && may_be_zero(program->operands[0].element, NULL);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one operand and one result", "operands and results",
                 program_is_unary),
    OP_FORBIDDEN(
        "result",
        "the result is of i32 or i64 and has any shape of two dimensions with a column for "
        "each dimension of the operand and at most as many rows as that has elements",
        "results", has_indices),
    OP_UNMODELLED("types", "the operand is not quantized, not complex, and of a type with a zero",
                  is_modelled),
    OP_CONSTRAINTS_END,
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  (void)arena;
  dimension_list_t unused;
  const element_t *element = draw_element(rng, may_be_zero, NULL);
  type_t data = byteir_draw_shape(rng, limits, element, 1, 0, &unused);
  int64_t elements = (int64_t)type_element_count(&data);
  int64_t rows = MIN(elements, limits->elements_max / data.rank);
  if (!rng_one_in(rng, 8)) rows = rng_between(rng, 0, rows);
  const int64_t sizes[] = {rows, data.rank};
  *out_program =
      (program_t){.op = &non_zero_op,
                  .operand_count = 1,
                  .operands = {data},
                  .result_count = 1,
                  .results = {type_make(element_named(index_types[rng_below(rng, 2)]), 2, sizes)}};
}

/* Subnormal numbers are neither: some implementations take them for zeros. */
static bool is_other_than_zero(const element_t *element, uint64_t bits) {
  const format_t *format = element->format;
  if (format == NULL) return bits != 0;
  return !format_is_zero(format, bits) && !format_is_subnormal(format, bits);
}

static bool is_zero(const element_t *element, uint64_t bits) {
  return element->format == NULL ? bits == 0 : format_is_zero(element->format, bits);
}

/* Changes no more elements than it must to have as many others than zero as the result has rows:
 * what is subnormal, and as many zeros, or others, as are too many, any of them. */
static void settle(rng_t *rng, case_t *inout_case) {
  const tensor_t *data = &inout_case->operands[0];
  const element_t *element = data->type.element;
  size_t rows = (size_t)inout_case->program.results[0].dims[0];
  size_t count = type_element_count(&data->type), others = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, data->data, i);
    if (!is_other_than_zero(element, bits) && !is_zero(element, bits)) {
      bits = special_value_integer(element, rng_one_in(rng, 2) ? 1 : -1);
      element_store(element, data->data, i, bits);
    }
    others += is_other_than_zero(element, bits);
  }
  bool is_too_many = others > rows;
  size_t candidates = is_too_many ? others : count - others;
  size_t left = is_too_many ? others - rows : rows - others;
  for (size_t i = 0; i < count && left > 0; i++) {
    if (is_other_than_zero(element, element_load(element, data->data, i)) != is_too_many) continue;
    if (rng_below(rng, candidates--) >= left) continue;
    left--;
    uint64_t bits = is_too_many ? special_value_zero(element, rng_one_in(rng, 4))
                                : special_value_integer(element, rng_one_in(rng, 2) ? 1 : -1);
    element_store(element, data->data, i, bits);
  }
}

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "non_zero");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "lists where ");
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " is not zero, in row-major order");
}

const op_t non_zero_op = {
    .name = "byteir.non_zero",
    .spec = "ByteIR Additional Ops of today, byteir.non_zero",
    .summary = "indices of the elements other than zero",
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .settle_operands = settle,
};
