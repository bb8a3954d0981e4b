/* SPDX-License-Identifier: Apache-2.0 */
/* Data that a program has places for: numbers near where its functions turn, and rows with one
 * number unlike the others. */
#include <math.h>
#include <stdlib.h>

#include "harness/gen/gen.h"

static case_t make_case(arena_t *arena, const char *line) {
  program_t program;
  const char *violation;
  g_assert_cmpint(program_parse(str_from(line), arena, &program, &violation, NULL), ==, STATUS_OK);
  return case_make(arena, &program);
}

/* Programs with functions get numbers near where these turn, others data of the corner; and the
 * first ops of modules make no difference. */
static void test_turns(void) {
  static const struct {
    const char *line;
    bool has;
  } rows[] = {
      {"stablehlo.tanh f32[64] -> f32[64]", true},
      {"byteir.erf f64[64] -> f64[64]", true},
      {"stablehlo.add f32[64] f32[64] -> f32[64]", false},
      {"stablehlo.multiply i32[64] i32[64] -> i32[64]", false},
      {"module steps={v0=stablehlo.negate(a0) f32[8] -> f32[8];v1=stablehlo.tanh(v0) f32[8] -> "
       "f32[8];return(v1)} f32[8] -> f32[8]",
       true},
      {"module steps={v0=stablehlo.negate(a0) f32[8] -> f32[8];return(v0)} f32[8] -> f32[8]",
       false},
  };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(8);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    case_t instance = make_case(&arena, rows[i].line);
    g_assert_true(gen_has_turns(&instance.program) == rows[i].has);
    for (int k = 0; k < 50; k++) {
      gen_regime_t regime = gen_data_in_stratum(&rng, STRATUM_turns, &instance);
      g_assert_true((regime == REGIME_turns) == rows[i].has);
    }
  }
  arena_deinit(&arena);
}

/* Of the numbers that erf of f32 gets, some lie where it has its last numbers below 1. */
static void test_erf_turns(void) {
  enum { CASES = 100 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(9);
  case_t instance = make_case(&arena, "byteir.erf f32[64] -> f32[64]");
  const float *values = (const float *)(const void *)instance.operands[0].data;
  int cases = 0;
  for (int i = 0; i < CASES; i++) {
    gen_data_in_stratum(&rng, STRATUM_turns, &instance);
    bool is_there = false;
    for (int k = 0; k < 64; k++) {
      double rest = erfc(fabs((double)values[k]));
      is_there |= rest >= 0x1p-26 && rest <= 0x1p-22;
    }
    cases += is_there;
  }
  g_test_message("%d of %d cases", cases, CASES);
  g_assert_cmpint(cases, >=, CASES / 4);
  arena_deinit(&arena);
}

/* Where rows are combined most have one number unlike the others, NaN among them, and it stands
 * first, last and in between; what has no rows gets data of the corner. */
static void test_lanes(void) {
  enum { CASES = 400, COLUMNS = 16 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(10);
  case_t instance =
      make_case(&arena, "stablehlo.reduce body=maximum dims=[1] f32[8,16] f32[] -> f32[8]");
  const float *values = (const float *)(const void *)instance.operands[0].data;
  int first = 0, last = 0, between = 0, infinite = 0;
  for (int i = 0; i < CASES; i++) {
    g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_lanes, &instance), ==, REGIME_lanes);
    bool has[COLUMNS] = {false};
    bool has_infinity = false;
    for (int k = 0; k < 8 * COLUMNS; k++) {
      has[k % COLUMNS] |= isnan(values[k]) != 0;
      has_infinity |= isinf(values[k]) != 0;
    }
    int lanes = 0;
    for (int lane = 0; lane < COLUMNS; lane++) lanes += has[lane];
    g_assert_cmpint(lanes, <=, 1);
    first += has[0];
    last += has[COLUMNS - 1];
    between += lanes == 1 && !has[0] && !has[COLUMNS - 1];
    infinite += has_infinity;
  }
  g_test_message("NaN first %d, last %d, between %d; %d infinite", first, last, between, infinite);
  g_assert_cmpint(first, >=, CASES / 20);
  g_assert_cmpint(last, >=, CASES / 20);
  g_assert_cmpint(between, >=, CASES / 10);
  g_assert_cmpint(infinite, >=, CASES / 10);
  static const char *const without[] = {
      "stablehlo.add f32[64] f32[64] -> f32[64]",
      "stablehlo.reduce body=add dims=[0] f32[1,8] f32[] -> f32[8]"};
  for (size_t i = 0; i < G_N_ELEMENTS(without); i++) {
    case_t other = make_case(&arena, without[i]);
    g_assert_false(gen_has_lanes(&other.program));
    g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_lanes, &other), !=, REGIME_lanes);
  }
  arena_deinit(&arena);
}

/* Operands of a program of several steps have it too: behind the last eight of 29 elements in many
 * cases, at the end of rows in some, and in one operand more often than in both. */
static void test_lanes_of_modules(void) {
  enum { CASES = 400, COUNT = 29, TAIL = 24 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(12);
  case_t instance = make_case(
      &arena,
      "module steps={v0=stablehlo.maximum(a0,a1) f32[29] f32[29] -> f32[29];return(v0)} f32[29] "
      "f32[29] -> f32[29]");
  int tail = 0, front = 0, ones = 0, both = 0;
  g_assert_true(gen_has_lanes(&instance.program));
  for (int i = 0; i < CASES; i++) {
    g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_lanes, &instance), ==, REGIME_lanes);
    int unlike[2] = {0};
    for (int side = 0; side < 2; side++) {
      const float *values = (const float *)(const void *)instance.operands[side].data;
      for (int k = 0; k < COUNT; k++) {
        if (isfinite(values[k])) continue;
        unlike[side]++;
        tail += k >= TAIL;
        front += k < TAIL;
      }
      g_assert_cmpint(unlike[side], <=, 1);
    }
    ones += unlike[0] + unlike[1] == 1;
    both += unlike[0] + unlike[1] == 2;
  }
  g_test_message("%d in the tail, %d before it; in one operand %d, in both %d", tail, front, ones,
                 both);
  g_assert_cmpint(tail, >=, CASES / 5);
  g_assert_cmpint(front, >=, CASES / 5);
  g_assert_cmpint(ones, >, 2 * both);
  g_assert_cmpint(both, >, 0);
  case_t scalar = make_case(
      &arena, "module steps={v0=stablehlo.negate(a0) f32[] -> f32[];return(v0)} f32[] -> f32[]");
  g_assert_false(gen_has_lanes(&scalar.program));
  arena_deinit(&arena);
}

/* A large tensor is mostly for one narrow range: of the numbers that erf of f32 gets, one in thirty
 * lies where it has its last numbers below 1. */
static void test_many_turns(void) {
  enum { CASES = 50, COUNT = 4096 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(11);
  case_t instance = make_case(&arena, "byteir.erf f32[4096] -> f32[4096]");
  const float *values = (const float *)(const void *)instance.operands[0].data;
  int near = 0;
  for (int i = 0; i < CASES; i++) {
    gen_data_in_stratum(&rng, STRATUM_turns, &instance);
    for (int k = 0; k < COUNT; k++) {
      double rest = erfc(fabs((double)values[k]));
      near += rest >= 0x1p-25 && rest <= 0x1p-23;
    }
  }
  g_test_message("%d of %d numbers", near, CASES * COUNT);
  g_assert_cmpint(near, >=, CASES * COUNT / 30);
  arena_deinit(&arena);
}

/* Long sums of products of i8 pass 2^24, where an f32 has no odd numbers, in a good part of cases:
 * of numbers of both signs hardly one does.  Of short ones, and of wider types, nothing changes. */
static void test_heavy(void) {
  enum { CASES = 60, TERMS = 4096 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(13);
  case_t instance = make_case(
      &arena, "stablehlo.dot_general batch=[]x[] contract=[0]x[0] i8[4096] i8[4096] -> i32[]");
  const int8_t *lhs = (const int8_t *)instance.operands[0].data;
  const int8_t *rhs = (const int8_t *)instance.operands[1].data;
  int large = 0;
  for (int i = 0; i < CASES; i++) {
    gen_data_in_stratum(&rng, STRATUM_long, &instance);
    int64_t sum = 0;
    for (int k = 0; k < TERMS; k++) sum += (int64_t)lhs[k] * rhs[k];
    large += llabs(sum) > 1 << 24;
  }
  g_test_message("%d of %d sums", large, CASES);
  g_assert_cmpint(large, >=, CASES / 5);
  static const char *const without[] = {
      "stablehlo.dot_general batch=[]x[] contract=[0]x[0] i8[64] i8[64] -> i32[]",
      "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4096] f32[4096] -> f32[]"};
  for (size_t i = 0; i < G_N_ELEMENTS(without); i++) {
    case_t other = make_case(&arena, without[i]);
    for (int k = 0; k < 20; k++) {
      g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_long, &other), !=, REGIME_heavy);
    }
  }
  arena_deinit(&arena);
}

/* The sum of f32 in so many lanes, each in turn, and these in turn. */
static double sum_in_lanes(const float *terms, int count, int lanes) {
  float sum = 0;
  for (int lane = 0; lane < lanes; lane++) {
    float of_lane = 0;
    for (int i = lane; i < count; i += lanes) of_lane += terms[i];
    sum += of_lane;
  }
  return sum;
}

/* How many units of roundoff of the sum of magnitudes it errs by, from one end or the other. */
static double count_roundings(const float *terms, int count, int lanes) {
  float backward[1024];
  double exact = 0, magnitude = 0;
  for (int i = 0; i < count; i++) {
    exact += (double)terms[i];
    magnitude += fabs((double)terms[i]);
    backward[count - 1 - i] = terms[i];
  }
  double error = fmax(fabs(sum_in_lanes(terms, count, lanes) - exact),
                      fabs(sum_in_lanes(backward, count, lanes) - exact));
  return error / (magnitude * 0x1p-24);
}

/* Of other data a sum of 1,024 terms in turn errs no more than one in eight lanes may; of some of
 * the data of these strata it does, and one in 16 lanes does not. */
static void test_stagnant(void) {
  enum { CASES = 400, TERMS = 1024 };
  static const stratum_t strata[] = {STRATUM_long, STRATUM_tiles, STRATUM_deployment};
  const double in_lanes = TERMS / 8 + 8;
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(17);
  case_t instance =
      make_case(&arena, "stablehlo.reduce body=add dims=[0] f32[1024] f32[] -> f32[]");
  const float *terms = (const float *)(const void *)instance.operands[0].data;
  for (size_t i = 0; i < G_N_ELEMENTS(strata); i++) {
    int lost = 0, others = 0;
    for (int k = 0; k < CASES; k++) {
      bool is_stagnant = gen_data_in_stratum(&rng, strata[i], &instance) == REGIME_stagnant;
      double in_turn = count_roundings(terms, TERMS, 1); /* Infinite or NaN of what overflows. */
      lost += is_stagnant && in_turn > in_lanes;
      others += !is_stagnant && isfinite(in_turn) && in_turn > in_lanes;
      if (is_stagnant) g_assert_cmpfloat(count_roundings(terms, TERMS, 16), <=, in_lanes);
    }
    g_test_message("%d of %d sums, and %d of other data", lost, CASES, others);
    g_assert_cmpint(lost, >=, 5);
    g_assert_cmpint(others, ==, 0);
  }
  static const char *const without[] = {
      "stablehlo.reduce body=add dims=[0] f32[256] f32[] -> f32[]",
      "stablehlo.reduce body=add dims=[0] i32[1024] i32[] -> i32[]",
      "stablehlo.add f32[1024] f32[1024] -> f32[1024]"};
  for (size_t i = 0; i < G_N_ELEMENTS(without); i++) {
    case_t other = make_case(&arena, without[i]);
    for (int k = 0; k < 100; k++) {
      g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_long, &other), !=, REGIME_stagnant);
    }
  }
  arena_deinit(&arena);
}

/* Beside the operand that stagnates the others are ones, of which a product keeps every term. */
static void test_stagnant_products(void) {
  enum { CASES = 400, TERMS = 1024 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(19);
  case_t instance = make_case(
      &arena, "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[1024] f32[1024] -> f32[]");
  const float *left = (const float *)(const void *)instance.operands[0].data;
  const float *right = (const float *)(const void *)instance.operands[1].data;
  int stagnant = 0;
  for (int k = 0; k < CASES; k++) {
    if (gen_data_in_stratum(&rng, STRATUM_long, &instance) != REGIME_stagnant) continue;
    stagnant++;
    const float *ones = left[0] == 1 && left[1] == 1 ? left : right;
    for (int i = 0; i < TERMS; i++) g_assert_cmpfloat(ones[i], ==, 1);
  }
  g_assert_cmpint(stagnant, >=, 20);
  arena_deinit(&arena);
}

/* Of 2,048 numbers in bf16 a sum may lose the last half whatever it is, but for data of few terms:
 * the half that is left out adds up to something, and the whole to what bf16 holds. */
static void test_sparse(void) {
  enum { CASES = 400, TERMS = 2048 };
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(23);
  case_t instance =
      make_case(&arena, "stablehlo.reduce body=add dims=[0] bf16[2048] bf16[] -> bf16[]");
  const element_t *element = instance.operands[0].type.element;
  int sparse = 0, told = 0;
  for (int k = 0; k < CASES; k++) {
    if (gen_data_in_stratum(&rng, STRATUM_long, &instance) != REGIME_sparse) continue;
    sparse++;
    double halves[2] = {0, 0}, magnitude = 0;
    for (size_t i = 0; i < TERMS; i++) {
      uint64_t bits = element_load(element, instance.operands[0].data, i);
      double term = format_to_double(element->format, bits);
      halves[i / (TERMS / 2)] += term;
      magnitude += fabs(term);
    }
    g_assert_cmpfloat(magnitude, >, 0);
    g_assert_cmpfloat(magnitude, <=, 256);
    told += halves[1] != 0;
  }
  g_test_message("%d of %d sums tell of %d", told, sparse, CASES);
  g_assert_cmpint(sparse, >=, 50);
  g_assert_cmpint(2 * told, >=, sparse);
  static const char *const without[] = {
      "stablehlo.reduce body=add dims=[0] bf16[256] bf16[] -> bf16[]",
      "stablehlo.reduce body=multiply dims=[0] bf16[2048] bf16[] -> bf16[]",
      "stablehlo.reduce body=add dims=[0] f32[2048] f32[] -> f32[]",
      "stablehlo.add bf16[2048] bf16[2048] -> bf16[2048]",
      "byteir.softmax axis=0 bf16[2048] -> bf16[2048]"};
  for (size_t i = 0; i < G_N_ELEMENTS(without); i++) {
    case_t other = make_case(&arena, without[i]);
    for (int k = 0; k < 100; k++) {
      g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_long, &other), !=, REGIME_sparse);
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fitting_data/turns", test_turns);
  g_test_add_func("/fitting_data/erf_turns", test_erf_turns);
  g_test_add_func("/fitting_data/many_turns", test_many_turns);
  g_test_add_func("/fitting_data/lanes", test_lanes);
  g_test_add_func("/fitting_data/lanes_of_modules", test_lanes_of_modules);
  g_test_add_func("/fitting_data/heavy", test_heavy);
  g_test_add_func("/fitting_data/stagnant", test_stagnant);
  g_test_add_func("/fitting_data/stagnant_products", test_stagnant_products);
  g_test_add_func("/fitting_data/sparse", test_sparse);
  return g_test_run();
}
