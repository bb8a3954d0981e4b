/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the elementwise ops, and broken ones. */
#include <math.h>
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "oracles/ops/elementwise/elementwise.h"

/* ---- Programs -------------------------------------------------------------------------------- */

static type_t draw_shape(rng_t *rng, const draw_limits_t *limits, const element_t *element) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = (uint32_t)rng_below(rng, MIN(limits->rank_max, TYPE_RANK_MAX) + 1);
  int64_t left = limits->elements_max;
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = draw_size(rng, limits->sizes, left);
    left /= MAX(dims[i], 1);
  }
  return type_make(element, rank, dims);
}

static bool is_taken(const element_t *element, const void *function) {
  return elementwise_takes(*(const elementwise_t *)function, element);
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
