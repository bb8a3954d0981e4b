/* SPDX-License-Identifier: Apache-2.0 */
/* What regimes plant among the values: cancellation, ties, and the roles of operands. */
#include <math.h>

#include "tests/gen/regime_fixture.h"

/* ---- Structure ------------------------------------------------------------------------------- */

/* In most draws the sums of all slices lie far below their terms, and in many they are not zero. */
static void test_cancelling_sums(void) {
  fixture_t fixture;
  fixture_init(&fixture, element_named("f32"), "f32");
  int cancelled = 0;
  int nonzero = 0;
  for (int i = 0; i < DRAWS; i++) {
    gen_data_in_regime(&fixture.rng, REGIME_cancelling, &fixture.instance);
    double largest_ratio = 0;
    for (size_t row = 0; row < ROWS; row++) {
      double sum = 0;
      double magnitude = 0;
      for (size_t column = 0; column < COLUMNS; column++) {
        sum += input_value(&fixture, row * COLUMNS + column);
        magnitude += fabs(input_value(&fixture, row * COLUMNS + column));
      }
      largest_ratio = MAX(largest_ratio, fabs(sum) / magnitude);
    }
    cancelled += largest_ratio < 0x1p-10;
    nonzero += largest_ratio > 0 && largest_ratio < 0x1p-10;
  }
  g_assert_cmpint(cancelled, >, DRAWS / 2);
  g_assert_cmpint(nonzero, >, DRAWS / 4);
  arena_deinit(&fixture.arena);
}

/* The products of a dot cancel too, however the op pairs the contracting dimensions. */
static void test_cancelling_products(void) {
  static const char line[] =
      "stablehlo.dot_general batch=[]x[] contract=[0,1]x[1,0] f32[4,6] f32[6,4] -> f32[]";
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(2);
  program_t program;
  g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, NULL), ==, STATUS_OK);
  case_t instance = case_make(&arena, &program);
  const format_t *f32 = &format_table[FORMAT_f32];
  int cancelled = 0;
  for (int i = 0; i < DRAWS; i++) {
    gen_data_in_regime(&rng, REGIME_cancelling, &instance);
    double sum = 0;
    double magnitude = 0;
    for (size_t a = 0; a < 4; a++) {
      for (size_t b = 0; b < 6; b++) {
        const element_t *element = program.operands[0].element;
        uint64_t lhs = element_load(element, instance.operands[0].data, a * 6 + b);
        uint64_t rhs = element_load(element, instance.operands[1].data, b * 4 + a);
        double product = format_to_double(f32, lhs) * format_to_double(f32, rhs);
        sum += product;
        magnitude += fabs(product);
      }
    }
    cancelled += fabs(sum) < 0x1p-8 * magnitude;
  }
  g_assert_cmpint(cancelled, >, DRAWS / 3);
  arena_deinit(&arena);
}

/* Whether a + b lies halfway between two neighbours of binary32.  Both are such numbers, and close
 * enough for binary64 to hold the sum. */
static bool is_tie(double a, double b) {
  double sum = a + b;
  if (sum - a != b) return false;
  double rounded = (double)(float)sum;
  double mirrored = sum + (sum - rounded);
  return rounded != sum && (double)(float)mirrored == mirrored;
}

static void check_ties(const char *element) {
  fixture_t fixture;
  fixture_init(&fixture, element_named(element), "f32");
  int with_ties = 0;
  for (int i = 0; i < DRAWS; i++) {
    gen_data_in_regime(&fixture.rng, REGIME_ties, &fixture.instance);
    int ties = 0;
    for (size_t c = 0; c + 1 < COUNT; c++) {
      ties += is_tie(input_value(&fixture, c), input_value(&fixture, c + 1));
    }
    with_ties += ties > 0;
  }
  g_assert_cmpint(with_ties, >, DRAWS * 3 / 4);
  arena_deinit(&fixture.arena);
}

static void test_ties(void) {
  check_ties("f32");
  check_ties("bf16");
}

/* ---- Roles of operands ----------------------------------------------------------------------- */

static void test_initial_values(void) {
  fixture_t fixture;
  fixture_init(&fixture, element_named("f32"), "f32");
  int neutral = 0;
  int draws = 20 * DRAWS;
  for (int i = 0; i < draws; i++) {
    gen_data(&fixture.rng, &fixture.instance);
    const element_t *element = fixture.element;
    neutral += element_load(element, fixture.instance.operands[1].data, 0) == 0;
  }
  g_assert_cmpint(neutral, >, draws * 14 / 20);
  g_assert_cmpint(neutral, <, draws * 17 / 20);
  arena_deinit(&fixture.arena);
}

/* An arg-max mostly gets its indices in order, sometimes all equal, sometimes at random. */
static void test_indices(void) {
  static const char line[] =
      "stablehlo.reduce body=argmax dims=[2,0] f32[2,3,4] i32[2,3,4] f32[] i32[] -> f32[3] i32[3]";
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(3);
  program_t program;
  g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, NULL), ==, STATUS_OK);
  case_t instance = case_make(&arena, &program);
  int in_order = 0;
  int all_ones = 0;
  for (int i = 0; i < DRAWS; i++) {
    gen_data_in_regime(&rng, REGIME_wide, &instance);
    int matching = 0;
    int ones = 0;
    for (size_t c = 0; c < 24; c++) {
      uint64_t index = element_load(program.operands[1].element, instance.operands[1].data, c);
      matching += index == c / 12 * 4 + c % 4;
      ones += index == 1;
    }
    in_order += matching == 24;
    all_ones += ones == 24;
  }
  g_assert_cmpint(in_order, >, DRAWS / 3);
  g_assert_cmpint(in_order, <, DRAWS * 2 / 3);
  g_assert_cmpint(all_ones, >, DRAWS / 8);
  g_assert_cmpint(all_ones, <, DRAWS / 2);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/regime/cancelling_sums", test_cancelling_sums);
  g_test_add_func("/regime/cancelling_products", test_cancelling_products);
  g_test_add_func("/regime/ties", test_ties);
  g_test_add_func("/regime/initial_values", test_initial_values);
  g_test_add_func("/regime/indices", test_indices);
  return g_test_run();
}
