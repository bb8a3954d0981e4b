/* SPDX-License-Identifier: Apache-2.0 */
/* Cases by the size of a measure of error (ulp error, slack), in buckets of a fourth of a binary
 * order of magnitude: percentiles are then known to within 19 %. */
#ifndef ASSAY_RECORD_MEASURE_HISTOGRAM_H
#define ASSAY_RECORD_MEASURE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
  MEASURE_STEPS = 4,                /* Buckets to a binary order of magnitude. */
  MEASURE_BUCKET_LEAST = -24 * 4,   /* Holds all smaller measures but 0, too. */
  MEASURE_BUCKET_MOST = 40 * 4 - 1, /* Holds all larger measures but infinity, too. */
  MEASURE_BUCKET_ZERO = -25 * 4,
  MEASURE_BUCKET_INFINITE = 41 * 4,
};

/* Cases in one bucket. */
typedef struct measure_count {
  int bucket;
  uint64_t cases;
  uint64_t stored; /* Of these, how many the store knows of. */
} measure_count_t;

/* Starts as {0}.  Only buckets that have cases take memory: there are thousands of histograms, most
 * of a few cases. */
typedef struct measure_histogram {
  measure_count_t *counts; /* Owned, in order of their buckets. */
  size_t count;
} measure_histogram_t;

/* The bucket of a measure, which is at least 0 and not NaN. */
int measure_bucket(double measure);

/* Where a bucket begins and ends; 0 to 0 and infinity to infinity for the two special ones. */
double measure_bucket_low(int bucket);
double measure_bucket_high(int bucket);

/* Counts a case; NaN is not measured and not counted. */
void measure_histogram_add(measure_histogram_t *histogram, double measure);

void measure_histogram_deinit(measure_histogram_t *histogram);

#endif
