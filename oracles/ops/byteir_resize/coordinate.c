/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a source coordinate in every known order of operations, in f32 and f64, and exactly
 * with a tail term. The least and greatest results, and the exact one, bound what an
 * implementation may use. */
#include "oracles/ops/byteir_resize/coordinate.h"

#include <math.h>

resize_axis_t resize_axis_make(const case_t *instance, uint32_t dim, bool takes_given) {
  const program_t *program = &instance->program;
  const byteir_resize_attributes_t *attributes = byteir_resize_attributes(program);
  resize_axis_t axis = {.transformation = (resize_transformation_t)attributes->transformation,
                        .length = program->operands[0].dims[dim],
                        .resized = program->results[0].dims[dim],
                        .scale = NAN};
  if (!takes_given || attributes->target_mode != RESIZE_SCALE) return axis;
  const tensor_t *target = &instance->operands[1];
  uint64_t bits = element_load(target->type.element, target->data, dim);
  axis.scale = format_to_double(target->type.element->format, bits);
  return axis;
}

static bool is_half_pixel(const resize_axis_t *axis) {
  return axis->transformation == RESIZE_HALF_PIXEL ||
         axis->transformation == RESIZE_PYTORCH_HALF_PIXEL;
}

static bool has_given_scale(const resize_axis_t *axis) {
  return !isnan(axis->scale) && axis->transformation != RESIZE_ALIGN_CORNERS;
}

bool resize_axis_is_copied(const resize_axis_t *axis) {
  return axis->length == axis->resized && (!has_given_scale(axis) || axis->scale == 1);
}

/* Where the document says so, or would divide 0 by 0. */
static bool is_always_zero(const resize_axis_t *axis) {
  return axis->resized == 1 && (axis->transformation == RESIZE_PYTORCH_HALF_PIXEL ||
                                axis->transformation == RESIZE_ALIGN_CORNERS);
}

/* n and m of the formulas. */
static double numerator(const resize_axis_t *axis) {
  bool is_aligned = axis->transformation == RESIZE_ALIGN_CORNERS;
  return (double)(axis->length - (is_aligned ? 1 : 0));
}

static double denominator(const resize_axis_t *axis) {
  bool is_aligned = axis->transformation == RESIZE_ALIGN_CORNERS;
  return (double)(axis->resized - (is_aligned ? 1 : 0));
}

/* ---- As computed ----------------------------------------------------------------------------- */

bool resize_axis_has_factor(const resize_axis_t *axis, resize_factor_t factor) {
  bool multiplies = factor == RESIZE_MULTIPLY || factor == RESIZE_MULTIPLY_DIVIDE;
  if (axis->transformation == RESIZE_ALIGN_CORNERS) return multiplies;
  return !multiplies || !has_given_scale(axis);
}

/* Sums, products and quotients of f32 numbers are rounded right when they are rounded to f64 first
 * (Figueroa 1995: 53 >= 2 * 24 + 2). */
static double round_to(bool is_wide, double value) {
  return is_wide ? value : (double)(float)value;
}

static double scale_of(const resize_axis_t *axis, bool is_wide) {
  if (has_given_scale(axis)) return axis->scale;
  return round_to(is_wide, denominator(axis) / numerator(axis));
}

/* What x is multiplied by. */
static double factor_of(const resize_axis_t *axis, resize_factor_t factor, bool is_wide) {
  if (factor == RESIZE_MULTIPLY) return round_to(is_wide, numerator(axis) / denominator(axis));
  return round_to(is_wide, 1 / scale_of(axis, is_wide));
}

/* In f32 or f64 throughout. */
static double compute(const resize_axis_t *axis, double position, const resize_way_t *way,
                      bool is_wide) {
  bool is_half = is_half_pixel(axis);
  double x = round_to(is_wide, position + (is_half ? 0.5 : 0)), product;
  if (way->factor == RESIZE_DIVIDE) {
    product = x / scale_of(axis, is_wide);
  } else if (way->factor == RESIZE_MULTIPLY_DIVIDE) {
    product = round_to(is_wide, x * numerator(axis)) / denominator(axis);
  } else {
    double factor = factor_of(axis, way->factor, is_wide);
    if (is_half && way->is_fused) return round_to(is_wide, fma(x, factor, -0.5));
    product = x * factor;
  }
  product = round_to(is_wide, product);
  return is_half ? round_to(is_wide, product - 0.5) : product;
}

double resize_coordinate_by(const resize_axis_t *axis, int64_t position, const resize_way_t *way) {
  if (resize_axis_is_copied(axis)) return (double)position;
  if (is_always_zero(axis)) return 0;
  double coordinate = compute(axis, (double)position, way, way->precision != RESIZE_F32);
  return round_to(way->precision != RESIZE_F64_TO_F32, coordinate);
}

/* ---- Exactly --------------------------------------------------------------------------------- */

/* dividend / divisor in two parts: the remainder of a division is an f64 number. */
static void divide(double dividend, double divisor, resize_coordinate_t *out) {
  out->exact = dividend / divisor;
  out->tail = fma(-out->exact, divisor, dividend) / divisor;
}

/* Of lengths up to 2^24 all dividends here are whole numbers below 2^50. */
static void set_exact(const resize_axis_t *axis, int64_t position, resize_coordinate_t *out) {
  double x = (double)position;
  bool is_half = is_half_pixel(axis);
  if (!has_given_scale(axis)) {
    double n = numerator(axis), m = denominator(axis);
    if (is_half) return divide((2 * x + 1) * n - m, 2 * m, out);
    return divide(x * n, m, out);
  }
  divide(x + (is_half ? 0.5 : 0), axis->scale, out);
  if (!is_half) return;
  double quotient = out->exact;
  out->exact = quotient - 0.5;
  out->tail += (quotient - out->exact) - 0.5;
}

resize_coordinate_t resize_coordinate_make(const resize_axis_t *axis, int64_t position) {
  double x = (double)position;
  if (resize_axis_is_copied(axis)) return (resize_coordinate_t){.low = x, .high = x, .exact = x};
  if (is_always_zero(axis)) return (resize_coordinate_t){.low = 0};
  resize_coordinate_t coordinate = {.low = INFINITY, .high = -(double)INFINITY};
  for (int factor = 0; factor < RESIZE_FACTOR_COUNT; factor++) {
    if (!resize_axis_has_factor(axis, (resize_factor_t)factor)) continue;
    for (int choice = 0; choice < 2 * RESIZE_PRECISION_COUNT; choice++) {
      const resize_way_t way = {.factor = (resize_factor_t)factor,
                                .precision = (resize_precision_t)(choice / 2),
                                .is_fused = choice % 2 == 1};
      double c = resize_coordinate_by(axis, position, &way);
      coordinate.low = fmin(coordinate.low, c);
      coordinate.high = fmax(coordinate.high, c);
    }
  }
  set_exact(axis, position, &coordinate);
  return coordinate;
}

/* ---- Nearest --------------------------------------------------------------------------------- */

static int64_t clamp_index(const resize_axis_t *axis, double index) {
  return (int64_t)CLAMP(index, 0, (double)(axis->length - 1));
}

resize_indices_t resize_indices_make(const resize_axis_t *axis, int64_t position) {
  resize_coordinate_t coordinate = resize_coordinate_make(axis, position);
  double exact = floor(coordinate.exact);
  if (exact == coordinate.exact && coordinate.tail < 0) exact -= 1;
  return (resize_indices_t){
      .first = clamp_index(axis, fmin(floor(coordinate.low), exact)),
      .last = clamp_index(axis, fmax(floor(coordinate.high), exact)),
      .exact = clamp_index(axis, exact),
  };
}
