#include "harness/run/measure_histogram.h"

#include <math.h>

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

int measure_place(int bucket) {
  if (bucket == MEASURE_BUCKET_ZERO) return 0;
  if (bucket == MEASURE_BUCKET_INFINITE) return MEASURE_PLACES - 1;
  return bucket - MEASURE_BUCKET_LEAST + 1;
}

int measure_bucket_at(int place) {
  if (place == 0) return MEASURE_BUCKET_ZERO;
  if (place == MEASURE_PLACES - 1) return MEASURE_BUCKET_INFINITE;
  return place - 1 + MEASURE_BUCKET_LEAST;
}

void measure_histogram_add(measure_histogram_t *histogram, double measure) {
  if (isnan(measure)) return;
  histogram->cases[measure_place(measure_bucket(measure))]++;
}
