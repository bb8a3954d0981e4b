/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters from ranges, in exact integer arithmetic: the scale is the least number of its format
 * that will do, and the zero point is the nearest, whatever the host's rounding. */
#include <math.h>

#include "harness/quant/spec/spec.h"

/* ---- Natural numbers ------------------------------------------------------------------------- */

/* A number of 32-bit digits, the least first, in units of 2^WIDE_UNIT: every binary64 number is
 * one, and dividing the smallest by a 32-bit number leaves more than 64 bits. */
enum {
  WIDE_UNIT = -1074 - 128,
  WIDE_DIGITS = (1024 - WIDE_UNIT + 31) / 32 + 1,
  QUOTIENT_BITS = 62, /* What format_encode() takes with a sticky bit. */
};
typedef struct wide {
  uint32_t digits[WIDE_DIGITS];
} wide_t;

/* A finite binary64 number's magnitude as mantissa * 2^exponent. */
static uint64_t split(double value, int *out_exponent) {
  int exponent;
  double fraction = frexp(fabs(value), &exponent);
  *out_exponent = exponent - 53;
  return (uint64_t)ldexp(fraction, 53);
}

static void wide_add(wide_t *sum, double value) {
  int exponent;
  uint64_t mantissa = split(value, &exponent);
  int shift = exponent - WIDE_UNIT;
  int digit = shift / 32;
  unsigned __int128 rest = (unsigned __int128)mantissa << (shift % 32);
  uint64_t carry = 0;
  while (digit < WIDE_DIGITS && (rest != 0 || carry != 0)) {
    carry += (uint64_t)sum->digits[digit] + (uint32_t)rest;
    sum->digits[digit++] = (uint32_t)carry;
    carry >>= 32;
    rest >>= 32;
  }
}

/* Divides in place; returns whether a remainder is left. */
static bool wide_divide(wide_t *number, uint32_t divisor) {
  uint64_t remainder = 0;
  for (int digit = WIDE_DIGITS - 1; digit >= 0; digit--) {
    uint64_t dividend = remainder << 32 | number->digits[digit];
    number->digits[digit] = (uint32_t)(dividend / divisor);
    remainder = dividend % divisor;
  }
  return remainder != 0;
}

static uint64_t wide_bit(const wide_t *number, int bit) {
  return number->digits[bit / 32] >> (bit % 32) & 1;
}

/* The leading bits of a number above 0; those below them are told by `sticky`. */
static number_t wide_leading(const wide_t *number, bool sticky) {
  int top = WIDE_DIGITS * 32 - 1;
  while (wide_bit(number, top) == 0) top--;
  number_t leading = {.kind = NUMBER_FINITE, .sticky = sticky};
  int low = top - (QUOTIENT_BITS - 1);
  g_assert(low >= 0); /* See WIDE_UNIT. */
  for (int bit = top; bit >= low; bit--) {
    leading.significand = leading.significand << 1 | wide_bit(number, bit);
  }
  for (int bit = low - 1; bit >= 0; bit--) leading.sticky |= wide_bit(number, bit) != 0;
  leading.exponent = low + WIDE_UNIT;
  return leading;
}

/* ---- Scales and zero points ------------------------------------------------------------------ */

/* Formats that saturate would round what lies above their largest number down to it. */
static bool is_above(number_t number, double largest) {
  int drop = QUOTIENT_BITS - 53;
  double lower = ldexp((double)(number.significand >> drop), number.exponent + drop);
  bool is_cut = number.sticky || (number.significand & ((UINT64_C(1) << drop) - 1)) != 0;
  return lower > largest || (lower == largest && is_cut);
}

/* The least number of the format that is at least (high - low) / steps, for low <= 0 <= high. */
static status_t scale_of(const quant_range_request_t *request, double low, double high,
                         uint32_t steps, double *out_scale, failure_t *error) {
  const format_t *format = request->expressed->format;
  if (low == 0 && high == 0) {
    *out_scale = 1;
    return STATUS_OK;
  }
  wide_t width = {{0}};
  wide_add(&width, low);
  wide_add(&width, high);
  bool sticky = wide_divide(&width, steps);
  number_t quotient = wide_leading(&width, sticky);
  uint64_t bits = format_encode(format, quotient, ROUNDING_UP, OVERFLOW_FORMAT);
  double scale = format_to_double(format, bits);
  if (isfinite(scale) && !is_above(quotient, format_to_double(format, format->largest_bits))) {
    *out_scale = scale;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "the range %g:%g over %u steps asks for a scale beyond the largest %s", low,
                     high, steps, request->expressed->name);
}

/* storage_min - low / scale to the nearest integer, ties to even; the quotient is at most the
 * storage range's width, below 2^32. */
static int64_t zero_point_of(const quant_range_request_t *request, double low, double scale) {
  if (low == 0) return request->storage_min;
  int exponent_low, exponent_scale;
  unsigned __int128 dividend = split(low, &exponent_low);
  unsigned __int128 divisor = split(scale, &exponent_scale);
  int shift = exponent_low - exponent_scale;
  if (shift < -64) return request->storage_min; /* Below 2^-64. */
  if (shift >= 0) {
    dividend <<= shift; /* At most 32, since the quotient is below 2^32. */
  } else {
    divisor <<= -shift;
  }
  int64_t zero_point = request->storage_min + (int64_t)(dividend / divisor);
  unsigned __int128 twice = dividend % divisor * 2;
  if (twice > divisor || (twice == divisor && zero_point % 2 != 0)) zero_point++;
  return CLAMP(zero_point, request->storage_min, request->storage_max);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static status_t check_request(const quant_range_request_t *request, failure_t *error) {
  const element_t *storage = request->storage;
  if (!element_is_integer(storage) || storage->bits > 32 ||
      request->storage_min >= request->storage_max ||
      request->storage_min < element_integer_min(storage) ||
      request->storage_max > (int64_t)element_integer_max(storage)) {
    return status_fail(error, STATUS_INVALID, "the storage range is empty or exceeds %s",
                       storage->name);
  }
  if (request->expressed->kind != ELEMENT_FLOAT) {
    return status_fail(error, STATUS_INVALID, "the expressed type is a float, not %s",
                       request->expressed->name);
  }
  if (request->is_symmetric && (request->storage_min >= 0 || request->storage_max <= 0)) {
    return status_fail(error, STATUS_INVALID,
                       "a symmetric storage range has numbers on both sides of 0");
  }
  if (request->axis < -1 || request->axis >= TYPE_RANK_MAX || request->count > TYPE_SCALES_MAX ||
      (request->axis == -1 && request->count != 1)) {
    return status_fail(error, STATUS_INVALID, "%u ranges for axis %d", request->count,
                       request->axis);
  }
  for (uint32_t i = 0; i < request->count; i++) {
    double low = request->minima[i], high = request->maxima[i];
    if (!isfinite(low) || !isfinite(high) || low > high) {
      return status_fail(error, STATUS_INVALID, "range %u, %g:%g, is not two finite numbers, %s", i,
                         low, high, "the smaller first");
    }
  }
  return STATUS_OK;
}

static status_t derive_one(const quant_range_request_t *request, uint32_t index, double *out_scale,
                           int64_t *out_zero_point, failure_t *error) {
  double low = fmin(request->minima[index], 0), high = fmax(request->maxima[index], 0);
  if (request->is_symmetric) {
    int64_t steps = MIN(-request->storage_min, request->storage_max);
    *out_zero_point = 0;
    return scale_of(request, 0, fmax(-low, high), (uint32_t)steps, out_scale, error);
  }
  uint32_t steps = (uint32_t)(request->storage_max - request->storage_min);
  STATUS_TRY(scale_of(request, low, high, steps, out_scale, error));
  *out_zero_point = zero_point_of(request, low, *out_scale);
  return STATUS_OK;
}

status_t quant_spec_from_range(const quant_range_request_t *request, arena_t *arena,
                               quant_spec_t *out_spec, failure_t *error) {
  STATUS_TRY(check_request(request, error));
  double *scales = ARENA_NEW_ARRAY(arena, double, request->count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, request->count);
  for (uint32_t i = 0; i < request->count; i++) {
    STATUS_TRY(derive_one(request, i, &scales[i], &zero_points[i], error));
  }
  quantization_t *uniform = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *uniform = (quantization_t){.expressed = request->expressed,
                              .storage_min = request->storage_min,
                              .storage_max = request->storage_max,
                              .axis = request->axis,
                              .count = request->count,
                              .scales = scales,
                              .zero_points = zero_points};
  *out_spec = (quant_spec_t){.kind = QUANT_SPEC_UNIFORM,
                             .expressed = request->expressed,
                             .storage = request->storage,
                             .storage_min = request->storage_min,
                             .storage_max = request->storage_max,
                             .uniform = uniform};
  return STATUS_OK;
}
