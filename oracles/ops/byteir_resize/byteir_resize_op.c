#include <inttypes.h>

#include "oracles/ops/byteir_resize/byteir_resize.h"

static const char *const target_words[] = {"scale", "size", NULL};
static const char *const mode_words[] = {"nearest", "linear", NULL};
static const char *const transformation_words[] = {"asymmetric", "pytorch_half_pixel", "half_pixel",
                                                   "align_corners", NULL};

static const attribute_row_t attribute_rows[] = {
    {.key = "target_mode",
     .kind = ATTRIBUTE_WORD,
     .offset = offsetof(byteir_resize_attributes_t, target_mode),
     .words = target_words},
    {.key = "mode",
     .kind = ATTRIBUTE_WORD,
     .offset = offsetof(byteir_resize_attributes_t, mode),
     .words = mode_words},
    {.key = "coordinate_transformation_mode",
     .kind = ATTRIBUTE_WORD,
     .offset = offsetof(byteir_resize_attributes_t, transformation),
     .words = transformation_words},
    {.key = NULL},
};

static const op_constraint_t constraints[] = {
    {"count", "there are two operands and one result"},
    {"types",
     "the input is an unquantized tensor of f16, bf16, f32 or f64, or, for nearest, of "
     "integers of 8 bits or more"},
    {"target",
     "the target has one entry for each dimension of the input: f32 for target_mode "
     "scale, i32 or i64 for size"},
    {"result", "the result has the element type of the input, and any shape of its rank"},
    {"empty", "a dimension is empty in the result where it is in the input, and only there"},
    {NULL, NULL},
};

static const char *const policies[] = {"resize_scale", "resize_zero_weight", NULL};

bool byteir_resize_takes(resize_mode_t mode, const element_t *element) {
  enum { BITS_MIN = 8 };
  if (byteir_is_float(element, NULL)) return true;
  return mode == RESIZE_NEAREST && element_is_integer(element) && element->bits >= BITS_MIN;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool is_target(const type_t *target, resize_target_t mode, uint32_t rank) {
  bool is_list = target->quantization == NULL && target->rank == 1 && target->dims[0] == rank;
  const char *name = target->element->name;
  bool is_size = strcmp(name, "i32") == 0 || strcmp(name, "i64") == 0;
  return is_list && (mode == RESIZE_SIZE ? is_size : strcmp(name, "f32") == 0);
}

static const char *validate(const program_t *program) {
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  if (program->operand_count != 2 || program->result_count != 1) return "count";
  const type_t *input = &program->operands[0], *result = &program->results[0];
  bool is_known = byteir_resize_takes((resize_mode_t)attributes->mode, input->element);
  if (input->quantization != NULL || !is_known) return "types";
  if (!is_target(&program->operands[1], (resize_target_t)attributes->target_mode, input->rank)) {
    return "target";
  }
  bool is_like = result->quantization == NULL && result->element == input->element;
  if (!is_like || result->rank != input->rank) return "result";
  for (uint32_t i = 0; i < input->rank; i++) {
    if ((input->dims[i] == 0) != (result->dims[i] == 0)) return "empty";
  }
  return NULL;
}

static bool is_refused(const element_t *element, const void *mode) {
  return !byteir_resize_takes(*(const resize_mode_t *)mode, element);
}

static bool is_no_target(const element_t *element, const void *mode) {
  const int64_t one = 1;
  type_t type = type_make(element, 1, &one);
  return !is_target(&type, *(const resize_target_t *)mode, 1);
}

static void break_target(rng_t *rng, resize_target_t mode, type_t *target) {
  if (rng_one_in(rng, 2)) {
    target->element = draw_element(rng, is_no_target, &mode);
  } else {
    draw_other_shape(rng, target);
  }
}

static void break_result(rng_t *rng, type_t *result) {
  if (result->rank < TYPE_RANK_MAX && rng_one_in(rng, 2)) {
    result->dims[result->rank++] = 1;
  } else {
    const element_t *element = result->element;
    while (result->element == element) result->element = draw_element(rng, NULL, NULL);
  }
}

static bool break_empty(rng_t *rng, program_t *program) {
  uint32_t rank = program->operands[0].rank;
  if (rank == 0) return false;
  uint32_t dim = (uint32_t)rng_below(rng, rank);
  int64_t *input = &program->operands[0].dims[dim], *result = &program->results[0].dims[dim];
  if (*input == 0) {
    *result = 1;
  } else {
    *(rng_one_in(rng, 2) ? input : result) = 0;
  }
  return true;
}

static bool break_constraint(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program) {
  (void)arena;
  program_t *program = inout_program;
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  resize_mode_t mode = (resize_mode_t)attributes->mode;
  if (strcmp(id, "count") == 0) {
    program->operands[2] = program->operands[1];
    program->operand_count = rng_one_in(rng, 2) ? 1 : 3;
  } else if (strcmp(id, "types") == 0) {
    program->operands[0].element = draw_element(rng, is_refused, &mode);
    program->results[0].element = program->operands[0].element;
  } else if (strcmp(id, "target") == 0) {
    break_target(rng, (resize_target_t)attributes->target_mode, &program->operands[1]);
  } else if (strcmp(id, "result") == 0) {
    break_result(rng, &program->results[0]);
  } else if (!break_empty(rng, program)) {
    return false;
  }
  return program_obeys_bounds(program);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);

static void print_algorithm(const program_t *program, GString *out_text) {
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  g_string_append_printf(out_text, "%s/%s", mode_words[attributes->mode],
                         transformation_words[attributes->transformation]);
}

static void print_words(const program_t *program, GString *out_text) {
  const char *violation = validate(program);
  if (violation != NULL) {
    g_string_append_printf(out_text, "is no resize: it breaks %s", violation);
    return;
  }
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
    .break_constraint = break_constraint,
    .validate = validate,
    .parse_attributes = custom_call_parse_attributes,
    .print_attributes = custom_call_print_attributes,
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
