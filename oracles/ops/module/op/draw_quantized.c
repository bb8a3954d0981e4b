/* SPDX-License-Identifier: Apache-2.0 */
/* Floats that go through a quantized type before or behind an op. */
#include <math.h>

#include "oracles/ops/module/op/patterns.h"

/* i8 or ui8 with one scale of few bits. */
static type_t quantized_type(sketch_t *sketch, const type_t *shape) {
  rng_t *rng = sketch->rng;
  const element_t *element = element_named(rng_one_in(rng, 3) ? "ui8" : "i8");
  quantization_t *quantization = arena_alloc(sketch->arena, sizeof *quantization);
  double *scale = ARENA_NEW_ARRAY(sketch->arena, double, 1);
  int64_t *zero_point = ARENA_NEW_ARRAY(sketch->arena, int64_t, 1);
  *scale = ldexp((double)rng_between(rng, 8, 15), (int)rng_between(rng, -10, -5));
  *zero_point = rng_between(rng, -20, 20) + (element->kind == ELEMENT_UNSIGNED ? 100 : 0);
  *quantization = (quantization_t){.expressed = element_named("f32"),
                                   .storage_min = element_integer_min(element),
                                   .storage_max = (int64_t)element_integer_max(element),
                                   .axis = -1,
                                   .count = 1,
                                   .scales = scale,
                                   .zero_points = zero_point};
  type_t type = type_make(element, shape->rank, shape->dims);
  type.quantization = quantization;
  return type;
}

/* What quantizing and dequantizing leaves of it: "fake quantization". */
static sketch_value_t through(sketch_t *sketch, sketch_value_t value, const type_t *stored) {
  const type_t type = *sketch_type(sketch, value);
  sketch_value_t quantized = sketch_apply(sketch, "uniform_quantize", NULL, &value, 1, stored);
  return sketch_apply(sketch, "uniform_dequantize", NULL, &quantized, 1, &type);
}

sketch_value_t pattern_through_quantized(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  if (type.element != element_named("f32")) return value;
  const type_t stored = quantized_type(sketch, &type);
  return through(sketch, value, &stored);
}

pattern_returns_t pattern_quantized(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const type_t type = sketch_shape(sketch, element_named("f32"), 0, 3);
  const type_t stored = quantized_type(sketch, &type);
  bool is_stored = rng_one_in(rng, 2);
  sketch_value_t value = sketch_argument(sketch, is_stored ? &stored : &type);
  value = is_stored ? sketch_apply(sketch, "uniform_dequantize", NULL, &value, 1, &type)
                    : through(sketch, value, &stored);
  value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 3)) return pattern_return(value);
  const type_t result = quantized_type(sketch, &type);
  if (rng_one_in(rng, 4)) return pattern_return(through(sketch, value, &result));
  return pattern_return(sketch_apply(sketch, "uniform_quantize", NULL, &value, 1, &result));
}
