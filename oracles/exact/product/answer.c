/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a real product exactly: tries the few plausible numbers of initial
 * values, builds the permitted range for each, and for in-order contracts also requires a tree
 * that gives the value. */
#include "oracles/exact/product/problem.h"

#include <math.h>
#include <stdio.h>

#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/product/bounds.h"
#include "oracles/exact/range_convert.h"

static const format_t *result_format(const product_problem_t *question) {
  return question->result == NULL ? question->format : question->result;
}

enum { CANDIDATES_MAX = 8 };

/* Few numbers of initial values can explain a result: the logarithm of the distance behaves as the
 * distance does for sums (sum_problem.c). */
static size_t init_count_candidates(const product_problem_t *question, const contract_t *contract,
                                    uint64_t bits, uint32_t out_counts[CANDIDATES_MAX]) {
  size_t count = 0;
  out_counts[count++] = 1;
  if (product_init_is_one(question) || PERMITTED(contract, init_count) == INIT_COUNT_ONE)
    return count;
  uint32_t most = contract_init_count_max(contract, question->count);
  if (question->count != 0) out_counts[count++] = 0;
  out_counts[count++] = 2; /* The other parity, for sign and for infinities. */
  if (most > 2) out_counts[count++] = 3;
  if (most > 3) out_counts[count++] = most;
  if (most > 4) out_counts[count++] = most - 1; /* Zeros and infinities have signs. */
  double got = format_to_double(result_format(question), bits);
  double step = log2(fabs(question->init));
  if (!isfinite(got) || got == 0 || !isfinite(step) || step == 0) return count;
  double near = log2(fabs(got));
  for (size_t i = 0; i < question->count; i++) {
    double factor = fabs(question->factors[i]);
    if (!isfinite(factor) || factor == 0) return count;
    near -= log2(factor);
  }
  near = floor(near / step + 0.5);
  for (int offset = -1; offset <= 0; offset++) {
    double candidate = near + offset;
    if (candidate < 4 || candidate > most) continue;
    out_counts[count++] = (uint32_t)candidate;
  }
  return count;
}

static void describe(const product_bounds_t *product, const product_problem_t *question,
                     uint64_t bits, answer_t *out_answer) {
  const value_range_t *range = &product->range;
  bool has_finite = range->low <= range->high;
  bool has_infinity = range->positive_infinity || range->negative_infinity;
  out_answer->nan_expected = range->nan && !has_finite && !has_infinity;
  out_answer->infinity_expected = has_infinity && !has_finite;
  value_range_print(range, out_answer->expected, sizeof out_answer->expected);
  if (has_finite) {
    mpfr_t reference;
    mpfr_init2(reference, PRODUCT_PRECISION);
    mpfr_set(reference, product->reference, MPFR_RNDN);
    if (product->negative) mpfr_neg(reference, reference, MPFR_RNDN);
    answer_measure(out_answer, result_format(question), bits, reference, product->total_error,
                   product->reference);
    mpfr_clear(reference);
  }
  if (!product_init_is_one(question) && out_answer->conforms && product->init_count != 1) {
    snprintf(out_answer->observed, sizeof out_answer->observed, "init_count=%u",
             product->init_count);
  }
}

/* What is to be decided: whether a contract permits a pattern as the answer. */
typedef struct claim {
  const product_problem_t *question;
  const contract_t *contract;
  uint64_t bits;
} claim_t;

/* Whether the pattern is permitted with this number of initial values; under an in-order contract
 * the schedules have the last word. */
static status_t decide(const product_bounds_t *product, const claim_t *claim, arena_t *arena,
                       bool *out_conforms, failure_t *error) {
  const product_problem_t *question = claim->question;
  const contract_t *contract = claim->contract;
  uint64_t bits = claim->bits;
  const value_range_t *range = &product->range;
  bool any_zero = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  *out_conforms = value_range_holds(range, result_format(question), bits, any_zero);
  if (question->result != NULL) {
    double value = format_to_double(question->result, bits);
    bool is_plain = !isfinite(value) || value == 0;
    *out_conforms &= is_plain || value_is_converted(question->format, question->result, value);
    return STATUS_OK;
  }
  if (!*out_conforms || PERMITTED(contract, ftz) != FTZ_NONE ||
      !in_order_matters(product->count == 0 ? 0 : product->count - 1, contract)) {
    return STATUS_OK;
  }
  uint32_t init_count = product_init_is_one(question) ? 0 : product->init_count;
  schedules_t schedules = {
      .format = question->format,
      .multiplies = true,
      .count = question->count,
      .left = question->factors,
      .init = question->init,
      .init_min = init_count,
      .init_max = init_count,
  };
  double value = format_to_double(question->format, bits);
  return in_order_admits(&schedules, value, any_zero, arena, out_conforms, error);
}

status_t product_answer(const product_problem_t *question, const contract_t *contract,
                        uint64_t bits, arena_t *arena, answer_t *out_answer, failure_t *error) {
  answer_t answer = {0};
  const claim_t claim = {.question = question, .contract = contract, .bits = bits};
  uint32_t counts[CANDIDATES_MAX];
  size_t count = init_count_candidates(question, contract, bits, counts);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < count && !answer.conforms && status == STATUS_OK; i++) {
    product_bounds_t product;
    product_bounds_init(&product, question, counts[i]);
    product_bounds_set_range(&product, question, contract);
    status = decide(&product, &claim, arena, &answer.conforms, error);
    if (status == STATUS_OK && (i == 0 || answer.conforms)) {
      describe(&product, question, bits, &answer);
    }
    product_bounds_deinit(&product);
  }
  if (status == STATUS_OK) *out_answer = answer;
  return status;
}
