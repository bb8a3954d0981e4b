#include "oracles/exact/sum_question.h"

#include <math.h>
#include <stdio.h>

#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order.h"
#include "oracles/exact/sum_totals.h"
#include "oracles/exact/value_range.h"

bool product_rounds(const format_t *left, const format_t *right, const format_t *format) {
  return left->precision + right->precision > format->precision;
}

bool product_underflows(const format_t *left, const format_t *right, const format_t *format) {
  int left_lowest = left->exponent_min - left->precision + 1;
  int right_lowest = right->exponent_min - right->precision + 1;
  return left_lowest + right_lowest < format->exponent_min - format->precision + 1;
}

/* The sum with a given number of initial values, and what it may become. */
typedef struct sum_case {
  uint32_t init_count;
  size_t terms;       /* Leaves, initial values included unless they are zeros. */
  mpfr_t reference;   /* x*: the exact sum. */
  mpfr_t magnitude;   /* Sum of absolute values. */
  mpfr_t error;       /* E': permitted before the last rounding. */
  mpfr_t total_error; /* E: the last rounding included. */
  bool outwards;      /* The last rounding may be directed. */
  value_range_t range;
} sum_case_t;

static bool init_is_zero(const sum_question_t *question) {
  return !question->has_init || question->init == 0;
}

static void sum_case_init(sum_case_t *sum, const sum_question_t *question, uint32_t init_count) {
  mpfr_prec_t precision = exact_sum_precision(question->format);
  *sum = (sum_case_t){.init_count = init_count, .terms = question->count};
  mpfr_inits2(precision, sum->reference, sum->magnitude, sum->error, sum->total_error, (mpfr_ptr)0);
  if (!init_is_zero(question)) sum->terms += init_count;
}

static void sum_case_deinit(sum_case_t *sum) {
  mpfr_clears(sum->reference, sum->magnitude, sum->error, sum->total_error, (mpfr_ptr)0);
}

/* factor * magnitude + offset, upwards. */
static void set_bound(mpfr_ptr out, double factor, mpfr_srcptr magnitude, double offset) {
  mpfr_mul_d(out, magnitude, factor, MPFR_RNDU);
  mpfr_add_d(out, out, offset, MPFR_RNDU);
}

static bool flushes_inputs(const contract_t *contract) {
  return contract->ftz == FTZ_INPUTS || contract->ftz == FTZ_BOTH;
}

static bool flushes_outputs(const contract_t *contract) {
  return contract->ftz == FTZ_OUTPUTS || contract->ftz == FTZ_BOTH;
}

/* Whether no operation of any schedule rounds; then x* alone conforms.  Flushing would make a
 * subnormal partial sum inexact. */
static bool is_exact(const sum_case_t *sum, const sum_question_t *question,
                     const sum_totals_t *totals, const contract_t *contract) {
  int lowest_bit = totals->lowest_bit;
  if (!init_is_zero(question) && sum->init_count != 0 && isfinite(question->init)) {
    int init_bit = binary64_lowest_bit(question->init);
    lowest_bit = init_bit < lowest_bit ? init_bit : lowest_bit;
  }
  if (contract->ftz != FTZ_NONE && lowest_bit < question->format->exponent_min) return false;
  double magnitude = mpfr_get_d(sum->magnitude, MPFR_RNDU);
  return error_bound_sum_is_exact(question->format, lowest_bit, magnitude);
}

/* Reference, magnitude and both errors.  A non-finite initial value counts as 0 here. */
static void compute_numbers(sum_case_t *sum, const sum_question_t *question,
                            const sum_totals_t *totals, const contract_t *contract) {
  mpfr_t init;
  mpfr_init2(init, 53 + 32);
  mpfr_set_d(init, question->has_init && isfinite(question->init) ? question->init : 0, MPFR_RNDN);
  bool init_flushes = !mpfr_zero_p(init) &&
                      mpfr_cmp_d(init, format_smallest_normal(question->format)) < 0 &&
                      mpfr_cmp_d(init, -format_smallest_normal(question->format)) > 0;
  mpfr_mul_ui(init, init, sum->init_count, MPFR_RNDN);
  mpfr_add(sum->reference, totals->sum, init, MPFR_RNDN);
  mpfr_abs(init, init, MPFR_RNDN);
  mpfr_add(sum->magnitude, totals->magnitude, init, MPFR_RNDN);
  bool is_product = question->right != NULL;
  bound_shape_t shape = {
      .terms = sum->terms,
      .products_round = is_product && product_rounds(question->left_format, question->right_format,
                                                     question->format),
      .products_underflow =
          is_product &&
          product_underflows(question->left_format, question->right_format, question->format),
  };
  error_bound_t bound = error_bound_sum(question->format, contract, shape);
  sum->outwards = bound.last_truncates;
  if (is_exact(sum, question, totals, contract)) {
    mpfr_set_zero(sum->error, 1);
    mpfr_set_zero(sum->total_error, 1);
  } else {
    set_bound(sum->error, bound.factor, sum->magnitude, bound.offset);
    set_bound(sum->total_error, bound.total_factor, sum->magnitude, bound.total_offset);
  }
  if (flushes_inputs(contract)) {
    if (!init_flushes) mpfr_set_zero(init, 1);
    mpfr_add(init, init, totals->flushable, MPFR_RNDU);
    mpfr_add(sum->error, sum->error, init, MPFR_RNDU);
    mpfr_add(sum->total_error, sum->total_error, init, MPFR_RNDU);
  }
  mpfr_clear(init);
}

/* Largest (or smallest) partial sum that a permitted order can meet, errors included.  Where sums
 * saturate, the terms that pull back need not be neighbours: 7 + ((-7.5 + -7.5) + 7.5) is 7 in
 * f6E2M3FN, so contiguous ranges bound nothing there. */
static void set_partial_extreme(mpfr_ptr out, const sum_case_t *sum, const sum_question_t *question,
                                const sum_totals_t *totals, const contract_t *contract,
                                bool positive) {
  bool saturates = question->format->specials == FORMAT_FINITE;
  bool in_order = contract->order == ORDER_IN_ORDER && !saturates;
  mpfr_set(out,
           positive ? (in_order ? totals->highest : totals->positive)
                    : (in_order ? totals->lowest : totals->negative),
           MPFR_RNDN);
  mpfr_t init;
  mpfr_init2(init, 53 + 32);
  mpfr_set_d(init, question->has_init && isfinite(question->init) ? question->init : 0, MPFR_RNDN);
  mpfr_mul_ui(init, init, sum->init_count, MPFR_RNDN);
  if ((mpfr_sgn(init) > 0) == positive) mpfr_add(out, out, init, MPFR_RNDN);
  mpfr_clear(init);
  if (positive) {
    mpfr_add(out, out, sum->total_error, MPFR_RNDU);
  } else {
    mpfr_sub(out, out, sum->total_error, MPFR_RNDD);
  }
}

/* In a format that saturates, a partial sum that stops at the largest number M leaves the rest to
 * pull away from there: by induction over the tree every result lies in [min(x*, M + N) - E,
 * max(x*, -M + P) + E], P and N the sums of the positive and negative terms. */
static void widen_for_saturation(sum_case_t *sum, const format_t *format, mpfr_srcptr positive,
                                 mpfr_srcptr negative) {
  double largest = format_to_double(format, format->largest_bits);
  mpfr_t end;
  mpfr_init2(end, mpfr_get_prec(sum->reference));
  mpfr_add_d(end, negative, largest, MPFR_RNDD);
  if (mpfr_cmp_d(positive, largest) > 0 && mpfr_cmp_d(end, sum->range.low) < 0) {
    sum->range.low =
        format_to_double(format, format_from_mpfr(format, end, ROUNDING_DOWN, OVERFLOW_SATURATE));
  }
  mpfr_sub_d(end, positive, largest, MPFR_RNDU);
  if (mpfr_cmp_d(negative, -largest) < 0 && mpfr_cmp_d(end, sum->range.high) > 0) {
    sum->range.high =
        format_to_double(format, format_from_mpfr(format, end, ROUNDING_UP, OVERFLOW_SATURATE));
  }
  mpfr_clear(end);
}

static void allow_reachable_overflow(sum_case_t *sum, const sum_question_t *question,
                                     const sum_totals_t *totals, const contract_t *contract) {
  mpfr_t high, low;
  mpfr_inits2(mpfr_get_prec(sum->reference), high, low, (mpfr_ptr)0);
  set_partial_extreme(high, sum, question, totals, contract, true);
  set_partial_extreme(low, sum, question, totals, contract, false);
  const format_t *format = question->format;
  bool up = mpfr_overflows(high, format), down = mpfr_overflows(low, format);
  if (format->specials == FORMAT_FINITE) {
    widen_for_saturation(sum, format, high, low);
  } else if (!format_has_infinity(format)) {
    sum->range.nan |= up || down;
  } else {
    sum->range.positive_infinity |= up;
    sum->range.negative_infinity |= down;
    sum->range.nan |= up && down;
  }
  mpfr_clears(high, low, (mpfr_ptr)0);
}

/* The signs that a zero result may have.  A sum of nonzero terms that cancels is +0 (IEEE 754-2019,
 * 6.3); -0 needs every leaf to be -0, or a negative result that a wider or fused last node rounds
 * to zero.  A +0 initial value turns -0 into +0. */
static void set_zero_signs(sum_case_t *sum, const sum_question_t *question,
                           const sum_totals_t *totals, const contract_t *contract) {
  value_range_t *range = &sum->range;
  bool zero_init = init_is_zero(question);
  bool init_is_plus = !question->has_init || !signbit(question->init);
  bool init_is_forced = question->has_init && contract->init_count == INIT_COUNT_ONE;
  if (question->count == 0 && zero_init) {
    range->positive_zero = init_is_plus;
    range->negative_zero = !init_is_plus;
    return;
  }
  bool spans_zero = range->low <= 0 && range->high >= 0;
  if (!spans_zero) return;
  bool only_terms = zero_init || sum->init_count == 0;
  bool can_minus = only_terms && totals->can_be_minus_zero;
  bool must_minus = only_terms && totals->must_be_minus_zero;
  range->positive_zero = !must_minus || (zero_init && init_is_plus);
  range->negative_zero = can_minus && !(zero_init && init_is_plus && init_is_forced);
  bool last_node_may_underflow =
      (contract->accum_wider == ACCUM_WIDER_YES || contract->fma == FMA_YES) &&
      question->right != NULL &&
      product_underflows(question->left_format, question->right_format, question->format);
  mpfr_t end;
  mpfr_init2(end, mpfr_get_prec(sum->reference));
  mpfr_sub(end, sum->reference, sum->error, MPFR_RNDD);
  if (mpfr_sgn(end) < 0 && (last_node_may_underflow || flushes_outputs(contract))) {
    range->negative_zero = true;
  }
  if (flushes_inputs(contract) && !mpfr_zero_p(totals->flushable)) range->negative_zero = true;
  mpfr_clear(end);
}

/* With flushed outputs a result that may be subnormal may be zero. */
static void allow_flushed_result(sum_case_t *sum, const format_t *format) {
  double normal = format_smallest_normal(format);
  if (sum->range.low < normal && sum->range.low > 0) sum->range.low = 0;
  if (sum->range.high > -normal && sum->range.high < 0) sum->range.high = 0;
}

static void forbid_finite(value_range_t *range) {
  *range = (value_range_t){.low = INFINITY, .high = -INFINITY};
}

/* The set when some leaf is not finite; false if all are. */
static bool set_special_range(sum_case_t *sum, const sum_question_t *question,
                              const sum_totals_t *totals, const contract_t *contract) {
  bool with_init = question->has_init && sum->init_count != 0;
  bool nan = totals->has_nan || (with_init && isnan(question->init));
  bool up =
      totals->has_positive_infinity || (with_init && isinf(question->init) && question->init > 0);
  bool down =
      totals->has_negative_infinity || (with_init && isinf(question->init) && question->init < 0);
  if (!nan && !up && !down) return false;
  value_range_t reachable = sum->range; /* What the finite terms alone may overflow to. */
  forbid_finite(&sum->range);
  if (question->is_complex_part) {
    sum->range.nan = sum->range.positive_infinity = sum->range.negative_infinity = true;
    return true;
  }
  bool opposite =
      (up && (down || reachable.negative_infinity)) || (down && reachable.positive_infinity);
  bool flushed_factor = flushes_inputs(contract) && question->right != NULL;
  sum->range.nan = nan || opposite || flushed_factor;
  sum->range.positive_infinity = up && !nan && !down;
  sum->range.negative_infinity = down && !nan && !up;
  return true;
}

static void compute_range(sum_case_t *sum, const sum_question_t *question,
                          const sum_totals_t *totals, const contract_t *contract) {
  compute_numbers(sum, question, totals, contract);
  value_range_set_enclosure(&sum->range, question->format, sum->reference, sum->error,
                            sum->outwards);
  allow_reachable_overflow(sum, question, totals, contract);
  if (set_special_range(sum, question, totals, contract)) return;
  if (flushes_outputs(contract)) allow_flushed_result(sum, question->format);
  set_zero_signs(sum, question, totals, contract);
}

/* How often the initial value may have entered for a result `got`.  Over a range of counts the
 * distance |got - sum - k init| is V-shaped and the bound convex in k, so bound - distance has its
 * largest value at an end of the range or next to the tip of the V: these few decide for all. */
static size_t init_count_candidates(const sum_question_t *question, const sum_totals_t *totals,
                                    const contract_t *contract, uint64_t bits,
                                    uint32_t out_counts[6]) {
  size_t count = 0;
  out_counts[count++] = 1;
  if (init_is_zero(question) || contract->init_count == INIT_COUNT_ONE) return count;
  if (question->count != 0) out_counts[count++] = 0;
  out_counts[count++] = CONTRACT_INIT_COUNT_MAX;
  double got = format_to_double(question->format, bits);
  if (!isfinite(got) || !isfinite(question->init)) return count;
  mpfr_t tip;
  mpfr_init2(tip, mpfr_get_prec(totals->sum));
  mpfr_d_sub(tip, got, totals->sum, MPFR_RNDN);
  mpfr_div_d(tip, tip, question->init, MPFR_RNDN);
  double near = floor(mpfr_get_d(tip, MPFR_RNDN));
  mpfr_clear(tip);
  for (int step = -1; step <= 1; step++) {
    double candidate = near + step;
    if (candidate < 2 || candidate > CONTRACT_INIT_COUNT_MAX) continue;
    out_counts[count++] = (uint32_t)candidate;
  }
  return count;
}

static void describe(const sum_case_t *sum, const sum_question_t *question, uint64_t bits,
                     answer_t *out_answer) {
  const value_range_t *range = &sum->range;
  bool has_finite = range->low <= range->high;
  bool has_infinity = range->positive_infinity || range->negative_infinity;
  double largest = format_to_double(question->format, question->format->largest_bits);
  out_answer->nan_expected = range->nan && !has_finite && !has_infinity;
  out_answer->infinity_expected = has_infinity && !has_finite;
  out_answer->is_weak = out_answer->conforms && range->low <= -largest && range->high >= largest;
  value_range_print(range, out_answer->expected, sizeof out_answer->expected);
  if (has_finite) {
    answer_measure(out_answer, question->format, bits, sum->reference, sum->total_error,
                   sum->magnitude);
  }
  if (!init_is_zero(question) && out_answer->conforms && sum->init_count != 1) {
    snprintf(out_answer->observed, sizeof out_answer->observed, "init_count=%u", sum->init_count);
  }
}

/* The schedules of the question.  Zero initial values change nothing but the sign of a zero, which
 * the range has judged. */
static schedules_t schedules_of(const sum_case_t *sum, const sum_question_t *question,
                                const contract_t *contract) {
  bool with_init = !init_is_zero(question);
  return (schedules_t){
      .format = question->format,
      .count = question->count,
      .left = question->left,
      .right = question->right,
      .may_fuse = contract->fma == FMA_YES,
      .init = with_init ? question->init : 0,
      .init_min = with_init ? sum->init_count : 0,
      .init_max = with_init ? sum->init_count : 0,
  };
}

static bool terms_are_finite(const sum_case_t *sum, const sum_question_t *question,
                             const sum_totals_t *totals) {
  bool init_is_finite = !question->has_init || sum->init_count == 0 || isfinite(question->init);
  return init_is_finite && !totals->has_nan && !totals->has_positive_infinity &&
         !totals->has_negative_infinity;
}

/* Roundings that every schedule makes: its additions, and its products if they can round. */
static size_t sum_roundings(const sum_question_t *question, size_t terms) {
  bool rounds =
      question->right != NULL &&
      (product_rounds(question->left_format, question->right_format, question->format) ||
       product_underflows(question->left_format, question->right_format, question->format));
  return (terms == 0 ? 0 : terms - 1) + (rounds ? 1 : 0);
}

/* Whether the pattern is permitted with this number of initial values; under an in-order contract
 * the schedules have the last word. */
static status_t decide(const sum_case_t *sum, const sum_question_t *question,
                       const sum_totals_t *totals, const contract_t *contract, uint64_t bits,
                       arena_t *arena, bool *out_conforms, error_t *error) {
  bool any_zero = contract->zero_sign == ZERO_SIGN_ANY;
  *out_conforms = value_range_holds(&sum->range, question->format, bits, any_zero);
  if (!*out_conforms || question->is_complex_part || !terms_are_finite(sum, question, totals) ||
      !in_order_matters(sum_roundings(question, sum->terms), contract)) {
    return STATUS_OK;
  }
  schedules_t schedules = schedules_of(sum, question, contract);
  if (contract->ftz != FTZ_NONE && !in_order_never_subnormal(&schedules)) return STATUS_OK;
  double value = format_to_double(question->format, bits);
  return in_order_admits(&schedules, value, arena, out_conforms, error);
}

status_t sum_answer(const sum_question_t *question, const contract_t *contract, uint64_t bits,
                    arena_t *arena, answer_t *out_answer, error_t *error) {
  answer_t answer = {0};
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  uint32_t counts[6];
  size_t count = init_count_candidates(question, &totals, contract, bits, counts);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < count && !answer.conforms && status == STATUS_OK; i++) {
    sum_case_t sum;
    sum_case_init(&sum, question, counts[i]);
    compute_range(&sum, question, &totals, contract);
    status = decide(&sum, question, &totals, contract, bits, arena, &answer.conforms, error);
    if (status == STATUS_OK && (i == 0 || answer.conforms)) {
      describe(&sum, question, bits, &answer);
    }
    sum_case_deinit(&sum);
  }
  sum_totals_deinit(&totals);
  if (status == STATUS_OK) *out_answer = answer;
  return status;
}

bool sum_reference(const sum_question_t *question, double *out_sum, double *out_tail,
                   double *out_magnitude) {
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  bool is_finite =
      !totals.has_nan && !totals.has_positive_infinity && !totals.has_negative_infinity;
  *out_sum = mpfr_get_d(totals.sum, MPFR_RNDN);
  *out_magnitude = mpfr_get_d(totals.magnitude, MPFR_RNDU);
  if (isfinite(*out_sum)) mpfr_sub_d(totals.sum, totals.sum, *out_sum, MPFR_RNDN);
  *out_tail = mpfr_get_d(totals.sum, MPFR_RNDN);
  sum_totals_deinit(&totals);
  return is_finite;
}
