/* SPDX-License-Identifier: Apache-2.0 */
/* Random quantized types (storage range, scales, zero points, per tensor or per axis) and random
 * storage values, with those at range ends and the zero point more likely. */
#include "harness/draw/draw_quantization.h"

#include <math.h>

#include "harness/draw/draw.h"

/* ---- Elements -------------------------------------------------------------------------------- */

static bool is_storage(const element_t *element, const void *unused) {
  (void)unused;
  return element_is_integer(element) && element->bits <= 32;
}

const element_t *draw_storage_element(rng_t *rng) {
  if (rng_one_in(rng, 2)) return element_named(rng_one_in(rng, 3) ? "ui8" : "i8");
  return draw_element(rng, is_storage, NULL);
}

static bool is_expressed(const element_t *element, const void *unused) {
  (void)unused;
  return element->kind == ELEMENT_FLOAT && format_has_infinity(element->format);
}

const element_t *draw_expressed_element(rng_t *rng) {
  static const char *const usual[] = {"f32", "f32", "f16", "bf16", "f64"};
  if (rng_one_in(rng, 8)) return draw_element(rng, is_expressed, NULL);
  return element_named(usual[rng_below(rng, G_N_ELEMENTS(usual))]);
}

/* ---- Scales ---------------------------------------------------------------------------------- */

/* 1 to 2, with random bits in all places. */
static double draw_significand(rng_t *rng) { return 1 + (double)(rng_bits(rng) >> 12) * 0x1p-52; }

static double draw_unrounded_scale(rng_t *rng, const format_t *format) {
  static const double decimals[] = {0.1, 1.0 / 3, 0.05, 0.02, 0.007, 1.0 / 255, 3, 1.0 / 127};
  double largest = format_to_double(format, format->largest_bits);
  int lowest = format->exponent_min - format->precision + 1;
  switch (rng_below(rng, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return ldexp(1, (int)rng_between(rng, -10, 3));
    case 4:
    case 5:
    case 6:
    case 7:
      return decimals[rng_below(rng, G_N_ELEMENTS(decimals))];
    case 8: /* Tiny: subnormal, or nearly so. */
      return ldexp(draw_significand(rng), (int)rng_between(rng, lowest, format->exponent_min + 2));
    case 9: /* Huge. */
      return ldexp(largest, -(int)rng_between(rng, 0, 17)) * (0.5 + draw_significand(rng) / 4);
    case 10: /* Any power of two. */
      return ldexp(1, (int)rng_between(rng, lowest, format->exponent_max));
    case 11:
      return 1;
    default:
      return ldexp(draw_significand(rng), (int)rng_between(rng, -12, 3));
  }
}

double draw_scale(rng_t *rng, const format_t *format) {
  double scale = format_round_double(format, draw_unrounded_scale(rng, format));
  return isfinite(scale) && scale > 0 ? scale : 1; /* Of few bits, some formats lack the others. */
}

/* ---- Ranges and zero points ------------------------------------------------------------------ */

/* The full range half of the time; without the smallest, symmetric, or any of two values or more.
 */
static void draw_range(rng_t *rng, const element_t *storage, quantization_t *quantization) {
  int64_t smallest = element_integer_min(storage);
  int64_t largest = (int64_t)element_integer_max(storage);
  uint64_t choice = rng_below(rng, 8);
  if (choice == 0) {
    smallest++; /* Symmetric, of a signed type. */
  } else if (choice == 1) {
    int64_t bound = rng_between(rng, 1, largest);
    smallest = MAX(-bound, smallest);
    largest = bound;
  } else if (choice == 2) {
    int64_t first = rng_between(rng, smallest, largest - 1);
    largest = rng_between(rng, first + 1, largest);
    smallest = first;
  }
  quantization->storage_min = smallest;
  quantization->storage_max = largest;
}

/* Often at an end, the middle or zero; between the two bounds. */
static int64_t draw_between(rng_t *rng, int64_t smallest, int64_t largest) {
  int64_t step = rng_between(rng, 0, 2);
  int64_t value;
  switch (rng_below(rng, 7)) {
    case 0:
      value = smallest + step;
      break;
    case 1:
      value = largest - step;
      break;
    case 2:
      value = (smallest + largest + 1) / 2 + step - 1;
      break;
    case 3:
      value = step - 1;
      break;
    case 4:
      value = 0;
      break;
    default:
      value = rng_between(rng, smallest, largest);
      break;
  }
  return CLAMP(value, smallest, largest);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static void draw_parameters(rng_t *rng, arena_t *arena, bool zero_points_are_zero,
                            quantization_t *quantization) {
  double *scales = ARENA_NEW_ARRAY(arena, double, quantization->count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, quantization->count);
  bool are_alike = rng_one_in(rng, 4);
  bool are_zero = zero_points_are_zero || (quantization->storage_min <= 0 &&
                                           quantization->storage_max >= 0 && rng_one_in(rng, 4));
  for (uint32_t i = 0; i < quantization->count; i++) {
    bool repeats = are_alike && i > 0;
    scales[i] = repeats ? scales[0] : draw_scale(rng, quantization->expressed->format);
    zero_points[i] =
        are_zero ? 0 : draw_between(rng, quantization->storage_min, quantization->storage_max);
  }
  quantization->scales = scales;
  quantization->zero_points = zero_points;
}

void draw_quantization(rng_t *rng, arena_t *arena, const element_t *expressed, int32_t axis,
                       bool zero_points_are_zero, type_t *inout_type) {
  quantization_t *quantization = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *quantization = (quantization_t){
      .expressed = expressed,
      .axis = axis,
      .count = axis == -1 ? 1 : (uint32_t)inout_type->dims[axis],
  };
  draw_range(rng, inout_type->element, quantization);
  if (zero_points_are_zero) {
    quantization->storage_min = MIN(quantization->storage_min, 0);
    quantization->storage_max = MAX(quantization->storage_max, 0);
  }
  draw_parameters(rng, arena, zero_points_are_zero, quantization);
  inout_type->quantization = quantization;
}

/* ---- Storage values -------------------------------------------------------------------------- */

typedef enum stored_manner {
  STORED_ANY,
  STORED_CORNERS,
  STORED_NEAR_ZERO_POINT,
  STORED_MANNERS,
} stored_manner_t;

static int64_t draw_one_stored(rng_t *rng, stored_manner_t manner, const type_t *type,
                               size_t element) {
  const quantization_t *quantization = type->quantization;
  int64_t smallest = quantization->storage_min, largest = quantization->storage_max;
  if (manner == STORED_CORNERS) return draw_between(rng, smallest, largest);
  if (manner == STORED_NEAR_ZERO_POINT) {
    int64_t near = quantization_zero_point(type, element) + rng_between(rng, -4, 4);
    return CLAMP(near, smallest, largest);
  }
  return rng_between(rng, smallest, largest);
}

void draw_stored(rng_t *rng, tensor_t *inout_tensor) {
  const type_t *type = &inout_tensor->type;
  stored_manner_t manner = (stored_manner_t)rng_below(rng, STORED_MANNERS);
  bool are_alike = rng_one_in(rng, 8);
  int64_t stored = 0;
  for (size_t i = 0; i < type_element_count(type); i++) {
    if (i == 0 || !are_alike) stored = draw_one_stored(rng, manner, type, i);
    element_store(type->element, inout_tensor->data, i,
                  (uint64_t)stored & element_mask(type->element));
  }
}

uint64_t stored_clamped(const type_t *type, uint64_t bits) {
  const quantization_t *quantization = type->quantization;
  if (quantization == NULL) return bits;
  int64_t stored = element_signed_value(type->element, bits);
  stored = CLAMP(stored, quantization->storage_min, quantization->storage_max);
  return (uint64_t)stored & element_mask(type->element);
}

void clamp_stored(tensor_t *inout_tensor) {
  const type_t *type = &inout_tensor->type;
  if (type->quantization == NULL) return;
  for (size_t i = 0; i < type_element_count(type); i++) {
    uint64_t bits = element_load(type->element, inout_tensor->data, i);
    element_store(type->element, inout_tensor->data, i, stored_clamped(type, bits));
  }
}
