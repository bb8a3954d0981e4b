/* SPDX-License-Identifier: Apache-2.0 */
/* Running moments of rows for which a proof once said too little (oracles/theory.md, T66 and T77),
 * and of boxes (T214): a schedule that conforms is carried out here step by step, and its result
 * must be enclosed. */
#include <float.h>
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/formula/enclosed_set.h"

typedef struct fixture {
  arena_t arena;
  contract_t contract;
  enclosing_t settings;
  formula_t formula;
} fixture_t;

static void set_up(fixture_t *fixture, gconstpointer data) {
  const char *words = data;
  failure_t error = {0};
  arena_init(&fixture->arena);
  g_assert_cmpint(contract_parse(str_from(words), &fixture->contract, &error), ==, STATUS_OK);
  fixture->settings = (enclosing_t){.is_exact = false};
  fixture->formula = (formula_t){.evaluator = &enclosed_evaluator,
                                 .settings = &fixture->settings,
                                 .contract = &fixture->contract,
                                 .arena = &fixture->arena};
}

static void tear_down(fixture_t *fixture, gconstpointer data) {
  (void)data;
  arena_deinit(&fixture->arena);
}

static void assert_encloses(const enclosed_t *set, double value) {
  g_assert_true(set->has_finite);
  g_assert_cmpfloat(mpfr_get_d(set->low, MPFR_RNDD), <=, value);
  g_assert_cmpfloat(mpfr_get_d(set->high, MPFR_RNDU), >=, value);
}

static double flushed(double x) { return fabs(x) < 0x1p-1022 ? 0 : x; }

/* Numbers that are c times how many bits of their index are set, merged in pairs, pairs of pairs,
 * and so on: all means that meet differ by c, whose square is subnormal and is flushed each time,
 * while the exact sum of squares grows with the depth of the tree. */
static void test_flushed_squares(fixture_t *fixture, gconstpointer data) {
  (void)data;
  enum { DEPTH = 17, COUNT = 1 << DEPTH };
  const double c = 0x1p-511 * (1 - 0x1p-20);
  fixture->formula.format = &format_table[FORMAT_f64];
  uint64_t *bits = ARENA_NEW_ARRAY(&fixture->arena, uint64_t, COUNT);
  double *means = ARENA_NEW_ARRAY(&fixture->arena, double, COUNT);
  double *squares = ARENA_NEW_ARRAY(&fixture->arena, double, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    means[i] = c * (double)__builtin_popcount((unsigned)i);
    squares[i] = 0;
    bits[i] = format_from_double(fixture->formula.format, means[i]);
  }
  row_t x = enclosed_load(&fixture->formula, fixture->formula.format, bits, COUNT);
  for (size_t size = 1; size < COUNT; size *= 2) {
    for (size_t i = 0; i < COUNT; i += 2 * size) {
      double difference = means[i + size] - means[i];
      double square = flushed(difference * difference);
      means[i] = flushed(means[i] + difference / 2);
      squares[i] = flushed(squares[i] + squares[i + size] + flushed(square * (double)size / 2));
    }
  }
  row_t mean, sum;
  formula_running_moments(&fixture->formula, x, &mean, &sum);
  g_assert_cmpfloat(squares[0], ==, 0);
  assert_encloses(mean.enclosed, means[0]);
  assert_encloses(sum.enclosed, squares[0]);
}

/* A product that is added unrounded in both factors of Welford's term, and rounded in the mean,
 * which a tie then moves beyond it: so the only square is negative. */
static void test_negative_square(fixture_t *fixture, gconstpointer data) {
  (void)data;
  const float first = 1 + 0x1p-23F, rounded = 1 + 0x1p-22F;
  const double unrounded = (double)rounded - 0x1p-27;
  fixture->formula.format = &format_table[FORMAT_f32];
  row_t x = {.count = 2, .enclosed = enclosed_new(&fixture->arena, 2)};
  enclosed_set_double(&x.enclosed[0], (double)first);
  enclosed_set_double(&x.enclosed[1], (double)rounded);
  mpfr_set_d(x.enclosed[1].low, unrounded, MPFR_RNDN);
  float before = (float)(unrounded - (double)first);
  float mean = first + (rounded - first) / 2;
  float after = (float)(unrounded - (double)mean);
  float square = before * after;
  row_t means, sum;
  formula_running_moments(&fixture->formula, x, &means, &sum);
  g_assert_cmpfloat(square, <, -4 * 0x1p-54F); /* -2 n w^2 */
  assert_encloses(means.enclosed, (double)mean);
  assert_encloses(sum.enclosed, (double)square);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

enum { ROWS = 400, TERMS_MAX = 24, POINTS = 40 };

typedef struct boxes {
  size_t count;
  float low[TERMS_MAX], high[TERMS_MAX];
} boxes_t;

/* Around numbers that are far apart, or near one another, beside their widths. */
static boxes_t draw_boxes(rng_t *rng) {
  boxes_t boxes = {.count = 2 + rng_below(rng, TERMS_MAX - 1)};
  double width = ldexp(1, -(int)rng_below(rng, 12));
  double centre = rng_below(rng, 2) == 0 ? 0 : 3;
  for (size_t i = 0; i < boxes.count; i++) {
    boxes.low[i] = (float)(centre + ldexp((double)rng_between(rng, -1000, 1000), -9));
    boxes.high[i] = boxes.low[i] + (float)(width * (double)rng_below(rng, 3));
  }
  return boxes;
}

/* The points nearest to a number: of the number where the sum of squares of distances is least,
 * those with the least sum of squared deviations. */
static void draw_nearest(const boxes_t *boxes, double centre, float out_x[TERMS_MAX]) {
  for (size_t i = 0; i < boxes->count; i++) {
    out_x[i] = fmaxf(boxes->low[i], fminf(boxes->high[i], (float)centre));
  }
}

static double squares_of(const float *x, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) mean += (double)x[i] / (double)count;
  for (size_t i = 0; i < count; i++) squares += ((double)x[i] - mean) * ((double)x[i] - mean);
  return squares;
}

/* Welford's updates in f32. */
static void assert_holds_welford(const float *x, size_t count, const row_t *mean,
                                 const row_t *squares) {
  float m = x[0], sum = 0;
  for (size_t i = 1; i < count; i++) {
    float before = x[i] - m;
    m += before / (float)(i + 1);
    sum += before * (x[i] - m);
  }
  assert_encloses(mean->enclosed, (double)m);
  assert_encloses(squares->enclosed, (double)sum);
}

/* The mean of the nearest points is the next number, whose nearest points deviate less. */
static void find_least(const boxes_t *boxes, float out_x[TERMS_MAX]) {
  double centre = (double)boxes->low[0];
  for (int i = 0; i < 2000; i++) {
    draw_nearest(boxes, centre, out_x);
    centre = 0;
    for (size_t k = 0; k < boxes->count; k++) centre += (double)out_x[k] / (double)boxes->count;
  }
}

static void test_boxes(fixture_t *fixture, gconstpointer data) {
  (void)data;
  fixture->formula.format = fixture->settings.stored = &format_table[FORMAT_f32];
  rng_t rng = rng_make(14);
  for (size_t row = 0; row < ROWS; row++) {
    arena_reset(&fixture->arena);
    const boxes_t boxes = draw_boxes(&rng);
    row_t x = {.count = boxes.count, .enclosed = enclosed_new(&fixture->arena, boxes.count)};
    for (size_t i = 0; i < boxes.count; i++) {
      enclosed_set_double(&x.enclosed[i], (double)boxes.low[i]);
      mpfr_set_d(x.enclosed[i].high, (double)boxes.high[i], MPFR_RNDN);
    }
    row_t mean, squares;
    formula_running_moments(&fixture->formula, x, &mean, &squares);
    g_assert_cmpfloat(mpfr_get_d(squares.enclosed->low, MPFR_RNDD), >=, 0);
    float point[TERMS_MAX];
    for (int k = 0; k < POINTS; k++) {
      for (size_t i = 0; i < boxes.count; i++) {
        float share = (float)rng_below(&rng, 3) / 2;
        point[i] = boxes.low[i] + share * (boxes.high[i] - boxes.low[i]);
      }
      assert_holds_welford(point, boxes.count, &mean, &squares);
    }
    find_least(&boxes, point);
    assert_holds_welford(point, boxes.count, &mean, &squares);
    double least = squares_of(point, boxes.count);
    g_assert_cmpfloat(mpfr_get_d(squares.enclosed->low, MPFR_RNDD), >=, 0.99 * least - 1e-4);
  }
}

/* Of equal numbers that are not subnormal nothing is flushed: they are their mean, and deviate by
 * nothing (T103).  Of others a mean may become 0 on the way. */
static void test_flushed_equals(fixture_t *fixture, gconstpointer data) {
  (void)data;
  enum { COUNT = 3 };
  static const double numbers[] = {0x1p23, -0x1.fffffep127, 0x1p-126, 0, 0x1p-127};
  const format_t *format = fixture->formula.format = &format_table[FORMAT_f32];
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    uint64_t bits[COUNT];
    for (size_t k = 0; k < COUNT; k++) bits[k] = format_from_double(format, numbers[i]);
    row_t mean, squares;
    formula_running_moments(&fixture->formula,
                            enclosed_load(&fixture->formula, format, bits, COUNT), &mean, &squares);
    assert_encloses(mean.enclosed, numbers[i]);
    assert_encloses(squares.enclosed, 0);
    bool is_subnormal = numbers[i] != 0 && fabs(numbers[i]) < 0x1p-126;
    if (is_subnormal) assert_encloses(mean.enclosed, 0);
    if (is_subnormal) continue;
    g_assert_true(mpfr_equal_p(mean.enclosed->low, mean.enclosed->high));
    g_assert_true(mpfr_zero_p(squares.enclosed->low) && mpfr_zero_p(squares.enclosed->high));
  }
}

/* Who adds up blocks and merges their means gets infinite ones of large numbers, and NaN of two. */
static void test_overflowing_equals(fixture_t *fixture, gconstpointer data) {
  (void)data;
  enum { COUNT = 64 };
  static const double numbers[] = {0x1p122, -0x1p123};
  const format_t *format = fixture->formula.format = &format_table[FORMAT_f32];
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    uint64_t bits[COUNT];
    for (size_t k = 0; k < COUNT; k++) bits[k] = format_from_double(format, numbers[i]);
    row_t mean, squares;
    formula_running_moments(&fixture->formula,
                            enclosed_load(&fixture->formula, format, bits, COUNT), &mean, &squares);
    assert_encloses(mean.enclosed, numbers[i]);
    assert_encloses(squares.enclosed, 0);
    bool overflows = (COUNT - 1) * fabs(numbers[i]) > (double)FLT_MAX; /* Of a part (T103). */
    g_assert_cmpint((mean.enclosed->specials & ENCLOSED_NAN) != 0, ==, overflows);
    g_assert_cmpint((squares.enclosed->specials & ENCLOSED_NAN) != 0, ==, overflows);
    bool is_infinite = (mean.enclosed->specials & ENCLOSED_NEGATIVE_INFINITY) != 0;
    g_assert_cmpint(is_infinite, ==, overflows);
  }
}

/* Of the largest numbers no part of fewer than two overflows; of three it does. */
static void test_largest_equals(fixture_t *fixture, gconstpointer data) {
  (void)data;
  const format_t *format = fixture->formula.format = &format_table[FORMAT_f32];
  for (size_t count = 1; count <= 3; count++) {
    const uint64_t bits[3] = {format->largest_bits, format->largest_bits, format->largest_bits};
    row_t mean, squares;
    formula_running_moments(&fixture->formula,
                            enclosed_load(&fixture->formula, format, bits, count), &mean, &squares);
    const uint8_t special = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY;
    g_assert_cmpint((mean.enclosed->specials & special) != 0, ==, count == 3);
    g_assert_cmpint((squares.enclosed->specials & special) != 0, ==, count == 3);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add("/running-moments/flushed-squares", fixture_t, "backend,ftz=outputs", set_up,
             test_flushed_squares, tear_down);
  g_test_add("/running-moments/flushed-equals", fixture_t, "backend,ftz=both", set_up,
             test_flushed_equals, tear_down);
  g_test_add("/running-moments/overflowing-equals", fixture_t, "backend", set_up,
             test_overflowing_equals, tear_down);
  g_test_add("/running-moments/largest-equals", fixture_t, "backend", set_up, test_largest_equals,
             tear_down);
  g_test_add("/running-moments/negative-square", fixture_t, "backend", set_up, test_negative_square,
             tear_down);
  g_test_add("/running-moments/boxes", fixture_t, "backend", set_up, test_boxes, tear_down);
  return g_test_run();
}
