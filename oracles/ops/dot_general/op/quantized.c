/* SPDX-License-Identifier: Apache-2.0 */
/* Draws quantized and hybrid types of stablehlo.dot_general. */
#include <math.h>
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "oracles/ops/dot_general/op/op.h"

/* A dimension to quantize along that is not in `excluded`; -1 if there is none.
 */
static int32_t draw_axis(rng_t *rng, const type_t *type, const dimension_list_t *excluded) {
  dimension_list_t candidates = {.count = 0};
  for (uint32_t i = 0; i < type->rank; i++) {
    bool fits = type_takes_axis(type, i) && !dimension_list_contains(excluded, i);
    if (fits) dimension_list_append(&candidates, i);
  }
  if (candidates.count == 0) return -1;
  return (int32_t)candidates.dims[rng_below(rng, candidates.count)];
}

/* The dimension of the result along which dimension `axis` of rhs runs, which is not contracting.
 */
static int32_t result_axis_of(const program_t *program, int32_t axis) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const dimension_list_t *batching = &attributes->rhs_batching;
  for (uint32_t i = 0; i < batching->count; i++) {
    if (batching->dims[i] == axis) return (int32_t)i;
  }
  dimension_list_t columns = dot_general_rhs_result_dimensions(program);
  uint32_t column = 0;
  while (columns.dims[column] != axis) column++;
  return (int32_t)(program->results[0].rank - columns.count + column);
}

static int32_t draw_result_axis(rng_t *rng, const program_t *program) {
  const dimension_list_t none = {.count = 0};
  int32_t axis = program->operands[DOT_GENERAL_RHS].quantization->axis;
  if (axis == -1 || rng_one_in(rng, 4)) return -1;
  if (rng_one_in(rng, 8)) return draw_axis(rng, &program->results[0], &none);
  return result_axis_of(program, axis);
}

/* About how many bits the integer sums have. */
static int bits_of_sums(const program_t *program) {
  const type_t *lhs = &program->operands[DOT_GENERAL_LHS];
  size_t terms = dimension_list_extent(&dot_general_attributes(program)->lhs_contracting, lhs);
  return 2 * lhs->element->bits - 3 + (int)g_bit_storage(terms) / 2;
}

/* A scale for sums of products whose unit is `unit`: so that sums need no rescaling, or hardly any,
 * or fill the result's range as they do in practice, or overflow it now and then.  `drawn` where no
 * such number is one of the format. */
static double draw_result_scale(rng_t *rng, const program_t *program, double unit, double drawn) {
  const type_t *result = &program->results[0];
  int shift = bits_of_sums(program) - result->element->bits;
  double factor = 1;
  switch (rng_below(rng, 10)) {
    case 0:
      break;
    case 1:
    case 2:
      factor = 1 + ldexp((double)rng_between(rng, 4, 8) * (rng_one_in(rng, 2) ? 1 : -1), -13);
      break;
    case 3:
      return drawn;
    case 4:
    case 5:
      factor = ldexp(1, (int)rng_between(rng, shift - 2, shift + 3));
      break;
    default:
      factor =
          ldexp(1 + (double)rng_bits(rng) * 0x1p-64, (int)rng_between(rng, shift - 2, shift + 3));
      break;
  }
  double scale = format_round_double(result->quantization->expressed->format, unit * factor);
  return scale > 0 && isfinite(scale) ? scale : drawn;
}

static void settle_result_scales(rng_t *rng, program_t *program, arena_t *arena) {
  const quantization_t *lhs = program->operands[DOT_GENERAL_LHS].quantization;
  const quantization_t *rhs = program->operands[DOT_GENERAL_RHS].quantization;
  quantization_t *result = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *result = *program->results[0].quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, result->count);
  bool is_aligned =
      result->axis != -1 && rhs->axis != -1 && result->axis == result_axis_of(program, rhs->axis);
  for (uint32_t i = 0; i < result->count; i++) {
    double unit = lhs->scales[0] * rhs->scales[is_aligned ? i : 0];
    scales[i] = draw_result_scale(rng, program, unit, result->scales[i]);
  }
  result->scales = scales;
  program->results[0].quantization = result;
}

/* Largest powers of two that are no more: sums scaled by these may be ties. */
static void round_scales(arena_t *arena, type_t *type) {
  quantization_t *quantization = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *quantization = *type->quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, quantization->count);
  for (uint32_t i = 0; i < quantization->count; i++) {
    int exponent;
    frexp(quantization->scales[i], &exponent);
    scales[i] = ldexp(0.5, exponent);
  }
  quantization->scales = scales;
  type->quantization = quantization;
}

/* Two, four or eight times what sums of products are multiples of, where scales are powers of two:
 * of small operands, sums are often halfway between two integers of the result then, also of a type
 * that is wider than they are.  Later draws are what they would be without. */
static void settle_for_ties(const rng_t *rng, program_t *program, arena_t *arena) {
  const quantization_t *lhs = program->operands[DOT_GENERAL_LHS].quantization;
  const quantization_t *rhs = program->operands[DOT_GENERAL_RHS].quantization;
  quantization_t *result = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *result = *program->results[0].quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, result->count);
  rng_t own = *rng;
  if (rng_one_in(&own, 2)) return;
  for (uint32_t i = 0; i < result->count; i++) {
    double unit = lhs->scales[0] * rhs->scales[result->count == rhs->count ? i : 0];
    double scale = ldexp(unit, (int)rng_between(&own, 1, 3));
    scales[i] = format_round_double(result->expressed->format, scale);
    if (!(scales[i] > 0 && isfinite(scales[i]))) scales[i] = result->scales[i];
  }
  result->scales = scales;
  program->results[0].quantization = result;
}

static const element_t *draw_result_storage(rng_t *rng, const element_t *storage) {
  switch (rng_below(rng, 6)) {
    case 0:
    case 1:
      return element_named("i32");
    case 2:
      return draw_storage_element(rng);
    default:
      return storage;
  }
}

void dot_general_draw_quantization(rng_t *rng, bool is_hybrid, arena_t *arena,
                                   program_t *inout_program) {
  type_t *lhs = &inout_program->operands[DOT_GENERAL_LHS];
  type_t *rhs = &inout_program->operands[DOT_GENERAL_RHS];
  type_t *result = &inout_program->results[0];
  const dimension_list_t *contracting = &dot_general_attributes(inout_program)->rhs_contracting;
  const element_t *expressed = draw_expressed_element(rng);
  const element_t *storage = draw_storage_element(rng);
  int32_t axis = rng_one_in(rng, 2) ? -1 : draw_axis(rng, rhs, contracting);
  rhs->element = storage;
  draw_quantization(rng, arena, expressed, axis, true, rhs);
  lhs->element = result->element = expressed;
  lhs->quantization = result->quantization = NULL;
  if (is_hybrid) return;
  lhs->element = storage;
  draw_quantization(rng, arena, expressed, -1, false, lhs);
  result->element = draw_result_storage(rng, storage);
  int32_t result_axis = draw_result_axis(rng, inout_program);
  draw_quantization(rng, arena, expressed, result_axis, false, result);
  bool may_tie = rng_one_in(rng, 3);
  if (may_tie) round_scales(arena, lhs);
  if (may_tie) round_scales(arena, rhs);
  settle_result_scales(rng, inout_program, arena);
  if (!may_tie || !rng_one_in(rng, 2)) return;
  round_scales(arena, result);
  settle_for_ties(rng, inout_program, arena);
}
