/* SPDX-License-Identifier: Apache-2.0 */
/* In-order contracts: values that only another order gives are refused, values of in-order trees
 * are not, and the set of schedules is what decides. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/sum/problem.h"

/* f32 sums whose in-order results can be listed by hand.  With a = 2^24: a + 1 = a (tie to even),
 * and 1 + 1 = 2 survives. */
static const struct {
  const char *why;
  size_t count;
  double terms[4];
  double got;
  bool in_order;  /* Conforms under spec. */
  bool any_order; /* Conforms under spec,order=any. */
} rows[] = {
    {"(a + 1) + 1", 3, {0x1p24, 1, 1}, 0x1p24, true, true},
    {"a + (1 + 1)", 3, {0x1p24, 1, 1}, 0x1.000002p24, true, true},
    {"(1 + a) + 1, the exact sum is out of order", 3, {1, 0x1p24, 1}, 0x1.000002p24, false, true},
    {"(1 + a) + 1", 3, {1, 0x1p24, 1}, 0x1p24, true, true},
    {"a, -a far apart: 1 is lost on both sides", 4, {0x1p24, 1, 1, -0x1p24}, 0, true, true},
    {"or both survive", 4, {0x1p24, 1, 1, -0x1p24}, 2, true, true},
    {"or one, in a + (1 + -a)", 4, {0x1p24, 1, 1, -0x1p24}, 1, true, true},
    {"never three, in any order", 4, {0x1p24, 1, 1, -0x1p24}, 3, false, false},
};

static bool conforms(const sum_problem_t *question, const char *contract_text, double got) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, NULL), ==, STATUS_OK);
  arena_t arena;
  arena_init(&arena);
  answer_t answer;
  status_t status = sum_answer(question, &contract, format_from_double(question->format, got),
                               &arena, &answer, NULL);
  arena_deinit(&arena);
  g_assert_cmpint(status, ==, STATUS_OK);
  return answer.conforms;
}

static void test_rows(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const format_t *format = format_find(str_from("f32"));
    sum_problem_t question = {
        .format = format, .count = rows[i].count, .left = rows[i].terms, .left_format = format};
    g_test_message("%s", rows[i].why);
    g_assert_cmpint(conforms(&question, "spec", rows[i].got), ==, rows[i].in_order);
    g_assert_cmpint(conforms(&question, "spec,order=any", rows[i].got), ==, rows[i].any_order);
  }
}

/* 200 terms are too many for the set: the hull decides.  Ones after 2^24 in order all get lost, or
 * gather first; a strided order could not be told from the bound. */
static void test_hull(void) {
  enum { COUNT = 200 };
  double terms[COUNT];
  for (int i = 0; i < COUNT; i++) terms[i] = i % 2 == 0 ? 0x1p24 : 1;
  const format_t *format = format_find(str_from("f32"));
  sum_problem_t question = {.format = format, .count = COUNT, .left = terms, .left_format = format};
  double sequential = 0;
  for (int i = 0; i < COUNT; i++) sequential = (double)((float)sequential + (float)terms[i]);
  g_assert_true(conforms(&question, "spec", sequential));
  double far = sequential * (1 + 100 * 0x1p-24); /* Within 199 u of sum |terms|. */
  far = (double)(float)far;
  g_assert_true(conforms(&question, "spec,order=any", far));
  g_assert_false(conforms(&question, "spec", far));
}

enum { LONG = 1500, TREES = 12 };

/* A random in-order tree, with initial values at random places. */
static double add_randomly(const arithmetic_t *arithmetic, const double *terms, size_t count,
                           rng_t *rng) {
  if (count == 1) return terms[0];
  uint64_t shape = rng_below(rng, 4);
  size_t left = 1 + rng_below(rng, count - 1);
  if (shape == 0) left = 1;
  if (shape == 1) left = count - 1;
  if (shape == 2) left = count / 2;
  double a = add_randomly(arithmetic, terms, left, rng);
  return arithmetic_add(arithmetic, a, add_randomly(arithmetic, terms + left, count - left, rng));
}

/* Terms of either sign, so that sums of ranges are small beside sum |terms|: what trees give
 * conforms, and not what another order could give. */
static void check_long(const format_t *format, uint32_t inits, rng_t *rng) {
  double terms[LONG + 16], plain[LONG];
  double init = format_round_double(format, 0.3);
  size_t count = 0;
  const arithmetic_t arithmetic = arithmetic_make(format);
  for (size_t i = 0; i < LONG; i++) {
    double sign = i % 2 == 0 ? 1 : -1;
    plain[i] = sign * (1 + ldexp((double)rng_below(rng, 64), 1 - format->precision));
  }
  for (size_t i = 0, left = inits; i < LONG; i++) {
    if (left > 0 && (rng_one_in(rng, LONG / inits) || LONG - i <= left)) {
      terms[count++] = init;
      left--;
    }
    terms[count++] = plain[i];
  }
  const sum_problem_t question = {.format = format,
                                  .count = LONG,
                                  .left = plain,
                                  .left_format = format,
                                  .has_init = inits > 0,
                                  .init = init};
  double result = 0;
  for (int i = 0; i < TREES; i++) {
    result = add_randomly(&arithmetic, terms, count, rng);
    g_assert_true(conforms(&question, "spec", result));
  }
  const double n = LONG;
  double error = n * n * ldexp(1, -format->precision); /* n u sum |terms| */
  double wrong = format_round_double(format, inits > 0 ? -error / 3 : error / 3);
  g_assert_true(conforms(&question, "spec,order=any", wrong));
  g_assert_false(conforms(&question, "spec", wrong));
}

static void test_long(void) {
  static const int formats[] = {FORMAT_f32, FORMAT_f16, FORMAT_f64};
  rng_t rng = rng_make(50);
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    for (uint32_t inits = 0; inits <= 9; inits += 3) {
      check_long(&format_table[formats[i]], inits, &rng);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/in-order/rows", test_rows);
  g_test_add_func("/in-order/hull", test_hull);
  g_test_add_func("/in-order/long", test_long);
  return g_test_run();
}
