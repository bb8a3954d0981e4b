/* SPDX-License-Identifier: Apache-2.0 */
/* f16 and bf16 are added in binary32 and rounded by integer arithmetic, without branches, so that
 * compilers make vector code of it: twice rounded is once rounded, since 24 >= 2 p + 2 for both
 * (theory.md, T6). */
#include "oracles/exact/closure/short_add.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "oracles/exact/arithmetic.h"

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint16_t short_pattern(const format_t *format, double value) {
  return (uint16_t)format_from_double(format, isnan(value) ? (double)NAN : value);
}

/* ---- bf16: the upper half of binary32 -------------------------------------------------------- */

static float float_of_bf16(uint16_t bits) { return float_of((uint32_t)bits << 16); }

/* Also of an infinity, and of what overflows.  `low` and `high` are a window's. */
static uint16_t bf16_of_float(float value, float low, float high) {
  enum { BF16_NAN = 0x7fc0 };
  uint32_t bits = bits_of(value);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  bool is_told = value >= low && value <= high; /* NaN is not. */
  return (uint16_t)(is_told ? rounded : BF16_NAN);
}

static void add_bf16(const short_window_t *window, uint16_t a, const uint16_t *others, size_t count,
                     uint16_t *out) {
  float value = float_of_bf16(a), low = (float)window->low, high = (float)window->high;
  for (size_t i = 0; i < count; i++) {
    out[i] = bf16_of_float(value + float_of_bf16(others[i]), low, high);
  }
}

/* ---- f16 ------------------------------------------------------------------------------------- */

/* Moved to where its exponent and significand lie in binary32, a number is 2^-112 of what it should
 * be, subnormal ones too. */
static float float_of_f16(uint16_t bits) {
  float magnitude = float_of((bits & 0x7fffu) << 13) * 0x1p112f;
  uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
  return float_of((bits & 0x8000u) << 16 | bits_of(magnitude) | special);
}

/* Sums below the smallest normal number are multiples of the smallest one (theory.md, T3). */
static uint16_t f16_of_float(float value, float low, float high) {
  enum { F16_NAN = 0x7e00, F16_INFINITY = 0x7c00, EXPONENT_DIFFERENCE = 112 << 10 };
  uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t rounded = ((magnitude + 0xfffu + (magnitude >> 13 & 1u)) >> 13) - EXPONENT_DIFFERENCE;
  float absolute = float_of(magnitude);
  bool is_subnormal = absolute < 0x1p-14f, is_beyond = absolute >= 65520.0f;
  uint32_t subnormal = (uint32_t)((is_subnormal ? absolute : 0) * 0x1p24f);
  uint32_t finite = is_subnormal ? subnormal : rounded;
  uint32_t result = sign | (is_beyond ? (uint32_t)F16_INFINITY : finite);
  bool is_told = value >= low && value <= high;
  return (uint16_t)(is_told ? result : F16_NAN);
}

static void add_f16(const short_window_t *window, uint16_t a, const uint16_t *others, size_t count,
                    uint16_t *out) {
  float value = float_of_f16(a), low = (float)window->low, high = (float)window->high;
  for (size_t i = 0; i < count; i++) {
    out[i] = f16_of_float(value + float_of_f16(others[i]), low, high);
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

void short_add(const format_t *format, const short_window_t *window, uint16_t a,
               const uint16_t *others, size_t count, uint16_t *out) {
  if (format == &format_table[FORMAT_bf16]) {
    add_bf16(window, a, others, count, out);
    return;
  }
  if (format == &format_table[FORMAT_f16]) {
    add_f16(window, a, others, count, out);
    return;
  }
  const arithmetic_t arithmetic = arithmetic_make(format);
  double value = format_to_double(format, a);
  for (size_t i = 0; i < count; i++) {
    double sum = arithmetic_add(&arithmetic, value, format_to_double(format, others[i]));
    bool is_told = sum >= window->low && sum <= window->high;
    out[i] = short_pattern(format, is_told ? sum : (double)NAN);
  }
}
