/* SPDX-License-Identifier: Apache-2.0 */
/* Interval arithmetic with binary64 ends: the nearest result is computed first, its exact rounding
 * error by error-free transformations, and an end moves outwards by one step only where that error
 * has the wrong sign. */
#include "oracles/exact/box/box.h"

#include "oracles/exact/error_bound.h"
#include "oracles/exact/quantum/quantum.h"

/* Below this, the error of a product or quotient may be no binary64 number (a number with 53 bits
 * has its lowest at 2^-1074). */
static const double tiny = 0x1p-960;

/* `nearest` less a bit where the exact number is less, which `error` has the sign of.  That is as
 * good as random, and so nothing branches on it. */
static double end_below(double nearest, double error) {
  uint64_t bits = binary64_bits(nearest), step = error >= 0 ? 0 : 1; /* NaN is below all. */
  if (nearest == 0 || nearest == -INFINITY) return step != 0 ? box_below(nearest) : nearest;
  bool is_negative = bits >> 63 != 0;
  return binary64_value(is_negative ? bits + step : bits - step);
}
static double end_above(double nearest, double error) { return -end_below(-nearest, -error); }

/* a + b less the rounded sum; NaN where that overflows. */
static double error_of_sum(double a, double b, double sum) {
  double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

/* The least and the largest of some exact numbers, of which the nearest binary64 numbers come with
 * the signs of their errors. */
static void extend(box_t *inout_box, double nearest, double error) {
  inout_box->low = fmin(inout_box->low, end_below(nearest, error));
  inout_box->high = fmax(inout_box->high, end_above(nearest, error));
}

static double error_of_product(double a, double b, double product) {
  if (a == 0 || b == 0) return 0;
  return fabs(product) < tiny ? (double)NAN : fma(a, b, -product);
}

static double error_of_quotient(double a, double b, double quotient) {
  if (a == 0) return 0;
  if (fabs(quotient) < tiny || fabs(a) < tiny) return NAN;
  double rest = fma(-quotient, b, a);
  return b < 0 ? -rest : rest;
}

static bool are_finite(box_t a, box_t b) { return box_is_finite(a) && box_is_finite(b); }

box_t box_add(box_t a, box_t b) {
  if (!are_finite(a, b)) return box_whole_line();
  double low = a.low + b.low, high = a.high + b.high;
  return (box_t){end_below(low, error_of_sum(a.low, b.low, low)),
                 end_above(high, error_of_sum(a.high, b.high, high))};
}

box_t box_subtract(box_t a, box_t b) { return box_add(a, box_negate(b)); }

box_t box_multiply(box_t a, box_t b) {
  if (!are_finite(a, b)) return box_whole_line();
  const double left[] = {a.low, a.high}, right[] = {b.low, b.high};
  box_t out = {INFINITY, -INFINITY};
  for (int i = 0; i < 4; i++) {
    double product = left[i / 2] * right[i % 2];
    extend(&out, product, error_of_product(left[i / 2], right[i % 2], product));
  }
  return out;
}

box_t box_divide(box_t a, box_t b) {
  if (!are_finite(a, b) || (b.low <= 0 && b.high >= 0)) return box_whole_line();
  const double left[] = {a.low, a.high}, right[] = {b.low, b.high};
  box_t out = {INFINITY, -INFINITY};
  for (int i = 0; i < 4; i++) {
    double quotient = left[i / 2] / right[i % 2];
    extend(&out, quotient, error_of_quotient(left[i / 2], right[i % 2], quotient));
  }
  return out;
}

box_t box_widen(box_t a, double distance) { return box_add(a, (box_t){-distance, distance}); }

/* ---- Integers -------------------------------------------------------------------------------- */

box_t box_integers_within(box_t a) { return (box_t){ceil(a.low), floor(a.high)}; }

box_t box_nearest_integers(box_t a) { return (box_t){nearbyint(a.low), nearbyint(a.high)}; }

box_t box_truncate(box_t a) { return (box_t){trunc(a.low), trunc(a.high)}; }

/* ---- Formats --------------------------------------------------------------------------------- */

/* A finite number that is none of the format's becomes NaN or an infinity. */
static bool overflows(double rounded, double end) {
  return isnan(rounded) || (isinf(rounded) && !isinf(end));
}

box_t box_round(box_t a, const format_t *format) {
  double low = format_round_double(format, a.low), high = format_round_double(format, a.high);
  if (overflows(low, a.low) || overflows(high, a.high)) return box_whole_line();
  return (box_t){low, high};
}

box_t box_round_either_way(box_t a, const format_t *format) {
  box_t nearest = box_round(a, format);
  if (!box_is_finite(nearest)) return box_whole_line();
  double low = nearest.low, high = nearest.high;
  if (low > a.low) {
    low = format_to_double(format, format_next_down(format, format_from_double(format, low)));
  }
  if (high < a.high) {
    high = format_to_double(format, format_next_up(format, format_from_double(format, high)));
  }
  return isfinite(low) && isfinite(high) ? (box_t){low, high} : box_whole_line();
}

box_t box_flush(box_t a, const format_t *format) {
  double normal = format_smallest_normal(format);
  if (a.low > 0 && a.low < normal) a.low = 0;
  if (a.high < 0 && a.high > -normal) a.high = 0;
  return a;
}

box_t box_flush_rounded(box_t exact, box_t rounded, const format_t *format) {
  box_t flushed = box_flush(exact, format), out = box_flush(rounded, format);
  if (flushed.low != exact.low) out.low = MIN(out.low, 0);
  if (flushed.high != exact.high) out.high = MAX(out.high, 0);
  return out;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Integers that binary64 has not lie between two that it has. */
static box_t box_of_integer(__int128 value) {
  double nearest = (double)value;
  if ((__int128)nearest == value) return box_point(nearest);
  bool is_above = (__int128)nearest > value;
  return is_above ? (box_t){box_below(nearest), nearest} : (box_t){nearest, box_above(nearest)};
}

box_t box_of_element(const element_t *element) {
  if (element->format != NULL) return box_whole_line();
  return (box_t){box_of_integer(element_integer_min(element)).low,
                 box_of_integer((__int128)element_integer_max(element)).high};
}

bool box_fits(box_t a, const element_t *element) {
  uint64_t most = element_integer_max(element);
  double highest = (double)most;
  if ((__int128)highest > (__int128)most) highest = box_below(highest);
  return a.low >= (double)element_integer_min(element) && a.high <= highest;
}

box_t box_make_point(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  g_assert(element->components == 1);
  uint64_t bits = element_load(element, tensor->data, index);
  if (element->format == NULL) {
    return element->kind == ELEMENT_SIGNED ? box_of_integer(element_signed_value(element, bits))
                                           : box_of_integer((__int128)bits);
  }
  double value = format_to_double(element->format, bits);
  return isnan(value) ? box_whole_line() : box_point(value);
}

box_t box_value(const type_t *type, size_t index, box_t stored) {
  if (type->quantization == NULL) return stored;
  quantum_t quantum = quantum_of(type, index);
  box_t difference = box_subtract(stored, box_point((double)quantum.zero_point));
  return box_multiply(difference, box_point(quantum.scale));
}
