/* SPDX-License-Identifier: Apache-2.0 */
/* Correctly rounded addition, multiplication, division, square root and fused multiply-add of one
 * float format, on binary64 carriers: every finite number, infinity and NaN of every format is a
 * binary64 value too, so operands and results are doubles that the format holds.
 *
 * Roundings are to nearest, ties to even, with the format's own rule for overflow (infinity, NaN or
 * the largest finite number); NaN carries on.  The proofs are in theory.md, D3 and T6.  f8E8M0FNU,
 * which has neither zero nor sign, is multiplied only. */
#ifndef ASSAY_ORACLES_EXACT_ARITHMETIC_H
#define ASSAY_ORACLES_EXACT_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>

#include "harness/num/format.h"

typedef struct arithmetic {
  const format_t *format;
  /* Faults that are planted on purpose: rounding toward zero. */
  bool truncate_additions;
  bool truncate_products;
} arithmetic_t;

/* The conforming arithmetic of a format. */
static inline arithmetic_t arithmetic_make(const format_t *format) {
  return (arithmetic_t){.format = format};
}

/* Any binary64 number, rounded to the format: to nearest, and toward zero. */
static inline double arithmetic_round(const arithmetic_t *arithmetic, double value) {
  if (arithmetic->format == &format_table[FORMAT_f32]) return (float)value;
  return format_round_double(arithmetic->format, value);
}
double arithmetic_truncate(const arithmetic_t *arithmetic, double value);

double arithmetic_add_truncated(const arithmetic_t *arithmetic, double a, double b);
double arithmetic_multiply_truncated(const arithmetic_t *arithmetic, double a, double b);

static inline double arithmetic_add(const arithmetic_t *arithmetic, double a, double b) {
  if (arithmetic->truncate_additions) return arithmetic_add_truncated(arithmetic, a, b);
  return arithmetic_round(arithmetic, a + b);
}

static inline double arithmetic_multiply(const arithmetic_t *arithmetic, double a, double b) {
  if (arithmetic->truncate_products) return arithmetic_multiply_truncated(arithmetic, a, b);
  return arithmetic_round(arithmetic, a * b);
}

/* The same for any binary64 numbers, whose product binary64 need not hold. */
double arithmetic_multiply_any(const arithmetic_t *arithmetic, double a, double b);

static inline double arithmetic_divide(const arithmetic_t *arithmetic, double a, double b) {
  return arithmetic_round(arithmetic, a / b);
}

static inline double arithmetic_square_root(const arithmetic_t *arithmetic, double a) {
  return arithmetic_round(arithmetic, sqrt(a));
}

/* a * b + c, rounded once, to nearest (also where the two flags are set). */
double arithmetic_fused(const arithmetic_t *arithmetic, double a, double b, double c);

/* IEEE 754-2019 maximum and minimum: NaN wins, and -0 is less than +0. */
double arithmetic_maximum(double a, double b);
double arithmetic_minimum(double a, double b);

/* True if every number of `narrow` is one of `wide`. */
bool arithmetic_format_holds(const format_t *wide, const format_t *narrow);

#endif
