/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 128-bit integers that tell whether they fit. */
#ifndef ASSAY_NUM_INT128_H
#define ASSAY_NUM_INT128_H

#include <stdbool.h>

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

static inline uint128_t int128_magnitude(int128_t value) {
  return value < 0 ? -(uint128_t)value : (uint128_t)value;
}

/* The product modulo 2^128 in *out_product; true if that is not the product.  By division, which
 * every compiler's library has. */
static inline bool int128_multiply_by_parts(int128_t a, int128_t b, int128_t *out_product) {
  uint128_t x = int128_magnitude(a), y = int128_magnitude(b);
  bool is_negative = (a < 0) != (b < 0);
  uint128_t most = (((uint128_t)1 << 127) - 1) + (is_negative ? 1 : 0);
  uint128_t product = x * y;
  *out_product = (int128_t)(is_negative ? -product : product);
  return x != 0 && y > most / x;
}

/* Clang calls __muloti4() for the builtin, which libgcc has not, where it does not write it out: on
 * x86-64 it does. */
#if defined(__x86_64__) || !defined(__clang__)
#define INT128_HAS_BUILTIN 1
#endif

/* The same. */
static inline bool int128_multiply_overflows(int128_t a, int128_t b, int128_t *out_product) {
#ifdef INT128_HAS_BUILTIN
  return __builtin_mul_overflow(a, b, out_product);
#else
  return int128_multiply_by_parts(a, b, out_product);
#endif
}

#endif
