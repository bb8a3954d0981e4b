/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of one number many times stay within theory.md, T166, and come near it: the largest and the
 * least that any tree makes, by dynamic programming over how many there are, and random trees with
 * other leaves and wider nodes.  Sums with many initial values conform in any tree that the
 * contract has, and what lies half-way between two numbers of them does not. */
#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "harness/base/rng.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/repeated_sum.h"
#include "oracles/exact/sum/problem.h"

enum { TIMES_MAX = 500, OTHERS_MAX = 40 };

/* ---- The bound ------------------------------------------------------------------------------- */

typedef struct ends {
  double least[TIMES_MAX + 1];
  double most[TIMES_MAX + 1];
} ends_t;

/* Rounded additions grow with both operands, so that extremes are made of extremes. */
static void make_ends(const format_t *format, double value, ends_t *out) {
  out->least[1] = out->most[1] = value;
  for (size_t times = 2; times <= TIMES_MAX; times++) {
    out->least[times] = INFINITY;
    out->most[times] = 0;
    for (size_t i = 1; 2 * i <= times; i++) {
      double low = format_round_double(format, out->least[i] + out->least[times - i]);
      double high = format_round_double(format, out->most[i] + out->most[times - i]);
      out->least[times] = fmin(out->least[times], low);
      out->most[times] = fmax(out->most[times], high);
    }
  }
}

/* The least quotient of the bound and what is attained, of the larger numbers of times. */
static double check_equal(const format_t *format, double value) {
  enum { LARGE = 100 };
  static ends_t ends;
  make_ends(format, value, &ends);
  double sharpest = INFINITY;
  for (uint32_t times = 2; times <= TIMES_MAX; times++) {
    const repeated_sum_t sum = {.format = format, .value = value, .times = times};
    double error = repeated_sum_error(&sum), exact = value * times;
    if (!isfinite(error)) break;
    g_assert_cmpfloat(format_round_double(format, exact - error), <=, ends.least[times]);
    g_assert_cmpfloat(format_round_double(format, exact + error), >=, ends.most[times]);
    double attained = fmax(exact - ends.least[times], ends.most[times] - exact);
    bool is_small = times * format_unit_roundoff(format) < 0.5;
    if (times >= LARGE && is_small) sharpest = fmin(sharpest, error / attained);
  }
  return sharpest;
}

static void test_equal(gconstpointer data) {
  const format_t *format = data;
  double sharpest = INFINITY;
  for (int bits = 0; bits < 5; bits++) { /* One, and numbers of few and of all bits. */
    double value = format_round_double(format, 1 + bits * bits / 17.);
    sharpest = fmin(sharpest, check_equal(format, value));
  }
  g_test_message("the bound is %.2f of what is attained", sharpest);
  if (isfinite(sharpest)) g_assert_cmpfloat(sharpest, <, 1.6);
}

/* Rounded to nearest, ties to even, to so many bits. */
static double round_to_bits(double value, int bits) {
  int exponent;
  double significand = ldexp(frexp(value, &exponent), bits);
  return ldexp(nearbyint(significand), exponent - bits);
}

typedef struct tree {
  const format_t *format;
  bool may_widen;
  rng_t *rng;
} tree_t;

/* Binary64 holds all sums of these leaves. */
static double node(const tree_t *tree, double a, double b) {
  double sum = a + b;
  if (!tree->may_widen || rng_one_in(tree->rng, 3)) return format_round_double(tree->format, sum);
  int bits = tree->format->precision + error_bound_wider_bits(tree->format);
  double wide = round_to_bits(sum, bits + (int)rng_below(tree->rng, 3));
  return rng_one_in(tree->rng, 2) ? wide : format_round_double(tree->format, wide);
}

/* Adds one leaf after the other to the first, or neighbours, or any two. */
static double random_tree(const tree_t *tree, double *leaves, size_t count) {
  uint64_t shape = rng_below(tree->rng, 3);
  while (count > 1) {
    size_t kept = shape == 0 ? 0 : (size_t)rng_below(tree->rng, count - 1);
    size_t freed = kept + 1;
    if (shape == 2) freed += (size_t)rng_below(tree->rng, count - kept - 1);
    if (shape == 0) freed = count - 1;
    leaves[kept] = node(tree, leaves[kept], leaves[freed]);
    leaves[freed] = leaves[--count];
  }
  return format_round_double(tree->format, leaves[0]);
}

static void test_mixed(gconstpointer data) {
  enum { TREES = 400 };
  rng_t rng = rng_make(3);
  static double leaves[TIMES_MAX + OTHERS_MAX];
  for (int i = 0; i < TREES; i++) {
    const tree_t tree = {.format = data, .may_widen = rng_one_in(&rng, 2), .rng = &rng};
    repeated_sum_t sum = {.format = data, .may_widen = tree.may_widen};
    sum.value = format_round_double(data, ldexp(1 + (double)rng_below(&rng, 1000) / 999, -4));
    sum.times = 5 + (uint32_t)rng_below(&rng, TIMES_MAX - 4);
    sum.others = (size_t)rng_below(&rng, OTHERS_MAX + 1);
    double above = 0, below = 0;
    for (size_t k = 0; k < sum.others; k++) {
      double magnitude = ldexp((double)rng_below(&rng, 1 << 11), -(int)rng_below(&rng, 11));
      double leaf = format_round_double(data, rng_one_in(&rng, 2) ? magnitude : -magnitude);
      leaves[k] = leaf;
      *(leaf > 0 ? &above : &below) += fabs(leaf);
    }
    for (size_t k = 0; k < sum.times; k++) leaves[sum.others + k] = sum.value;
    sum.reach = fmax(above, below);
    double error = repeated_sum_error(&sum), exact = above - below + sum.value * sum.times;
    double got = random_tree(&tree, leaves, sum.others + sum.times);
    if (!isfinite(error)) continue;
    g_assert_cmpfloat(format_round_double(data, exact - error), <=, got);
    g_assert_cmpfloat(got, <=, format_round_double(data, exact + error));
  }
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

typedef struct terms {
  const format_t *format;
  size_t count;
  double values[300];
  double init;
} terms_t;

static answer_t ask(const terms_t *terms, const char *contract_text, double got) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, NULL), ==, STATUS_OK);
  const sum_problem_t question = {.format = terms->format,
                                  .count = terms->count,
                                  .left = terms->values,
                                  .left_format = terms->format,
                                  .right_format = terms->format,
                                  .has_init = true,
                                  .init = terms->init};
  arena_t arena;
  arena_init(&arena);
  answer_t answer;
  uint64_t bits = format_from_double(terms->format, got);
  g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, NULL), ==, STATUS_OK);
  arena_deinit(&arena);
  return answer;
}

/* Terms that cancel: in any order they may err by more than many initial values add up to, so that
 * few would do there; in order they err by little. */
static void test_cancelling(void) {
  terms_t terms = {.format = format_find(str_from("f32")), .count = 120, .init = 80.25};
  for (size_t i = 0; i < terms.count; i++) terms.values[i] = i % 2 == 0 ? 1e6 : -1e6;
  for (int inits = 5; inits < 12; inits += 3) {
    g_test_message("%d initial values before the terms", inits);
    g_assert_true(ask(&terms, "spec", 80.25 * inits).conforms);
    g_assert_false(ask(&terms, "spec", (80.25 * inits) + 40.125).conforms);
    g_assert_true(ask(&terms, "backend", 80.25 * inits).conforms);
  }
}

/* Sums of up to 8 leaves have other bounds than those of 9: 4 initial values might get this far, 5
 * not, and 7 do. */
static void test_unlike_bounds(void) {
  static const uint64_t bits[] = {0xbeb8fa93, 0xbeafce3d, 0x3f7dc517, 0x3f2d0b6c};
  terms_t terms = {.format = format_find(str_from("f32")), .count = G_N_ELEMENTS(bits)};
  for (size_t i = 0; i < terms.count; i++) {
    terms.values[i] = format_to_double(terms.format, bits[i]);
  }
  terms.init = format_to_double(terms.format, 0xb467ff89);
  double got = format_to_double(terms.format, 0x3f766c01);
  g_assert_true(ask(&terms, "spec,order=any", got).conforms);
  g_assert_true(ask(&terms, "spec,order=any,init_count=few", got).conforms);
  g_assert_true(ask(&terms, "backend,init_count=few", got).conforms);
}

/* In-order trees: initial values anywhere, subtrees of random lengths. */
static double in_order_tree(const terms_t *terms, rng_t *rng, size_t begin, size_t end,
                            size_t inits) {
  size_t leaves = end - begin + inits;
  if (leaves == 1) return inits == 1 ? terms->init : terms->values[begin];
  size_t first, taken;
  do {
    first = (size_t)rng_below(rng, end - begin + 1);
    taken = (size_t)rng_below(rng, inits + 1);
  } while (first + taken == 0 || first + taken == leaves);
  double a = in_order_tree(terms, rng, begin, begin + first, taken);
  double b = in_order_tree(terms, rng, begin + first, end, inits - taken);
  return format_round_double(terms->format, a + b);
}

static void test_silent(void) {
  static const char *const contracts[] = {"spec", "spec,order=any", "backend", "backend,ftz=both",
                                          "wide,init_count=any",
                                          /* If there are as few of them. */
                                          "spec,init_count=few", "backend,init_count=few"};
  enum { CASES = 300, FEW_FROM = 5 };
  rng_t rng = rng_make(9);
  for (int i = 0; i < CASES; i++) {
    terms_t terms = {.format = format_find(str_from("f32"))};
    terms.count = 1 + (size_t)rng_below(&rng, rng_one_in(&rng, 2) ? 8 : 120);
    int scale = (int)rng_below(&rng, 20) - 10;
    for (size_t k = 0; k < terms.count; k++) {
      double value = ldexp((double)rng_below(&rng, 1 << 24) - (1 << 23), scale - 23);
      bool cancels = k > 0 && rng_one_in(&rng, 2);
      terms.values[k] = cancels ? -terms.values[k - 1] : value;
    }
    terms.init = format_round_double(terms.format, 0.1 + (double)rng_below(&rng, 100) / 7);
    /* Small ones may be hidden by the errors of fewer, or more, of them. */
    if (rng_one_in(&rng, 2)) {
      terms.init = format_round_double(terms.format, ldexp(terms.init, scale - 23));
    }
    size_t inits = 5 + (size_t)rng_below(&rng, rng_one_in(&rng, 2) ? 8 : 400);
    double got = in_order_tree(&terms, &rng, 0, terms.count, inits);
    bool are_few = inits <= 2 * terms.count + 2;
    for (size_t c = 0; c < (are_few ? G_N_ELEMENTS(contracts) : FEW_FROM); c++) {
      answer_t answer = ask(&terms, contracts[c], got);
      g_test_message("%zu terms, %zu of %g, %s: %s", terms.count, inits, terms.init, contracts[c],
                     answer.expected);
      g_assert_true(answer.conforms);
    }
  }
}

/* What no number of initial values gives, up to nearly as many as rounding hides: 4096 sums err by
 * half of one, about. */
static void test_gaps(void) {
  static const struct {
    const char *contract;
    int last; /* Initial values beside which half a one is seen. */
  } rows[] = {
      {"spec", 4500}, {"spec,order=any", 4500}, {"backend", 4500}, {"backend,ftz=both", 4500}};
  terms_t terms = {.format = format_find(str_from("f32")), .count = 3, .values = {1, 2, 3}};
  terms.init = format_round_double(terms.format, 0.1);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (int inits = 5; inits <= rows[i].last; inits += 5 + inits / 10) {
      double whole = 6 + inits * terms.init;
      g_test_message("%s, %d initial values", rows[i].contract, inits);
      answer_t answer = ask(&terms, rows[i].contract, whole);
      unsigned told = 0;
      g_assert_true(answer.conforms);
      g_assert_cmpint(sscanf(answer.observed, "init_count=%u", &told), ==, 1);
      g_assert_cmpuint(told, ==, (unsigned)inits);
      g_assert_false(ask(&terms, rows[i].contract, whole + terms.init / 2).conforms);
    }
  }
}

int main(int argc, char **argv) {
  static const int formats[] = {FORMAT_f8E5M2, FORMAT_f8E4M3, FORMAT_bf16, FORMAT_f16, FORMAT_f32};
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    const format_t *format = &format_table[formats[i]];
    char *equal = g_strdup_printf("/repeated/equal/%s", format->name);
    char *mixed = g_strdup_printf("/repeated/mixed/%s", format->name);
    g_test_add_data_func(equal, format, test_equal);
    g_test_add_data_func(mixed, format, test_mixed);
    g_free(equal);
    g_free(mixed);
  }
  g_test_add_func("/repeated/cancelling", test_cancelling);
  g_test_add_func("/repeated/unlike_bounds", test_unlike_bounds);
  g_test_add_func("/repeated/silent", test_silent);
  g_test_add_func("/repeated/gaps", test_gaps);
  return g_test_run();
}
