/* Programs of the elementwise ops, and broken ones. */
#include <math.h>
#include <string.h>

#include "harness/model/draw.h"
#include "harness/model/draw_quantization.h"
#include "oracles/ops/elementwise/elementwise.h"

/* ---- Programs -------------------------------------------------------------------------------- */

static type_t draw_shape(rng_t *rng, const draw_limits_t *limits, const element_t *element) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = (uint32_t)rng_below(rng, MIN(limits->rank_max, TYPE_RANK_MAX) + 1);
  int64_t left = limits->elements_max;
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = draw_size(rng, left);
    left /= MAX(dims[i], 1);
  }
  return type_make(element, rank, dims);
}

static bool is_taken(const element_t *element, const void *function) {
  return elementwise_takes(*(const elementwise_t *)function, element);
}

static bool is_not_taken(const element_t *element, const void *function) {
  return !elementwise_takes(*(const elementwise_t *)function, element);
}

/* A number of the expressed type near `scale`, or `otherwise` if that has none. */
static double scale_near(const element_t *expressed, double scale, double otherwise) {
  double rounded = format_round_double(expressed->format, scale);
  return isfinite(rounded) && rounded > 0 ? rounded : otherwise;
}

/* Replaces the scales by ones with which a result of that op neither vanishes nor is clamped all
 * the time: near those of the left operand, or for products near the product of both. */
static void relate_scales(rng_t *rng, arena_t *arena, const program_t *program,
                          type_t *inout_result) {
  quantization_t *related = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *related = *inout_result->quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, related->count);
  const quantization_t *lhs = program->operands[0].quantization;
  const quantization_t *rhs = program->operands[1].quantization;
  for (uint32_t i = 0; i < related->count; i++) {
    double near = lhs->scales[MIN(i, lhs->count - 1)];
    if (elementwise_of(program) == ELEMENTWISE_MULTIPLY) near *= rhs->scales[0];
    double factor = rng_one_in(rng, 4) ? 0.5 + (double)(rng_bits(rng) >> 11) * 0x1p-50
                                       : ldexp(1, (int)rng_between(rng, -2, 5));
    scales[i] = scale_near(related->expressed, near * factor, related->scales[i]);
  }
  related->scales = scales;
  inout_result->quantization = related;
}

/* `type` with other scales and zero points, and with its range where `keeps_range`. */
static type_t requantized(rng_t *rng, arena_t *arena, const type_t *type, int32_t axis,
                          bool keeps_range) {
  type_t other = *type;
  draw_quantization(rng, arena, type->quantization->expressed, axis, false, &other);
  if (!keeps_range) return other;
  quantization_t *kept = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *kept = *other.quantization;
  kept->storage_min = type->quantization->storage_min;
  kept->storage_max = type->quantization->storage_max;
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, kept->count);
  for (uint32_t i = 0; i < kept->count; i++) {
    zero_points[i] = CLAMP(kept->zero_points[i], kept->storage_min, kept->storage_max);
  }
  kept->zero_points = zero_points;
  other.quantization = kept;
  return other;
}

/* A dimension of few elements, or -1. */
static int32_t draw_axis(rng_t *rng, const type_t *type) {
  if (type->rank == 0) return -1;
  uint32_t dim = (uint32_t)rng_below(rng, type->rank);
  return type_takes_axis(type, dim) ? (int32_t)dim : -1;
}

/* Over a shape, whose element type is a storage type; along `axis`, -1 for none, the result and one
 * operand of an addition or both. */
static void draw_quantized(rng_t *rng, arena_t *arena, const type_t *shape, int32_t axis,
                           program_t *inout_program) {
  program_t *program = inout_program;
  bool is_add = elementwise_of(program) == ELEMENTWISE_ADD;
  bool are_axes[2] = {axis != -1, axis != -1};
  if (axis != -1 && rng_one_in(rng, 2)) are_axes[rng_below(rng, 2)] = false;
  type_t lhs = *shape;
  draw_quantization(rng, arena, draw_expressed_element(rng), are_axes[0] ? axis : -1, false, &lhs);
  bool keeps_range = !is_add || rng_one_in(rng, 2);
  program->operands[0] = lhs;
  program->operands[1] = requantized(rng, arena, &lhs, are_axes[1] ? axis : -1, keeps_range);
  bool is_unary = program->operand_count == 1;
  if (!is_unary && !rng_one_in(rng, 3)) relate_scales(rng, arena, program, &program->operands[1]);
  program->results[0] = requantized(rng, arena, &lhs, axis, keeps_range);
  if (!rng_one_in(rng, 3)) relate_scales(rng, arena, program, &program->results[0]);
  if (axis == -1 && rng_one_in(rng, 12)) program->results[0] = program->operands[1] = lhs;
}

void elementwise_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *inout_program) {
  elementwise_t function = elementwise_of(inout_program);
  inout_program->attributes = arena_alloc(arena, 0);
  inout_program->operand_count = elementwise_arity(function);
  inout_program->result_count = 1;
  if (elementwise_takes_quantized(function) && rng_one_in(rng, 2)) {
    type_t shape = draw_shape(rng, limits, draw_storage_element(rng));
    bool has_axis = function == ELEMENTWISE_ADD && rng_one_in(rng, 3);
    draw_quantized(rng, arena, &shape, has_axis ? draw_axis(rng, &shape) : -1, inout_program);
    return;
  }
  type_t type = draw_shape(rng, limits, draw_element(rng, is_taken, &function));
  inout_program->operands[0] = inout_program->operands[1] = type;
  inout_program->results[0] = type;
}

/* ---- Broken programs ------------------------------------------------------------------------- */

static bool is_other_storage(const element_t *element, const void *present) {
  return element != present && element_is_integer(element) && element->bits <= 32;
}

static bool is_other_expressed(const element_t *element, const void *present) {
  return element != present && element->kind == ELEMENT_FLOAT &&
         format_has_infinity(element->format);
}

/* What an op takes besides an element type. */
typedef struct other {
  elementwise_t function;
  const element_t *present;
} other_t;

static bool is_other_taken(const element_t *element, const void *context) {
  const other_t *other = context;
  return element != other->present && elementwise_takes(other->function, element);
}

static type_t *any_type(rng_t *rng, program_t *program) {
  uint64_t index = rng_below(rng, program->operand_count + 1);
  return index == 0 ? &program->results[0] : &program->operands[index - 1];
}

/* Of one type of several that must agree: its shape, its element type, or its range. */
static void break_agreement(rng_t *rng, elementwise_t function, arena_t *arena, type_t *type) {
  uint64_t choice = rng_below(rng, 3);
  if (choice == 0) {
    draw_other_shape(rng, type);
  } else if (type->quantization == NULL) {
    const other_t other = {.function = function, .present = type->element};
    type->element = draw_element(rng, is_other_taken, &other);
  } else if (choice == 1) {
    const element_t *present = type->quantization->expressed;
    draw_quantization(rng, arena, draw_element(rng, is_other_expressed, present), -1, false, type);
  } else {
    type->quantization = NULL;
  }
}

static bool break_types(rng_t *rng, arena_t *arena, program_t *program) {
  elementwise_t function = elementwise_of(program);
  type_t *first = &program->operands[0];
  bool takes_all = draw_element(rng, is_not_taken, &function) == NULL;
  if (takes_all || first->quantization != NULL || rng_one_in(rng, 3)) {
    int32_t axis = draw_axis(rng, first);
    bool is_open = !elementwise_takes_quantized(function);
    if (axis == -1 && !is_open) return false;
    first->element = draw_storage_element(rng);
    draw_quantization(rng, arena, draw_expressed_element(rng), axis, false, first);
  } else {
    first->element = draw_element(rng, is_not_taken, &function);
  }
  program->operands[1] = program->results[0] = *first;
  return true;
}

/* Another quantization dimension of an operand; false if it has no other. */
static bool break_axis(rng_t *rng, arena_t *arena, const type_t *result, type_t *operand) {
  if (operand->rank < 2) return false;
  int32_t axis = (result->quantization->axis + 1) % (int32_t)operand->rank;
  if (!type_takes_axis(operand, axis)) return false;
  *operand = requantized(rng, arena, operand, axis, true);
  return true;
}

/* Whether the result alone is quantized per axis, or the operands alone are. */
static bool break_result_axis(rng_t *rng, arena_t *arena, type_t *result) {
  int32_t axis = result->quantization->axis == -1 ? draw_axis(rng, result) : -1;
  if (axis == result->quantization->axis) return false;
  *result = requantized(rng, arena, result, axis, true);
  return true;
}

/* The constraints of add upon quantized types; the program is made quantized first. */
static bool break_quantized(rng_t *rng, const char *id, arena_t *arena, program_t *program) {
  type_t shape = program->operands[0];
  shape.quantization = NULL;
  shape.element = draw_storage_element(rng);
  bool is_of_axes = strcmp(id, "C6") == 0 || strcmp(id, "C7") == 0;
  bool has_axis = is_of_axes || (strcmp(id, "shape") != 0 && rng_one_in(rng, 3));
  int32_t axis = has_axis ? draw_axis(rng, &shape) : -1;
  draw_quantized(rng, arena, &shape, axis, program);
  type_t *type = any_type(rng, program), *result = &program->results[0];
  const element_t *expressed = type->quantization->expressed;
  if (strcmp(id, "C2") == 0) {
    if (rng_one_in(rng, 2)) type->element = expressed;
    type->quantization = NULL;
  } else if (strcmp(id, "C3") == 0) {
    type->element = draw_element(rng, is_other_storage, type->element);
    draw_quantization(rng, arena, expressed, type->quantization->axis, false, type);
  } else if (strcmp(id, "C4") == 0) {
    expressed = draw_element(rng, is_other_expressed, expressed);
    draw_quantization(rng, arena, expressed, type->quantization->axis, false, type);
  } else if (strcmp(id, "C5") == 0) {
    return break_result_axis(rng, arena, result);
  } else if (is_of_axes) {
    return axis != -1 && break_axis(rng, arena, result, &program->operands[id[1] - '6']);
  } else {
    draw_other_shape(rng, type);
  }
  return true;
}

bool elementwise_break(rng_t *rng, const char *id, arena_t *arena, program_t *inout_program) {
  program_t *program = inout_program;
  bool is_add = elementwise_of(program) == ELEMENTWISE_ADD;
  type_t *first = &program->operands[0];
  if (strcmp(id, "arity") == 0) {
    type_t type = *first;
    program->operands[1] = program->operands[2] = type;
    program->operand_count += rng_one_in(rng, 2) ? 1u : UINT32_MAX; /* One less. */
  } else if (strcmp(id, "types") == 0) {
    if (!break_types(rng, arena, program)) return false;
  } else if (strcmp(id, "C1") == 0) {
    if (is_add && first->quantization != NULL) { /* C1 is about those that are not. */
      first->quantization = NULL;
      program->operands[1] = program->results[0] = *first;
    }
    break_agreement(rng, elementwise_of(program), arena, any_type(rng, program));
  } else if (!break_quantized(rng, id, arena, program)) {
    return false;
  }
  return program_obeys_bounds(program);
}
