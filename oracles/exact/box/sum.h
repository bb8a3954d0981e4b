/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of boxes, in time and memory of the plain sum: ends are added in binary64 to nearest, and
 * moved outwards once by what all additions and products together may have lost. */
#ifndef ASSAY_ORACLES_EXACT_BOX_SUM_H
#define ASSAY_ORACLES_EXACT_BOX_SUM_H

#include "oracles/exact/box/box.h"
#include "oracles/exact/error_bound.h"

/* Of a box of one number the exponent of its last bit: BINARY64_NO_BIT of 0, which is a multiple of
 * every power of two.  BOX_GRID_NONE of other boxes. */
enum { BOX_GRID_NONE = -BINARY64_NO_BIT };
static inline int box_grid(box_t box) {
  bool is_number = box.low == box.high && isfinite(box.low);
  return is_number ? binary64_lowest_bit(box.low) : BOX_GRID_NONE;
}

/* Start from a zeroed one. */
typedef struct box_sum {
  double low;
  double high;
  double magnitude; /* Sum of the largest |term| of each. */
  size_t count; /* Of terms, but for those that are 0 anywhere: these add no error to ends (T70). */
  /* Set by who knows that all terms, anywhere in their boxes, are multiples of 2^grid. */
  bool has_grid;
  int grid;
} box_sum_t;

static inline double box_sum_lesser(double a, double b) { return a < b ? a : b; }
static inline double box_sum_greater(double a, double b) { return a > b ? a : b; }

static inline bool box_sum_is_zero(box_t box) { return box.low == 0 && box.high == 0; }

static inline void box_sum_add(box_sum_t *sum, box_t term) {
  sum->low += term.low;
  sum->high += term.high;
  sum->magnitude += box_sum_greater(fabs(term.low), fabs(term.high));
  sum->count += !box_sum_is_zero(term);
}

static inline void box_sum_add_product(box_sum_t *sum, box_t a, box_t b) {
  double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  double low = box_sum_lesser(box_sum_lesser(p, q), box_sum_lesser(r, s));
  double high = box_sum_greater(box_sum_greater(p, q), box_sum_greater(r, s));
  sum->low += low;
  sum->high += high;
  sum->magnitude += box_sum_greater(fabs(a.low), fabs(a.high)) *
                    box_sum_greater(fabs(b.low), fabs(b.high)); /* NaN stays NaN here. */
  sum->count += !box_sum_is_zero(a) && !box_sum_is_zero(b);
}

/* A term, or factor of a term, that may be flushed to zero where it is subnormal.  Accept sets
 * count that as an error of its size, to either side (sum_bounds.c); so does this: 0 to twice of
 * it.
 */
static inline box_t box_flush_term(box_t a, const format_t *format) {
  double normal = format_smallest_normal(format);
  if (a.low >= normal || a.high <= -normal) return a;
  a.low = box_sum_lesser(a.low, a.low < 0 ? 2 * box_sum_greater(a.low, -normal) : 0);
  a.high = box_sum_greater(a.high, a.high > 0 ? 2 * box_sum_lesser(a.high, normal) : 0);
  return a;
}

/* What sum |term| is at most; infinite or NaN if some term may be an infinity. */
double box_sum_magnitude(const box_sum_t *sum);

/* The exact sums of terms in the boxes; the whole line if some term may be an infinity. */
box_t box_sum_total(const box_sum_t *sum);

/* A sum as floats make it. */
typedef struct box_sum_shape {
  const format_t *format; /* Accumulation type: with a zero. */
  const format_t *result; /* What the sum is converted to at last, or NULL. */
  bound_shape_t bound;
} box_sum_shape_t;

/* The same with what the contract permits of such sums, which takes longer to find than one sum. */
typedef struct box_sum_rounding {
  box_sum_shape_t shape;
  const contract_t *contract;
  error_bound_t bound;
  double largest; /* Number of the accumulation type. */
} box_sum_rounding_t;

box_sum_rounding_t box_sum_rounding(const box_sum_shape_t *shape, const contract_t *contract);

/* Every result that the contract permits, in any order (theory.md, T70): rn(x* - E') to rn(x* +
 * E'), for the sums x* at the ends and the E' of the largest terms, which is 0 where no partial sum
 * is rounded (T297).  The whole line if a partial sum may overflow.  Terms are taken as they are:
 * see box_flush_term(). */
box_t box_sum_round(const box_sum_t *sum, const box_sum_rounding_t *rounding);

/* What the sum may be where it is not rounded at last, or to any wider format: x* - E' to x* + E',
 * and what it is rounded to. The whole line where it may be flushed. */
box_t box_sum_kept(const box_sum_t *sum, const box_sum_rounding_t *rounding);

#endif
