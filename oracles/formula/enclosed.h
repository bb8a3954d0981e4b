/* SPDX-License-Identifier: Apache-2.0 */
/* A set of numbers that a conforming implementation may reach at some step, and the evaluator that
 * computes with such sets: the accept set of a formula, in MPFR with its ends rounded outwards.
 *
 * A set is what lies in a closed interval of reals, and NaN, infinities and zeros by flags.  Zeros
 * may lie apart from the interval, as where a product underflows or stays unrounded (theory.md,
 * T100); a set of zeros alone has the interval [0, 0].  An interval with numbers on both sides of
 * zero has both zeros. */
#ifndef ASSAY_ORACLES_FORMULA_ENCLOSED_H
#define ASSAY_ORACLES_FORMULA_ENCLOSED_H

#include <mpfr.h>

#include "oracles/exact/value_range.h"
#include "oracles/formula/formula.h"

/* Bits of the ends: more than twice those of binary64, so that what they lose is nothing beside any
 * permitted error. */
enum { ENCLOSED_PRECISION = 128 };

enum enclosed_special {
  ENCLOSED_NAN = 1,
  ENCLOSED_POSITIVE_INFINITY = 2,
  ENCLOSED_NEGATIVE_INFINITY = 4,
  ENCLOSED_POSITIVE_ZERO = 8,
  ENCLOSED_NEGATIVE_ZERO = 16,
};

typedef struct enclosed {
  bool has_finite;   /* There are finite numbers, and those that are not zero lie in [low, high]; an
                      * end that is infinite means that they have no bound there. */
  bool is_delivered; /* They came from an elementary function, whose error is that of its result in
                      * the working format: nothing is rounded after it. */
  uint8_t specials;
  mpfr_t low;
  mpfr_t high;
  /* The two sets that this one is united of, if one of them is delivered and the other is not, as
   * an inverse root and 1 / sqrt(x): a result's ends are rounded in each as they are there
   * (theory.md, T171).  NULL, NULL: it is no such set.  They live as long as this one. */
  const struct enclosed *ways[2];
} enclosed_t;

extern const evaluator_t enclosed_evaluator;

/* Settings of the evaluator. */
typedef struct enclosing {
  bool is_exact;     /* Nothing is rounded: sets are the exact values, up to the ends' precision. */
  bool is_unbounded; /* Steps neither overflow nor underflow. */
  /* Each operand element that has a set is one number of it, of this format; NULL: it may be
   * another at each use. */
  const format_t *stored;
} enclosing_t;

/* A copy of a row in an arena where no other numbers of its formula take room. */
row_t enclosed_keep(arena_t *arena, row_t row);

/* Exact values of a row of patterns of `format`, or, if inputs may be flushed, with their zeros. */
row_t enclosed_load(formula_t *formula, const format_t *format, const uint64_t *bits, size_t count);

/* Makes the interval reach the zeros of the set: where numbers between them are reached as well. */
void enclosed_join_zero(enclosed_t *inout);

/* The accept set of a result of `format` whose last step gave this set. */
void enclosed_finish(const formula_t *formula, const enclosed_t *set, const format_t *format,
                     value_range_t *out_range);

#endif
