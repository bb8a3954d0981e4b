/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a number against usual loops and against the bound by all magnitudes (theory.md, T243), and
 * measures it from exact totals in integers. */
#include "oracles/exact/sum/quick/quick_answer.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/matmul/accumulator.h"
#include "oracles/exact/sum/quick/factors.h"
#include "oracles/exact/sum/quick/fixed_totals.h"
#include "oracles/exact/sum/quick/usual_loops.h"

/* What is computed of a sum and of the number that is asked about. */
typedef struct quick_sum {
  size_t terms;      /* That are not zero. */
  double value;      /* Of the pattern. */
  double error;      /* |value - x*|, to nearest; of a value that is finite. */
  double magnitude;  /* Sum of absolute values, within 2^-53 of it for each term, ... */
  double scale;      /* ... times this, a power of two that keeps it below overflow. */
  int binade;        /* Of x*; the least of the format for 0. */
  upper_t permitted; /* E, the last rounding included, times that. */
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

/* theory.md, T10 to T15. */
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

/* ---- Exact numbers --------------------------------------------------------------------------- */

/* |x| 2^unit, to nearest: it is neither too small nor too large for binary64 to have. */
static double scaled(int128_t x, int unit) {
  return (double)int128_magnitude(x) * binary64_power(unit);
}

/* False where integers of 128 bits do not hold them. */
static bool add_up(const sum_problem_t *question, quick_sum_t *inout) {
  enum { UNIT_MIN = -900, UNIT_MAX = 800 };
  int unit = sum_lowest_bit(question);
  fixed_totals_t fixed;
  int128_t init = 0, got = 0;
  if (unit < UNIT_MIN || unit > UNIT_MAX) return false;
  if (!fixed_totals_make(question, unit, &fixed)) return false;
  if (fixed.has_nan || fixed.has_positive_infinity || fixed.has_negative_infinity) return false;
  if (question->has_init && !fixed_of(question->init, unit, FIXED_BITS - 2, &init)) return false;
  if (isfinite(inout->value) && !fixed_of(inout->value, unit, FIXED_BITS - 2, &got)) return false;
  int128_t positive = fixed.positive + (init > 0 ? init : 0);
  int128_t negative = fixed.negative + (init < 0 ? init : 0);
  int128_t sum = positive + negative;
  inout->terms = fixed.positive_count + fixed.negative_count + (init != 0 ? 1 : 0);
  inout->error = scaled(got - sum, unit);
  inout->magnitude = scaled(positive - negative, unit);
  if (sum != 0) inout->binade = fixed_length(int128_magnitude(sum)) - 1 + unit;
  return true;
}

static bool add_widely(exact_accumulator_t *total, double left, double right, quick_sum_t *inout) {
  if (!isfinite(left) || !isfinite(right)) return false;
  exact_accumulator_add_product(total, left, right);
  inout->magnitude += fabs(left * right);
  inout->terms += left != 0 && right != 0 ? 1 : 0;
  return true;
}

/* |left right| times a power of two below 1, rounded once unless it is far below what counts beside
 * a magnitude above 2^1000. */
static double scaled_product(double left, double right, double scale) {
  double larger = fmax(fabs(left), fabs(right)), smaller = fmin(fabs(left), fabs(right));
  return larger * scale * smaller;
}

/* Of magnitudes that may overflow. */
static void scale_magnitude(const sum_problem_t *question, quick_sum_t *inout) {
  inout->scale = 0x1p-128;
  inout->magnitude = question->has_init ? fabs(question->init) * inout->scale : 0;
  for (size_t i = 0; i < question->count; i++) {
    double right = question->right == NULL ? 1 : question->right[i];
    inout->magnitude += scaled_product(question->left[i], right, inout->scale);
  }
}

/* Of x*, which is `total`, and `sum` when it is rounded: a power of two may lie between them. False
 * where binary64 cannot tell. */
static bool find_binade(exact_accumulator_t *total, double sum, int *out_binade) {
  *out_binade = ilogb(sum);
  if (binary64_bits(sum) << (64 - BINARY64_FRACTION_BITS) != 0) return true;
  double rest;
  exact_accumulator_add_product(total, sum, -1);
  if (!exact_accumulator_round(total, &rest)) return false;
  exact_accumulator_add_product(total, sum, 1);
  if (rest != 0 && signbit(rest) != signbit(sum)) *out_binade -= 1;
  return true;
}

/* The same of numbers that lie far apart.  False where a term is not finite, or where binary64
 * cannot tell x* or its magnitudes. */
static bool add_up_widely(const sum_problem_t *question, quick_sum_t *inout) {
  exact_accumulator_t total;
  exact_accumulator_clear(&total);
  inout->terms = 0;
  inout->magnitude = 0;
  for (size_t i = 0; i < question->count; i++) {
    double right = question->right == NULL ? 1 : question->right[i];
    if (!add_widely(&total, question->left[i], right, inout)) return false;
  }
  if (question->has_init && !add_widely(&total, question->init, 1, inout)) return false;
  if (inout->magnitude > 0x1p1000) scale_magnitude(question, inout);
  bool is_plain = inout->magnitude >= 0x1p-900 && inout->magnitude <= 0x1p1000;
  double sum;
  if (!is_plain || !exact_accumulator_round(&total, &sum)) return false;
  if (sum != 0 && !find_binade(&total, sum, &inout->binade)) return false;
  if (!isfinite(inout->value)) return true;
  exact_accumulator_add_product(&total, inout->value, -1);
  if (!exact_accumulator_round(&total, &sum)) return false;
  inout->error = fabs(sum);
  return true;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* 0 where the error is. */
static double share(double error, double whole) {
  if (error == 0) return 0;
  return whole == 0 ? (double)INFINITY : error / whole;
}

static quick_word_t answer(const format_t *format, const quick_sum_t *sum, quick_word_t word,
                           answer_t *out_answer) {
  *out_answer = (answer_t){.conforms = word == QUICK_CONFORMS};
  if (!isfinite(sum->value)) return word; /* A permitted overflow has no error. */
  out_answer->has_reference = true;
  out_answer->ulp_error = ldexp(sum->error, -format_ulp_exponent(format, sum->binade));
  double error = sum->error * sum->scale;
  out_answer->slack = share(error, sum->permitted.value);
  out_answer->backward_error = share(error, sum->magnitude * binary64_power(-format->precision));
  return word;
}

/* Whether what overflows in some tree is no finite number at its end: it cannot be, or it is
 * infinite from there on (stays_small() in set_bounds.c says when it cannot). */
static bool overflow_stays(const format_t *format, const error_bound_t *bound, double magnitude) {
  double quarter = binary64_power(format->exponent_max - 3);
  if (format_has_infinity(format)) return true;
  return magnitude <= quarter && bound->factor <= 0.5 && bound->offset <= quarter;
}

/* theory.md, T243. */
quick_word_t sum_quick_answer(const sum_problem_t *question, const contract_t *contract,
                              uint64_t bits, answer_t *out_answer) {
  const format_t *format = question->format;
  quick_sum_t sum = {
      .value = format_to_double(format, bits), .scale = 1, .binade = format->exponent_min};
  if (!is_asked(question, contract)) return QUICK_OPEN;
  if (!add_up(question, &sum) && !add_up_widely(question, &sum)) return QUICK_OPEN;
  if (sum.terms <= 2) return QUICK_OPEN; /* One node rounds, which others know more of. */
  bool has_init = question->has_init && question->init != 0;
  size_t leaves = question->count + (has_init ? 1 : 0);
  const error_bound_t bound = bound_of(question, contract, leaves);
  double above = 1 + (double)(leaves + 1) * 0x1p-52;
  upper_t magnitude = upper_multiply(upper_of(sum.magnitude), upper_of(above));
  sum.permitted =
      upper_add(upper_scale(magnitude, bound.total_factor), upper_of(bound.total_offset));
  bool is_narrow = sum.permitted.value < binary64_power(format->exponent_max - 1) * sum.scale;
  if (!is_narrow || !overflow_stays(format, &bound, sum.magnitude / sum.scale)) return QUICK_OPEN;
  bool may_loop = error_bound_depth(contract, leaves) + 1 >= leaves;
  if (may_loop && usual_loops_give(question, contract, sum.value)) {
    return answer(format, &sum, QUICK_CONFORMS, out_answer);
  }
  bool is_one_number = !has_init || PERMITTED(contract, init_count) == INIT_COUNT_ONE;
  double error = sum.error * sum.scale;
  bool is_far = isfinite(sum.value) && error * (1 - 0x1p-50) > sum.permitted.value;
  return is_one_number && is_far ? answer(format, &sum, QUICK_REFUSED, out_answer) : QUICK_OPEN;
}
