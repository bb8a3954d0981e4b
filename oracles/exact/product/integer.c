/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of an integer or boolean reduction exactly: modular results by wrapping
 * arithmetic, the range of saturating results with GMP, then a search for the number of initial
 * values that explains the result. */
#include "oracles/exact/product/integer.h"

#include <gmp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* On booleans addition and maximum are OR, multiplication and minimum are AND. */
static fold_body_t effective_body(const integer_problem_t *question) {
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

static uint64_t combine(const integer_problem_t *question, fold_body_t body, uint64_t a,
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

static uint64_t term_at(const integer_problem_t *question, size_t i) {
  if (question->right == NULL) return question->left[i];
  if (question->element->kind == ELEMENT_BOOLEAN) return question->left[i] & question->right[i];
  return question->left[i] * question->right[i];
}

uint64_t integer_result(const integer_problem_t *question, uint32_t init_count) {
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

/* A pattern extended to 64 bits by the signedness of its type. */
static uint64_t extended(const element_t *element, uint64_t bits) {
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
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

/* What saturating schedules may give: [low, high]. */
typedef struct saturated {
  mpz_t least, most; /* The type's own range. */
  mpz_t positive;    /* Sum of the positive terms, or product of the magnitudes of all factors. */
  mpz_t negative;    /* Sum of the negative terms. */
  size_t negative_count;
  bool saturates; /* Some schedule saturates; else low = high is the exact result. */
  mpz_t low, high;
} saturated_t;

static void add_term(saturated_t *range, const mpz_t term) {
  mpz_ptr sum = mpz_sgn(term) > 0 ? range->positive : range->negative;
  mpz_add(sum, sum, term);
}

/* Far beyond every type, how far does not matter. */
static void multiply_term(saturated_t *range, const mpz_t term) {
  if (mpz_sgn(term) < 0) range->negative_count++;
  mpz_mul(range->positive, range->positive, term);
  mpz_abs(range->positive, range->positive);
  if (mpz_sizeinbase(range->positive, 2) <= 256) return;
  mpz_set_ui(range->positive, 0);
  mpz_setbit(range->positive, 255);
}

/* Takes in the terms without an initial value. */
static void saturated_init(saturated_t *range, const integer_problem_t *question) {
  *range = (saturated_t){.saturates = false};
  mpz_inits(range->least, range->most, range->positive, range->negative, range->low, range->high,
            NULL);
  mpz_set_si(range->least, element_integer_min(question->element));
  mpz_set_ui(range->most, element_integer_max(question->element));
  bool multiplies = question->body == FOLD_MULTIPLY;
  mpz_set_ui(range->positive, multiplies ? 1 : 0);
  mpz_t term, factor;
  mpz_inits(term, factor, NULL);
  for (size_t i = 0; i < question->count; i++) {
    set_extended(term, question->element, question->left[i]);
    if (question->right != NULL) {
      set_extended(factor, question->element, question->right[i]);
      mpz_mul(term, term, factor);
    }
    (multiplies ? multiply_term : add_term)(range, term);
  }
  mpz_clears(term, factor, NULL);
}

static void saturated_deinit(saturated_t *range) {
  mpz_clears(range->least, range->most, range->positive, range->negative, range->low, range->high,
             NULL);
}

static void saturated_take_init(saturated_t *range, const integer_problem_t *question) {
  mpz_t init;
  mpz_init(init);
  set_extended(init, question->element, question->init);
  (question->body == FOLD_MULTIPLY ? multiply_term : add_term)(range, init);
  mpz_clear(init);
}

/* What every saturating schedule of a sum ends in: theory.md, T40. */
static void set_saturated_sum(saturated_t *range) {
  bool above = mpz_cmp(range->positive, range->most) > 0;
  bool below = mpz_cmp(range->negative, range->least) < 0;
  range->saturates = above || below;
  mpz_add(range->low, above ? range->most : range->positive, range->negative);
  clamp(range->low, range->least, range->most);
  mpz_add(range->high, below ? range->least : range->negative, range->positive);
  clamp(range->high, range->least, range->most);
}

/* A saturating product stops at an end of the range and stays there but for its sign: max, min, or
 * -max = min + 1 (theory.md, T41). */
static void set_saturated_product(saturated_t *range) {
  bool is_negative = range->negative_count % 2 == 1;
  mpz_set(range->low, range->positive);
  if (is_negative) mpz_neg(range->low, range->low);
  mpz_set(range->high, range->low);
  mpz_sub(range->negative, range->positive, range->most);
  int beyond = mpz_cmp_ui(range->negative, 1); /* |product| against max + 1 = -min. */
  range->saturates = beyond > 0 || (beyond == 0 && (!is_negative || range->negative_count >= 3));
  if (!range->saturates) return;
  mpz_set(range->low, is_negative ? range->least : range->most);
  mpz_set(range->high, range->most);
  if (is_negative) mpz_add_ui(range->high, range->least, 1);
}

/* Whether saturating arithmetic may give `bits`. */
static bool saturated_holds(saturated_t *range, const integer_problem_t *question, uint64_t bits) {
  if (question->body == FOLD_MULTIPLY) {
    set_saturated_product(range);
  } else {
    set_saturated_sum(range);
  }
  mpz_t got;
  mpz_init(got);
  set_extended(got, question->element, extended(question->element, bits));
  bool holds = mpz_cmp(got, range->low) >= 0 && mpz_cmp(got, range->high) <= 0;
  mpz_clear(got);
  return holds;
}

static bool body_overflows(const integer_problem_t *question) {
  return question->element->kind != ELEMENT_BOOLEAN &&
         (question->body == FOLD_ADD || question->body == FOLD_MULTIPLY);
}

/* Whether `bits` is what some saturating schedule with one initial value gives, and whether one can
 * saturate at all. */
static bool is_saturated_result(const integer_problem_t *question, uint64_t bits,
                                bool *out_saturates, answer_t *answer) {
  *out_saturates = false;
  if (!body_overflows(question)) return false;
  saturated_t range;
  saturated_init(&range, question);
  if (question->has_init) saturated_take_init(&range, question);
  bool holds = saturated_holds(&range, question, bits) && range.saturates;
  *out_saturates = range.saturates;
  if (range.saturates) {
    size_t used = strlen(answer->expected);
    gmp_snprintf(answer->expected + used, sizeof answer->expected - used,
                 ", or %Zd .. %Zd saturated", range.low, range.high);
  }
  saturated_deinit(&range);
  return holds;
}

/* Takes the range of a sum from `from` initial values to `to` of them. */
static void saturated_move(saturated_t *range, const mpz_t init, uint32_t from, uint32_t to) {
  mpz_ptr sum = mpz_sgn(init) > 0 ? range->positive : range->negative;
  if (to > from) mpz_addmul_ui(sum, init, to - from);
  if (to < from) mpz_submul_ui(sum, init, from - to);
  set_saturated_sum(range);
}

/* More initial values push both ends of a saturating sum one way only.  So the first number of them
 * whose far end reaches the result is the only one to try: the near end of any other is beyond. */
static bool find_saturated_sum_count(saturated_t *range, const integer_problem_t *question,
                                     const mpz_t got, uint32_t most, uint32_t *out_count) {
  mpz_t init;
  mpz_init(init);
  set_extended(init, question->element, question->init);
  bool rises = mpz_sgn(init) > 0;
  uint32_t present = 0, first = question->count == 0 ? 1 : 0, last = most;
  while (first < last) {
    uint32_t middle = first + (last - first) / 2;
    saturated_move(range, init, present, middle);
    present = middle;
    bool reaches = rises ? mpz_cmp(range->high, got) >= 0 : mpz_cmp(range->low, got) <= 0;
    if (reaches) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  saturated_move(range, init, present, first);
  mpz_clear(init);
  *out_count = first;
  return mpz_cmp(got, range->low) >= 0 && mpz_cmp(got, range->high) <= 0;
}

/* Products settle soon: from 4 initial values on, what two more of them do not change, no number of
 * them does, since only their sign alternates. */
static bool find_saturated_product_count(saturated_t *range, const integer_problem_t *question,
                                         uint64_t bits, uint32_t most, uint32_t *out_count) {
  enum { SETTLED = 4 };
  mpz_t low[2], high[2]; /* Of the counts of either parity seen last. */
  mpz_inits(low[0], low[1], high[0], high[1], NULL);
  bool found = false, settled = false;
  for (uint32_t count = 0; count <= most && !found && !settled; count++) {
    if (count != 0) saturated_take_init(range, question);
    found = saturated_holds(range, question, bits) && (count != 0 || question->count != 0);
    *out_count = count;
    uint32_t parity = count % 2;
    settled = count >= SETTLED && mpz_cmp(low[parity], range->low) == 0 &&
              mpz_cmp(high[parity], range->high) == 0;
    mpz_set(low[parity], range->low);
    mpz_set(high[parity], range->high);
  }
  mpz_clears(low[0], low[1], high[0], high[1], NULL);
  return found;
}

/* The number of initial values that explains `bits` in saturating arithmetic. */
static bool find_saturated_init_count(const integer_problem_t *question, uint64_t bits,
                                      uint32_t most, uint32_t *out_count) {
  if (!body_overflows(question)) return false;
  saturated_t range;
  saturated_init(&range, question);
  bool found;
  if (question->body == FOLD_MULTIPLY) {
    found = find_saturated_product_count(&range, question, bits, most, out_count);
  } else {
    mpz_t got;
    mpz_init(got);
    set_extended(got, question->element, extended(question->element, bits));
    found = find_saturated_sum_count(&range, question, got, most, out_count);
    mpz_clear(got);
  }
  saturated_deinit(&range);
  return found;
}

/* The number of initial values, other than 1, that explains `bits` in modular arithmetic; 0 is
 * never right for no terms.  True if there is one. */
static bool find_init_count(const integer_problem_t *question, uint64_t bits, uint32_t most,
                            uint32_t *out_count) {
  uint64_t mask = element_mask(question->element);
  if (question->count != 0 && integer_result(question, 0) == (bits & mask)) {
    *out_count = 0;
    return true;
  }
  fold_body_t body = effective_body(question);
  uint64_t result = extended(question->element, integer_result(question, 1));
  for (uint32_t count = 2; count <= most; count++) {
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

static void describe_expected(const integer_problem_t *question, uint64_t result,
                              answer_t *answer) {
  const element_t *element = question->element;
  if (element->kind == ELEMENT_SIGNED) {
    snprintf(answer->expected, sizeof answer->expected, "%" PRId64,
             element_signed_value(element, result));
  } else {
    snprintf(answer->expected, sizeof answer->expected, "%" PRIu64, result);
  }
}

static void measure(const integer_problem_t *question, uint64_t expected, uint64_t bits,
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

void integer_answer(const integer_problem_t *question, const contract_t *contract, uint64_t bits,
                    answer_t *out_answer) {
  answer_t answer = {0};
  uint64_t expected = integer_result(question, 1);
  describe_expected(question, expected, &answer);
  bool saturates = false;
  bool saturated = is_saturated_result(question, bits, &saturates, &answer);
  bool may_wrap = !saturates || PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_SATURATE;
  bool may_saturate = PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_WRAP;
  uint32_t init_count = 1;
  if (bits == expected && may_wrap) {
    answer.conforms = true;
    if (saturates) snprintf(answer.observed, sizeof answer.observed, "wrapped");
  } else if (saturated && may_saturate) {
    answer.conforms = true;
    snprintf(answer.observed, sizeof answer.observed, "saturated");
  } else if (question->has_init && PERMITTED(contract, init_count) != INIT_COUNT_ONE) {
    uint32_t most = contract_init_count_max(contract, question->count);
    bool wraps = PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_SATURATE ||
                 !body_overflows(question);
    answer.conforms =
        (wraps && find_init_count(question, bits, most, &init_count)) ||
        (may_saturate && find_saturated_init_count(question, bits, most, &init_count));
    if (answer.conforms) {
      snprintf(answer.observed, sizeof answer.observed, "init_count=%u", init_count);
    }
  }
  measure(question, expected, bits, &answer);
  *out_answer = answer;
}
