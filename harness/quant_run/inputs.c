/* SPDX-License-Identifier: Apache-2.0 */
/* Random inputs of a quantized model: numbers within the range of each input's specification, at
 * its ends, near zero, and beyond it where clamping is to be seen; small indices and booleans of
 * inputs that are no floats. */
#include <math.h>

#include "harness/quant_run/quant_run.h"

typedef struct range {
  double low;
  double high;
} range_t;

/* What the spec holds without clamping, in numbers of the high-precision type. */
static range_t uniform_range(const quantization_t *uniform) {
  double zero_point = (double)uniform->zero_points[0], scale = uniform->scales[0];
  return (range_t){((double)uniform->storage_min - zero_point) * scale,
                   ((double)uniform->storage_max - zero_point) * scale};
}

static range_t range_of(const quant_value_t *value) {
  switch (value->spec.kind) {
    case QUANT_SPEC_CALIBRATED:
      return (range_t){value->spec.minimum, value->spec.maximum};
    case QUANT_SPEC_UNIFORM:
      return uniform_range(value->spec.uniform);
    case QUANT_SPEC_OPEN:
    case QUANT_SPEC_KEEP:
    case QUANT_SPEC_ANY:
    default:
      return (range_t){-1, 1};
  }
}

/* On an end or 0 or beyond is where clamping and zero points show. */
static double draw_number(rng_t *rng, range_t range, bool goes_beyond) {
  switch (rng_below(rng, 16)) {
    case 0:
      return range.low;
    case 1:
      return range.high;
    case 2:
      return 0;
    case 3:
      if (!goes_beyond) break;
      return range.high + (range.high - range.low) / 8;
    default:
      break;
  }
  double share = (double)(rng_bits(rng) >> 11) * 0x1p-53;
  return range.low + (range.high - range.low) * share;
}

enum { INTEGER_MAX = 7 }; /* Of inputs of integers, which are indices as a rule. */

static uint64_t draw_component(rng_t *rng, const element_t *element, range_t range,
                               bool goes_beyond) {
  if (element->kind == ELEMENT_BOOLEAN) return rng_below(rng, 2);
  if (element->format == NULL) {
    uint64_t largest = MIN(element_integer_max(element), (uint64_t)INTEGER_MAX);
    return rng_below(rng, largest + 1);
  }
  double number = draw_number(rng, range, goes_beyond);
  return format_from_double(element->format, isfinite(number) ? number : 0);
}

tensor_t *quant_draw_inputs(rng_t *rng, const quant_graph_t *graph, bool goes_beyond,
                            arena_t *arena) {
  tensor_t *inputs = ARENA_NEW_ARRAY(arena, tensor_t, graph->input_count + 1);
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const quant_value_t *value = &graph->values[graph->inputs[i]];
    const element_t *element = value->type.element;
    const range_t range = range_of(value);
    inputs[i] = tensor_make(arena, &value->type);
    size_t count = type_element_count(&value->type) * element->components;
    for (size_t k = 0; k < count; k++) {
      element_store(element, inputs[i].data, k, draw_component(rng, element, range, goes_beyond));
    }
  }
  return inputs;
}
