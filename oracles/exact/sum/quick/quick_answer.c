/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a number against usual loops and against the bound by all magnitudes (theory.md, T243), and
 * measures it from totals in integers. */
#include "oracles/exact/sum/quick/quick_answer.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/sum/quick/fixed_totals.h"
#include "oracles/exact/sum/quick/usual_loops.h"

/* What is computed of a sum and of the number that is asked about. */
typedef struct quick_sum {
  size_t terms;      /* That are not zero. */
  double value;      /* Of the pattern. */
  double error;      /* |value - x*|, to nearest. */
  double magnitude;  /* Sum of absolute values, to nearest. */
  double ulps;       /* The error in units of x* in the last place. */
  upper_t permitted; /* E, the last rounding included. */
} quick_sum_t;

/* A sum of one kind of node whose order nothing but its depth says; all that flushing permits is
 * left to others. */
static bool is_asked(const sum_problem_t *question, const contract_t *contract) {
  bool is_plain = !sum_is_split(question) && question->imprecise_bits == 0 &&
                  !question->factors_exceed && !question->is_complex_part && !question->is_open &&
                  question->result == NULL;
  return is_plain && PERMITTED(contract, order) == ORDER_ANY &&
         PERMITTED(contract, ftz) == FTZ_NONE &&
         PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN;
}

static error_bound_t bound_of(const sum_problem_t *question, const contract_t *contract,
                              size_t leaves) {
  bound_shape_t shape = {.terms = leaves, .leaves = leaves, .is_product = question->right != NULL};
  if (shape.is_product) {
    const format_t *left = question->left_format, *right = question->right_format;
    shape.products_round = product_rounds(left, right, question->format);
    shape.products_underflow = product_underflows(left, right, question->format);
  }
  return error_bound_sum(question->format, contract, shape);
}

/* |x| 2^unit, to nearest: it is neither too small nor too large for binary64 to have. */
static double scaled(int128_t x, int unit) {
  return (double)int128_magnitude(x) * binary64_power(unit);
}

/* The exact numbers.  False where integers do not hold them. */
static bool add_up(const sum_problem_t *question, double value, int *out_unit, int128_t *out_sum,
                   quick_sum_t *out) {
  enum { UNIT_MIN = -900, UNIT_MAX = 800 };
  int unit = sum_lowest_bit(question);
  sum_totals_t totals = {.lowest_bit = unit}; /* Its numbers are not touched. */
  fixed_totals_t fixed;
  int128_t init = 0, got;
  if (unit < UNIT_MIN || unit > UNIT_MAX) return false;
  if (!fixed_totals_add(question, &totals, &fixed)) return false;
  if (totals.has_nan || totals.has_positive_infinity || totals.has_negative_infinity) return false;
  if (question->has_init && !fixed_of(question->init, unit, FIXED_BITS - 2, &init)) return false;
  if (!fixed_of(value, unit, FIXED_BITS - 2, &got)) return false;
  int128_t positive = fixed.positive + (init > 0 ? init : 0);
  int128_t negative = fixed.negative + (init < 0 ? init : 0);
  int128_t sum = positive + negative;
  out->terms = totals.positive_count + totals.negative_count + (init != 0 ? 1 : 0);
  out->value = value;
  out->error = scaled(got - sum, unit);
  out->magnitude = scaled(positive - negative, unit);
  *out_unit = unit;
  *out_sum = sum;
  return true;
}

/* The error in units in the last place: a quotient by a power of two. */
static double in_ulps(const format_t *format, double error, int128_t sum, int unit) {
  int binade = sum == 0 ? format->exponent_min : fixed_length(int128_magnitude(sum)) - 1 + unit;
  return ldexp(error, -format_ulp_exponent(format, binade));
}

/* 0 where the error is. */
static double share(double error, double whole) {
  if (error == 0) return 0;
  return whole == 0 ? (double)INFINITY : error / whole;
}

static void measure(const format_t *format, const quick_sum_t *sum, bool conforms,
                    answer_t *out_answer) {
  *out_answer = (answer_t){.conforms = conforms, .has_reference = true};
  out_answer->ulp_error = sum->ulps;
  out_answer->slack = share(sum->error, sum->permitted.value);
  out_answer->backward_error =
      share(sum->error, sum->magnitude * binary64_power(-format->precision));
}

/* Whether no partial sum of any tree gets near the largest number (as stays_small() in
 * set_bounds.c), so that not every number conforms. */
static bool stays_small(const format_t *format, const error_bound_t *bound, double magnitude) {
  double quarter = binary64_power(format->exponent_max - 3);
  return magnitude <= quarter && bound->factor <= 0.5 && bound->offset <= quarter;
}

quick_word_t sum_quick_answer(const sum_problem_t *question, const contract_t *contract,
                              uint64_t bits, answer_t *out_answer) {
  const format_t *format = question->format;
  const double value = format_to_double(format, bits);
  int unit;
  int128_t exact;
  quick_sum_t sum;
  if (!is_asked(question, contract) || !isfinite(value)) return QUICK_OPEN;
  if (!add_up(question, value, &unit, &exact, &sum)) return QUICK_OPEN;
  if (sum.terms <= 2) return QUICK_OPEN; /* One node rounds, which others know more of. */
  bool has_init = question->has_init && question->init != 0;
  size_t leaves = question->count + (has_init ? 1 : 0);
  const error_bound_t bound = bound_of(question, contract, leaves);
  if (!stays_small(format, &bound, sum.magnitude)) return QUICK_OPEN;
  sum.ulps = in_ulps(format, sum.error, exact, unit);
  upper_t magnitude = upper_of(magnitude_next(sum.magnitude));
  sum.permitted =
      upper_add(upper_scale(magnitude, bound.total_factor), upper_of(bound.total_offset));
  bool may_loop = error_bound_depth(contract, leaves) + 1 >= leaves;
  if (may_loop && value != 0 && usual_loops_give(question, contract, value)) {
    measure(format, &sum, true, out_answer);
    return QUICK_CONFORMS;
  }
  bool is_one_number = !has_init || PERMITTED(contract, init_count) == INIT_COUNT_ONE;
  if (!is_one_number || !(sum.error * (1 - 0x1p-50) > sum.permitted.value)) return QUICK_OPEN;
  measure(format, &sum, false, out_answer);
  return QUICK_REFUSED;
}
