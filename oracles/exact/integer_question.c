#include "oracles/exact/integer_question.h"

#include <gmp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* On booleans addition and maximum are OR, multiplication and minimum are AND. */
static fold_body_t effective_body(const integer_question_t *question) {
  if (question->element->kind != ELEMENT_BOOLEAN) return question->body;
  switch (question->body) {
    case FOLD_ADD:
    case FOLD_MAXIMUM:
      return FOLD_OR;
    case FOLD_MULTIPLY:
    case FOLD_MINIMUM:
      return FOLD_AND;
    default:
      return question->body;
  }
}

static bool is_less(const element_t *element, uint64_t a, uint64_t b) {
  return element->kind == ELEMENT_SIGNED ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t combine(const integer_question_t *question, fold_body_t body, uint64_t a,
                        uint64_t b) {
  switch (body) {
    case FOLD_ADD:
      return a + b;
    case FOLD_MULTIPLY:
      return a * b;
    case FOLD_MAXIMUM:
      return is_less(question->element, a, b) ? b : a;
    case FOLD_MINIMUM:
      return is_less(question->element, a, b) ? a : b;
    case FOLD_AND:
      return a & b;
    case FOLD_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

static uint64_t term_at(const integer_question_t *question, size_t i) {
  if (question->right == NULL) return question->left[i];
  if (question->element->kind == ELEMENT_BOOLEAN) return question->left[i] & question->right[i];
  return question->left[i] * question->right[i];
}

uint64_t integer_result(const integer_question_t *question, uint32_t init_count) {
  fold_body_t body = effective_body(question);
  uint64_t result = 0;
  bool is_empty = true;
  for (uint32_t i = 0; i < init_count && question->has_init; i++) {
    result = is_empty ? question->init : combine(question, body, result, question->init);
    is_empty = false;
  }
  for (size_t i = 0; i < question->count; i++) {
    uint64_t term = term_at(question, i);
    result = is_empty ? term : combine(question, body, result, term);
    is_empty = false;
  }
  return result & element_mask(question->element);
}

static void set_extended(mpz_t out, const element_t *element, uint64_t value) {
  if (element->kind == ELEMENT_SIGNED) {
    mpz_set_si(out, (int64_t)value);
  } else {
    mpz_set_ui(out, value);
  }
}

static void clamp(mpz_t value, const mpz_t low, const mpz_t high) {
  if (mpz_cmp(value, low) < 0) mpz_set(value, low);
  if (mpz_cmp(value, high) > 0) mpz_set(value, high);
}

/* Adds to the sums of the positive and of the negative terms. */
static void split_terms(const integer_question_t *question, bool with_init, mpz_t positive,
                        mpz_t negative) {
  mpz_t term, factor;
  mpz_inits(term, factor, NULL);
  for (size_t i = 0; i < question->count; i++) {
    set_extended(term, question->element, question->left[i]);
    if (question->right != NULL) {
      set_extended(factor, question->element, question->right[i]);
      mpz_mul(term, term, factor);
    }
    if (mpz_sgn(term) > 0) {
      mpz_add(positive, positive, term);
    } else {
      mpz_add(negative, negative, term);
    }
  }
  if (with_init) {
    set_extended(term, question->element, question->init);
    if (mpz_sgn(term) > 0) {
      mpz_add(positive, positive, term);
    } else {
      mpz_add(negative, negative, term);
    }
  }
  mpz_clears(term, factor, NULL);
}

/* Every saturating schedule of a sum ends in
 * [clamp(min(P, max) + N), clamp(max(N, min) + P)], P and N the sums of its positive and negative
 * terms, by induction over the tree: saturating addition is monotone, and a partial sum that stops
 * at max loses no more than P - max.  True if some schedule saturates at all. */
static bool saturated_sum_range(const integer_question_t *question, bool with_init, mpz_t out_low,
                                mpz_t out_high) {
  mpz_t positive, negative, least, most;
  mpz_inits(positive, negative, least, most, NULL);
  split_terms(question, with_init, positive, negative);
  mpz_set_si(least, element_integer_min(question->element));
  mpz_set_ui(most, element_integer_max(question->element));
  bool saturates = mpz_cmp(positive, most) > 0 || mpz_cmp(negative, least) < 0;
  mpz_set(out_low, mpz_cmp(positive, most) > 0 ? most : positive);
  mpz_add(out_low, out_low, negative);
  clamp(out_low, least, most);
  mpz_set(out_high, mpz_cmp(negative, least) < 0 ? least : negative);
  mpz_add(out_high, out_high, positive);
  clamp(out_high, least, most);
  mpz_clears(positive, negative, least, most, NULL);
  return saturates;
}

/* A saturating product stops at an end of the range and stays there but for its sign: max, min, or
 * -max = min + 1.  No schedule saturates if a factor is zero or the exact product fits, but that a
 * product of min may pass through -min where three factors are negative. */
static bool saturated_product_range(const integer_question_t *question, bool with_init,
                                    mpz_t out_low, mpz_t out_high) {
  mpz_t magnitude, factor, least, most;
  mpz_inits(magnitude, factor, least, most, NULL);
  mpz_set_ui(magnitude, 1);
  mpz_set_si(least, element_integer_min(question->element));
  mpz_set_ui(most, element_integer_max(question->element));
  size_t negative_count = 0;
  for (size_t i = 0; i < question->count + (with_init ? 1 : 0); i++) {
    uint64_t value = i < question->count ? question->left[i] : question->init;
    set_extended(factor, question->element, value);
    if (mpz_sgn(factor) < 0) negative_count++;
    mpz_abs(factor, factor);
    mpz_mul(magnitude, magnitude, factor);
    if (mpz_sizeinbase(magnitude, 2) > 256) { /* Far beyond: how far does not matter. */
      mpz_set_ui(magnitude, 0);
      mpz_setbit(magnitude, 255);
    }
  }
  bool is_negative = negative_count % 2 == 1;
  mpz_sub(factor, magnitude, most);
  int beyond = mpz_cmp_ui(factor, 1); /* How |product| compares with max + 1 = -min. */
  bool saturates = beyond > 0 || (beyond == 0 && (!is_negative || negative_count >= 3));
  mpz_set(out_low, is_negative ? least : most);
  mpz_set(out_high, most);
  if (is_negative) mpz_add_ui(out_high, least, 1);
  mpz_clears(magnitude, factor, least, most, NULL);
  return saturates;
}

static bool body_overflows(const integer_question_t *question) {
  return question->element->kind != ELEMENT_BOOLEAN &&
         (question->body == FOLD_ADD || question->body == FOLD_MULTIPLY);
}

/* Whether `bits` is what some saturating schedule gives, and whether one can saturate at all. */
static bool is_saturated_result(const integer_question_t *question, bool with_init, uint64_t bits,
                                bool *out_saturates, answer_t *answer) {
  *out_saturates = false;
  if (!body_overflows(question)) return false;
  mpz_t low, high, got;
  mpz_inits(low, high, got, NULL);
  *out_saturates = question->body == FOLD_ADD
                       ? saturated_sum_range(question, with_init, low, high)
                       : saturated_product_range(question, with_init, low, high);
  const element_t *element = question->element;
  uint64_t extended =
      element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
  set_extended(got, element, extended);
  bool holds = *out_saturates && mpz_cmp(got, low) >= 0 && mpz_cmp(got, high) <= 0;
  if (*out_saturates) {
    size_t used = strlen(answer->expected);
    gmp_snprintf(answer->expected + used, sizeof answer->expected - used,
                 ", or %Zd .. %Zd saturated", low, high);
  }
  mpz_clears(low, high, got, NULL);
  return holds;
}

/* The number of initial values, other than 1, that explains `bits` in modular arithmetic; 0 is
 * never right for no terms.  True if there is one. */
static bool find_init_count(const integer_question_t *question, uint64_t bits,
                            uint32_t *out_count) {
  uint64_t mask = element_mask(question->element);
  if (question->count != 0 && integer_result(question, 0) == (bits & mask)) {
    *out_count = 0;
    return true;
  }
  fold_body_t body = effective_body(question);
  uint64_t result = integer_result(question, 1);
  for (uint32_t count = 2; count <= CONTRACT_INIT_COUNT_MAX; count++) {
    uint64_t next = combine(question, body, result, question->init);
    if (next == result) return false; /* Idempotent: no further change. */
    result = next;
    if ((result & mask) == (bits & mask)) {
      *out_count = count;
      return true;
    }
  }
  return false;
}

static void describe_expected(const integer_question_t *question, uint64_t result,
                              answer_t *answer) {
  const element_t *element = question->element;
  if (element->kind == ELEMENT_SIGNED) {
    snprintf(answer->expected, sizeof answer->expected, "%" PRId64,
             element_signed_value(element, result));
  } else {
    snprintf(answer->expected, sizeof answer->expected, "%" PRIu64, result);
  }
}

static void measure(const integer_question_t *question, uint64_t expected, uint64_t bits,
                    answer_t *answer) {
  const element_t *element = question->element;
  double want, got;
  if (element->kind == ELEMENT_SIGNED) {
    want = (double)element_signed_value(element, expected);
    got = (double)element_signed_value(element, bits);
  } else {
    want = (double)expected;
    got = (double)bits;
  }
  answer->has_reference = true;
  answer->ulp_error = want > got ? want - got : got - want; /* One unit is one ulp. */
}

void integer_answer(const integer_question_t *question, const contract_t *contract, uint64_t bits,
                    answer_t *out_answer) {
  answer_t answer = {0};
  uint64_t expected = integer_result(question, 1);
  describe_expected(question, expected, &answer);
  bool saturates = false;
  bool saturated = is_saturated_result(question, question->has_init, bits, &saturates, &answer);
  bool may_wrap = !saturates || contract->integer_overflow != INTEGER_OVERFLOW_SATURATE;
  bool may_saturate = contract->integer_overflow != INTEGER_OVERFLOW_WRAP;
  uint32_t init_count = 1;
  if (bits == expected && may_wrap) {
    answer.conforms = true;
    if (saturates) snprintf(answer.observed, sizeof answer.observed, "wrapped");
  } else if (saturated && may_saturate) {
    answer.conforms = true;
    snprintf(answer.observed, sizeof answer.observed, "saturated");
  } else if (question->has_init && contract->init_count == INIT_COUNT_ANY && may_wrap &&
             find_init_count(question, bits, &init_count)) {
    answer.conforms = true;
    snprintf(answer.observed, sizeof answer.observed, "init_count=%u", init_count);
  }
  measure(question, expected, bits, &answer);
  *out_answer = answer;
}
