/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a float sum or dot product exactly: tests the numbers of initial values
 * that could explain the result against their permitted ranges and, where these tell more, their
 * trees; of formats of few numbers all numbers of initial values at once. */
#include "oracles/exact/sum/problem.h"

#include <math.h>
#include <stdio.h>

#include "generated/exact_permissions.h"
#include "harness/num/binary64.h"
#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/any_order/share.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/closure/closed_sum.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/sum/bounds.h"
#include "oracles/exact/sum/levels.h"
#include "oracles/exact/sum/quick/factors.h"
#include "oracles/exact/sum/quick/quick_answer.h"
#include "oracles/exact/sum/result.h"
#include "oracles/exact/tree_search/compensated.h"
#include "oracles/exact/tree_search/find_tree.h"
#include "oracles/exact/tree_search/tree_text.h"

/* What is to be decided: whether a contract permits a pattern as the answer. */
typedef struct claim {
  const sum_problem_t *question;
  const contract_t *contract;
  uint64_t bits;
  bool is_brief; /* Needs no words where it is true. */
} claim_t;

static void describe(const sum_bounds_t *sum, const claim_t *claim, answer_t *out_answer) {
  const sum_problem_t *question = claim->question;
  const value_range_t *range = &sum->result_range;
  const format_t *format = question->result == NULL ? question->format : question->result;
  bool has_finite = range->low <= range->high;
  bool has_infinity = range->positive_infinity || range->negative_infinity;
  double largest = format_to_double(format, format->largest_bits);
  out_answer->nan_expected = range->nan && !has_finite && !has_infinity;
  out_answer->infinity_expected = has_infinity && !has_finite;
  out_answer->is_vacuous = out_answer->conforms && range->low <= -largest && range->high >= largest;
  if (!claim->is_brief || !out_answer->conforms)
    value_range_print(range, out_answer->expected, sizeof out_answer->expected);
  if (!out_answer->conforms && value_range_holds(range, format, claim->bits, false))
    g_strlcat(out_answer->expected, ", and no tree gives this", sizeof out_answer->expected);
  if (has_finite) {
    answer_measure(out_answer, format, claim->bits, sum->reference, sum->total_error,
                   sum->magnitude);
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
      .result = question->result,
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
  /* Of a reduction whose sum is converted at last, trees are those of the accumulation; nobody says
   * so of dot algorithms, nor what a NaN becomes in a type that has none. */
  bool is_known =
      question->result == NULL || (question->has_init && format_has_nan(question->result));
  bool is_plain = is_known && question->group == 0 && question->imprecise_bits == 0 &&
                  !question->factors_exceed;
  return is_plain && in_order_matters(sum_roundings(question, terms), contract);
}

static bool is_one_sum(const sum_problem_t *question) {
  return !sum_is_split(question) && question->imprecise_bits == 0 && !question->factors_exceed;
}

contract_t sum_effective_contract(const sum_problem_t *question, const contract_t *contract) {
  contract_t effective = *contract;
  bool is_idle = PERMITTED(contract, ftz) != FTZ_NONE && is_one_sum(question) &&
                 !question->is_complex_part && !sum_reaches_subnormal(question);
  PERMITTED(&effective, ftz) = FTZ_NONE;
  return is_idle && !in_order_matters(1, &effective) ? effective : *contract;
}

bool sum_has_few_terms(const sum_problem_t *question, const contract_t *contract) {
  /* What a NaN becomes in a type without any, nobody says: the bound permits any number. */
  if (question->result != NULL && !format_has_nan(question->result)) return false;
  if (!is_one_sum(question) || question->is_complex_part ||
      !few_terms_decide(question->count, contract))
    return false;
  if (PERMITTED(contract, ftz) != FTZ_NONE && sum_reaches_subnormal(question)) return false;
  size_t divisor = tree_share_divisor(question->sums_of_case, question->count);
  return tree_share_has(divisor, question->count, question->left, question->right);
}

few_terms_t sum_few_terms(const sum_bounds_t *sum, const sum_problem_t *question,
                          const contract_t *contract) {
  return (few_terms_t){.format = question->format,
                       .result = question->result,
                       .count = question->count,
                       .left = question->left,
                       .right = question->right,
                       .init = question->has_init ? question->init : 0,
                       .init_count = sum->init_count,
                       .may_fuse = PERMITTED(contract, fma) == FMA_YES,
                       .may_widen = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES,
                       .may_flush = PERMITTED(contract, ftz) != FTZ_NONE};
}

static double claimed_value(const claim_t *claim) {
  const sum_problem_t *question = claim->question;
  const format_t *format = question->result == NULL ? question->format : question->result;
  return format_to_double(format, claim->bits);
}

/* More initial values push a sum on from the least that some tree gives with fewer (theory.md,
 * T127). */
static bool is_pushed_beyond(const claim_t *claim, few_terms_t terms, arena_t *arena) {
  double hull[] = {-INFINITY, INFINITY}, value = claimed_value(claim);
  if (terms.result != NULL || !isfinite(value) || !isfinite(terms.init)) return false;
  terms.init_count = IN_ORDER_INIT_COUNT_MAX;
  (void)few_terms_ask(&terms, value, arena, hull);
  return terms.init > 0 ? value < hull[0] : value > hull[1];
}

/* Sums of few terms in any order: whether some tree gives the pattern, and so that the range that
 * is told is not wider than what they give. */
static void decide_few_terms(sum_bounds_t *sum, const claim_t *claim, arena_t *arena,
                             answer_t *inout_answer) {
  const few_terms_t terms = sum_few_terms(sum, claim->question, claim->contract);
  inout_answer->is_treeless = sum->init_count > IN_ORDER_INIT_COUNT_MAX;
  if (inout_answer->is_treeless) {
    inout_answer->conforms = !is_pushed_beyond(claim, terms, arena);
    return;
  }
  double hull[] = {-INFINITY, INFINITY};
  few_terms_word_t word = few_terms_ask(&terms, claimed_value(claim), arena, hull);
  inout_answer->conforms = word != FEW_TERMS_IMPOSSIBLE;
  inout_answer->is_treeless = word == FEW_TERMS_OPEN || word == FEW_TERMS_CONCEIVED;
  inout_answer->is_unproven = inout_answer->is_treeless;
  if (claim->question->result != NULL) return;
  value_range_t *range = &sum->result_range;
  range->low = fmax(range->low, hull[0]);
  range->high = fmin(range->high, hull[1]);
}

/* Whether a tree that gives an answer may be looked for: with sets, or, of more terms, among loops
 * (of which flushing, which need not happen, takes none away). */
static bool may_have_tree(const sum_problem_t *question, const contract_t *contract) {
  sum_problem_t alone = *question;
  alone.sums_of_case = 0;
  if (question->count <= FEW_TERMS_MAX) return sum_has_few_terms(&alone, contract);
  return question->count <= TREE_TERMS_MAX && !sum_is_split(question) &&
         question->imprecise_bits == 0 && !question->factors_exceed && !question->is_complex_part;
}

/* Also of sums that are judged by their bound, since others of the case took the time. */
static void explain_few_terms(const sum_bounds_t *sum, const claim_t *claim, arena_t *arena) {
  const sum_problem_t *question = claim->question;
  bool is_tree_known = may_have_tree(question, claim->contract) &&
                       !sum_has_schedules(question, sum->terms, claim->contract) &&
                       sum->init_count <= IN_ORDER_INIT_COUNT_MAX;
  if (!is_tree_known) return;
  const few_terms_t terms = sum_few_terms(sum, claim->question, claim->contract);
  few_terms_tree_t tree;
  if (few_terms_find_tree(&terms, claimed_value(claim), arena, &tree)) {
    few_terms_print_tree(&terms, &tree, question->why);
  }
}

/* A number of initial values, and what is known of all. */
typedef struct init_numbers {
  const sum_totals_t *totals;
  const init_counts_t *counts;
  uint32_t tried;
  bool is_first;
} init_numbers_t;

/* Whether the pattern is permitted with this number of initial values; under an in-order contract
 * the schedules have the last word. */
static status_t decide(sum_bounds_t *sum, const claim_t *claim, arena_t *arena,
                       answer_t *inout_answer, failure_t *error) {
  const sum_problem_t *question = claim->question;
  const contract_t *contract = claim->contract;
  inout_answer->conforms = sum_result_holds(sum, question, contract, claim->bits);
  if (!inout_answer->conforms) return STATUS_OK;
  if (question->is_complex_part || !sum_has_schedules(question, sum->terms, contract)) {
    if (sum_has_few_terms(question, contract)) {
      decide_few_terms(sum, claim, arena, inout_answer);
    } else {
      const few_terms_t terms = sum_few_terms(sum, claim->question, claim->contract);
      inout_answer->conforms = sum_ends_hold(sum, question, &terms, claimed_value(claim), arena);
      inout_answer->is_unproven = true;
    }
    return STATUS_OK;
  }
  bool any_zero = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  double value = claimed_value(claim);
  schedules_t schedules = schedules_of(sum, question, contract, value);
  if (PERMITTED(contract, ftz) != FTZ_NONE && !in_order_never_subnormal(&schedules)) {
    inout_answer->is_unproven = true;
    return STATUS_OK;
  }
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

/* The least number of initial values with which some tree gives the pattern.  False if that cannot
 * be told of all numbers at once. */
static bool find_least_inits(const claim_t *claim, arena_t *arena, uint32_t *out_inits) {
  const sum_problem_t *question = claim->question;
  const contract_t *contract = claim->contract;
  bool has_trees = sum_has_schedules(question, question->count + 1, contract) ||
                   sum_has_few_terms(question, contract);
  if (!has_trees || !question->has_init || question->right != NULL) return false;
  const closed_sum_t sum = {.format = question->format,
                            .result = question->result,
                            .count = question->count,
                            .terms = question->left,
                            .init = question->init,
                            .contract = contract,
                            .sums_of_case = question->sums_of_case};
  return closed_sum_least_inits(&sum, claim->bits, arena, out_inits);
}

/* Decides with so many initial values, or, where more are asked about than trees are made of one by
 * one, with whatever number of them. */
static status_t decide_number(const claim_t *claim, const init_numbers_t *numbers, arena_t *arena,
                              answer_t *inout_answer, failure_t *error) {
  const sum_problem_t *question = claim->question;
  const contract_t *contract = claim->contract;
  uint32_t inits = numbers->tried;
  bool is_closed = inits > IN_ORDER_INIT_COUNT_MAX && find_least_inits(claim, arena, &inits);
  if (is_closed && inits == CLOSURE_NEVER) return STATUS_OK;
  sum_bounds_t sum;
  sum_bounds_init(&sum, question, inits);
  sum_bounds_set_range(&sum, question, numbers->totals, contract);
  if (isfinite(question->init)) {
    init_counts_push(&sum, numbers->counts, question, numbers->totals, contract);
  }
  status_t status = STATUS_OK;
  if (is_closed) {
    inout_answer->conforms = true;
  } else {
    status = decide(&sum, claim, arena, inout_answer, error);
  }
  bool is_asked = question->why != NULL && inout_answer->conforms && inout_answer->is_unproven;
  const few_terms_t terms = sum_few_terms(&sum, claim->question, claim->contract);
  inout_answer->is_unproven =
      is_asked && !sum_is_proven(&sum, question, contract, &terms, claimed_value(claim), arena);
  if (status == STATUS_OK && (numbers->is_first || inout_answer->conforms)) {
    describe(&sum, claim, inout_answer);
    if (question->why != NULL && inout_answer->conforms) explain_few_terms(&sum, claim, arena);
  }
  sum_bounds_deinit(&sum);
  return status;
}

bool sum_may_be_compensated(const sum_problem_t *question, const contract_t *contract,
                            few_terms_t *out_terms) {
  const sum_bounds_t sum = {.init_count = question->has_init ? 1 : 0};
  *out_terms = sum_few_terms(&sum, question, contract);
  return PERMITTED(contract, compensated) == COMPENSATED_YES && is_one_sum(question) &&
         !question->is_complex_part;
}

/* Whether what no tree gives comes of a compensated loop. */
static bool has_compensated_loop(const claim_t *claim) {
  const sum_problem_t *question = claim->question;
  double value = claimed_value(claim);
  few_terms_t terms;
  if (!sum_may_be_compensated(question, claim->contract, &terms) || !isfinite(value)) return false;
  compensated_loop_t loop;
  if (!compensated_loop_find(&terms, question->sums_of_case, value, &loop)) return false;
  if (question->why != NULL) compensated_loop_print(&terms, &loop, question->why);
  return true;
}

/* theory.md, T131. */
static answer_t open_answer(void) {
  return (answer_t){.conforms = true,
                    .is_vacuous = true,
                    .expected = "anything: an operand has no number of its precision type"};
}

/* Whether the answer is known without MPFR, and nobody wants more of it. */
static bool answer_quickly(const claim_t *claim, answer_t *out_answer) {
  const sum_problem_t *question = claim->question;
  if (!question->is_brief || question->why != NULL) return false;
  switch (sum_quick_answer(question, claim->contract, claim->bits, out_answer)) {
    case QUICK_CONFORMS:
      return true;
    case QUICK_REFUSED:
      return question->is_any_way && !has_compensated_loop(claim);
    case QUICK_OPEN:
    default:
      return false;
  }
}

status_t sum_answer(const sum_problem_t *question, const contract_t *contract, uint64_t bits,
                    arena_t *arena, answer_t *out_answer, failure_t *error) {
  if (question->is_open) {
    *out_answer = open_answer();
    return STATUS_OK;
  }
  answer_t answer = {0};
  const contract_t effective = sum_effective_contract(question, contract);
  bool is_listed = has_listed_sources(question, &effective);
  const claim_t claim = {question, &effective, bits, question->is_brief && !is_listed};
  if (answer_quickly(&claim, out_answer)) return STATUS_OK;
  sum_totals_t totals;
  sum_totals_init(&totals, question);
  const init_counts_t counts = init_counts_make(question, &totals, &effective, bits, arena);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < counts.count && !answer.conforms && status == STATUS_OK; i++) {
    const init_numbers_t numbers = {
        .totals = &totals, .counts = &counts, .tried = counts.tried[i], .is_first = i == 0};
    status = decide_number(&claim, &numbers, arena, &answer, error);
  }
  sum_totals_deinit(&totals);
  if (status == STATUS_OK && !answer.conforms && has_compensated_loop(&claim)) {
    answer.conforms = true;
    answer.is_unproven = false;
    g_strlcpy(answer.observed, "compensated=yes", sizeof answer.observed);
    *out_answer = answer;
    return STATUS_OK;
  }
  if (status == STATUS_OK && answer.conforms && is_listed)
    status = hold_to_sources(&claim, arena, &answer, error);
  if (status == STATUS_OK) *out_answer = answer;
  return status;
}
