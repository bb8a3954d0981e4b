/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients, remainders and nearest integers of declared ops (oracles/theory.md, T200) against
 * plain C: all pairs of 8 bits, sets of them by counting, and all numbers of f16. */
#include <math.h>

#include "oracles/formula/integers/integer_set.h"
#include "tests/ops/declared/declared_file.h"

#define HEAD "op a.b\nsummary s\n"

/* What StableHLO leaves open: a division by 0, and a quotient that the type does not have. */
static bool is_open(int a, int b, bool is_signed) {
  return b == 0 || (is_signed && a == -128 && b == -1);
}

/* What is remembered of elements grows with them. */
static void forget(question_t *question, size_t i) {
  if (i % 1024 != 0) return;
  decision_memo_deinit(&question->memo);
  decision_memo_init(&question->memo);
}

static void test_points(gconstpointer data) {
  enum { PAIRS = 1 << 16 };
  const char *type = data;
  const bool is_signed = type[0] == 'i';
  g_autofree char *text = g_strdup_printf(HEAD
                                          "operand a[N] %s\noperand b[N] %s\nresult q[N] %s\n"
                                          "result r[N] %s\nq = a / b\nr = remainder(a, b)\n",
                                          type, type, type, type);
  declaration_t *declaration = declare(text);
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {type, type, type, type};
  const case_t instance = make_lists(declaration, types, PAIRS, &arena);
  for (size_t i = 0; i < PAIRS; i++) {
    element_store(element_named(type), instance.operands[0].data, i, i >> 8);
    element_store(element_named(type), instance.operands[1].data, i, i & 0xff);
  }
  question_t question = ask(&instance, "spec", &arena);
  for (size_t i = 0; i < PAIRS; i++) {
    int a = (int)(i >> 8), b = (int)(i & 0xff);
    if (is_signed) a = (int8_t)a;
    if (is_signed) b = (int8_t)b;
    bool any = is_open(a, b, is_signed);
    uint64_t q = any ? 0 : (uint64_t)(a / b) & 0xff, r = any ? 0 : (uint64_t)(a % b) & 0xff;
    g_assert_true(is_taken(&question, 0, i, q));
    g_assert_true(is_taken(&question, 1, i, r));
    g_assert_cmpint(is_taken(&question, 0, i, (q + 1) & 0xff), ==, any);
    g_assert_cmpint(is_taken(&question, 0, i, (q + 255) & 0xff), ==, any);
    g_assert_cmpint(is_taken(&question, 1, i, (r + 1) & 0xff), ==, any);
    /* Floored, as Python does. */
    if (!any && r != 0 && (a < 0) != (b < 0)) {
      g_assert_false(is_taken(&question, 0, i, (uint64_t)(a / b - 1) & 0xff));
      g_assert_false(is_taken(&question, 1, i, (uint64_t)(a % b + b) & 0xff));
    }
    forget(&question, i);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static integer_set_t draw_set(rng_t *rng, int low, int high) {
  int64_t width = rng_one_in(rng, 3) ? 0 : rng_between(rng, 0, rng_one_in(rng, 2) ? 5 : 60);
  int64_t begin = rng_between(rng, low, high);
  return (integer_set_t){begin, MIN(begin + width, high)};
}

/* A set holds what its numbers give; of quotients nothing beyond the least and the largest. */
static void test_sets(gconstpointer data) {
  enum { ROUNDS = 6000 };
  const element_t *element = element_named(data);
  const bool is_signed = element->kind == ELEMENT_SIGNED;
  const int low = (int)element_integer_min(element), high = (int)element_integer_max(element);
  rng_t rng = rng_make(3);
  for (int round = 0; round < ROUNDS; round++) {
    const integer_set_t a = draw_set(&rng, low, high), b = draw_set(&rng, low, high);
    const integer_set_t q = integer_set_apply(element, INTEGER_DIVIDE, a, b);
    const integer_set_t r = integer_set_apply(element, INTEGER_REMAINDER, a, b);
    integer_set_t quotients = {high, low};
    bool any = false;
    for (integer_t i = a.low; i <= a.high; i++) {
      for (integer_t k = b.low; k <= b.high; k++) {
        any |= is_open((int)i, (int)k, is_signed);
        if (is_open((int)i, (int)k, is_signed)) continue;
        quotients = integer_set_unite(quotients, integer_set_of(i / k));
        g_assert_true(r.low <= i % k && i % k <= r.high);
      }
    }
    if (any) quotients = integer_set_everything(element);
    g_assert_true(q.low == quotients.low && q.high == quotients.high);
    if (any) g_assert_true(r.low == low && r.high == high);
  }
}

/* ---- Nearest integers ------------------------------------------------------------------------ */

/* All numbers of f16, by the rule for ties that IEEE 754 has by default. */
static void test_nearest(gconstpointer data) {
  enum { COUNT = 1 << 16 };
  const char *type = data;
  g_autofree char *text =
      g_strdup_printf(HEAD "operand x[N]\nresult y[N] %s\ny = round(x, %s)\n", type, type);
  declaration_t *declaration = declare(text);
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f16", type};
  const case_t instance = make_lists(declaration, types, COUNT, &arena);
  const element_t *f16 = element_named("f16"), *to = element_named(type);
  for (size_t i = 0; i < COUNT; i++) element_store(f16, instance.operands[0].data, i, i);
  question_t question = ask(&instance, "spec", &arena);
  for (size_t i = 0; i < COUNT; i++) {
    double whole = rint(format_to_double(f16->format, i));
    bool has = whole >= (double)element_integer_min(to) && whole <= (double)element_integer_max(to);
    uint64_t right = has ? (uint64_t)(int64_t)whole & element_mask(to) : 0;
    g_assert_true(is_taken(&question, 0, i, right));
    g_assert_cmpint(is_taken(&question, 0, i, (right + 1) & element_mask(to)), ==, !has);
    g_assert_cmpint(is_taken(&question, 0, i, (right - 1) & element_mask(to)), ==, !has);
    forget(&question, i);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* A product that may stay unrounded lies on either side of a middle: both integers conform. */
static void test_undecided(void) {
  declaration_t *declaration = declare(
      HEAD "operand a[N]\noperand b[N]\noperand c[N]\nresult y[N] i8\ny = round(a * b + c, i8)\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f32", "f32", "f32", "i8"};
  const case_t instance = make_lists(declaration, types, 1, &arena);
  const double values[] = {1 + 0x1p-12, 1 + 0x1p-12, 1.5 - 0x1p-11};
  for (size_t i = 0; i < 3; i++) {
    const element_t *element = instance.operands[i].type.element;
    element_store(element, instance.operands[i].data, 0,
                  format_from_double(element->format, values[i]));
  }
  question_t rounded = ask(&instance, "spec,accum_wider=no,fma=no", &arena);
  question_t fused = ask(&instance, "spec,accum_wider=yes,fma=yes", &arena);
  for (uint64_t y = 0; y < 5; y++) { /* 2.5, or 2.5 + 2^-24. */
    g_assert_cmpint(is_taken(&rounded, 0, 0, y), ==, y == 2);
    g_assert_cmpint(is_taken(&fused, 0, 0, y), ==, y == 2 || y == 3);
  }
  end(&rounded);
  end(&fused);
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/declared_division/points/i8", "i8", test_points);
  g_test_add_data_func("/declared_division/points/ui8", "ui8", test_points);
  g_test_add_data_func("/declared_division/sets/i8", "i8", test_sets);
  g_test_add_data_func("/declared_division/sets/ui8", "ui8", test_sets);
  g_test_add_data_func("/declared_division/nearest/i8", "i8", test_nearest);
  g_test_add_data_func("/declared_division/nearest/i32", "i32", test_nearest);
  g_test_add_data_func("/declared_division/nearest/ui8", "ui8", test_nearest);
  g_test_add_func("/declared_division/undecided", test_undecided);
  return g_test_run();
}
