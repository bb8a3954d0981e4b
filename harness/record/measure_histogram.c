/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithmic buckets in quarter octaves, kept as a sorted sparse list; bucket ends and lookup use
 * the same numbers so that both agree. */
#include "harness/record/measure_histogram.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

int measure_bucket(double measure) {
  if (!(measure > 0)) return MEASURE_BUCKET_ZERO;
  if (isinf(measure)) return MEASURE_BUCKET_INFINITE;
  int exponent;
  double significand = 2 * frexp(measure, &exponent); /* In [1, 2), times 2^(exponent - 1). */
  /* Comparing with the very numbers that measure_bucket_low() gives keeps both consistent. */
  int step = (significand >= exp2(0.25)) + (significand >= exp2(0.5)) + (significand >= exp2(0.75));
  int bucket = MEASURE_STEPS * (exponent - 1) + step;
  if (bucket < MEASURE_BUCKET_LEAST) return MEASURE_BUCKET_LEAST;
  return bucket > MEASURE_BUCKET_MOST ? MEASURE_BUCKET_MOST : bucket;
}

double measure_bucket_low(int bucket) {
  if (bucket == MEASURE_BUCKET_ZERO) return 0;
  if (bucket == MEASURE_BUCKET_INFINITE) return INFINITY;
  return exp2(bucket / (double)MEASURE_STEPS);
}

double measure_bucket_high(int bucket) {
  if (bucket == MEASURE_BUCKET_ZERO) return 0;
  if (bucket == MEASURE_BUCKET_INFINITE) return INFINITY;
  return exp2((bucket + 1) / (double)MEASURE_STEPS);
}

/* The first count whose bucket is not before that one. */
static size_t find_place(const measure_histogram_t *histogram, int bucket) {
  size_t begin = 0;
  size_t end = histogram->count;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (histogram->counts[middle].bucket < bucket) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

static void insert(measure_histogram_t *histogram, size_t place, int bucket) {
  histogram->counts = g_renew(measure_count_t, histogram->counts, histogram->count + 1);
  measure_count_t *count = &histogram->counts[place];
  memmove(count + 1, count, (histogram->count - place) * sizeof *count);
  *count = (measure_count_t){.bucket = bucket};
  histogram->count++;
}

void measure_histogram_add(measure_histogram_t *histogram, double measure) {
  if (isnan(measure)) return;
  int bucket = measure_bucket(measure);
  size_t place = find_place(histogram, bucket);
  bool is_there = place < histogram->count && histogram->counts[place].bucket == bucket;
  if (!is_there) insert(histogram, place, bucket);
  histogram->counts[place].cases++;
}

void measure_histogram_deinit(measure_histogram_t *histogram) {
  g_free(histogram->counts);
  *histogram = (measure_histogram_t){0};
}
