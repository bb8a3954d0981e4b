/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a float sum or dot product exactly: finds, by bisection, the numbers of
 * initial values that could explain the result, then tests each against its permitted range and,
 * if order is fixed, its trees. */
#include "oracles/exact/sum/problem.h"

#include <math.h>
#include <stdio.h>

#include "harness/num/binary64.h"
#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/any_order/find_tree.h"
#include "oracles/exact/any_order/share.h"
#include "oracles/exact/any_order/tree_text.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/sum/bounds.h"
#include "oracles/exact/sum/result.h"

bool product_rounds(const format_t *left, const format_t *right, const format_t *format) {
  return left->precision + right->precision > format->precision;
}

bool product_underflows(const format_t *left, const format_t *right, const format_t *format) {
  int left_lowest = left->exponent_min - left->precision + 1;
  int right_lowest = right->exponent_min - right->precision + 1;
  return left_lowest + right_lowest < format->exponent_min - format->precision + 1;
}

/* More initial values only push a sum one way: theory.md, T22.  So whatever fewer of them surely
 * reach, more reach.  Without this the bounds, which grow with every initial value, would soon hold
 * every number of a short format. */
static void push_by(sum_bounds_t *sum, uint32_t fewer, const sum_problem_t *question,
                    const sum_totals_t *totals, const contract_t *contract) {
  sum_bounds_t other;
  sum_bounds_init(&other, question, fewer);
  sum_bounds_set_range(&other, question, totals, contract);
  value_range_t *range = &sum->result_range;
  if (question->init > 0) {
    range->low = fmax(range->low, other.result_range.low);
  } else {
    range->high = fmin(range->high, other.result_range.high);
  }
  if (range->low > 0 || range->high < 0) range->positive_zero = range->negative_zero = false;
  sum_bounds_deinit(&other);
}

/* Whether so many initial values may push the sum as far as `got`. */
static bool reaches(const sum_problem_t *question, const sum_totals_t *totals,
                    const contract_t *contract, uint32_t init_count, double got) {
  sum_bounds_t sum;
  sum_bounds_init(&sum, question, init_count);
  sum_bounds_set_range(&sum, question, totals, contract);
  const value_range_t *range = &sum.result_range;
  bool far_enough = question->init > 0 ? got <= range->high : got >= range->low;
  sum_bounds_deinit(&sum);
  return far_enough;
}

/* The least of the counts from..CONTRACT_INIT_COUNT_MAX with which the sum gets that far; the last
 * if none. */
static uint32_t least_init_count(const sum_problem_t *question, const sum_totals_t *totals,
                                 const contract_t *contract, uint32_t from, double got) {
  uint32_t to = CONTRACT_INIT_COUNT_MAX;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (reaches(question, totals, contract, middle, got)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

enum { INIT_COUNTS_TRIED = 6 };

/* How often the initial value may have entered. */
typedef struct init_counts {
  size_t count;
  uint32_t tried[INIT_COUNTS_TRIED];
  uint32_t least; /* The least number above 1 that gets as far in any order; else 0. */
} init_counts_t;

/* The least number that gets to `got` decides for all above it, since both ends of what conforms
 * only move that way.  Numbers that the schedules of an in-order contract judge exactly stand for
 * themselves, and those above must get there in any order too. */
static init_counts_t init_counts_make(const sum_problem_t *question, const sum_totals_t *totals,
                                      const contract_t *contract, uint64_t bits) {
  init_counts_t counts = {.count = 1, .tried = {1}};
  if (sum_init_is_zero(question) || PERMITTED(contract, init_count) == INIT_COUNT_ONE)
    return counts;
  if (question->count != 0) counts.tried[counts.count++] = 0;
  uint32_t next = 2;
  if (in_order_matters(question->count + 1, contract) || sum_has_few_terms(question, contract)) {
    while (next <= IN_ORDER_INIT_COUNT_MAX) counts.tried[counts.count++] = next++;
  }
  double got =
      format_to_double(question->result == NULL ? question->format : question->result, bits);
  bool is_finite = isfinite(got) && isfinite(question->init);
  uint32_t last = CONTRACT_INIT_COUNT_MAX;
  if (is_finite) {
    counts.least = least_init_count(question, totals, contract, 2, got);
    last = MAX(counts.least, next);
  }
  counts.tried[counts.count++] = last;
  return counts;
}

static void push_by_fewer_inits(sum_bounds_t *sum, const init_counts_t *counts,
                                const sum_problem_t *question, const sum_totals_t *totals,
                                const contract_t *contract) {
  for (uint32_t fewer = 1; fewer < sum->init_count; fewer *= 2) {
    push_by(sum, fewer, question, totals, contract);
  }
  bool is_beyond = sum->init_count > counts->least && sum->init_count > IN_ORDER_INIT_COUNT_MAX;
  if (counts->least != 0 && is_beyond) push_by(sum, counts->least, question, totals, contract);
}

static void describe(const sum_bounds_t *sum, const sum_problem_t *question, uint64_t bits,
                     answer_t *out_answer) {
  const value_range_t *range = &sum->result_range;
  const format_t *format = question->result == NULL ? question->format : question->result;
  bool has_finite = range->low <= range->high;
  bool has_infinity = range->positive_infinity || range->negative_infinity;
  double largest = format_to_double(format, format->largest_bits);
  out_answer->nan_expected = range->nan && !has_finite && !has_infinity;
  out_answer->infinity_expected = has_infinity && !has_finite;
  out_answer->is_vacuous = out_answer->conforms && range->low <= -largest && range->high >= largest;
  value_range_print(range, out_answer->expected, sizeof out_answer->expected);
  double value = format_to_double(format, bits);
  bool is_between = range->low <= value && value <= range->high && value != 0;
  if (is_between && !out_answer->conforms) {
    g_strlcat(out_answer->expected, ", and no tree gives this", sizeof out_answer->expected);
  }
  if (has_finite) {
    answer_measure(out_answer, format, bits, sum->reference, sum->total_error, sum->magnitude);
  }
  if (!sum_init_is_zero(question) && out_answer->conforms && sum->init_count != 1) {
    snprintf(out_answer->observed, sizeof out_answer->observed, "init_count=%u", sum->init_count);
  }
}

/* The schedules of the question.  Zero initial values change nothing but the sign of a zero, so
 * they are left out elsewhere; and there one does what many do. */
static schedules_t schedules_of(const sum_bounds_t *sum, const sum_problem_t *question,
                                const contract_t *contract, double value) {
  schedules_t schedules = {
      .format = question->format,
      .count = question->count,
      .left = question->left,
      .right = question->right,
      .may_fuse = PERMITTED(contract, fma) == FMA_YES,
      .init = question->has_init ? question->init : 0,
      .init_min = sum->init_count,
      .init_max = sum->init_count,
  };
  if (sum_init_is_zero(question)) {
    bool is_forced = question->has_init && PERMITTED(contract, init_count) == INIT_COUNT_ONE;
    schedules.init_max = value == 0 || question->count == 0 ? 1 : 0;
    schedules.init_min = is_forced || question->count == 0 ? schedules.init_max : 0;
  }
  return schedules;
}

/* Roundings that every schedule makes: its additions, and its products if they can round. */
static size_t sum_roundings(const sum_problem_t *question, size_t terms) {
  bool rounds =
      question->right != NULL &&
      (product_rounds(question->left_format, question->right_format, question->format) ||
       product_underflows(question->left_format, question->right_format, question->format));
  return (terms == 0 ? 0 : terms - 1) + (rounds ? 1 : 0);
}

bool sum_has_schedules(const sum_problem_t *question, size_t terms, const contract_t *contract) {
  bool is_plain = question->result == NULL && question->group == 0 &&
                  question->imprecise_bits == 0 && !question->factors_exceed;
  return is_plain && in_order_matters(sum_roundings(question, terms), contract);
}

/* Whether a factor is one that its format, or that which it was rounded from, may flush. */
static bool is_subnormal(double value, const format_t *format, const format_t *storage) {
  double magnitude = fabs(value);
  return value != 0 && ((format != NULL && magnitude < ldexp(1, format->exponent_min)) ||
                        (storage != NULL && magnitude < ldexp(1, storage->exponent_min)));
}

/* Whether a term or a sum may be subnormal: sums are multiples of what all terms are multiples
 * of. */
static bool may_be_subnormal(const sum_problem_t *question) {
  int normal = question->format->exponent_min;
  if (question->result != NULL) normal = MAX(normal, question->result->exponent_min);
  bool has_number = question->has_init && isfinite(question->init);
  if (has_number && binary64_lowest_bit(question->init) < normal) return true;
  for (size_t i = 0; i < question->count; i++) {
    double left = question->left[i], right = question->right == NULL ? 1 : question->right[i];
    if (is_subnormal(left, question->left_format, question->left_storage)) return true;
    if (question->right != NULL &&
        is_subnormal(right, question->right_format, question->right_storage))
      return true;
    if (left == 0 || right == 0) continue;
    if (!isfinite(left) || !isfinite(right)) continue;
    if (binary64_lowest_bit(left) + binary64_lowest_bit(right) < normal) return true;
  }
  return false;
}

bool sum_has_few_terms(const sum_problem_t *question, const contract_t *contract) {
  bool is_one_sum =
      !sum_is_split(question) && question->imprecise_bits == 0 && !question->factors_exceed;
  /* What a NaN becomes in a type without any, nobody says: the bound permits any number. */
  if (question->result != NULL && !format_has_nan(question->result)) return false;
  if (!is_one_sum || question->is_complex_part || !few_terms_decide(question->count, contract))
    return false;
  if (PERMITTED(contract, ftz) != FTZ_NONE && may_be_subnormal(question)) return false;
  size_t divisor = tree_share_divisor(question->sums_of_case, question->count);
  return tree_share_has(divisor, question->count, question->left, question->right);
}

/* What is to be decided: whether a contract permits a pattern as the answer. */
typedef struct claim {
  const sum_problem_t *question;
  const contract_t *contract;
  uint64_t bits;
} claim_t;

static few_terms_t few_terms_of(const sum_bounds_t *sum, const claim_t *claim) {
  const sum_problem_t *question = claim->question;
  const contract_t *contract = claim->contract;
  return (few_terms_t){.format = question->format,
                       .result = question->result,
                       .count = question->count,
                       .left = question->left,
                       .right = question->right,
                       .init = question->has_init ? question->init : 0,
                       .init_count = sum->init_count,
                       .may_fuse = PERMITTED(contract, fma) == FMA_YES,
                       .may_widen = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES};
}

static double claimed_value(const claim_t *claim) {
  const sum_problem_t *question = claim->question;
  const format_t *format = question->result == NULL ? question->format : question->result;
  return format_to_double(format, claim->bits);
}

/* Sums of few terms in any order: whether some tree gives the pattern, and so that the range that
 * is told is not wider than what they give. */
static void decide_few_terms(sum_bounds_t *sum, const claim_t *claim, arena_t *arena,
                             answer_t *inout_answer) {
  inout_answer->is_treeless = sum->init_count > IN_ORDER_INIT_COUNT_MAX;
  if (inout_answer->is_treeless) return;
  const few_terms_t terms = few_terms_of(sum, claim);
  double hull[] = {-INFINITY, INFINITY};
  few_terms_word_t word = few_terms_ask(&terms, claimed_value(claim), arena, hull);
  inout_answer->conforms = word != FEW_TERMS_IMPOSSIBLE;
  inout_answer->is_treeless = word == FEW_TERMS_OPEN || word == FEW_TERMS_CONCEIVED;
  if (claim->question->result != NULL) return;
  value_range_t *range = &sum->result_range;
  range->low = fmax(range->low, hull[0]);
  range->high = fmin(range->high, hull[1]);
}

/* Also of sums that are judged by their bound, since others of the case took the time. */
static void explain_few_terms(const sum_bounds_t *sum, const claim_t *claim, arena_t *arena) {
  const sum_problem_t *question = claim->question;
  sum_problem_t alone = *question;
  alone.sums_of_case = 0;
  bool is_tree_known = sum_has_few_terms(&alone, claim->contract) &&
                       !sum_has_schedules(question, sum->terms, claim->contract) &&
                       sum->init_count <= IN_ORDER_INIT_COUNT_MAX;
  if (!is_tree_known) return;
  const few_terms_t terms = few_terms_of(sum, claim);
  few_terms_tree_t tree;
  if (few_terms_find_tree(&terms, claimed_value(claim), arena, &tree)) {
    few_terms_print_tree(&terms, &tree, question->why);
  }
}

/* Whether the pattern is permitted with this number of initial values; under an in-order contract
 * the schedules have the last word. */
static status_t decide(sum_bounds_t *sum, const claim_t *claim, arena_t *arena,
                       answer_t *inout_answer, failure_t *error) {
  const sum_problem_t *question = claim->question;
  const contract_t *contract = claim->contract;
  uint64_t bits = claim->bits;
  inout_answer->conforms = sum_result_holds(sum, question, contract, bits);
  if (!inout_answer->conforms) return STATUS_OK;
  if (question->is_complex_part || !sum_has_schedules(question, sum->terms, contract)) {
    if (sum_has_few_terms(question, contract)) {
      decide_few_terms(sum, claim, arena, inout_answer);
    }
    return STATUS_OK;
  }
  bool any_zero = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  double value = format_to_double(question->format, bits);
  schedules_t schedules = schedules_of(sum, question, contract, value);
  if (PERMITTED(contract, ftz) != FTZ_NONE && !in_order_never_subnormal(&schedules))
    return STATUS_OK;
  return in_order_admits(&schedules, value, any_zero, arena, &inout_answer->conforms, error);
}

/* Whether a pattern of the accumulation type is converted to that of the result, all NaNs being
 * one. */
static bool becomes(const sum_problem_t *question, uint64_t source, uint64_t bits) {
  const format_t *result = question->result;
  uint64_t converted = format_convert(question->format, result, source, ROUNDING_NEAREST_EVEN);
  if (converted == bits) return true;
  if (format_is_nan(result, converted)) return format_is_nan(result, bits);
  return format_is_zero(result, converted) && format_is_zero(result, bits) &&
         !format_has_negative_zero(result);
}

/* Whether what conforms as a result is one of few terms in a type of so few patterns that all are
 * asked: their trees tell more than the bound of the converted sum (theory.md, T24). */
static bool has_listed_sources(const sum_problem_t *question, const contract_t *contract) {
  if (question->result == NULL || question->format->bits > 8) return false;
  bool is_plain = PERMITTED(contract, ftz) == FTZ_NONE &&
                  PERMITTED(contract, zero_sign) == ZERO_SIGN_STRICT &&
                  PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN;
  bool may_round_once = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES &&
                        arithmetic_format_holds(question->format, question->result);
  return is_plain && !may_round_once && !question->is_complex_part &&
         sum_has_few_terms(question, contract);
}

static status_t hold_to_sources(const claim_t *claim, arena_t *arena, answer_t *inout_answer,
                                failure_t *error) {
  sum_problem_t source = *claim->question;
  source.result = NULL;
  source.why = NULL;
  uint64_t patterns = UINT64_C(1) << source.format->bits;
  answer_t answer = {.conforms = false};
  for (uint64_t bits = 0; bits < patterns && !answer.conforms; bits++) {
    if (!becomes(claim->question, bits, claim->bits)) continue;
    STATUS_TRY(sum_answer(&source, claim->contract, bits, arena, &answer, error));
  }
  inout_answer->conforms = answer.conforms;
  return STATUS_OK;
}

/* theory.md, T131. */
static answer_t open_answer(void) {
  return (answer_t){.conforms = true,
                    .is_vacuous = true,
                    .expected = "anything: an operand has no number of its precision type"};
}

status_t sum_answer(const sum_problem_t *question, const contract_t *contract, uint64_t bits,
                    arena_t *arena, answer_t *out_answer, failure_t *error) {
  if (question->is_open) {
    *out_answer = open_answer();
    return STATUS_OK;
  }
  answer_t answer = {0};
  const claim_t claim = {.question = question, .contract = contract, .bits = bits};
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  const init_counts_t counts = init_counts_make(question, &totals, contract, bits);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < counts.count && !answer.conforms && status == STATUS_OK; i++) {
    sum_bounds_t sum;
    sum_bounds_init(&sum, question, counts.tried[i]);
    sum_bounds_set_range(&sum, question, &totals, contract);
    if (isfinite(question->init)) push_by_fewer_inits(&sum, &counts, question, &totals, contract);
    status = decide(&sum, &claim, arena, &answer, error);
    if (status == STATUS_OK && (i == 0 || answer.conforms)) {
      describe(&sum, question, bits, &answer);
      if (question->why != NULL && answer.conforms) explain_few_terms(&sum, &claim, arena);
    }
    sum_bounds_deinit(&sum);
  }
  sum_totals_deinit(&totals);
  if (status == STATUS_OK && answer.conforms && has_listed_sources(question, contract)) {
    status = hold_to_sources(&claim, arena, &answer, error);
  }
  if (status == STATUS_OK) *out_answer = answer;
  return status;
}

bool sum_reference(const sum_problem_t *question, double *out_sum, double *out_tail,
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
