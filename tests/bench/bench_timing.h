/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the benchmarks, and the median of what it gave. */
#ifndef ASSAY_TESTS_BENCH_BENCH_TIMING_H
#define ASSAY_TESTS_BENCH_BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

/* Of this thread. */
static inline double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static inline int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return left < right ? -1 : left > right;
}

/* Sorts the values. */
static inline double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

#endif
