/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a case: outcomes, the worst element, its class and its words. */
#include <math.h>

#include "tests/judge/judge_fixture.h"

static bool if_zero_sign(const contract_t *c) { return PERMITTED(c, zero_sign) == ZERO_SIGN_ANY; }
static bool if_flush(const contract_t *c) { return PERMITTED(c, ftz) == FTZ_BOTH; }
static bool if_flush_and_zero_sign(const contract_t *c) { return if_flush(c) && if_zero_sign(c); }
static bool if_init(const contract_t *c) { return PERMITTED(c, init_count) != INIT_COUNT_ONE; }
static bool if_many(const contract_t *c) { return PERMITTED(c, init_count) == INIT_COUNT_ANY; }
static bool if_overflow(const contract_t *c) {
  return PERMITTED(c, integer_overflow) == INTEGER_OVERFLOW_EITHER;
}
static bool if_precise(const contract_t *c) {
  return PERMITTED(c, accum_wider) == ACCUM_WIDER_YES && PERMITTED(c, fma) == FMA_YES;
}
static bool if_any_order(const contract_t *c) { return PERMITTED(c, order) == ORDER_ANY; }
static bool if_any_order_precise(const contract_t *c) { return if_any_order(c) && if_precise(c); }
static bool if_truncation(const contract_t *c) {
  return PERMITTED(c, accum_rounding) == ACCUM_ROUNDING_RZ;
}
static bool if_order_or_truncation(const contract_t *c) {
  return if_any_order(c) || if_truncation(c);
}
static bool if_flush_or_init(const contract_t *c) { return if_flush(c) || if_init(c); }

/* One wrong component: what explains it, what it is and what was due. */
typedef struct class_row {
  const char *name;
  bool (*is_explained)(const contract_t *contract);
  double got;
  bool nan_expected, infinity_expected;
  divergence_class_t class_;
} class_row_t;

static const class_row_t class_rows[] = {
    {"zero_sign", if_zero_sign, 0, false, false, CLASS_zero_sign},
    {"flush", if_flush, 1, false, false, CLASS_flush},
    {"flush_to_other_zero", if_flush_and_zero_sign, 0, false, false, CLASS_flush},
    {"init", if_init, 1, false, false, CLASS_init},
    {"init_count", if_many, 1, false, false, CLASS_init_count},
    {"overflow", if_overflow, 1, false, false, CLASS_overflow},
    {"precision", if_precise, 1, false, false, CLASS_precision},
    {"order", if_any_order, 1, false, false, CLASS_order},
    {"order_and_precision", if_any_order_precise, 1, false, false, CLASS_order},
    {"truncation", if_truncation, 1, false, false, CLASS_truncation},
    {"order_before_truncation", if_order_or_truncation, 1, false, false, CLASS_order},
    {"flush_before_init", if_flush_or_init, 1, false, false, CLASS_flush},
    {"nan_for_number", NULL, NAN, false, false, CLASS_nan},
    {"number_for_nan", NULL, 1, true, false, CLASS_nan},
    {"infinity_for_nan", NULL, INFINITY, true, false, CLASS_nan},
    {"infinity_for_number", NULL, -INFINITY, false, false, CLASS_inf},
    {"number_for_infinity", NULL, 1, false, true, CLASS_inf},
    {"value", NULL, 1, false, false, CLASS_value},
    {"infinity_of_other_sign", NULL, INFINITY, false, true, CLASS_value},
    {"explanation_before_nan", if_flush, NAN, false, false, CLASS_flush},
    {"truncation_makes_no_nan", if_truncation, NAN, false, false, CLASS_nan},
};

static void test_class(gconstpointer data) {
  const class_row_t *row = data;
  fixture_t *fixture = fixture_new("f32", 1);
  fixture_set_value(fixture, 0, row->got);
  script_t *script = &fixture->scripts[0];
  script->is_explained = row->is_explained;
  script->answer.nan_expected = row->nan_expected;
  script->answer.infinity_expected = row->infinity_expected;
  const verdict_t *verdict = fixture_judge(fixture);
  g_assert_cmpint(verdict->outcome, ==, OUTCOME_diverges);
  g_assert_cmpstr(class_spelling(verdict->class_), ==, class_spelling(row->class_));
  bool is_explained = row->is_explained != NULL && row->class_ != CLASS_nan;
  g_assert_cmpstr(verdict->observed, ==, is_explained ? "explained" : "");
  fixture_free(fixture);
}

/* What only a bound permits is said to be perhaps so, and names no class. */
static void test_class_unproven(void) {
  fixture_t *fixture = fixture_new("f32", 1);
  fixture_set_value(fixture, 0, 1);
  script_t *script = &fixture->scripts[0];
  script->is_explained = if_order_or_truncation;
  script->answer.is_unproven = true;
  const verdict_t *verdict = fixture_judge(fixture);
  g_assert_cmpint(verdict->outcome, ==, OUTCOME_diverges);
  g_assert_cmpstr(class_spelling(verdict->class_), ==, "value");
  g_assert_cmpstr(verdict->observed, ==, "perhaps order");
  fixture_free(fixture);
}

/* A wrong integer has no NaN to speak of. */
static void test_class_of_integer(void) {
  fixture_t *fixture = fixture_new("i8", 1);
  g_assert_cmpint(fixture_judge(fixture)->class_, ==, CLASS_value);
  fixture->scripts[0].is_explained = if_overflow;
  g_assert_cmpint(fixture_judge(fixture)->class_, ==, CLASS_overflow);
  fixture_free(fixture);
}

/* What the contract permits already is not asked again: the strict one leaves all rows, the loosest
 * none. */
static void test_relaxations_that_differ(void) {
  fixture_t *fixture = fixture_new("f32", 1);
  fixture_judge(fixture);
  g_assert_cmpint(fixture->asked_under_other_contracts, ==, 20);

  fixture->asked_under_other_contracts = 0;
  /* Then its second row is the one of precision. */
  PERMITTED(&fixture->judge.contract, order) = ORDER_ANY;
  PERMITTED(&fixture->judge.contract, init_count) = INIT_COUNT_ANY;
  fixture_judge(fixture);
  g_assert_cmpint(fixture->asked_under_other_contracts, ==, 17);

  fixture->asked_under_other_contracts = 0;
  fixture->judge.contract =
      (contract_t){.values[PERMISSION_order] = ORDER_ANY,
                   .values[PERMISSION_init_count] = INIT_COUNT_ANY,
                   .values[PERMISSION_accum_rounding] = ACCUM_ROUNDING_RZ,
                   .values[PERMISSION_accum_wider] = ACCUM_WIDER_YES,
                   .values[PERMISSION_fma] = FMA_YES,
                   .values[PERMISSION_ftz] = FTZ_BOTH,
                   .values[PERMISSION_integer_overflow] = INTEGER_OVERFLOW_EITHER,
                   .values[PERMISSION_accumulation] = ACCUMULATION_EITHER,
                   .values[PERMISSION_intermediate] = INTERMEDIATE_EITHER,
                   .values[PERMISSION_zero_sign] = ZERO_SIGN_ANY};
  static const char *const of_folders[] = {"operand_rounding", "low_nan", "depth", "window_padding",
                                           "compensated"};
  for (size_t i = 0; i < G_N_ELEMENTS(of_folders); i++) {
    uint8_t loosest = (uint8_t)(contract_value_count(of_folders[i]) - 1);
    contract_set_value(&fixture->judge.contract, of_folders[i], loosest);
  }
  fixture_judge(fixture);
  g_assert_cmpint(fixture->asked_under_other_contracts, ==, 0);
  g_assert_cmpint(fixture->scripts[0].asked, ==, 3); /* Once a judgement. */
  fixture_free(fixture);
}

static void test_weak(void) {
  fixture_t *fixture = fixture_new("f32", 3);
  for (size_t i = 0; i < 3; i++) {
    fixture->scripts[i].answer = (answer_t){.conforms = true, .is_vacuous = true};
  }
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_weak);
  fixture->scripts[1].answer.is_vacuous = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  fixture->scripts[1].answer.is_vacuous = true;
  uint64_t bits[] = {0, 1, 1}; /* The first component conforms unasked, and could have failed. */
  fixture->accept.bits = bits;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  fixture->accept.bits = NULL;
  fixture->scripts[2].answer.conforms = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_diverges);
  fixture_free(fixture);

  fixture = fixture_new("f32", 0);
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_weak);
  g_assert_cmpuint(fixture->verdict.component_count, ==, 0);
  fixture_free(fixture);
}

static void test_no_oracle(void) {
  const status_t statuses[] = {STATUS_UNSUPPORTED, STATUS_UNDECIDED};
  for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++) {
    fixture_t *fixture = fixture_new("f32", 3);
    fixture->scripts[0].answer.conforms = true;
    fixture->scripts[1].status = statuses[i];
    fixture->scripts[2].answer.conforms = true;
    const verdict_t *verdict = fixture_judge(fixture);
    g_assert_cmpint(verdict->outcome, ==, OUTCOME_no_oracle);
    g_assert_cmpint(verdict->class_, ==, CLASS_none);
    g_assert_cmpstr(verdict->reason, ==, "scripted");
    g_assert_cmpint(fixture->scripts[2].asked, ==, 0);

    fixture->scripts[0].answer.conforms = false; /* Proven wrong, whatever the other one is. */
    g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_diverges);
    g_assert_cmpuint(fixture->verdict.wrong_count, ==, 1);
    g_assert_cmpstr(fixture->verdict.reason, ==, "");
    fixture_free(fixture);
  }
}

/* Other failures are no verdict. */
static void test_failure(void) {
  const status_t statuses[] = {STATUS_INVALID, STATUS_IO};
  for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++) {
    fixture_t *fixture = fixture_new("f32", 1);
    fixture->scripts[0].status = statuses[i];
    fixture->verdict.got_bits = 77;
    status_t status = judge_results(&fixture->judge, &fixture->instance, &fixture->accept,
                                    &fixture->result, &fixture->verdict, &fixture->error);
    g_assert_cmpint(status, ==, statuses[i]);
    g_assert_cmpstr(fixture->error.text, ==, "scripted");
    g_assert_cmpuint(fixture->verdict.got_bits, ==, 77); /* Written on STATUS_OK only. */
    fixture_free(fixture);
  }
}

static answer_t wrong_by(double slack, double ulp_error, const char *expected) {
  answer_t answer = {.has_reference = true, .slack = slack, .ulp_error = ulp_error};
  g_strlcpy(answer.expected, expected, sizeof answer.expected);
  return answer;
}

/* The worst has the largest slack, then the largest ulp error; no reference is worse than any. */
static void test_worst(void) {
  fixture_t *fixture = fixture_new("f32", 6);
  for (size_t i = 0; i < 6; i++) fixture_set_value(fixture, i, 1.5 * (double)i);
  fixture->scripts[0].answer = wrong_by(2, 900, "a");
  fixture->scripts[1].answer = wrong_by(3, 10, "b");
  fixture->scripts[2].answer = wrong_by(3, 20, "c");
  fixture->scripts[3].answer = wrong_by(3, 20, "d");
  fixture->scripts[4].answer = (answer_t){.conforms = true};
  fixture->scripts[5].answer = wrong_by(1, 10, "e");
  fixture->scripts[5].answer.backward_error = 0.25;
  const verdict_t *verdict = fixture_judge(fixture);
  g_assert_cmpuint(verdict->component, ==, 2);
  g_assert_cmpuint(verdict->wrong_count, ==, 5);
  g_assert_cmpuint(verdict->component_count, ==, 6);
  g_assert_cmpstr(verdict->expected, ==, "c");
  g_assert_cmpstr(verdict->got, ==, "0x1.8p+1 (40400000)");
  g_assert_cmphex(verdict->got_bits, ==, 0x40400000);
  g_assert_cmpfloat(verdict->slack_max, ==, 3);
  g_assert_cmpfloat(verdict->ulp_error_max, ==, 900);
  g_assert_cmpfloat(verdict->backward_error_max, ==, 0.25);
  fixture->scripts[5].answer.has_reference = false;
  g_assert_cmpuint(fixture_judge(fixture)->component, ==, 5);
  fixture_free(fixture);
}

static void test_observed(void) {
  fixture_t *fixture = fixture_new("i32", 3);
  for (size_t i = 0; i < 3; i++) fixture->scripts[i].answer.conforms = true;
  g_strlcpy(fixture->scripts[1].answer.observed, "init_count=2", 64);
  g_strlcpy(fixture->scripts[2].answer.observed, "saturated", 64);
  g_assert_cmpstr(fixture_judge(fixture)->observed, ==, "init_count=2");
  g_assert_cmpint(fixture->verdict.outcome, ==, OUTCOME_conforms);
  fixture_free(fixture);
}

/* After enough wrong answers the rest outside the fast set counts as wrong unasked, but components
 * of which nothing is known are still asked about. */
static void test_decide_wrong_max(void) {
  fixture_t *fixture = fixture_new("f32", 10);
  uint64_t bits[10] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  uint8_t decide[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  fixture->accept.bits = bits;
  fixture->accept.decide = decide;
  fixture->scripts[9].answer.conforms = true;
  fixture->judge.decide_wrong_max = 3;
  g_assert_cmpuint(fixture_judge(fixture)->wrong_count, ==, 8);
  g_assert_cmpint(fixture_asked(fixture), ==, 3 + 1);
  g_assert_cmpint(fixture->scripts[9].asked, ==, 1);

  fixture->scripts[2].answer.conforms = true; /* Not all were wrong: so every one is asked about. */
  for (size_t i = 0; i < 10; i++) fixture->scripts[i].asked = 0;
  g_assert_cmpuint(fixture_judge(fixture)->wrong_count, ==, 7);
  g_assert_cmpint(fixture_asked(fixture), ==, 9);

  fixture->scripts[2].answer.conforms = false;
  fixture->judge.decide_wrong_max = 0;
  for (size_t i = 0; i < 10; i++) fixture->scripts[i].asked = 0;
  g_assert_cmpuint(fixture_judge(fixture)->wrong_count, ==, 8);
  g_assert_cmpint(fixture_asked(fixture), ==, 9);
  fixture_free(fixture);
}

typedef struct words_row {
  const char *element;
  uint64_t bits;
  const char *words;
} words_row_t;

static const words_row_t words_rows[] = {
    {"f32", 0x41400000, "0x1.8p+3 (41400000)"},
    {"f32", 0x80000000, "-0x0p+0 (80000000)"},
    {"f32", 0x7fc00000, "nan (7fc00000)"},
    {"f32", 0xffc00001, "nan (ffc00001)"},
    {"f32", 0xff800000, "-inf (ff800000)"},
    {"f64", 0x3ff0000000000000, "0x1p+0 (3ff0000000000000)"},
    {"bf16", 0x0001, "0x1p-133 (0001)"},
    {"f8E4M3FN", 0x7f, "nan (7f)"},
    {"f6E2M3FN", 0x1f, "0x1.ep+2 (1f)"},
    {"f4E2M1FN", 0xf, "-0x1.8p+2 (f)"},
    {"complex<f32>", 0x3f800000, "0x1p+0 (3f800000)"},
    {"i1", 1, "1 (1)"},
    {"i4", 0xf, "-1 (f)"},
    {"i8", 0xfd, "-3 (fd)"},
    {"ui8", 0xfd, "253 (fd)"},
    {"i64", UINT64_C(1) << 63, "-9223372036854775808 (8000000000000000)"},
    {"ui64", UINT64_MAX, "18446744073709551615 (ffffffffffffffff)"},
};

static void test_words(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(words_rows); i++) {
    const words_row_t *row = &words_rows[i];
    fixture_t *fixture = fixture_new(row->element, element_named(row->element)->components);
    fixture_set_bits(fixture, 0, row->bits);
    g_assert_cmpstr(fixture_judge(fixture)->got, ==, row->words);
    g_assert_cmphex(fixture->verdict.got_bits, ==, row->bits);
    fixture_free(fixture);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(class_rows); i++) {
    char *path = g_strdup_printf("/judge/class/%s", class_rows[i].name);
    g_test_add_data_func(path, &class_rows[i], test_class);
    g_free(path);
  }
  g_test_add_func("/judge/class_of_integer", test_class_of_integer);
  g_test_add_func("/judge/class/unproven", test_class_unproven);
  g_test_add_func("/judge/relaxations_that_differ", test_relaxations_that_differ);
  g_test_add_func("/judge/weak", test_weak);
  g_test_add_func("/judge/no_oracle", test_no_oracle);
  g_test_add_func("/judge/failure", test_failure);
  g_test_add_func("/judge/worst", test_worst);
  g_test_add_func("/judge/observed", test_observed);
  g_test_add_func("/judge/ask_wrong_max", test_decide_wrong_max);
  g_test_add_func("/judge/words", test_words);
  return g_test_run();
}
