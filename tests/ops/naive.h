/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on every op: one value at a time, written for plainness, sharing nothing with
 * the oracle but the decoding and encoding of elements.  Floats are added and multiplied exactly
 * with MPFR, and then rounded to the grid of their format with mpfr_rint(). */
#ifndef ASSAY_TESTS_OPS_NAIVE_H
#define ASSAY_TESTS_OPS_NAIVE_H

#include <math.h>
#include <mpfr.h>

#include "harness/model/case.h"

/* Enough for the exact sum of any f64 products. */
enum { NAIVE_PRECISION = 4400 };

/* One element; which members mean something follows from the element's kind. */
typedef struct naive_value {
  double real;
  double imaginary;
  __int128 integer;
} naive_value_t;

/* ---- Floats ---------------------------------------------------------------------------------- */

static inline double naive_overflow(const format_t *format, bool is_negative) {
  double sign = is_negative ? -1 : 1;
  if (format->specials == FORMAT_IEEE) return sign * INFINITY;
  if (format->specials == FORMAT_FINITE) {
    return sign * format_to_double(format, format->largest_bits);
  }
  return NAN;
}

/* An underflow, or a true zero. */
static inline double naive_zero(const format_t *format, bool is_negative) {
  if (format->specials == FORMAT_EXPONENT_ONLY) return ldexp(1, format->exponent_min);
  bool keeps_sign = format->specials != FORMAT_NAN_MINUS_ZERO;
  return is_negative && keeps_sign ? -0.0 : 0.0;
}

/* Rounds to nearest, ties to even; `value` is destroyed. */
static inline double naive_round(const format_t *format, mpfr_t value) {
  bool is_negative = mpfr_signbit(value) != 0;
  if (mpfr_nan_p(value)) return NAN;
  if (mpfr_inf_p(value)) return naive_overflow(format, is_negative);
  if (mpfr_zero_p(value)) return naive_zero(format, is_negative);
  mpfr_exp_t binade = mpfr_get_exp(value) - 1;
  long quantum = MAX((long)binade, (long)format->exponent_min) - format->precision + 1;
  mpfr_mul_2si(value, value, -quantum, MPFR_RNDN);
  mpfr_rint(value, value, MPFR_RNDN);
  mpfr_mul_2si(value, value, quantum, MPFR_RNDN);
  if (mpfr_zero_p(value)) return naive_zero(format, is_negative);
  double largest = format_to_double(format, format->largest_bits);
  if (mpfr_cmp_d(value, largest) > 0) return naive_overflow(format, false);
  if (mpfr_cmp_d(value, -largest) < 0) return naive_overflow(format, true);
  return mpfr_get_d(value, MPFR_RNDN);
}

/* a * b + c, rounded once; with b = 1 a sum, with c = -0 a product. */
static inline double naive_multiply_add(const format_t *format, double a, double b, double c) {
  mpfr_t left;
  mpfr_t right;
  mpfr_inits2(NAIVE_PRECISION, left, right, (mpfr_ptr)0);
  mpfr_set_d(left, a, MPFR_RNDN);
  mpfr_set_d(right, b, MPFR_RNDN);
  mpfr_mul(left, left, right, MPFR_RNDN);
  mpfr_set_d(right, c, MPFR_RNDN);
  mpfr_add(left, left, right, MPFR_RNDN);
  double result = naive_round(format, left);
  mpfr_clears(left, right, (mpfr_ptr)0);
  return result;
}

/* left[0] * right[0] + left[1] * right[1] + ..., rounded once: an accumulator as wide as can be. */
static inline double naive_sum_exactly(const format_t *format, const double *left,
                                       const double *right, size_t count) {
  mpfr_t sum;
  mpfr_t product;
  mpfr_inits2(NAIVE_PRECISION, sum, product, (mpfr_ptr)0);
  mpfr_set_zero(sum, -1);
  for (size_t i = 0; i < count; i++) {
    mpfr_set_d(product, left[i], MPFR_RNDN);
    mpfr_mul_d(product, product, right[i], MPFR_RNDN);
    mpfr_add(sum, sum, product, MPFR_RNDN);
  }
  double result = naive_round(format, sum);
  mpfr_clears(sum, product, (mpfr_ptr)0);
  return result;
}

static inline double naive_add_floats(const format_t *format, double a, double b) {
  return naive_multiply_add(format, a, 1, b);
}

static inline double naive_multiply_floats(const format_t *format, double a, double b) {
  return naive_multiply_add(format, a, b, -0.0);
}

static inline double naive_maximum_floats(double a, double b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == 0 && b == 0) return signbit(a) != 0 ? b : a;
  return a > b ? a : b;
}

/* ---- Integers -------------------------------------------------------------------------------- */

static inline __int128 naive_smallest(const element_t *element) {
  return element->kind == ELEMENT_SIGNED ? -((__int128)1 << (element->bits - 1)) : 0;
}

static inline __int128 naive_largest(const element_t *element) {
  int value_bits = element->bits - (element->kind == ELEMENT_SIGNED ? 1 : 0);
  return ((__int128)1 << value_bits) - 1;
}

/* Back into the range of the type, by wrapping or by saturating. */
static inline __int128 naive_fit(const element_t *element, __int128 value, bool saturates) {
  __int128 low = naive_smallest(element);
  __int128 high = naive_largest(element);
  if (saturates) return CLAMP(value, low, high);
  __int128 modulus = (__int128)1 << element->bits;
  __int128 rest = (value - low) % modulus;
  return low + (rest < 0 ? rest + modulus : rest);
}

/* ---- Elements -------------------------------------------------------------------------------- */

static inline __int128 naive_integer_of(const element_t *element, uint64_t bits) {
  return naive_fit(element, (__int128)bits, false);
}

/* A float of one format as one of another. */
static inline double naive_convert(const format_t *from, const format_t *to, uint64_t bits) {
  double value = format_to_double(from, bits);
  return from == to ? value : naive_add_floats(to, value, -0.0);
}

/* Element `index` of a tensor, converted to the type `to`. */
static inline naive_value_t naive_load(const tensor_t *tensor, size_t index, const element_t *to) {
  const element_t *from = tensor->type.element;
  size_t first = index * from->components;
  uint64_t bits = element_load(from, tensor->data, first);
  naive_value_t value = {0};
  if (from->format == NULL) {
    value.integer = naive_fit(to, naive_integer_of(from, bits), false);
    return value;
  }
  value.real = naive_convert(from->format, to->format, bits);
  if (from->kind == ELEMENT_COMPLEX) {
    bits = element_load(from, tensor->data, first + 1);
    value.imaginary = naive_convert(from->format, to->format, bits);
  }
  return value;
}

static inline void naive_store(tensor_t *tensor, size_t index, naive_value_t value) {
  const element_t *element = tensor->type.element;
  size_t first = index * element->components;
  if (element->format == NULL) {
    uint64_t bits = (uint64_t)value.integer & element_mask(element);
    element_store(element, tensor->data, first, bits);
    return;
  }
  uint64_t bits = format_from_double(element->format, value.real);
  element_store(element, tensor->data, first, bits);
  if (element->kind == ELEMENT_COMPLEX) {
    bits = format_from_double(element->format, value.imaginary);
    element_store(element, tensor->data, first + 1, bits);
  }
}

static inline naive_value_t naive_add(const element_t *element, bool saturates, naive_value_t a,
                                      naive_value_t b) {
  if (element->kind == ELEMENT_BOOLEAN) return (naive_value_t){.integer = a.integer | b.integer};
  if (element->format == NULL) {
    return (naive_value_t){.integer = naive_fit(element, a.integer + b.integer, saturates)};
  }
  naive_value_t sum = {.real = naive_add_floats(element->format, a.real, b.real)};
  if (element->kind == ELEMENT_COMPLEX) {
    sum.imaginary = naive_add_floats(element->format, a.imaginary, b.imaginary);
  }
  return sum;
}

/* The textbook product of complex numbers, every step rounded. */
static inline naive_value_t naive_multiply_complex(const format_t *format, naive_value_t a,
                                                   naive_value_t b) {
  double real_real = naive_multiply_floats(format, a.real, b.real);
  double imaginary_imaginary = naive_multiply_floats(format, a.imaginary, b.imaginary);
  double real_imaginary = naive_multiply_floats(format, a.real, b.imaginary);
  double imaginary_real = naive_multiply_floats(format, a.imaginary, b.real);
  return (naive_value_t){
      .real = naive_add_floats(format, real_real, -imaginary_imaginary),
      .imaginary = naive_add_floats(format, real_imaginary, imaginary_real),
  };
}

/* Where even 128 bits overflow, both factors are large and positive: ui64. */
static inline __int128 naive_multiply_integers(const element_t *element, bool saturates, __int128 a,
                                               __int128 b) {
  __int128 product;
  if (!__builtin_mul_overflow(a, b, &product)) return naive_fit(element, product, saturates);
  return saturates ? naive_largest(element) : (__int128)((uint64_t)a * (uint64_t)b);
}

static inline naive_value_t naive_multiply(const element_t *element, bool saturates,
                                           naive_value_t a, naive_value_t b) {
  if (element->kind == ELEMENT_COMPLEX) return naive_multiply_complex(element->format, a, b);
  if (element->kind == ELEMENT_BOOLEAN) return (naive_value_t){.integer = a.integer & b.integer};
  if (element->format != NULL) {
    return (naive_value_t){.real = naive_multiply_floats(element->format, a.real, b.real)};
  }
  return (naive_value_t){.integer =
                             naive_multiply_integers(element, saturates, a.integer, b.integer)};
}

#endif
