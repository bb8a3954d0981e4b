/* SPDX-License-Identifier: Apache-2.0 */
/* Where functions turn, against libm in 64 bits of precision: a little before the place the result
 * is not yet what it is a little beyond it, in every type that has such a place. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/draw/turning.h"

/* What of a result is looked at: whether it has become what it becomes. */
typedef enum becomes {
  BECOMES_ONE,
  BECOMES_MINUS_ONE,
  BECOMES_INFINITE,
  BECOMES_SUBNORMAL,
  BECOMES_ZERO,
  BECOMES_ARGUMENT,
} becomes_t;

static long double logistic(long double x) { return 1 / (1 + expl(-x)); }
static long double upper_gelu(long double x) { return erfcl(-x * sqrtl(0.5L)) / 2; }
static long double square(long double x) { return x * x; }
static long double inverse(long double x) { return 1 / x; }

/* `summary` finds the row of the function.  Factors of the place: before it, and beyond it, where
 * the result has become that. */
static const struct {
  const char *function;
  const char *summary;
  long double (*apply)(long double x);
  becomes_t becomes;
  double before, beyond;
} places[] = {
    {"exp", "overflows", expl, BECOMES_INFINITE, 0.98, 1.02},
    {"exp", "becomes subnormal", expl, BECOMES_SUBNORMAL, 0.98, 1.02},
    {"exp", "becomes 0", expl, BECOMES_ZERO, 0.95, 1.02},
    {"exp", "becomes 1", expl, BECOMES_ONE, 4, 0.2},
    {"expm1", "overflows", expm1l, BECOMES_INFINITE, 0.98, 1.02},
    {"expm1", "becomes -1", expm1l, BECOMES_MINUS_ONE, 0.8, 1.2},
    {"expm1", "becomes x", expm1l, BECOMES_ARGUMENT, 8, 0.25},
    {"log1p", "becomes x", log1pl, BECOMES_ARGUMENT, 8, 0.25},
    {"logistic", "becomes 1", logistic, BECOMES_ONE, 0.8, 1.15},
    {"logistic", "becomes subnormal", logistic, BECOMES_SUBNORMAL, 0.95, 1.02},
    {"logistic", "becomes 0", logistic, BECOMES_ZERO, 0.95, 1.02},
    {"tanh", "becomes 1", tanhl, BECOMES_ONE, 0.8, 1.35},
    {"tanh", "becomes x", tanhl, BECOMES_ARGUMENT, 8, 0.5},
    {"erf", "becomes 1", erfl, BECOMES_ONE, 0.88, 1.12},
    {"gelu", "becomes x, and a form that cancels 0", upper_gelu, BECOMES_ONE, 0.88, 1.12},
    {"square", "overflows", square, BECOMES_INFINITE, 0.9, 1.1},
    {"square", "becomes subnormal", square, BECOMES_SUBNORMAL, 1.1, 0.9},
    {"square", "becomes 0", square, BECOMES_ZERO, 2, 0.9},
    {"sine", "becomes x, or 1", cosl, BECOMES_ONE, 4, 0.5},
    {"inverse", "of the largest number: subnormal", inverse, BECOMES_SUBNORMAL, 0.2, 1},
};

static bool has_become(becomes_t becomes, const format_t *format, long double x,
                       long double exact) {
  uint64_t bits = format_from_double(format, (double)exact);
  double value = format_to_double(format, bits);
  switch (becomes) {
    case BECOMES_ONE:
      return value == 1;
    case BECOMES_MINUS_ONE:
      return value == -1;
    case BECOMES_INFINITE:
      return isinf(value);
    case BECOMES_SUBNORMAL:
      return format_is_subnormal(format, bits) || value == 0;
    case BECOMES_ZERO:
      return value == 0;
    case BECOMES_ARGUMENT:
    default:
      return value == (double)x;
  }
}

static size_t find_row(const char *function, const char *summary) {
  size_t rows[TURNINGS_MAX];
  size_t count = turning_find(function, rows);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(turning_summary(rows[i]), summary) == 0) return rows[i];
  }
  g_error("no row of %s \"%s\"", function, summary);
}

static const char *const types[] = {"bf16", "f16", "f32", "f64"};

static void test_places(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      const format_t *format = format_find(str_from(types[t]));
      double center = turning_center(format, find_row(places[i].function, places[i].summary));
      bool is_become[2];
      for (int side = 0; side < 2; side++) {
        double factor = side == 0 ? places[i].before : places[i].beyond;
        uint64_t bits = format_from_double(format, center * factor);
        long double x = (long double)format_to_double(format, bits);
        is_become[side] = has_become(places[i].becomes, format, x, places[i].apply(x));
      }
      g_test_message("%s in %s %s at %.9g", places[i].function, types[t], places[i].summary,
                     center);
      g_assert_false(is_become[0]);
      g_assert_true(is_become[1]);
    }
  }
}

/* Numbers on both sides of the place, some within a few last places of it. */
static void test_spread(void) {
  enum { DRAWS = 2000 };
  const format_t *format = format_find(str_from("f32"));
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    size_t row = find_row(places[i].function, places[i].summary);
    double center = fabs(turning_center(format, row));
    rng_t rng = rng_make(1);
    int below = 0, above = 0, beside = 0, near = 0;
    for (int k = 0; k < DRAWS; k++) {
      double number = fabs(turning_draw(&rng, format, row));
      below += number < center;
      above += number > center;
      beside += fabs(number / center - 1) < 0.125;
      near += fabs(number / center - 1) < 0x1p-20;
    }
    g_assert_cmpint(below, >, DRAWS / 4);
    g_assert_cmpint(above, >, DRAWS / 4);
    g_assert_cmpint(beside, >, DRAWS / 3);
    g_assert_cmpint(near, >, DRAWS / 40);
  }
}

/* Of a narrow range every number lies in it, on both sides; constants have no octaves, and are
 * drawn as ever. */
static void test_within(void) {
  enum { DRAWS = 500 };
  const format_t *format = format_find(str_from("f32"));
  const size_t row = find_row("erf", "becomes 1");
  const double center = turning_center(format, row);
  rng_t rng = rng_make(1);
  int below = 0;
  for (int k = 0; k < DRAWS; k++) {
    double number = fabs(turning_draw_within(&rng, format, row, 0.25));
    long double octaves = log2l(erfcl((long double)number) / erfcl((long double)center));
    g_assert_true(fabsl(octaves) <= 0.26L);
    below += number < center;
  }
  g_assert_cmpint(below, >, DRAWS / 3);
  g_assert_cmpint(below, <, DRAWS * 2 / 3);
  rng_t other = rng_make(2), same = rng_make(2);
  const size_t constant = find_row("log", "becomes x - 1");
  g_assert_true(turning_draw_within(&other, format, constant, 0.25) ==
                turning_draw(&same, format, constant));
}

/* Seeds are stored in databases: a seed gives the same numbers on every machine. */
static void test_unchanged(void) {
  rng_t rng = rng_make(1);
  uint64_t sum = 0;
  size_t count = 0;
  static const char *const functions[] = {"exp",    "expm1",   "log",  "log1p", "logistic",
                                          "tanh",   "erf",     "gelu", "sine",  "root",
                                          "square", "inverse", "whole"};
  for (size_t f = 0; f < G_N_ELEMENTS(functions); f++) {
    size_t rows[TURNINGS_MAX];
    size_t found = turning_find(functions[f], rows);
    g_assert_cmpuint(found, >, 1);
    count += found;
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      const format_t *format = format_find(str_from(types[t]));
      for (size_t i = 0; i < 16 * found; i++) {
        double number = turning_draw(&rng, format, rows[i % found]);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        g_assert_false(isnan(number));
        sum = (sum ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
      }
    }
  }
  g_assert_cmpuint(count, ==, 51);
  g_assert_cmphex(sum, ==, UINT64_C(0xe8b8208b47ab2621));
  size_t rows[TURNINGS_MAX];
  g_assert_cmpuint(turning_find("nothing", rows), ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/turning/places", test_places);
  g_test_add_func("/turning/spread", test_spread);
  g_test_add_func("/turning/within", test_within);
  g_test_add_func("/turning/unchanged", test_unchanged);
  return g_test_run();
}
