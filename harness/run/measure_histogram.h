/* Cases by the size of a measure of error (ulp error, slack), in buckets of a fourth of a binary
 * order of magnitude: percentiles are then known to within 19 %. */
#ifndef ASSAY_RUN_MEASURE_HISTOGRAM_H
#define ASSAY_RUN_MEASURE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
  MEASURE_STEPS = 4,                /* Buckets to a binary order of magnitude. */
  MEASURE_BUCKET_LEAST = -24 * 4,   /* Holds all smaller measures but 0, too. */
  MEASURE_BUCKET_MOST = 40 * 4 - 1, /* Holds all larger measures but infinity, too. */
  MEASURE_BUCKET_ZERO = -25 * 4,
  MEASURE_BUCKET_INFINITE = 41 * 4,
  MEASURE_PLACES = MEASURE_BUCKET_MOST - MEASURE_BUCKET_LEAST + 3,
};

typedef struct measure_histogram {
  uint64_t cases[MEASURE_PLACES];
  uint64_t stored[MEASURE_PLACES]; /* Of these, how many the store knows of. */
} measure_histogram_t;

/* The bucket of a measure, which is at least 0 and not NaN. */
int measure_bucket(double measure);

/* Where a bucket begins and ends; 0 to 0 and infinity to infinity for the two special ones. */
double measure_bucket_low(int bucket);
double measure_bucket_high(int bucket);

/* The place of a bucket in the arrays, and the bucket at a place. */
int measure_place(int bucket);
int measure_bucket_at(int place);

/* Counts a case; NaN is not measured and not counted. */
void measure_histogram_add(measure_histogram_t *histogram, double measure);

#endif
