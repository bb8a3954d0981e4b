/* SPDX-License-Identifier: Apache-2.0 */
/* Short vectors of binary64, as wide as the instruction set being compiled for.  Everything here is
 * elementwise IEEE arithmetic, so every instruction set computes the same bits.  Only included by
 * sources that vector_kernels.cmake compiles once per instruction set. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_LANES_H
#define ASSAY_ORACLES_EXACT_MATMUL_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define LANE_BYTES 64
#define LANE_REGISTERS 32
#define LANES_CALL(operation) _mm512_##operation
#define LANES_HAVE_FMA 1
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define LANE_BYTES 32
#define LANE_REGISTERS 16
#define LANES_CALL(operation) _mm256_##operation
#define LANES_HAVE_FMA 1
#elif defined(__SSE2__)
#include <emmintrin.h>
#define LANE_BYTES 16
#define LANE_REGISTERS 16
#define LANES_CALL(operation) _mm_##operation
#define LANES_HAVE_FMA 0
#else
#define LANE_BYTES 16
#define LANE_REGISTERS 32
#define LANES_HAVE_FMA 0
#endif

enum { LANES = LANE_BYTES / 8, FLOAT_LANES = LANE_BYTES / 4 };

typedef double lanes_t __attribute__((vector_size(LANE_BYTES)));
typedef int64_t lane_bits_t __attribute__((vector_size(LANE_BYTES))); /* Also masks: 0 or -1. */
typedef float float_lanes_t __attribute__((vector_size(LANE_BYTES)));
typedef int32_t float_lane_bits_t __attribute__((vector_size(LANE_BYTES)));
typedef float half_lanes_t __attribute__((vector_size(LANE_BYTES / 2)));

/* `first` and the numbers after it, LANES in all. */
#if LANE_BYTES == 64
#define LANE_NUMBERS(first) \
  (first), (first) + 1, (first) + 2, (first) + 3, (first) + 4, (first) + 5, (first) + 6, (first) + 7
#elif LANE_BYTES == 32
#define LANE_NUMBERS(first) (first), (first) + 1, (first) + 2, (first) + 3
#else
#define LANE_NUMBERS(first) (first), (first) + 1
#endif

/* Inlined always, so that loops over constant bounds unroll and arrays of lanes stay registers. */
#define LANES_INLINE static inline __attribute__((always_inline, unused))

#ifdef __clang__
#define LANES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LANES_UNROLL _Pragma("GCC unroll 16")
#endif

LANES_INLINE lanes_t lanes_load(const double *from) {
  lanes_t x;
  memcpy(&x, from, sizeof x);
  return x;
}

LANES_INLINE void lanes_store(double *to, lanes_t x) { memcpy(to, &x, sizeof x); }

LANES_INLINE float_lanes_t float_lanes_load(const float *from) {
  float_lanes_t x;
  memcpy(&x, from, sizeof x);
  return x;
}

/* The first and the second half, widened. */
LANES_INLINE lanes_t float_lanes_low(float_lanes_t x) {
  return __builtin_convertvector(__builtin_shufflevector(x, x, LANE_NUMBERS(0)), lanes_t);
}

LANES_INLINE lanes_t float_lanes_high(float_lanes_t x) {
  return __builtin_convertvector(__builtin_shufflevector(x, x, LANE_NUMBERS(LANES)), lanes_t);
}

/* LANES floats, widened. */
LANES_INLINE lanes_t lanes_load_floats(const float *from) {
  half_lanes_t x;
  memcpy(&x, from, sizeof x);
  return __builtin_convertvector(x, lanes_t);
}

LANES_INLINE lanes_t lanes_all(double value) {
#ifdef LANES_CALL
  return LANES_CALL(set1_pd)(value);
#else
  return value - (lanes_t){0};
#endif
}

LANES_INLINE float_lanes_t float_lanes_all(float value) {
#ifdef LANES_CALL
  return LANES_CALL(set1_ps)(value);
#else
  return value - (float_lanes_t){0};
#endif
}

LANES_INLINE lanes_t lanes_select(lane_bits_t mask, lanes_t where_set, lanes_t elsewhere) {
  return (lanes_t)((mask & (lane_bits_t)where_set) | (~mask & (lane_bits_t)elsewhere));
}

/* x < y ? x : y, so y where x is NaN. */
LANES_INLINE lanes_t lanes_min(lanes_t x, lanes_t y) {
#ifdef LANES_CALL
  return LANES_CALL(min_pd)(x, y);
#else
  return lanes_select(x < y, x, y);
#endif
}

/* x > y ? x : y, so y where x is NaN. */
LANES_INLINE lanes_t lanes_max(lanes_t x, lanes_t y) {
#ifdef LANES_CALL
  return LANES_CALL(max_pd)(x, y);
#else
  return lanes_select(x > y, x, y);
#endif
}

LANES_INLINE lanes_t lanes_abs(lanes_t x) { return (lanes_t)((lane_bits_t)x & INT64_MAX); }

/* x * y + z, rounded once; `x * y` must be a binary64 number, so that a machine without fused
 * multiply-add rounds only once too. */
LANES_INLINE lanes_t lanes_add_exact_product(lanes_t x, lanes_t y, lanes_t z) {
#if LANES_HAVE_FMA
  return LANES_CALL(fmadd_pd)(x, y, z);
#else
  return x * y + z;
#endif
}

/* x * y - z, likewise. */
LANES_INLINE lanes_t lanes_subtract_from_exact_product(lanes_t x, lanes_t y, lanes_t z) {
#if LANES_HAVE_FMA
  return LANES_CALL(fmsub_pd)(x, y, z);
#else
  return x * y - z;
#endif
}

/* x * y + z, rounded once. */
LANES_INLINE lanes_t lanes_fma(lanes_t x, lanes_t y, lanes_t z) {
#if LANES_HAVE_FMA
  return LANES_CALL(fmadd_pd)(x, y, z);
#else
  lanes_t result;
  for (int i = 0; i < LANES; i++) result[i] = fma(x[i], y[i], z[i]);
  return result;
#endif
}

/* x * y - rounded, where rounded = x * y as it was rounded. */
LANES_INLINE lanes_t lanes_product_error(lanes_t x, lanes_t y, lanes_t rounded) {
#if LANES_HAVE_FMA
  return LANES_CALL(fmsub_pd)(x, y, rounded);
#else
  return lanes_fma(x, y, -rounded);
#endif
}

/* Bit i is set where lane i of the mask is. */
LANES_INLINE unsigned lanes_mask_bits(lane_bits_t mask) {
#if LANE_BYTES == 64
  return _mm512_movepi64_mask((__m512i)mask);
#elif defined(LANES_CALL)
  return (unsigned)LANES_CALL(movemask_pd)((lanes_t)mask);
#else
  unsigned bits = 0;
  for (int i = 0; i < LANES; i++) bits |= (unsigned)(mask[i] & 1) << i;
  return bits;
#endif
}

LANES_INLINE double lanes_reduce_max(lanes_t x) {
  double value[LANES];
  lanes_store(value, x);
  for (int half = LANES / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; i++) {
      value[i] = value[i + half] > value[i] ? value[i + half] : value[i];
    }
  }
  return value[0];
}

/* sum + *out_error = x + y exactly (Knuth's TwoSum; no overflow). */
LANES_INLINE lanes_t lanes_two_sum(lanes_t x, lanes_t y, lanes_t *out_error) {
  lanes_t sum = x + y;
  lanes_t y_part = sum - x;
  *out_error = (x - (sum - y_part)) + (y - y_part);
  return sum;
}

#endif
