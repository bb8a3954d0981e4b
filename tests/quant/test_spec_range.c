/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters from ranges, against their definition in exact arithmetic (113-bit floats hold all
 * products and sums that appear here), exhaustively over small storage ranges and at random. */
#include <math.h>

#include "harness/base/rng.h"
#include "harness/quant/spec/spec.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 3000, GRID = 3 };
#else
enum { ROUNDS = 200000, GRID = 8 };
#endif

typedef __float128 exact_t;

/* ---- The definition -------------------------------------------------------------------------- */

/* NULL, or the rule that the parameters of one range break. */
static const char *broken_rule(const quant_range_request_t *request, double minimum, double maximum,
                               double scale, int64_t zero_point) {
  const format_t *format = request->expressed->format;
  exact_t low = fmin(minimum, 0), high = fmax(maximum, 0);
  exact_t steps = (exact_t)(request->storage_max - request->storage_min);
  exact_t width = high - low;
  if (request->is_symmetric) {
    steps = (exact_t)MIN(-request->storage_min, request->storage_max);
    width = -low > high ? -low : high;
  }
  uint64_t bits = format_from_double(format, scale);
  if (format_to_double(format, bits) != scale || !(scale > 0)) return "a number of the type";
  if (width == 0) return scale == 1 ? NULL : "1 for a range of only 0";
  if (scale * steps < width) return "wide enough";
  double next_down = format_to_double(format, format_next_down(format, bits));
  if (next_down > 0 && next_down < scale && next_down * steps >= width) return "the least scale";
  if (request->is_symmetric) return zero_point == 0 ? NULL : "symmetric";
  if (zero_point < request->storage_min || zero_point > request->storage_max) return "in storage";
  exact_t from_low = (exact_t)(zero_point - request->storage_min) * scale + low;
  exact_t twice = from_low < 0 ? -2 * from_low : 2 * from_low;
  if (twice > scale) return "the nearest zero point";
  if (twice == scale && zero_point % 2 != 0) return "ties to even";
  /* The range and 0 are covered up to half a step; 0 is storage value zero_point exactly. */
  exact_t first = (exact_t)(request->storage_min - zero_point) * scale;
  exact_t last = (exact_t)(request->storage_max - zero_point) * scale;
  bool is_covered = 2 * (first - low) <= scale && 2 * (high - last) <= scale;
  return is_covered ? NULL : "covered";
}

static void check_request(const quant_range_request_t *request, arena_t *arena) {
  quant_spec_t spec;
  failure_t error = {0};
  status_t status = quant_spec_from_range(request, arena, &spec, &error);
  if (status != STATUS_OK) {
    /* Formats of few numbers run out of scales. */
    g_assert_nonnull(strstr(error.text, "asks for a scale beyond the largest"));
    double largest =
        format_to_double(request->expressed->format, request->expressed->format->largest_bits);
    exact_t width = (exact_t)fmax(request->maxima[0], 0) - (exact_t)fmin(request->minima[0], 0);
    g_assert_true(width > largest);
    return;
  }
  for (uint32_t i = 0; i < request->count; i++) {
    const char *broken = broken_rule(request, request->minima[i], request->maxima[i],
                                     spec.uniform->scales[i], spec.uniform->zero_points[i]);
    if (broken != NULL) {
      g_error("%a:%a over %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT " gives %a:%" G_GINT64_FORMAT
              ": %s",
              request->minima[i], request->maxima[i], request->storage_min, request->storage_max,
              spec.uniform->scales[i], spec.uniform->zero_points[i], broken);
    }
  }
}

/* ---- Exhaustive and random ------------------------------------------------------------------- */

static void check_ranges(quant_range_request_t *request, arena_t *arena) {
  for (int low = -GRID; low <= GRID; low++) {
    for (int high = low; high <= GRID; high++) {
      double minimum = low * 0.375, maximum = high * 0.375;
      request->minima = &minimum;
      request->maxima = &maximum;
      check_request(request, arena);
      arena_reset(arena);
    }
  }
}

static void test_small(void) {
  static const char *const storages[] = {"i2", "i4", "ui4"};
  static const char *const expressed[] = {"f32", "f8E4M3FN", "f4E2M1FN", "f8E8M0FNU"};
  arena_t arena;
  arena_init(&arena);
  for (size_t s = 0; s < G_N_ELEMENTS(storages); s++) {
    const element_t *storage = element_named(storages[s]);
    int64_t first = element_integer_min(storage), last = (int64_t)element_integer_max(storage);
    for (size_t e = 0; e < G_N_ELEMENTS(expressed); e++) {
      for (int64_t low = first; low < last; low++) {
        for (int64_t high = low + 1; high <= last; high++) {
          quant_range_request_t request = {.expressed = element_named(expressed[e]),
                                           .storage = storage,
                                           .storage_min = low,
                                           .storage_max = high,
                                           .axis = -1,
                                           .count = 1};
          check_ranges(&request, &arena);
          request.is_symmetric = low < 0 && high > 0;
          if (request.is_symmetric) check_ranges(&request, &arena);
        }
      }
    }
  }
  arena_deinit(&arena);
}

/* Magnitudes within a factor of 2^24 of each other, so that sums are exact in 113 bits. */
static double draw_bound(rng_t *rng, int exponent) {
  if (rng_one_in(rng, 6)) return 0;
  uint64_t bits = rng_one_in(rng, 2) ? rng_bits(rng) >> 11 : rng_below(rng, 16);
  double value = ldexp((double)bits, exponent + (int)rng_below(rng, 24));
  return rng_one_in(rng, 2) ? -value : value;
}

static void test_random(void) {
  static const char *const storages[] = {"i8", "ui8", "i16", "i32", "ui32", "i4"};
  static const char *const expressed[] = {"f64", "f32", "f16", "bf16"};
  static const int ranges[][2] = {{-1074, 940}, {-170, 40}, {-60, -50}, {-170, 40}};
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t e = (uint32_t)rng_below(&rng, G_N_ELEMENTS(expressed));
    const element_t *storage = element_named(storages[rng_below(&rng, G_N_ELEMENTS(storages))]);
    int exponent = (int)rng_between(&rng, ranges[e][0], ranges[e][1]);
    double a = draw_bound(&rng, exponent), b = draw_bound(&rng, exponent);
    double minimum = fmin(a, b), maximum = fmax(a, b);
    if (!isfinite(minimum) || !isfinite(maximum)) continue;
    int64_t first = element_integer_min(storage), last = (int64_t)element_integer_max(storage);
    int64_t low = rng_one_in(&rng, 2) ? first : rng_between(&rng, first, last - 1);
    quant_range_request_t request = {.expressed = element_named(expressed[e]),
                                     .storage = storage,
                                     .storage_min = low,
                                     .storage_max = rng_between(&rng, low + 1, last),
                                     .axis = -1,
                                     .count = 1,
                                     .minima = &minimum,
                                     .maxima = &maximum};
    request.is_symmetric =
        request.storage_min < 0 && request.storage_max > 0 && rng_one_in(&rng, 3);
    check_request(&request, &arena);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* ---- Single rows ----------------------------------------------------------------------------- */

static quant_range_request_t int8_request(const double *minima, const double *maxima,
                                          uint32_t count) {
  return (quant_range_request_t){.expressed = element_named("f32"),
                                 .storage = element_named("i8"),
                                 .storage_min = -128,
                                 .storage_max = 127,
                                 .axis = count == 1 ? -1 : 0,
                                 .count = count,
                                 .minima = minima,
                                 .maxima = maxima};
}

static void test_known(void) {
  static const double minima[] = {0, -1, -128, 1, -3, -0x1p127, -0.5};
  static const double maxima[] = {0, 254, 127, 255, -1, 0x1p127, 254.5};
  static const double scales[] = {1, 1, 1, 1, 0x1.818182p-7, 0x1.010102p+120, 1};
  static const int64_t zero_points[] = {-128, -127, 0, -128, 127, -1, -128};
  quant_range_request_t request = int8_request(minima, maxima, G_N_ELEMENTS(minima));
  arena_t arena;
  arena_init(&arena);
  quant_spec_t spec;
  failure_t error = {0};
  g_assert_cmpint(quant_spec_from_range(&request, &arena, &spec, &error), ==, STATUS_OK);
  g_assert_cmpint(spec.kind, ==, QUANT_SPEC_UNIFORM);
  g_assert_cmpint(spec.uniform->axis, ==, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(minima); i++) {
    g_assert_cmpfloat(spec.uniform->scales[i], ==, scales[i]);
    g_assert_cmpint(spec.uniform->zero_points[i], ==, zero_points[i]);
  }
  int64_t dims[] = {G_N_ELEMENTS(minima)};
  type_t type = type_make(element_named("f32"), 1, dims);
  g_assert_cmpint(quant_spec_check(&spec, &type, &error), ==, STATUS_OK);
  arena_deinit(&arena);
}

static void check_refused(const quant_range_request_t *request, const char *message) {
  arena_t arena;
  arena_init(&arena);
  quant_spec_t spec;
  failure_t error = {0};
  g_assert_cmpint(quant_spec_from_range(request, &arena, &spec, &error), ==, STATUS_INVALID);
  g_test_message("%s", error.text);
  g_assert_nonnull(strstr(error.text, message));
  arena_deinit(&arena);
}

static void test_refused(void) {
  double minimum = -1, maximum = 1;
  quant_range_request_t good = int8_request(&minimum, &maximum, 1), request = good;
  request.storage_max = request.storage_min;
  check_refused(&request, "the storage range is empty");
  request = good;
  request.storage_max = 128;
  check_refused(&request, "exceeds i8");
  request = good;
  request.is_symmetric = true;
  request.storage_min = 0;
  check_refused(&request, "both sides of 0");
  request = good;
  request.count = 2;
  check_refused(&request, "2 ranges for axis -1");
  request = good;
  request.expressed = element_named("i32");
  check_refused(&request, "the expressed type is a float");
  minimum = 2;
  check_refused(&good, "the smaller first");
  minimum = NAN;
  check_refused(&good, "not two finite numbers");
  minimum = -1e300;
  check_refused(&good, "asks for a scale beyond the largest f32");
  minimum = -7 * 255.0;
  maximum = 0;
  good.expressed = element_named("f4E2M1FN"); /* Saturates: its largest is 6. */
  check_refused(&good, "beyond the largest f4E2M1FN");
}

/* What is off by one unit in the scale or one in the zero point is told. */
static void test_planted(void) {
  double minimum = -1, maximum = 2;
  quant_range_request_t request = int8_request(&minimum, &maximum, 1);
  arena_t arena;
  arena_init(&arena);
  quant_spec_t spec;
  g_assert_cmpint(quant_spec_from_range(&request, &arena, &spec, NULL), ==, STATUS_OK);
  double scale = spec.uniform->scales[0];
  int64_t zero_point = spec.uniform->zero_points[0];
  g_assert_null(broken_rule(&request, minimum, maximum, scale, zero_point));
  double below = nextafterf((float)scale, 0), above = nextafterf((float)scale, 1);
  g_assert_cmpstr(broken_rule(&request, minimum, maximum, below, zero_point), ==, "wide enough");
  g_assert_cmpstr(broken_rule(&request, minimum, maximum, above, zero_point), ==,
                  "the least scale");
  g_assert_cmpstr(broken_rule(&request, minimum, maximum, scale, zero_point + 1), ==,
                  "the nearest zero point");
  g_assert_cmpstr(broken_rule(&request, minimum, maximum, nextafter(scale, 1), zero_point), ==,
                  "a number of the type");
  g_assert_cmpstr(broken_rule(&request, -0.5, 254.5, 1, -127), ==, "ties to even");
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/spec-range/small", test_small);
  g_test_add_func("/spec-range/random", test_random);
  g_test_add_func("/spec-range/known", test_known);
  g_test_add_func("/spec-range/refused", test_refused);
  g_test_add_func("/spec-range/planted", test_planted);
  return g_test_run();
}
