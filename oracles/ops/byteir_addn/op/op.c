/* SPDX-License-Identifier: Apache-2.0 */
/* Defines byteir.addn, which TensorFlow's AddN becomes: the sum of several tensors of one type,
 * element by element.  ByteIR lowers it to additions from the left to the right. */
#include "harness/kinds/byteir.h"

static bool has_counts(const program_t *program) {
  return program->operand_count > 0 && program->result_count == 1;
}

static bool has_one_type(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!type_equal(&program->operands[i], &program->results[0])) return false;
  }
  return true;
}

/* Booleans and quantized numbers have other sums, or none. */
static bool is_addable(const element_t *element, const void *unused) {
  (void)unused;
  return element->is_tensor_element && element->kind != ELEMENT_BOOLEAN;
}

static bool is_modelled(const program_t *program) {
  const type_t *type = &program->results[0];
  return type->quantization == NULL && is_addable(type->element, NULL);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are operands, and one result", "N * T, N > 0; sum: T", has_counts),
    OP_FORBIDDEN("types", "the operands and the result have one type", "N * T; sum: T",
                 has_one_type),
    OP_UNMODELLED("numbers", "it is one of unquantized numbers", is_modelled),
    OP_CONSTRAINTS_END,
};

static const op_t addn_op;

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  (void)arena;
  dimension_list_t unused;
  draw_limits_t shared = *limits;
  shared.elements_max = MAX(limits->elements_max / CASE_OPERANDS_MAX, 1);
  type_t type = byteir_draw_shape(rng, &shared, draw_element(rng, is_addable, NULL), 0, 0, &unused);
  uint32_t count = (uint32_t)rng_between(rng, 1, CASE_OPERANDS_MAX);
  *out_program =
      (program_t){.op = &addn_op, .operand_count = count, .result_count = 1, .results = {type}};
  for (uint32_t i = 0; i < count; i++) out_program->operands[i] = type;
}

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "add");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "adds %u tensors of ", program->operand_count);
  type_print(&program->results[0], out_text);
}

/* All operands have the axes of the first. */
static void set_operand_axes(const program_t *program, axes_t *inout_axes) {
  for (uint32_t i = 1; i < program->operand_count; i++) {
    inout_axes->operands[i] = inout_axes->operands[0];
  }
}

static void part_axes(const program_t *program, axes_t *out_axes) {
  byteir_row_axes(&program->operands[0], 0, out_axes);
  set_operand_axes(program, out_axes);
}

static void with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                           program_t *out_program) {
  (void)arena;
  byteir_row_with_axes(program, inout_axes, out_program);
  set_operand_axes(program, inout_axes);
  for (uint32_t i = 1; i < program->operand_count; i++) {
    out_program->operands[i] =
        axes_type(&program->operands[i], inout_axes, &inout_axes->operands[i]);
  }
}

static const op_t addn_op = {
    .name = "byteir.addn",
    .spec = "ByteIR Additional Ops, byteir.addn; TensorFlow raw ops, AddN",
    .summary = "the sum of several tensors",
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .part_axes = part_axes,
    .with_part_axes = with_part_axes,
};

extern const op_t *const byteir_addn_ops[];
const op_t *const byteir_addn_ops[] = {&addn_op, NULL};
