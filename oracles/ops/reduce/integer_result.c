/* SPDX-License-Identifier: Apache-2.0 */
/* Decides integer reductions with a converted result: maps the observed pattern back to the
 * accumulation type, and accepts anything where some permitted sum does not fit the result type. */
#include "oracles/ops/reduce/integer_result.h"

#include <math.h>
#include <stdio.h>

#include "oracles/ops/reduce/core.h"

/* Sums of 2^24 terms and 2^16 initial values of 64 bits. */
typedef __int128 wide_t;

static wide_t widen(const element_t *element, uint64_t extended) {
  return element->kind == ELEMENT_SIGNED ? (wide_t)(int64_t)extended : (wide_t)extended;
}

typedef struct span {
  wide_t least, most;
} span_t;

static span_t span_of(const element_t *element) {
  return (span_t){.least = element_integer_min(element), .most = element_integer_max(element)};
}

static wide_t clamp_wide(wide_t value, span_t span) { return CLAMP(value, span.least, span.most); }

static bool leaves(wide_t value, span_t span) { return value < span.least || value > span.most; }

/* Whether a saturating schedule with sums `positive` and `negative` of its terms may give a value
 * outside of `result`: see set_saturated_sum() in integer_problem.c. */
static bool saturated_sum_leaves(wide_t positive, wide_t negative, span_t own, span_t result) {
  wide_t low = clamp_wide(MIN(positive, own.most) + negative, own);
  wide_t high = clamp_wide(MAX(negative, own.least) + positive, own);
  return leaves(low, result) || leaves(high, result);
}

static bool sum_may_saturate_and_leave(const integer_problem_t *question,
                                       const contract_t *contract, const element_t *result) {
  const element_t *element = question->element;
  span_t own = span_of(element), other = span_of(result);
  wide_t positive = 0, negative = 0;
  for (size_t i = 0; i < question->count; i++) {
    wide_t term = widen(element, question->left[i]);
    *(term > 0 ? &positive : &negative) += term;
  }
  wide_t init = widen(element, question->init);
  bool any = PERMITTED(contract, init_count) != INIT_COUNT_ONE;
  uint32_t first = any && question->count > 0 ? 0 : 1;
  uint32_t last = contract_init_count_max(contract, question->count);
  /* More of them move both ends one way: the two extremes decide. */
  const uint32_t counts[] = {first, last};
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
    wide_t inits = init * counts[i];
    if (saturated_sum_leaves(positive + MAX(inits, 0), negative + MIN(inits, 0), own, other)) {
      return true;
    }
  }
  return false;
}

/* Whether some modular result is outside of `result`. */
static bool modular_leaves(const integer_problem_t *question, const contract_t *contract,
                           const element_t *result) {
  bool any = PERMITTED(contract, init_count) != INIT_COUNT_ONE;
  uint32_t last = contract_init_count_max(contract, question->count);
  integer_problem_t next = *question;
  uint64_t unused;
  uint64_t value = integer_result(question, 1);
  if (!reduce_convert_bits(question->element, value, result, &unused)) return true;
  if (!any) return false;
  if (question->count > 0 &&
      !reduce_convert_bits(question->element, integer_result(question, 0), result, &unused)) {
    return true;
  }
  const element_t *element = question->element;
  for (uint32_t count = 2; count <= last; count++) {
    uint64_t extended =
        element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, value) : value;
    next.left = &extended;
    next.count = 1;
    uint64_t sum = integer_result(&next, 1);
    if (sum == value) return false;
    value = sum;
    if (!reduce_convert_bits(element, value, result, &unused)) return true;
  }
  return false;
}

/* A product that may saturate stops at an end of the accumulation type's range. */
static bool product_may_saturate(const integer_problem_t *question) {
  const element_t *element = question->element;
  double bits = 0;
  for (size_t i = 0; i < question->count; i++) {
    double magnitude = fabs((double)widen(element, question->left[i]));
    if (magnitude == 0) return false;
    bits += log2(magnitude);
  }
  double init = fabs((double)widen(element, question->init));
  return init > 1 || bits >= element->bits - 2;
}

static bool may_leave(const integer_problem_t *question, const contract_t *contract,
                      const element_t *result) {
  bool is_boolean = question->element->kind == ELEMENT_BOOLEAN;
  bool is_sum = question->body == FOLD_ADD && !is_boolean;
  bool is_product = question->body == FOLD_MULTIPLY && !is_boolean;
  bool may_saturate = PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_WRAP;
  if (may_saturate && is_sum && sum_may_saturate_and_leave(question, contract, result)) return true;
  if (may_saturate && is_product && product_may_saturate(question)) return true;
  return modular_leaves(question, contract, result);
}

void reduce_integer_answer(const integer_problem_t *question, const contract_t *contract,
                           const element_t *result, uint64_t bits, answer_t *out_answer) {
  uint64_t source;
  bool has_source = reduce_convert_bits(result, bits, question->element, &source);
  integer_answer(question, contract, has_source ? source : ~bits & element_mask(question->element),
                 out_answer);
  if (result == question->element) return;
  out_answer->conforms &= has_source;
  if (out_answer->conforms || !may_leave(question, contract, result)) return;
  *out_answer = (answer_t){.conforms = true, .is_vacuous = true};
  snprintf(out_answer->expected, sizeof out_answer->expected,
           "anything: a permitted sum is outside of %s", result->name);
}
