/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of quantize and dequantize, broken ones, and data in which their faults show. */
#include <math.h>
#include <string.h>

#include "harness/draw/random_fill.h"
#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_quantize/byteir_quantize.h"

/* ---- Programs -------------------------------------------------------------------------------- */

void byteir_quantize_draw_program(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                                  program_t *inout_program) {
  program_t *program = inout_program;
  byteir_quantize_attributes_t *attributes =
      ARENA_NEW_ARRAY(arena, byteir_quantize_attributes_t, 1);
  *attributes = (byteir_quantize_attributes_t){{.is_present = false}};
  bool is_per_channel = limits->rank_max > 0 && rng_one_in(rng, 2);
  dimension_list_t axes;
  const element_t *floats = draw_element(rng, byteir_is_float, NULL);
  const element_t *storage = draw_element(rng, byteir_quantize_is_storage, NULL);
  type_t input = byteir_draw_shape(rng, limits, floats, is_per_channel ? 1 : 0, 1, &axes);
  type_t scale = type_make(floats, 0, NULL);
  if (is_per_channel) {
    attributes->axis = (optional_integer_t){.is_present = true, .value = axes.dims[0]};
    scale = type_make(floats, 1, &input.dims[byteir_axis(axes.dims[0], input.rank)]);
  }
  program->attributes = attributes;
  program->operand_count = QUANTIZE_OPERANDS;
  program->result_count = 1;
  program->operands[QUANTIZE_INPUT] = program->results[0] = input;
  program->operands[QUANTIZE_SCALE] = program->operands[QUANTIZE_ZERO_POINT] = scale;
  program->operands[QUANTIZE_ZERO_POINT].element = program->results[0].element = storage;
}

/* ---- Scales and zero points ------------------------------------------------------------------ */

/* 1 to 2, with random bits in all places. */
static double draw_significand(rng_t *rng) { return 1 + (double)(rng_bits(rng) >> 12) * 0x1p-52; }

/* What no sane model has, and IEEE 754 has an answer for. */
static double draw_odd_scale(rng_t *rng) {
  static const double odd[] = {0.0, -0.0, -0.5, -0.1, INFINITY, -INFINITY, NAN};
  return odd[rng_below(rng, G_N_ELEMENTS(odd))];
}

static double draw_scale(rng_t *rng, const format_t *format) {
  static const double decimals[] = {0.1, 1.0 / 3, 0.05, 0.02, 0.007, 1.0 / 255, 3, 1.0 / 127};
  double largest = format_to_double(format, format->largest_bits);
  int lowest = format->exponent_min - format->precision + 1;
  switch (rng_below(rng, 12)) {
    case 0:
    case 1:
    case 2:
      return ldexp(1, (int)rng_between(rng, -14, 3));
    case 3:
    case 4:
    case 5:
      return decimals[rng_below(rng, G_N_ELEMENTS(decimals))];
    case 6:
    case 7:
    case 8:
      return ldexp(draw_significand(rng), (int)rng_between(rng, -12, 3));
    case 9:
      return ldexp(draw_significand(rng), (int)rng_between(rng, lowest, format->exponent_min + 2));
    case 10:
      return largest * ldexp(draw_significand(rng), -(int)rng_between(rng, 1, 17));
    default:
      return rng_one_in(rng, 2) ? draw_odd_scale(rng) : 1;
  }
}

/* Within the range, often at its ends, its middle or zero. */
static int64_t draw_storage(rng_t *rng, const element_t *storage) {
  storage_t range = storage_of(storage);
  int64_t step = rng_between(rng, 0, 2);
  switch (rng_below(rng, 6)) {
    case 0:
      return range.smallest + step;
    case 1:
      return range.largest - step;
    case 2:
      return (range.smallest + range.largest + 1) / 2 + step;
    case 3:
      return CLAMP(step - 1, range.smallest, range.largest);
    default:
      return rng_between(rng, range.smallest, range.largest);
  }
}

static double load_float(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, index));
}

static void draw_parameters(rng_t *rng, const case_t *instance) {
  const tensor_t *scale = &instance->operands[QUANTIZE_SCALE];
  const tensor_t *zero_point = &instance->operands[QUANTIZE_ZERO_POINT];
  const element_t *floats = scale->type.element;
  for (size_t i = 0; i < type_element_count(&scale->type); i++) {
    double value = draw_scale(rng, floats->format);
    element_store(floats, scale->data, i, format_from_double(floats->format, value));
    storage_store(zero_point, i, draw_storage(rng, zero_point->type.element));
  }
}

/* ---- quantize -------------------------------------------------------------------------------- */

/* A quotient, mostly halfway between two integers: anywhere in the range that does not saturate, at
 * its ends, near zero, or too large for 32 or 64 bits. */
static double draw_quotient(rng_t *rng, const storage_t *range, int64_t zero_point) {
  static const double fractions[] = {0.5, 0.5, 0.5, 0.5, 0, 0.25};
  double fraction = fractions[rng_below(rng, G_N_ELEMENTS(fractions))];
  int64_t smallest = range->smallest - zero_point, largest = range->largest - zero_point;
  switch (rng_below(rng, 8)) {
    case 0:
      return (double)(smallest + rng_between(rng, -2, 1)) + fraction;
    case 1:
      return (double)(largest + rng_between(rng, -2, 1)) + fraction;
    case 2:
    case 3:
      return (double)rng_between(rng, -5, 4) + fraction;
    case 4:
      return ldexp(rng_one_in(rng, 2) ? -1.25 : 1.25, (int)rng_between(rng, 15, 70));
    default:
      return (double)rng_between(rng, smallest, largest) + fraction;
  }
}

/* As many steps up, or down if negative. */
static uint64_t step_away(const format_t *format, uint64_t bits, int64_t steps) {
  for (; steps > 0; steps--) bits = format_next_up(format, bits);
  for (; steps < 0; steps++) bits = format_next_down(format, bits);
  return bits;
}

static uint64_t draw_dividend(rng_t *rng, const element_t *element, double scale, double quotient) {
  if (rng_one_in(rng, 50)) return special_value_any(rng, element);
  uint64_t bits = format_from_double(element->format, quotient * scale);
  bool stays = rng_one_in(rng, 2) || format_is_nan(element->format, bits);
  return stays ? bits : step_away(element->format, bits, rng_between(rng, -3, 3));
}

void byteir_quantize_draw_edges(rng_t *rng, case_t *inout_case) {
  draw_parameters(rng, inout_case);
  const tensor_t *input = &inout_case->operands[QUANTIZE_INPUT];
  const tensor_t *scale = &inout_case->operands[QUANTIZE_SCALE];
  const tensor_t *zero_point = &inout_case->operands[QUANTIZE_ZERO_POINT];
  const element_t *element = input->type.element;
  storage_t range = storage_of(zero_point->type.element);
  byteir_quantize_channels_t channels = byteir_quantize_channels(&inout_case->program);
  for (size_t i = 0; i < type_element_count(&input->type); i++) {
    size_t channel = byteir_quantize_channel(&channels, i);
    double quotient = draw_quotient(rng, &range, storage_load(zero_point, channel));
    uint64_t bits = draw_dividend(rng, element, load_float(scale, channel), quotient);
    element_store(element, input->data, i, bits);
  }
}

/* ---- dequantize ------------------------------------------------------------------------------ */

void byteir_dequantize_draw_edges(rng_t *rng, case_t *inout_case) {
  draw_parameters(rng, inout_case);
  const tensor_t *input = &inout_case->operands[QUANTIZE_INPUT];
  const tensor_t *zero_point = &inout_case->operands[QUANTIZE_ZERO_POINT];
  const element_t *element = input->type.element;
  storage_t range = storage_of(element);
  byteir_quantize_channels_t channels = byteir_quantize_channels(&inout_case->program);
  for (size_t i = 0; i < type_element_count(&input->type); i++) {
    int64_t near = storage_load(zero_point, byteir_quantize_channel(&channels, i));
    near = CLAMP(near + rng_between(rng, -2, 2), range.smallest, range.largest);
    storage_store(input, i, rng_one_in(rng, 4) ? near : draw_storage(rng, element));
  }
}
