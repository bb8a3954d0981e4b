/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that nobody had computed: a case that cannot tell them from a right one is weak, and
 * elements that permit them all are untested. */
#include <math.h>

#include "harness/base/rng.h"
#include "harness/judge/vacuity.h"
#include "tests/judge/judge_fixture.h"

enum { COUNT = 300 }; /* More than a block. */

/* The set of all components but the last, and that of the last; results are the exact values. */
typedef struct set {
  double exact, low, high;
  uint8_t specials;
} set_t;

typedef struct vacuity_row {
  const char *name;
  set_t all, last;
  outcome_t outcome;
  size_t untested;
} vacuity_row_t;

static const vacuity_row_t rows[] = {
    {"sharp", {1, 1, 1, 0}, {1, 1, 1, 0}, OUTCOME_conforms, 0},
    {"zeros", {1, -1, 1.5, 0}, {1, 0, 1.5, 0}, OUTCOME_weak, 0},
    {"zeros_but_one", {1, -1, 1.5, 0}, {1, 0.5, 1.5, 0}, OUTCOME_conforms, 0},
    {"exact_zeros", {0, 0, 0, 0}, {0, 0, 0, 0}, OUTCOME_conforms, 0},
    {"zeros_and_exact_zero", {0, 0, 0, 0}, {1, 0, 1.5, 0}, OUTCOME_weak, 0},
    {"zeros_are_right_but_once", {0, 0, 0, 0}, {1, 1, 1, 0}, OUTCOME_conforms, 0},
    {"doubled", {1, 1, 2, 0}, {-4, -8, -4, 0}, OUTCOME_weak, 0},
    {"doubled_but_one", {1, 1, 2, 0}, {-4, -7, -4, 0}, OUTCOME_conforms, 0},
    {"doubled_overflows", {0x1p127, 1, 0x1p127, 4}, {0x1p127, 1, 0x1p127, 2}, OUTCOME_conforms, 0},
    {"doubled_to_infinity",
     {0x1p127, 1, 0x1p127, ACCEPT_POSITIVE_INFINITY},
     {0x1p127, 1, 0x1p127, ACCEPT_POSITIVE_INFINITY},
     OUTCOME_weak,
     0},
    {"nan", {1, 1, 1, ACCEPT_NAN}, {1, 1, 1, ACCEPT_NAN}, OUTCOME_weak, 0},
    {"nan_but_one", {1, 1, 1, ACCEPT_NAN}, {1, 1, 1, 0}, OUTCOME_conforms, 0},
    {"nan_required", {NAN, 1, -1, ACCEPT_NAN}, {NAN, 1, -1, ACCEPT_NAN}, OUTCOME_conforms, 0},
    {"open", {1, -9, 9, ACCEPT_NAN}, {1, 1, 1, 0}, OUTCOME_conforms, COUNT - 1},
    {"all_open", {1, -9, 9, ACCEPT_NAN}, {1, -9, 9, ACCEPT_NAN}, OUTCOME_weak, COUNT},
    {"one_open", {1, 1, 1, 0}, {1, -9, 9, ACCEPT_NAN}, OUTCOME_conforms, 1},
};

static void test_row(gconstpointer data) {
  const vacuity_row_t *row = data;
  fixture_t *fixture = fixture_new("f32", COUNT);
  double low[COUNT], high[COUNT], exact[COUNT];
  uint8_t specials[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    const set_t *set = i + 1 < COUNT ? &row->all : &row->last;
    low[i] = set->low;
    high[i] = set->high;
    exact[i] = set->exact;
    specials[i] = set->specials;
    fixture_set_value(fixture, i, set->exact);
  }
  fixture->accept.low = low;
  fixture->accept.high = high;
  fixture->accept.reference = exact;
  fixture->accept.specials = specials;
  const verdict_t *verdict = fixture_judge(fixture);
  g_assert_cmpstr(outcome_spelling(verdict->outcome), ==, outcome_spelling(row->outcome));
  g_assert_cmpuint(verdict->untested_count, ==, row->untested);
  bool is_told = strstr(verdict->reason, "everywhere would have conformed") != NULL;
  g_assert_true(is_told == (row->outcome == OUTCOME_weak));
  g_assert_cmpint(fixture_asked(fixture), ==, 0);
  fixture_free(fixture);
}

/* Where the oracle has to be asked, it says what permits everything; and a wrong result stays wrong
 * whatever zeros would have been. */
static void test_asked(void) {
  fixture_t *fixture = fixture_new("f32", 2);
  const double low[] = {0, 0}, high[] = {2, 2}, exact[] = {1, 1};
  fixture->accept.low = low;
  fixture->accept.high = high;
  fixture->accept.reference = exact;
  fixture_set_value(fixture, 0, 1);
  fixture_set_value(fixture, 1, 3); /* Outside of the fast set, which zero is in. */
  fixture->scripts[1].answer.conforms = true;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_weak);
  fixture->scripts[1].answer.conforms = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_diverges);
  const uint8_t decide[] = {0, 1}; /* Nothing is known of what zero would be. */
  fixture->accept.decide = decide;
  fixture->scripts[1].answer.conforms = true;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  g_assert_cmpuint(fixture->verdict.untested_count, ==, 0);
  fixture->scripts[1].answer.is_vacuous = true;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_weak);
  g_assert_cmpuint(fixture->verdict.untested_count, ==, 1);
  fixture_free(fixture);
}

/* Where results needed more than the fast sets permit, the oracle is asked about zeros in some
 * components, up to the first that it refuses. */
static void test_looser(void) {
  fixture_t *fixture = fixture_new("f32", COUNT);
  double low[COUNT], high[COUNT], exact[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    low[i] = high[i] = exact[i] = 1;
    fixture_set_value(fixture, i, 1);
    fixture->scripts[i].permits_zero = true;
  }
  fixture->accept.low = low;
  fixture->accept.high = high;
  fixture->accept.reference = exact;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  g_assert_cmpint(fixture->asked_zeros, ==, 0); /* Nothing needed more. */
  fixture_set_value(fixture, 5, 3);
  fixture->scripts[5].answer.conforms = true;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_weak);
  g_assert_cmpint(fixture->asked_zeros, ==, 8);
  g_assert_nonnull(strstr(fixture->verdict.reason, "zeros would have conformed wherever asked"));
  fixture->asked_zeros = 0;
  fixture->scripts[0].permits_zero = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  g_assert_cmpint(fixture->asked_zeros, ==, 1);
  fixture->asked_zeros = 0;
  fixture->scripts[0].permits_zero = true; /* And in another column of rows of 37. */
  fixture->scripts[38].permits_zero = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  g_assert_cmpint(fixture->asked_zeros, ==, 2);
  fixture->asked_zeros = 0;
  fixture_set_value(fixture, 7, 3); /* Which the oracle refuses. */
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_diverges);
  g_assert_cmpint(fixture->asked_zeros, ==, 0);
  fixture_free(fixture);
}

/* Integers have one exact pattern: zeros are right or wrong. */
static void test_integers(void) {
  fixture_t *fixture = fixture_new("i8", 2);
  uint64_t bits[] = {0, 0};
  fixture->accept.bits = bits;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  bits[1] = 0x80; /* Twice that is 0. */
  fixture_set_bits(fixture, 1, 0x80);
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  fixture_free(fixture);
}

/* Whether an answer that is wrong is among what a set of one component holds, by its pattern. */
static bool holds(const accept_t *accept, const element_t *element, blind_answer_t answer) {
  const format_t *format = element->format;
  uint64_t right = format_from_double(format, accept->reference[0]);
  double doubled = 2 * format_to_double(format, right);
  uint64_t bits = answer == BLIND_ZERO  ? 0
                  : answer == BLIND_NAN ? format_from_double(format, NAN)
                                        : format_from_double(format, doubled);
  if (answer == BLIND_NAN && !format_is_nan(format, bits)) return false;
  return bits == right || accept_holds(accept, element, 0, bits);
}

/* What is seen by an interval alone is what patterns say. */
static void test_intervals(void) {
  static const char *const elements[] = {"f32", "f64", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"};
  rng_t rng = rng_make(11);
  size_t held = 0, refuted = 0;
  for (int round = 0; round < 60000; round++) {
    const element_t *element = element_named(elements[rng_below(&rng, G_N_ELEMENTS(elements))]);
    const format_t *format = element->format;
    double largest = format_to_double(format, format->largest_bits);
    double reference =
        ldexp(1 + (double)rng_below(&rng, 64) / 64,
              (int)rng_between(&rng, format->exponent_min - 2, format->exponent_max));
    if (rng_one_in(&rng, 2)) reference = -reference;
    double low = format_round_double(format, reference * (double)rng_between(&rng, -2, 9) / 4);
    double high = format_round_double(format, reference * (double)rng_between(&rng, -2, 9) / 4);
    low = fmin(fmax(low, -largest), largest);
    high = fmin(fmax(high, -largest), largest);
    if (low > high && rng_one_in(&rng, 2)) {
      double end = low;
      low = high;
      high = end;
    }
    const uint8_t specials = rng_one_in(&rng, 3) ? (uint8_t)rng_below(&rng, 16) : 0;
    const accept_t accept = {
        .count = 1, .low = &low, .high = &high, .specials = &specials, .reference = &reference};
    uint64_t right = format_from_double(format, reference);
    if (!isfinite(format_to_double(format, right)) || format_to_double(format, right) == 0)
      continue;
    vacuity_t vacuity = {.is_refuted = {false}};
    vacuity_note(&vacuity, &accept, element, 0, 1);
    for (blind_answer_t answer = 0; answer < BLIND_COUNT; answer++) {
      bool is_held = holds(&accept, element, answer);
      g_assert_cmpint(vacuity.is_refuted[answer], ==, !is_held);
      held += is_held;
      refuted += !is_held;
    }
  }
  g_assert_cmpuint(held, >, 10000);
  g_assert_cmpuint(refuted, >, 10000);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/vacuity/%s", rows[i].name);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  g_test_add_func("/vacuity/asked", test_asked);
  g_test_add_func("/vacuity/looser", test_looser);
  g_test_add_func("/vacuity/integers", test_integers);
  g_test_add_func("/vacuity/intervals", test_intervals);
  return g_test_run();
}
