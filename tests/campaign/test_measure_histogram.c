/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets of measures: they tile the numbers, and their names are where they begin and end. */
#include "harness/record/measure_histogram.h"

#include <float.h>
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"

static void check(double measure) {
  int bucket = measure_bucket(measure);
  double low = measure_bucket_low(bucket);
  double high = measure_bucket_high(bucket);
  if (bucket == MEASURE_BUCKET_ZERO || bucket == MEASURE_BUCKET_INFINITE) {
    g_assert_true(low == measure && high == measure);
    return;
  }
  if (bucket != MEASURE_BUCKET_LEAST) g_assert_true(low <= measure);
  if (bucket != MEASURE_BUCKET_MOST) g_assert_true(measure < high);
}

static void test_measures_lie_in_their_bucket(void) {
  rng_t rng = rng_make(1);
  for (int i = 0; i < 200000; i++) {
    check(ldexp(1 + (double)rng_below(&rng, 1 << 30) / (1 << 30), (int)rng_between(&rng, -60, 60)));
  }
  static const double edges[] = {0, 0x1p-1074, 0x1p-24, 0x1p40, DBL_MAX, INFINITY, 1, 2, 0.5};
  for (size_t i = 0; i < G_N_ELEMENTS(edges); i++) check(edges[i]);
}

/* The ends of a bucket are the ends of its neighbours, and the number below an end is below it. */
static void test_buckets_tile(void) {
  for (int bucket = MEASURE_BUCKET_LEAST; bucket < MEASURE_BUCKET_MOST; bucket++) {
    double end = measure_bucket_high(bucket);
    g_assert_true(end == measure_bucket_low(bucket + 1));
    g_assert_cmpint(measure_bucket(end), ==, bucket + 1);
    g_assert_cmpint(measure_bucket(nextafter(end, 0)), ==, bucket);
  }
}

static uint64_t cases_in(const measure_histogram_t *histogram, int bucket) {
  for (size_t i = 0; i < histogram->count; i++) {
    if (histogram->counts[i].bucket == bucket) return histogram->counts[i].cases;
  }
  return 0;
}

static void test_counting(void) {
  measure_histogram_t histogram = {0};
  measure_histogram_add(&histogram, NAN); /* Not measured. */
  g_assert_cmpuint(histogram.count, ==, 0);
  measure_histogram_add(&histogram, 1.0);
  measure_histogram_add(&histogram, INFINITY);
  measure_histogram_add(&histogram, 0);
  measure_histogram_add(&histogram, 1.1);
  g_assert_cmpuint(histogram.count, ==, 3);
  g_assert_cmpuint(cases_in(&histogram, 0), ==, 2);
  g_assert_cmpuint(cases_in(&histogram, MEASURE_BUCKET_ZERO), ==, 1);
  g_assert_cmpuint(cases_in(&histogram, MEASURE_BUCKET_INFINITE), ==, 1);
  measure_histogram_deinit(&histogram);
}

/* However they come: each bucket once, in order, with all that belongs there. */
static void test_order(void) {
  enum { BUCKETS = MEASURE_BUCKET_INFINITE - MEASURE_BUCKET_ZERO + 1, MEASURES = 20000 };
  static uint64_t expected[BUCKETS];
  measure_histogram_t histogram = {0};
  rng_t rng = rng_make(2);
  for (int i = 0; i < MEASURES; i++) {
    double measure = ldexp(1 + (double)rng_below(&rng, 64) / 64, (int)rng_between(&rng, -30, 45));
    measure_histogram_add(&histogram, measure);
    expected[measure_bucket(measure) - MEASURE_BUCKET_ZERO]++;
  }
  for (size_t i = 1; i < histogram.count; i++) {
    g_assert_cmpint(histogram.counts[i - 1].bucket, <, histogram.counts[i].bucket);
  }
  for (int i = 0; i < BUCKETS; i++) {
    g_assert_cmpuint(cases_in(&histogram, i + MEASURE_BUCKET_ZERO), ==, expected[i]);
  }
  measure_histogram_deinit(&histogram);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/measure-histogram/in-bucket", test_measures_lie_in_their_bucket);
  g_test_add_func("/measure-histogram/tile", test_buckets_tile);
  g_test_add_func("/measure-histogram/counting", test_counting);
  g_test_add_func("/measure-histogram/order", test_order);
  return g_test_run();
}
