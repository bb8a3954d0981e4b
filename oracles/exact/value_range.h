/* SPDX-License-Identifier: Apache-2.0 */
/* The accept set of one float component, as the exact side of the oracle knows it, and the exact
 * passage from MPFR numbers to formats. */
#ifndef ASSAY_ORACLES_EXACT_VALUE_RANGE_H
#define ASSAY_ORACLES_EXACT_VALUE_RANGE_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/model/accept.h"
#include "harness/num/format.h"

/* Nonzero finite v conforms if low <= v <= high; the rest by flag. */
typedef struct value_range {
  double low;
  double high;
  bool nan;
  bool positive_infinity;
  bool negative_infinity;
  bool positive_zero;
  bool negative_zero;
} value_range_t;

/* True if the pattern is in the set.  In formats without -0, +0 conforms if either zero does; with
 * `any_zero` the sign of zero does not count. */
bool value_range_holds(const value_range_t *range, const format_t *format, uint64_t bits,
                       bool any_zero);

/* Everything that the format has. */
value_range_t value_range_anything(const format_t *format);

/* Writes the set in words: "0x1.8p+3 .. 0x1.9p+3, or +inf". */
void value_range_print(const value_range_t *range, char *out, size_t out_bytes);

/* Rounds an MPFR number to the format, exactly as the format's rule says. */
uint64_t format_from_mpfr(const format_t *format, mpfr_srcptr value, rounding_t rounding,
                          overflow_t overflow);

/* Sets `out` to the value of a finite pattern; `out` needs 53 bits. */
void mpfr_set_format(mpfr_ptr out, const format_t *format, uint64_t bits);

/* Precision that holds any sum of up to 2^32 products of two numbers of the format exactly. */
mpfr_prec_t exact_sum_precision(const format_t *format);

/* True if |value| rounds, to nearest, beyond the largest finite number. */
bool mpfr_overflows(mpfr_srcptr value, const format_t *format);

/* Hardware may tell that a result is subnormal before it is rounded (IEEE 754-2019, 7.5, lets both
 * pass), or with one bit more than the subnormal has: what only rounding makes the smallest normal
 * number is then flushed too.  Whether the value is such a one, or smaller. */
bool mpfr_is_tiny(mpfr_srcptr value, const format_t *format);

/* The finite part of the accept set: [rn(reference - error), rn(reference + error)], the ends
 * rounded outwards instead if `outwards`.  The enclosure's own ends are computed outwards.  Sets
 * low, high and the infinities (or NaN, where the format overflows to NaN) that the enclosure
 * itself reaches; leaves the zero flags alone. */
void value_range_set_enclosure(value_range_t *range, const format_t *format, mpfr_srcptr reference,
                               mpfr_srcptr error, bool outwards);

/* Fills the measures of an answer: ulp error, slack and backward error of a finite pattern;
 * infinite ones for the rest. */
void answer_measure(answer_t *answer, const format_t *format, uint64_t bits, mpfr_srcptr reference,
                    mpfr_srcptr total_error, mpfr_srcptr magnitude);

#endif
