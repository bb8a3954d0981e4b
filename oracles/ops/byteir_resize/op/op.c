/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op byteir.resize: attribute words, constraints and their validation, and text.
 * Random valid programs are drawn elsewhere. */
#include <inttypes.h>

#include "oracles/ops/byteir_resize/byteir_resize.h"

static const char *const target_words[] = {"scale", "size", NULL};
static const char *const mode_words[] = {"nearest", "linear", NULL};
static const char *const transformation_words[] = {"asymmetric", "pytorch_half_pixel", "half_pixel",
                                                   "align_corners", NULL};

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("target_mode", attribute_word, byteir_resize_attributes_t, target_mode),
     .words = target_words},
    {ATTRIBUTE("mode", attribute_word, byteir_resize_attributes_t, mode), .words = mode_words},
    {ATTRIBUTE("coordinate_transformation_mode", attribute_word, byteir_resize_attributes_t,
               transformation),
     .words = transformation_words},
    ATTRIBUTES_END,
};

static const char *const policies[] = {"resize_scale", "resize_zero_weight", "resize_rounding",
                                       NULL};

bool byteir_resize_takes(resize_mode_t mode, const element_t *element) {
  enum { BITS_MIN = 8, LINEAR_BITS_MAX = 32 };
  if (byteir_is_float(element, NULL)) return true;
  if (!element_is_integer(element) || element->bits < BITS_MIN) return false;
  return mode == RESIZE_NEAREST || element->bits <= LINEAR_BITS_MAX;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

/* Floats where that says integers, or integers where it says floats. */
static bool is_no_target(const element_t *element, resize_target_t mode) {
  return mode == RESIZE_SIZE ? element->kind == ELEMENT_FLOAT || element->kind == ELEMENT_COMPLEX
                             : element->kind != ELEMENT_FLOAT;
}

static bool has_target(const program_t *program) {
  const type_t *input = &program->operands[0], *target = &program->operands[1];
  resize_target_t mode = (resize_target_t)byteir_resize_attributes(program)->target_mode;
  bool is_list = target->rank == 1 && target->dims[0] == input->rank;
  return is_list && !is_no_target(target->element, mode);
}

static bool keeps_rank(const program_t *program) {
  return program->results[0].rank == program->operands[0].rank;
}

static bool is_modelled(const program_t *program) {
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  const type_t *input = &program->operands[0], *target = &program->operands[1];
  const type_t *result = &program->results[0];
  if (input->quantization != NULL || target->quantization != NULL) return false;
  if (result->quantization != NULL || result->element != input->element) return false;
  const char *name = target->element->name;
  bool is_size = strcmp(name, "i32") == 0 || strcmp(name, "i64") == 0;
  bool is_known = attributes->target_mode == RESIZE_SIZE ? is_size : strcmp(name, "f32") == 0;
  return is_known && byteir_resize_takes((resize_mode_t)attributes->mode, input->element);
}

static bool keeps_empty(const program_t *program) {
  const type_t *input = &program->operands[0], *result = &program->results[0];
  for (uint32_t i = 0; i < input->rank; i++) {
    if ((input->dims[i] == 0) != (result->dims[i] == 0)) return false;
  }
  return true;
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are two operands and one result", "operands and results",
                 program_is_binary),
    OP_FORBIDDEN("target",
                 "the target has one entry for each dimension of the input: floats for target_mode "
                 "scale, integers for size",
                 "operands: target", has_target),
    OP_FORBIDDEN("result", "the result has any shape of the input's rank", "results: output",
                 keeps_rank),
    OP_UNMODELLED(
        "types",
        "input and result are unquantized tensors of f16, bf16, f32 or f64, or of "
        "integers of 8 bits or more, for linear of 32 bits at the most, both of the same; "
        "the target is of f32, i32 or i64",
        is_modelled),
    OP_UNMODELLED("empty",
                  "a dimension is empty in the result where it is in the input, and only there",
                  keeps_empty),
    OP_CONSTRAINTS_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);

static void print_algorithm(const program_t *program, GString *out_text) {
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  g_string_append_printf(out_text, "%s/%s", mode_words[attributes->mode],
                         transformation_words[attributes->transformation]);
}

static void print_words(const program_t *program, GString *out_text) {
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  const type_t *result = &program->results[0];
  g_string_append(out_text, "resizes ");
  type_print(&program->operands[0], out_text);
  g_string_append(out_text, " to [");
  for (uint32_t i = 0; i < result->rank; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : ",", result->dims[i]);
  }
  const char *how = attributes->mode == RESIZE_NEAREST ? "to the element at or below"
                                                       : "by linear interpolation at";
  g_string_append_printf(out_text, "], as the %ss say, %s %s coordinates",
                         target_words[attributes->target_mode], how,
                         transformation_words[attributes->transformation]);
}

/* ---- The row --------------------------------------------------------------------------------- */

static const op_t resize_op = {
    .name = "byteir.resize",
    .spec = "ByteIR Additional Ops, byteir.resize",
    .summary = "a tensor resampled to other sizes",
    .attributes_bytes = sizeof(byteir_resize_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .formulas = "resize_linear",
    .policies = policies,
    .is_composite = true,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = byteir_resize_draw_edges,
    .settle_operands = byteir_resize_settle,
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  *out_program = (program_t){.op = &resize_op};
  byteir_resize_draw(rng, limits, arena, out_program);
}

extern const op_t *const byteir_resize_ops[];
const op_t *const byteir_resize_ops[] = {&resize_op, NULL};
