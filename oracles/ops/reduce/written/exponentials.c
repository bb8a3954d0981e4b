/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of pairs (m, s) that stand for s e^m, each relative to the largest m so far: what any tree
 * gives is within a bound of the exact sum (theory.md, T141). */
#include <math.h>

#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/ops/reduce/written/trees.h"

/* A pair of finite numbers. */
typedef struct pair {
  double exponent; /* m */
  double factor;   /* s */
} pair_t;

/* A point, or one zero of either sign. */
static bool read_number(const written_value_t *value, double *out) {
  const enclosed_t *number = value->number;
  if (!enclosed_is_point(number)) return false;
  *out = mpfr_get_d(number->low, MPFR_RNDN); /* A number of the argument's type: exact. */
  return true;
}

static bool read_pair(const written_tuple_t *tuple, pair_t *out) {
  return read_number(&tuple->values[0], &out->exponent) &&
         read_number(&tuple->values[1], &out->factor);
}

/* What the terms are, and what steps may err by. */
typedef struct sum {
  const pair_t *pairs;
  size_t count;
  double largest; /* M */
  double least;
  double unit;      /* u' of T141. */
  double steps_log; /* d log G, upwards. */
  double loss;      /* What one operation may lose to underflow. */
  double ulps;
} sum_t;

/* Ends of s_i e^(m_i - M), and the error of the term, upwards. */
static void add_term(const sum_t *sum, const pair_t *pair, enclosed_t *inout_exact,
                     mpfr_ptr inout_error, mpfr_ptr inout_whole) {
  LOCAL_NUMBER(power);
  LOCAL_NUMBER(term);
  LOCAL_NUMBER(growth);
  bool is_negative = pair->factor < 0;
  for (int end = 0; end < 2; end++) {
    mpfr_rnd_t outwards = (end == 0) == is_negative ? MPFR_RNDU : MPFR_RNDD;
    mpfr_set_d(power, pair->exponent, MPFR_RNDN);
    mpfr_sub_d(power, power, sum->largest, outwards);
    mpfr_exp(power, power, outwards);
    mpfr_mul_d(term, power, pair->factor, end == 0 ? MPFR_RNDD : MPFR_RNDU);
    mpfr_ptr to = end == 0 ? inout_exact->low : inout_exact->high;
    mpfr_add(to, to, term, end == 0 ? MPFR_RNDD : MPFR_RNDU);
  }
  mpfr_set_d(growth, sum->largest, MPFR_RNDN);
  mpfr_sub_d(growth, growth, pair->exponent, MPFR_RNDU);
  mpfr_mul_d(growth, growth, sum->unit, MPFR_RNDU);
  mpfr_add_d(growth, growth, sum->steps_log, MPFR_RNDU);
  mpfr_expm1(growth, growth, MPFR_RNDU);
  mpfr_set_d(power, pair->exponent, MPFR_RNDN);
  mpfr_sub_d(power, power, sum->largest, MPFR_RNDU);
  mpfr_exp(power, power, MPFR_RNDU);
  mpfr_mul_d(power, power, fabs(pair->factor), MPFR_RNDU);
  mpfr_mul(power, power, growth, MPFR_RNDU);
  mpfr_add(inout_error, inout_error, power, MPFR_RNDU);
  mpfr_add_d(inout_whole, inout_whole, fabs(pair->factor), MPFR_RNDU);
}

/* Adds what underflow may cost: of each of at most 2 n nodes two exponentials, which factors of at
 * most the whole multiply, and four roundings; all of it grows as terms do.  Returns whether no
 * node's sum may be above half of `most`. */
static bool add_losses(const sum_t *sum, mpfr_ptr inout_error, mpfr_srcptr whole, double most) {
  LOCAL_NUMBER(growth);
  LOCAL_NUMBER(loss);
  mpfr_set_d(growth, sum->largest, MPFR_RNDN);
  mpfr_sub_d(growth, growth, sum->least, MPFR_RNDU);
  mpfr_mul_d(growth, growth, sum->unit, MPFR_RNDU);
  mpfr_add_d(growth, growth, sum->steps_log, MPFR_RNDU);
  mpfr_exp(growth, growth, MPFR_RNDU);
  mpfr_mul(loss, whole, growth, MPFR_RNDU);
  bool is_small = mpfr_cmp_d(loss, most / 4) < 0;
  mpfr_mul_d(loss, loss, sum->ulps + 1, MPFR_RNDU);
  mpfr_add_ui(loss, loss, 2, MPFR_RNDU);
  mpfr_mul_d(loss, loss, 4 * (double)(sum->count + 1), MPFR_RNDU);
  mpfr_mul_d(loss, loss, sum->loss, MPFR_RNDU);
  mpfr_mul(loss, loss, growth, MPFR_RNDU);
  mpfr_add(inout_error, inout_error, loss, MPFR_RNDU);
  return is_small && mpfr_cmp_d(loss, most / 4) < 0;
}

/* (n + 1) log G of T141, upwards: theory.md, T141. */
static double log_of_steps(const formula_t *formula, double ulps, size_t nodes) {
  double unit = enclosed_unit_roundoff(formula);
  bool truncates = PERMITTED(formula->contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  LOCAL_NUMBER(total);
  LOCAL_NUMBER(one);
  mpfr_set_d(total, 2 * ulps * format_unit_roundoff(formula->format), MPFR_RNDU);
  mpfr_log1p(total, total, MPFR_RNDU);
  mpfr_set_d(one, unit, MPFR_RNDU);
  mpfr_log1p(one, one, MPFR_RNDU);
  mpfr_add(total, total, one, MPFR_RNDU);
  mpfr_mul_ui(one, one, truncates ? 2 : 1, MPFR_RNDU);
  mpfr_add(total, total, one, MPFR_RNDU);
  mpfr_mul_d(total, total, (double)nodes + 1, MPFR_RNDU);
  return mpfr_get_d(total, MPFR_RNDU);
}

static bool read_sum(written_problem_t *problem, const written_leaves_t *leaves, sum_t *out) {
  pair_t *pairs = ARENA_NEW_ARRAY(problem->arena, pair_t, leaves->count);
  pair_t init;
  *out = (sum_t){.pairs = pairs, .count = leaves->count, .largest = -INFINITY, .least = INFINITY};
  bool has_init = !leaves->is_init_absent;
  bool adds_nothing = !has_init || (read_pair(&leaves->init, &init) && init.factor == 0);
  bool is_known =
      leaves->count > 0 && PERMITTED(problem->contract, ftz) == FTZ_NONE && adds_nothing;
  if (!is_known) return false;
  for (size_t i = 0; i < leaves->count; i++) {
    if (!read_pair(&leaves->terms[i], &pairs[i])) return false;
    out->largest = fmax(out->largest, pairs[i].exponent);
    out->least = fmin(out->least, pairs[i].exponent);
  }
  if (!isfinite(out->largest - out->least)) return false;
  return !has_init || (init.exponent <= out->largest && isfinite(out->largest - init.exponent));
}

static written_value_t value_of_maximum(const written_problem_t *problem, double maximum) {
  enclosed_t *number = enclosed_new(problem->arena, 1);
  enclosed_set_double(number, maximum);
  if (maximum == 0) number->specials = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  return (written_value_t){.number = number};
}

/* theory.md, T141. */
bool written_enclose_exponentials(written_problem_t *problem, const written_leaves_t *leaves,
                                  written_tuple_t *out_tuple) {
  sum_t sum;
  if (!read_sum(problem, leaves, &sum)) return false;
  formula_t formula = written_formula(problem, problem->arguments[1]);
  sum.ulps = contract_elementary_ulps(problem->contract, ELEMENTARY_exp, formula.format,
                                      sum.largest - sum.least);
  sum.unit = enclosed_unit_roundoff(&formula) *
             (PERMITTED(problem->contract, accum_rounding) == ACCUM_ROUNDING_RZ ? 2 : 1);
  sum.steps_log = log_of_steps(&formula, sum.ulps, sum.count);
  sum.loss = enclosed_underflow_loss(&formula);
  enclosed_t *exact = enclosed_new(problem->arena, 1);
  LOCAL_NUMBER(error);
  LOCAL_NUMBER(whole);
  for (size_t i = 0; i < sum.count; i++) add_term(&sum, &sum.pairs[i], exact, error, whole);
  double most = format_to_double(formula.format, formula.format->largest_bits);
  if (!add_losses(&sum, error, whole, most)) return false; /* Something might overflow. */
  exact->has_finite = true;
  mpfr_sub(exact->low, exact->low, error, MPFR_RNDD);
  mpfr_add(exact->high, exact->high, error, MPFR_RNDU);
  if (mpfr_sgn(exact->low) <= 0 && mpfr_sgn(exact->high) >= 0) {
    exact->specials = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  }
  *out_tuple = (written_tuple_t){0};
  out_tuple->values[0] = value_of_maximum(problem, sum.largest);
  out_tuple->values[1] = (written_value_t){.number = exact};
  return true;
}
