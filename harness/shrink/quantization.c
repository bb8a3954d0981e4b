/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates with plainer quantized types: the whole storage range, zero points of 0, scales of 1,
 * of one bit, or all alike.  Types that are quantized alike are changed together first, since ops
 * may want them so, and then one by one. */
#include <math.h>

#include "harness/shrink/state.h"

const quantization_t *shrink_kept_scales(const quantization_t *before, const size_t *kept,
                                         size_t count, arena_t *arena) {
  quantization_t *after = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *after = *before;
  double *scales = ARENA_NEW_ARRAY(arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, count);
  for (size_t i = 0; i < count; i++) {
    size_t from = kept == NULL ? i : kept[i];
    scales[i] = before->scales[from];
    zero_points[i] = before->zero_points[from];
  }
  after->count = (uint32_t)count;
  after->scales = scales;
  after->zero_points = zero_points;
  return after;
}

typedef void plainer_t(const type_t *type, quantization_t *quantization, double *scales,
                       int64_t *zero_points);

static void with_full_range(const type_t *type, quantization_t *quantization, double *scales,
                            int64_t *zero_points) {
  (void)scales;
  (void)zero_points;
  quantization->storage_min = element_integer_min(type->element);
  quantization->storage_max = (int64_t)element_integer_max(type->element);
}

static void with_zero_points(const type_t *type, quantization_t *quantization, double *scales,
                             int64_t *zero_points) {
  (void)type;
  (void)scales;
  for (uint32_t i = 0; i < quantization->count; i++) {
    zero_points[i] = CLAMP(0, quantization->storage_min, quantization->storage_max);
  }
}

static void with_scales_of_1(const type_t *type, quantization_t *quantization, double *scales,
                             int64_t *zero_points) {
  (void)type;
  (void)zero_points;
  for (uint32_t i = 0; i < quantization->count; i++) scales[i] = 1;
}

static void with_one_scale(const type_t *type, quantization_t *quantization, double *scales,
                           int64_t *zero_points) {
  (void)type;
  (void)zero_points;
  for (uint32_t i = 1; i < quantization->count; i++) scales[i] = scales[0];
}

static void with_one_zero_point(const type_t *type, quantization_t *quantization, double *scales,
                                int64_t *zero_points) {
  (void)type;
  (void)scales;
  for (uint32_t i = 1; i < quantization->count; i++) zero_points[i] = zero_points[0];
}

static void with_powers_of_two(const type_t *type, quantization_t *quantization, double *scales,
                               int64_t *zero_points) {
  (void)type;
  (void)zero_points;
  for (uint32_t i = 0; i < quantization->count; i++) {
    int exponent;
    (void)frexp(scales[i], &exponent);
    scales[i] = ldexp(1, exponent - 1);
  }
}

static void with_short_scales(const type_t *type, quantization_t *quantization, double *scales,
                              int64_t *zero_points) {
  enum { BITS = 3 };
  (void)type;
  (void)zero_points;
  for (uint32_t i = 0; i < quantization->count; i++) {
    int exponent;
    double significand = frexp(scales[i], &exponent);
    scales[i] = ldexp((double)(int64_t)ldexp(significand, BITS), exponent - BITS);
  }
}

static void with_scales_near_1(const type_t *type, quantization_t *quantization, double *scales,
                               int64_t *zero_points) {
  (void)type;
  (void)zero_points;
  for (uint32_t i = 0; i < quantization->count; i++) {
    int exponent;
    scales[i] = 2 * frexp(scales[i], &exponent);
  }
}

static plainer_t *const plainer[] = {with_full_range,   with_zero_points,    with_scales_of_1,
                                     with_one_scale,    with_one_zero_point, with_powers_of_two,
                                     with_short_scales, with_scales_near_1};

static const quantization_t *make_plainer(const type_t *type, plainer_t *change, arena_t *arena) {
  quantization_t *copy = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *copy = *type->quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, copy->count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, copy->count);
  for (uint32_t i = 0; i < copy->count; i++) {
    scales[i] = copy->scales[i];
    zero_points[i] = copy->zero_points[i];
  }
  change(type, copy, scales, zero_points);
  copy->scales = scales;
  copy->zero_points = zero_points;
  return copy;
}

/* Changes the type, and all others that are quantized like it if `all`. */
static bool try_plainer(shrink_t *shrink, const type_t *which, plainer_t *change, bool all) {
  arena_reset(&shrink->scratch);
  case_t candidate = case_copy(&shrink->scratch, &shrink->best);
  const program_t *best = &shrink->best.program;
  const quantization_t *before = which->quantization;
  const quantization_t *after = make_plainer(which, change, &shrink->scratch);
  for (uint32_t i = 0; i < best->operand_count; i++) {
    const type_t *type = &best->operands[i];
    bool is_changed = type == which || (all && quantization_equal(type->quantization, before));
    if (is_changed) candidate.program.operands[i].quantization = after;
    candidate.operands[i].type = candidate.program.operands[i];
  }
  for (uint32_t i = 0; i < best->result_count; i++) {
    const type_t *type = &best->results[i];
    bool is_changed = type == which || (all && quantization_equal(type->quantization, before));
    if (is_changed) candidate.program.results[i].quantization = after;
  }
  return shrink_try_shape(shrink, &candidate, true);
}

static bool shrink_type(shrink_t *shrink, uint32_t tensor) {
  bool is_changed = false;
  for (size_t i = 0; i < G_N_ELEMENTS(plainer) && !shrink_is_over(shrink); i++) {
    const program_t *best = &shrink->best.program; /* Another one after each success. */
    const type_t *type = tensor < best->operand_count
                             ? &best->operands[tensor]
                             : &best->results[tensor - best->operand_count];
    if (type->quantization == NULL) return is_changed;
    is_changed |=
        try_plainer(shrink, type, plainer[i], true) || try_plainer(shrink, type, plainer[i], false);
  }
  return is_changed;
}

bool shrink_quantizations(shrink_t *shrink) {
  const program_t *best = &shrink->best.program;
  bool is_changed = false;
  for (uint32_t i = 0; i < best->operand_count + best->result_count; i++) {
    is_changed |= shrink_type(shrink, i);
  }
  return is_changed;
}
