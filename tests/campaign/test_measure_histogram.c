/* Buckets of measures: they tile the numbers, and their names are where they begin and end. */
#include "harness/run/measure_histogram.h"

#include <float.h>
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"

static void check(double measure) {
  int bucket = measure_bucket(measure);
  g_assert_cmpint(measure_bucket_at(measure_place(bucket)), ==, bucket);
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

static void test_counting(void) {
  measure_histogram_t histogram = {{0}, {0}};
  measure_histogram_add(&histogram, NAN); /* Not measured. */
  measure_histogram_add(&histogram, 0);
  measure_histogram_add(&histogram, 1.0);
  measure_histogram_add(&histogram, 1.1);
  measure_histogram_add(&histogram, INFINITY);
  uint64_t sum = 0;
  for (int place = 0; place < MEASURE_PLACES; place++) sum += histogram.cases[place];
  g_assert_cmpuint(sum, ==, 4);
  g_assert_cmpuint(histogram.cases[measure_place(0)], ==, 2);
  g_assert_cmpuint(histogram.cases[0], ==, 1);
  g_assert_cmpuint(histogram.cases[MEASURE_PLACES - 1], ==, 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/measure-histogram/in-bucket", test_measures_lie_in_their_bucket);
  g_test_add_func("/measure-histogram/tile", test_buckets_tile);
  g_test_add_func("/measure-histogram/counting", test_counting);
  return g_test_run();
}
