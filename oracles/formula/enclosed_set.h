/* SPDX-License-Identifier: Apache-2.0 */
/* Exact arithmetic on sets (enclosed.h): what an operation gives for all numbers of its operands,
 * before it is rounded (theory.md, T60).  Private to oracles/formula. */
#ifndef ASSAY_ORACLES_FORMULA_ENCLOSED_SET_H
#define ASSAY_ORACLES_FORMULA_ENCLOSED_SET_H

#include "oracles/formula/enclosed.h"

/* A number of ENCLOSED_PRECISION bits on the stack, 0 at first. */
enum { ENCLOSED_LIMBS = (ENCLOSED_PRECISION + 63) / 64 };
#define LOCAL_NUMBER(name)                 \
  mp_limb_t name##_digits[ENCLOSED_LIMBS]; \
  mpfr_t name;                             \
  mpfr_custom_init_set(name, MPFR_ZERO_KIND, 0, ENCLOSED_PRECISION, name##_digits)

/* Sets without numbers, their ends in the arena; out parameters below must have been made so, and
 * may not be operands. */
enclosed_t *enclosed_new(arena_t *arena, size_t count);
void enclosed_copy(enclosed_t *out, const enclosed_t *from);

/* {value}, exactly. */
void enclosed_set_double(enclosed_t *out, double value);

/* Adds all numbers of `from`; an interval grows to the hull of both. */
void enclosed_unite(enclosed_t *inout, const enclosed_t *from);

/* Keeps only numbers of `from`: of two sets that hold what is reached, what both hold. */
void enclosed_intersect(enclosed_t *inout, const enclosed_t *from);

/* Whether the set is one finite number. */
bool enclosed_is_point(const enclosed_t *set);

bool enclosed_has_zero(const enclosed_t *set);
bool enclosed_has_positive(const enclosed_t *set);
bool enclosed_has_negative(const enclosed_t *set);

/* Adds a zero with the sign of `flag`, which the interval need not reach. */
void enclosed_add_zero(enclosed_t *inout, uint8_t flag);

void enclosed_set_add(enclosed_t *out, const enclosed_t *a, const enclosed_t *b);
void enclosed_set_subtract(enclosed_t *out, const enclosed_t *a, const enclosed_t *b);
void enclosed_set_multiply(enclosed_t *out, const enclosed_t *a, const enclosed_t *b);
void enclosed_set_divide(enclosed_t *out, const enclosed_t *a, const enclosed_t *b);
void enclosed_set_square(enclosed_t *out, const enclosed_t *a);
void enclosed_set_square_root(enclosed_t *out, const enclosed_t *a);
void enclosed_set_negate(enclosed_t *out, const enclosed_t *a);
void enclosed_set_maximum(enclosed_t *out, const enclosed_t *a, const enclosed_t *b);

/* enclosed_hulls.c: the least product of a number of `a` and one of `b`, rounded down, and the
 * greatest, rounded up; likewise quotients, where all of `b` are above zero or all below it.  Both
 * have finite numbers.  0 times no bound is 0, and so is no bound by no bound. */
void enclosed_hull_of_products(mpfr_ptr low, mpfr_ptr high, const enclosed_t *a,
                               const enclosed_t *b);
void enclosed_hull_of_quotients(mpfr_ptr low, mpfr_ptr high, const enclosed_t *a,
                                const enclosed_t *b);

/* enclosed_round.c: what the numbers of a set become where a step of the formula rounds them.
 * `may_stay`: they may also stay as they are. */
void enclosed_round(const formula_t *formula, enclosed_t *inout, bool may_stay);

/* What becomes of the numbers of a set that the working format cannot hold: they overflow, or they
 * may underflow. */
void enclosed_limit(const formula_t *formula, enclosed_t *inout);

/* enclosed_function.c: an elementary function of a set, its error included. */
void enclosed_apply(const formula_t *formula, elementary_t function, enclosed_t *out,
                    const enclosed_t *a);

/* Settings of the evaluator of a formula. */
static inline const enclosing_t *enclosed_settings(const formula_t *formula) {
  return formula->settings;
}

/* Everything: where nothing is known. */
void enclosed_set_anything(enclosed_t *out);

/* Unit roundoff of a step, in the working format or a wider one and then the working format. */
double enclosed_unit_roundoff(const formula_t *formula);

/* What underflow may cost one operation at the most: the smallest number, or all below the normal
 * ones where they may be flushed. */
double enclosed_underflow_loss(const formula_t *formula);

/* The steps over whole rows: enclosed_sums.c, enclosed_moments.c, enclosed_shares.c,
 * enclosed_online.c. */
row_t enclosed_sum(formula_t *formula, row_t a);
row_t enclosed_sum_of_products(formula_t *formula, row_t a, row_t b);
row_t enclosed_squared_deviations(formula_t *formula, row_t a, row_t mean);
void enclosed_running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares);
row_t enclosed_shares(formula_t *formula, row_t a);
row_t enclosed_online_sum(formula_t *formula, row_t a);

#endif
