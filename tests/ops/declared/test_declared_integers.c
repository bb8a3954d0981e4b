/* SPDX-License-Identifier: Apache-2.0 */
/* Integers, booleans, comparisons, choices and conversions of declared ops (oracles/theory.md, T153
 * to T155) against plain C. */
#include <math.h>
#include <mpfr.h>

#include "oracles/exact/value_range.h"
#include "tests/ops/declared/declared_file.h"

#define HEAD "op a.b\nsummary s\n"

static const element_t *of(const char *name) { return element_named(name); }

static void store_double(const case_t *instance, uint32_t operand, size_t i, double value) {
  const tensor_t *tensor = &instance->operands[operand];
  const element_t *element = tensor->type.element;
  element_store(element, tensor->data, i, format_from_double(element->format, value));
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static const double values[] = {0.0,         -0.0,      1,        -1,       1.5,       -1.5,
                                0x1p-149,    -0x1p-149, 0x1p-126, 2,        -2,        1 + 0x1p-23,
                                1 - 0x1p-24, 0x1p127,   -0x1p127, INFINITY, -INFINITY, NAN};
enum { VALUES = G_N_ELEMENTS(values), PAIRS = VALUES * VALUES };

static bool compare(int which, double a, double b) {
  const bool results[] = {a<b, a <= b, a> b, a >= b, a == b, a != b};
  return results[which];
}

static void test_comparisons(gconstpointer data) {
  static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
  const char *type = data;
  for (int which = 0; which < 6; which++) {
    g_autofree char *text =
        g_strdup_printf(HEAD
                        "operand a[N]\noperand b[N]\nresult y[N]\nresult t[N] i1\nt = a %s b\n"
                        "y = select(t, 1, 2)\n",
                        operators[which]);
    declaration_t *declaration = declare(text);
    arena_t arena;
    arena_init(&arena);
    const char *const types[] = {type, type, type, "i1"};
    const case_t instance = make_lists(declaration, types, PAIRS, &arena);
    for (size_t i = 0; i < PAIRS; i++) {
      store_double(&instance, 0, i, values[i / VALUES]);
      store_double(&instance, 1, i, values[i % VALUES]);
    }
    question_t question = ask(&instance, "spec", &arena);
    const format_t *format = of(type)->format;
    for (size_t i = 0; i < PAIRS; i++) {
      double a = format_round_double(format, values[i / VALUES]);
      double b = format_round_double(format, values[i % VALUES]);
      bool is = compare(which, a, b);
      g_assert_true(is_taken(&question, 1, i, is ? 1 : 0));
      g_assert_false(is_taken(&question, 1, i, is ? 0 : 1));
      g_assert_true(is_taken(&question, 0, i, format_from_double(format, is ? 1 : 2)));
      g_assert_false(is_taken(&question, 0, i, format_from_double(format, is ? 2 : 1)));
    }
    end(&question);
    arena_deinit(&arena);
    release(declaration);
  }
}

/* A product that rounds to what it is compared with: rounded it is not below, unrounded it is. */
static void test_undecided(void) {
  declaration_t *declaration =
      declare(HEAD
              "operand a[N]\noperand b[N]\noperand c[N]\nresult y[N]\nresult i[N] i32\n"
              "t = a * b < c\ny = select(t, 1, 3)\ni = select(t, convert(5, i32), 7)\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f32", "f32", "f32", "f32", "i32"};
  const case_t instance = make_lists(declaration, types, 1, &arena);
  store_double(&instance, 0, 0, -1 - 0x1p-12); /* -1 - 2^-11 - 2^-24 */
  store_double(&instance, 1, 0, 1 + 0x1p-12);
  store_double(&instance, 2, 0, -1 - 0x1p-11);
  const format_t *f32 = of("f32")->format;
  question_t spec = ask(&instance, "spec,accum_wider=no", &arena);
  question_t wider = ask(&instance, "backend", &arena);
  for (int y = 0; y <= 4; y++) {
    g_assert_cmpint(is_taken(&spec, 0, 0, format_from_double(f32, y)), ==, y == 3);
    bool is_between = y >= 1 && y <= 3; /* Floats have the hull. */
    g_assert_cmpint(is_taken(&wider, 0, 0, format_from_double(f32, y)), ==, is_between);
  }
  for (uint64_t i = 4; i <= 8; i++) {
    g_assert_cmpint(is_taken(&spec, 1, 0, i), ==, i == 7);
    g_assert_cmpint(is_taken(&wider, 1, 0, i), ==, i >= 5 && i <= 7);
  }
  end(&spec);
  end(&wider);
  arena_deinit(&arena);
  release(declaration);
}

/* What is a root of 0, or of less than 0 where the product is not rounded: NaN is not above. */
static void test_undecided_nan(void) {
  declaration_t *declaration = declare(
      HEAD "operand a[N]\noperand b[N]\noperand c[N]\nresult t[N] i1\nt = sqrt(a * b + c) >= 0\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f32", "f32", "f32", "i1"};
  const case_t instance = make_lists(declaration, types, 1, &arena);
  store_double(&instance, 0, 0, -1 - 0x1p-12);
  store_double(&instance, 1, 0, 1 + 0x1p-12);
  store_double(&instance, 2, 0, 1 + 0x1p-11);
  question_t rounded = ask(&instance, "spec,accum_wider=no,fma=no", &arena);
  question_t fused = ask(&instance, "spec,accum_wider=no,fma=yes", &arena);
  g_assert_true(is_taken(&rounded, 0, 0, 1));
  g_assert_false(is_taken(&rounded, 0, 0, 0));
  g_assert_true(is_taken(&fused, 0, 0, 1));
  g_assert_true(is_taken(&fused, 0, 0, 0));
  end(&rounded);
  end(&fused);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Conversions ----------------------------------------------------------------------------- */

/* All numbers of f16 as integers. */
static void test_truncation(gconstpointer data) {
  enum { COUNT = 1 << 16 };
  const char *type = data;
  g_autofree char *text =
      g_strdup_printf(HEAD "operand x[N]\nresult y[N] %s\ny = convert(x, %s)\n", type, type);
  declaration_t *declaration = declare(text);
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f16", type};
  const case_t instance = make_lists(declaration, types, COUNT, &arena);
  for (size_t i = 0; i < COUNT; i++) element_store(of("f16"), instance.operands[0].data, i, i);
  question_t question = ask(&instance, "spec", &arena);
  double low = (double)element_integer_min(of(type)), high = (double)element_integer_max(of(type));
  for (size_t i = 0; i < COUNT; i++) {
    double whole = trunc(format_to_double(of("f16")->format, i));
    bool has = whole >= low && whole <= high;
    uint64_t right = has ? (uint64_t)(int64_t)whole & element_mask(of(type)) : 0;
    g_assert_true(is_taken(&question, 0, i, right));
    uint64_t wrong = (right + 1) & element_mask(of(type));
    g_assert_cmpint(is_taken(&question, 0, i, wrong), ==, !has);
    if (i % 1024 != 0) continue;
    decision_memo_deinit(&question.memo);
    decision_memo_init(&question.memo);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* Integers rounded once, where two roundings would differ, too. */
static void test_rounding(gconstpointer data) {
  static const int64_t integers[] = {0,
                                     1,
                                     -1,
                                     2048,
                                     2049,
                                     2051,
                                     -2049,
                                     16777217,
                                     16777219,
                                     (1LL << 53) + 1,
                                     (1LL << 60) + (1LL << 36) + 1,
                                     (1LL << 60) + (1LL << 36),
                                     -(1LL << 60) - (1LL << 36) - 1,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_MIN + 1,
                                     123456789012345678LL};
  enum { COUNT = G_N_ELEMENTS(integers) };
  const char *type = data;
  declaration_t *declaration =
      declare(HEAD "operand x[N] i64\nresult y[N]\ny = convert(x, float)\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"i64", type};
  const case_t instance = make_lists(declaration, types, COUNT, &arena);
  memcpy(instance.operands[0].data, integers, sizeof integers);
  question_t question = ask(&instance, "spec,accum_wider=no", &arena);
  const oracle_call_t simulated = {.instance = &instance, .arena = &arena};
  implementation_model_t model = schedule_plain();
  tensor_t made[] = {tensor_make(&arena, &instance.program.results[0])};
  const oracle_t *oracle = oracle_find(&declaration->op);
  g_assert_cmpint(oracle->simulate(&simulated, &model, made), ==, STATUS_OK);
  for (size_t i = 0; i < COUNT; i++) {
    mpfr_t exact;
    mpfr_init2(exact, 64);
    mpfr_set_si(exact, integers[i], MPFR_RNDN);
    const format_t *format = of(type)->format;
    uint64_t bits = format_from_mpfr(format, exact, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    mpfr_clear(exact);
    g_assert_true(is_taken(&question, 0, i, bits));
    g_assert_false(is_taken(&question, 0, i, bits + 1));
    if (integers[i] != 0) g_assert_false(is_taken(&question, 0, i, bits - 1));
    g_assert_cmpuint(element_load(of(type), made[0].data, i), ==, bits);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* A float rounded to bf16 and held as f32. */
static void test_float_conversion(void) {
  declaration_t *declaration = declare(HEAD "operand x[N]\nresult y[N]\ny = convert(x, bf16)\n");
  enum { COUNT = 4096 };
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f32", "f32"};
  const case_t instance = make_lists(declaration, types, COUNT, &arena);
  rng_t rng = rng_make(1);
  for (size_t i = 0; i < COUNT; i++) {
    element_store(of("f32"), instance.operands[0].data, i, rng_bits(&rng) & 0xffffffff);
  }
  question_t question = ask(&instance, "spec,accum_wider=no", &arena);
  for (size_t i = 0; i < COUNT; i++) {
    uint64_t given = element_load(of("f32"), instance.operands[0].data, i);
    double x = format_to_double(of("f32")->format, given);
    double rounded = format_round_double(of("bf16")->format, x);
    if (isnan(x)) continue;
    uint64_t bits = format_from_double(of("f32")->format, rounded);
    g_assert_true(is_taken(&question, 0, i, bits));
    g_assert_cmpint(is_taken(&question, 0, i, given), ==, given == bits);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Along indices that tell problems apart, and along those within one. */
static void test_places(void) {
  declaration_t *declaration =
      declare(HEAD
              "operand x[A, M, N] i32\nresult y[A, M, N] i32\nresult s[A, M, N] i1\n"
              "p = convert(position(A) * 100 + position(M) * 10 + position(N), i32)\n"
              "y = x + p\ns = and(position(N) <= position(M), x == x)\n");
  arena_t arena;
  arena_init(&arena);
  const int64_t dims[] = {3, 4, 5};
  const type_t type = type_make(of("i32"), 3, dims), truth = type_make(of("i1"), 3, dims);
  const program_t program = {.op = &declaration->op,
                             .operand_count = 1,
                             .result_count = 2,
                             .operands = {type},
                             .results = {type, truth}};
  const case_t instance = case_make(&arena, &program);
  question_t question = ask(&instance, "spec", &arena);
  for (size_t i = 0; i < 60; i++) element_store(of("i32"), instance.operands[0].data, i, 7 * i);
  for (size_t i = 0; i < 60; i++) {
    uint64_t expected = 7 * i + i / 20 * 100 + i / 5 % 4 * 10 + i % 5;
    bool seen = i % 5 <= i / 5 % 4;
    for (uint64_t k = 0; k < 700; k++) {
      g_assert_cmpint(is_taken(&question, 0, i, k), ==, k == expected);
    }
    g_assert_cmpint(is_taken(&question, 1, i, 1), ==, seen);
    g_assert_cmpint(is_taken(&question, 1, i, 0), ==, !seen);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

static void test_folds(void) {
  declaration_t *declaration =
      declare(HEAD
              "index P = 2\noperand x[P*N] i8\nresult y[N] i8\nresult z[N] i8\n"
              "s = stack(x[P=1], x[P=0] + 1 over P)\n"
              "y = s[P=0] - sum(x over P N) + max(min(s over P) over N)\n"
              "z = max(s over P)\n");
  arena_t arena;
  arena_init(&arena);
  const int64_t in = 10, out = 5;
  const type_t wide = type_make(of("i8"), 1, &in), type = type_make(of("i8"), 1, &out);
  const program_t program = {.op = &declaration->op,
                             .operand_count = 1,
                             .result_count = 2,
                             .operands = {wide},
                             .results = {type, type}};
  const case_t instance = case_make(&arena, &program);
  rng_t rng = rng_make(2);
  for (int round = 0; round < 20; round++) {
    int x[10], sum = 0, best = -1000;
    for (size_t i = 0; i < 10; i++) {
      x[i] = (int)rng_between(&rng, -128, 127);
      sum += x[i];
      element_store(of("i8"), instance.operands[0].data, i, (uint64_t)x[i] & 0xff);
    }
    for (size_t i = 0; i < 5; i++) best = MAX(best, MIN(x[i + 5], (int8_t)(uint8_t)(x[i] + 1)));
    question_t question = ask(&instance, "spec", &arena);
    for (size_t i = 0; i < 5; i++) {
      uint8_t y = (uint8_t)(x[i + 5] - sum + best);
      int8_t z = (int8_t)MAX(x[i + 5], (int8_t)(uint8_t)(x[i] + 1));
      for (uint64_t k = 0; k < 256; k++) {
        g_assert_cmpint(is_taken(&question, 0, i, k), ==, k == y);
        g_assert_cmpint(is_taken(&question, 1, i, k), ==, k == (uint8_t)z);
      }
    }
    end(&question);
  }
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/declared_integers/comparisons/f32", "f32", test_comparisons);
  g_test_add_data_func("/declared_integers/comparisons/bf16", "bf16", test_comparisons);
  g_test_add_data_func("/declared_integers/comparisons/f64", "f64", test_comparisons);
  g_test_add_func("/declared_integers/undecided", test_undecided);
  g_test_add_func("/declared_integers/undecided_nan", test_undecided_nan);
  static const char *const integers[] = {"i8", "ui8", "i16", "i64", "ui64"};
  for (size_t i = 0; i < G_N_ELEMENTS(integers); i++) {
    g_autofree char *path = g_strdup_printf("/declared_integers/truncation/%s", integers[i]);
    g_test_add_data_func(path, integers[i], test_truncation);
  }
  g_test_add_data_func("/declared_integers/rounding/f32", "f32", test_rounding);
  g_test_add_data_func("/declared_integers/rounding/f64", "f64", test_rounding);
  g_test_add_func("/declared_integers/float_conversion", test_float_conversion);
  g_test_add_func("/declared_integers/places", test_places);
  g_test_add_func("/declared_integers/folds", test_folds);
  return g_test_run();
}
