/* SPDX-License-Identifier: Apache-2.0 */
/* Real numbers as unevaluated sums of two binary64 numbers, and closed intervals of them: exact
 * sums and products of the numbers of every format, but where they take more than about a hundred
 * bits.  (theory.md, T7.) */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_REAL_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_REAL_H

#include <math.h>
#include <stdbool.h>

#include "harness/num/binary64.h"
#include "harness/num/format.h"

/* high + low, where high is that number rounded to nearest; so a number has one such pair. */
typedef struct real {
  double high;
  double low;
} real_t;

/* All numbers from one to another. */
typedef struct span {
  real_t from;
  real_t to;
} span_t;

static inline real_t real_of(double value) { return (real_t){.high = value}; }

static inline bool real_equals(real_t a, real_t b) { return a.high == b.high && a.low == b.low; }

static inline bool real_is_less(real_t a, real_t b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static inline real_t real_min(real_t a, real_t b) { return real_is_less(b, a) ? b : a; }
static inline real_t real_max(real_t a, real_t b) { return real_is_less(a, b) ? b : a; }

static inline span_t span_of(real_t value) { return (span_t){.from = value, .to = value}; }

static inline bool span_is_point(span_t span) { return real_equals(span.from, span.to); }

static inline bool span_has(span_t span, real_t value) {
  return !real_is_less(value, span.from) && !real_is_less(span.to, value);
}

/* a + b, exactly: Knuth's TwoSum.  The sum must not overflow. */
static inline real_t real_of_sum(double a, double b) {
  double sum = a + b;
  double b_part = sum - a;
  double a_part = sum - b_part;
  return (real_t){.high = sum, .low = (a - a_part) + (b - b_part)};
}

/* a + b, or a number a little beyond it in that direction (-1 or 1) if that has too many bits. */
static inline real_t real_add(real_t a, real_t b, double direction) {
  real_t sum = real_of_sum(a.high, b.high);
  if (a.low == 0 && b.low == 0) return sum;
  real_t lows = real_of_sum(a.low, b.low);
  real_t middle = real_of_sum(sum.low, lows.high);
  real_t out = real_of_sum(sum.high, middle.high);
  double lost = fabs(middle.low) + fabs(lows.low);
  if (lost == 0) return out;
  double low = nextafter(out.low + direction * 2 * lost, direction * (double)INFINITY);
  return real_of_sum(out.high, low);
}

/* The sums of any two numbers of two intervals. */
static inline span_t span_add(span_t a, span_t b) {
  span_t sum = {.from = real_add(a.from, b.from, -1)};
  if (span_is_point(a) && span_is_point(b) && a.from.low == 0 && b.from.low == 0) {
    sum.to = sum.from;
  } else {
    sum.to = real_add(a.to, b.to, 1);
  }
  return sum;
}

/* Exponent of the lowest set bit; BINARY64_NO_BIT of zero. */
static inline int real_lowest_bit(real_t value) {
  return binary64_lowest_bit(value.low != 0 ? value.low : value.high);
}

/* The exponent of a nonzero number's binade, or that above; not below that of normal binary64
 * numbers. */
static inline int real_exponent(real_t value) {
  int field = (int)(binary64_bits(value.high) >> BINARY64_FRACTION_BITS) & 0x7ff;
  return (field == 0 ? 1 : field) - BINARY64_BIAS;
}

/* Rounded to odd in binary64. */
static inline double real_to_odd(real_t value) {
  if (value.low == 0 || (binary64_bits(value.high) & 1) == 1) return value.high;
  bool shrinks = (value.low < 0) == (value.high > 0);
  return binary64_value(binary64_bits(value.high) + (shrinks ? UINT64_MAX : 1));
}

/* Rounded to nearest once (theory.md, T6). */
static inline double real_round(const format_t *format, real_t value) {
  if (format->precision == 53) return value.high;
  double odd = real_to_odd(value);
  if (format == &format_table[FORMAT_f32]) return (float)odd;
  return format_round_double(format, odd);
}

#endif
