/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the three conversions, broken ones, and data in which their faults show: numbers that
 * lie halfway between two of the result's type, or next to that; ends of its range. */
#include <math.h>
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "oracles/ops/element_conversion/element_conversion.h"

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

/* Quantizes a type, half of the time along an axis if it has one of few elements. */
static void quantize_type(rng_t *rng, arena_t *arena, const element_t *expressed,
                          type_t *inout_type) {
  int32_t axis = -1;
  if (inout_type->rank > 0 && rng_one_in(rng, 2)) {
    uint32_t dim = (uint32_t)rng_below(rng, inout_type->rank);
    if (type_takes_axis(inout_type, dim)) axis = (int32_t)dim;
  }
  inout_type->element = draw_storage_element(rng);
  draw_quantization(rng, arena, expressed, axis, false, inout_type);
}

void element_conversion_draw(rng_t *rng, conversion_t conversion, const draw_limits_t *limits,
                             arena_t *arena, program_t *inout_program) {
  const element_t *element = conversion == CONVERSION_CONVERT ? draw_element(rng, NULL, NULL)
                                                              : draw_expressed_element(rng);
  type_t operand = draw_shape(rng, limits, element);
  type_t result = operand;
  if (conversion == CONVERSION_CONVERT) {
    result.element = draw_element(rng, NULL, NULL);
  } else {
    bool is_requantized = conversion == CONVERSION_QUANTIZE && rng_one_in(rng, 2);
    quantize_type(rng, arena, element, &result);
    if (is_requantized) quantize_type(rng, arena, element, &operand);
  }
  bool is_backwards = conversion == CONVERSION_DEQUANTIZE;
  inout_program->attributes = arena_alloc(arena, 0);
  inout_program->operand_count = inout_program->result_count = 1;
  inout_program->operands[0] = is_backwards ? result : operand;
  inout_program->results[0] = is_backwards ? operand : result;
}

/* ---- Edges of convert ------------------------------------------------------------------------ */

/* As many steps up, or down if negative. */
static uint64_t step_away(const format_t *format, uint64_t bits, int64_t steps) {
  for (; steps > 0; steps--) bits = format_next_up(format, bits);
  for (; steps < 0; steps++) bits = format_next_down(format, bits);
  return bits;
}

/* Any pattern of a number, of every magnitude alike. */
static uint64_t draw_number(rng_t *rng, const format_t *format) {
  bool is_signed = format->specials != FORMAT_EXPONENT_ONLY && rng_one_in(rng, 2);
  uint64_t magnitude = rng_below(rng, format->largest_bits + 1);
  if (rng_one_in(rng, 8)) magnitude = format->largest_bits - rng_below(rng, 2);
  return magnitude | (is_signed && magnitude != 0 ? UINT64_C(1) << (format->bits - 1) : 0);
}

/* A number halfway between two of the result's, mostly, or as near to that as the operand's type
 * gets, or a step or two beside. */
static double draw_middle(rng_t *rng, const format_t *format) {
  uint64_t bits = draw_number(rng, format);
  double value = format_to_double(format, bits);
  double next = format_to_double(format, format_next_up(format, bits));
  if (rng_one_in(rng, 8)) return value;
  if (!isfinite(next) || next == value) { /* Where overflow begins. */
    next = value + ldexp(1, format_ulp_exponent(format, format->exponent_max));
  }
  return value / 2 + next / 2;
}

/* An integer of the result's range, its ends and what is beyond more likely, and a fraction. */
static double draw_near_integer(rng_t *rng, const element_t *to) {
  static const double fractions[] = {0, 0.5, 0.5, 0.25, 0.75, 0x1p-40};
  double smallest = (double)element_integer_min(to), largest = (double)element_integer_max(to);
  double fraction = fractions[rng_below(rng, G_N_ELEMENTS(fractions))];
  switch (rng_below(rng, 6)) {
    case 0:
      return smallest + (double)rng_between(rng, -2, 1) + fraction;
    case 1:
      return largest + (double)rng_between(rng, -2, 1) + fraction;
    case 2:
      return ldexp(rng_one_in(rng, 2) ? -1.25 : 1.25, (int)rng_between(rng, 0, 70));
    case 3:
      return smallest + (largest - smallest) * ((double)(rng_bits(rng) >> 11) * 0x1p-53);
    default:
      return (double)rng_between(rng, -9, 9) + fraction;
  }
}

static uint64_t draw_float_edge(rng_t *rng, const element_t *from, const element_t *to) {
  bool is_float = to->format != NULL;
  double value = is_float ? draw_middle(rng, to->format) : draw_near_integer(rng, to);
  uint64_t bits = format_from_double(from->format, value);
  bool stays = rng_one_in(rng, 2) || format_is_nan(from->format, bits);
  return stays ? bits : step_away(from->format, bits, rng_between(rng, -2, 2));
}

/* Integers that round: of one bit more than the precision, or next to that. */
static uint64_t draw_integer_edge(rng_t *rng, const element_t *from, const element_t *to) {
  uint64_t value;
  if (to->format != NULL) {
    uint64_t odd = rng_bits(rng) >> (63 - to->format->precision) | 1;
    value = (odd << rng_below(rng, 64)) + (uint64_t)rng_between(rng, -1, 1);
  } else {
    bool is_largest = rng_one_in(rng, 2);
    uint64_t end = is_largest ? element_integer_max(to) : (uint64_t)element_integer_min(to);
    value = end + (uint64_t)rng_between(rng, -2, 2);
  }
  if (rng_one_in(rng, 3)) value = 0 - value;
  return value & element_mask(from);
}

void element_conversion_draw_convert_edges(rng_t *rng, case_t *inout_case) {
  const tensor_t *operand = &inout_case->operands[0];
  const element_t *from = operand->type.element;
  const element_t *to = inout_case->program.results[0].element;
  for (size_t i = 0; i < type_component_count(&operand->type); i++) {
    uint64_t bits;
    if (rng_one_in(rng, 12) || from->kind == ELEMENT_BOOLEAN) {
      bits = special_value_any(rng, from);
    } else if (from->format != NULL) {
      bits = draw_float_edge(rng, from, to);
    } else {
      bits = draw_integer_edge(rng, from, to);
    }
    element_store(from, operand->data, i, bits);
  }
}

/* ---- Edges of uniform_quantize --------------------------------------------------------------- */

typedef struct parameters {
  double scale;
  double zero_point;
} parameters_t;

static parameters_t parameters_of(const type_t *type, size_t element) {
  const quantization_t *quantization = type->quantization;
  size_t index = 0;
  if (quantization->axis != -1) {
    size_t stride = 1;
    for (uint32_t i = (uint32_t)quantization->axis + 1; i < type->rank; i++) {
      stride *= (size_t)type->dims[i];
    }
    index = element / stride % quantization->count;
  }
  return (parameters_t){quantization->scales[index], (double)quantization->zero_points[index]};
}

/* What becomes halfway between two storage values, anywhere in the range or at its ends. */
static uint64_t draw_quantized_edge(rng_t *rng, const format_t *format, const type_t *to,
                                    size_t element) {
  const parameters_t parameters = parameters_of(to, element);
  const quantization_t *quantization = to->quantization;
  int64_t smallest = quantization->storage_min, largest = quantization->storage_max;
  double stored;
  switch (rng_below(rng, 6)) {
    case 0:
      stored = (double)(smallest + rng_between(rng, -2, 1));
      break;
    case 1:
      stored = (double)(largest + rng_between(rng, -2, 1));
      break;
    case 2:
      stored = parameters.zero_point + (double)rng_between(rng, -4, 3);
      break;
    case 3:
      return rng_one_in(rng, 4) ? draw_number(rng, format)
                                : format_from_double(format, ldexp(parameters.scale, 40));
    default:
      stored = (double)rng_between(rng, smallest, largest);
      break;
  }
  if (!rng_one_in(rng, 4)) stored += 0.5;
  double value = (stored - parameters.zero_point) * parameters.scale;
  uint64_t bits = format_from_double(format, value);
  bool stays = rng_one_in(rng, 2) || format_is_nan(format, bits);
  return stays ? bits : step_away(format, bits, rng_between(rng, -2, 2));
}

/* Any storage value; or one near a tie, where most of the range lies beyond the result's. */
static int64_t draw_requantized(rng_t *rng, const quantization_t *from, const quantization_t *to,
                                parameters_t before, parameters_t after) {
  double range = ((double)from->storage_max - (double)from->storage_min) * before.scale;
  double of_result = ((double)to->storage_max - (double)to->storage_min) * after.scale;
  if (!(range > 4 * of_result)) return rng_between(rng, from->storage_min, from->storage_max);
  double halfway = (double)rng_between(rng, to->storage_min, to->storage_max) + 0.5;
  double stored = (halfway - after.zero_point) * after.scale / before.scale + before.zero_point;
  if (!(stored > (double)from->storage_min)) return from->storage_min;
  return stored < (double)from->storage_max ? (int64_t)rint(stored) : from->storage_max;
}

/* Of several storage values the one that comes nearest to a tie of the result's. */
static int64_t draw_requantized_edge(rng_t *rng, const type_t *from, const type_t *to,
                                     size_t element) {
  enum { DRAWS = 24 };
  const parameters_t before = parameters_of(from, element), after = parameters_of(to, element);
  int64_t best = 0;
  double nearest = INFINITY;
  for (int i = 0; i < DRAWS; i++) {
    int64_t stored = draw_requantized(rng, from->quantization, to->quantization, before, after);
    double value = ((double)stored - before.zero_point) * before.scale / after.scale;
    bool is_outside = fabs(value) > 0x1p40;
    double fraction = is_outside ? 0 : fabs(value - (double)(int64_t)value);
    double distance = fabs(fraction - 0.5);
    if (i > 0 && (is_outside || distance >= nearest)) continue;
    best = stored;
    nearest = distance;
  }
  return best;
}

void element_conversion_draw_quantize_edges(rng_t *rng, case_t *inout_case) {
  tensor_t *operand = &inout_case->operands[0];
  const type_t *from = &operand->type, *to = &inout_case->program.results[0];
  if (from->quantization != NULL && rng_one_in(rng, 2)) {
    draw_stored(rng, operand);
    return;
  }
  for (size_t i = 0; i < type_element_count(from); i++) {
    uint64_t bits;
    if (from->quantization != NULL) {
      int64_t stored = draw_requantized_edge(rng, from, to, i);
      bits = (uint64_t)stored & element_mask(from->element);
    } else if (rng_one_in(rng, 24)) {
      bits = special_value_any(rng, from->element);
    } else {
      bits = draw_quantized_edge(rng, from->element->format, to, i);
    }
    element_store(from->element, operand->data, i, bits);
  }
}
