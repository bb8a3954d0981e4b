/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over a row of pairs: those of its low ends, its high ends and its points at once, and those
 * of squares.  Private to fast_pair_kernels.c. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_PAIR_SUMS_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_PAIR_SUMS_H

#include "oracles/formula/fast/fast_numbers.h"
#include "oracles/formula/fast/fast_pair_functions.h"
#include "oracles/formula/fast/fast_steps.h"

KERNEL_INLINE pair_t point_of(const fast_numbers_t *a, size_t i) {
  return (pair_t){a->point[i], a->tail[i]};
}

KERNEL_INLINE pair_t sum_of_lanes(const pair_t lanes[LANES]) {
  pair_t first = pair_add(pair_add(lanes[0], lanes[4]), pair_add(lanes[2], lanes[6]));
  pair_t second = pair_add(pair_add(lanes[1], lanes[5]), pair_add(lanes[3], lanes[7]));
  return pair_add(first, second);
}

/* Sums of so many lanes; what is summed of the points is 0 for one that is not known, but tiny. */
typedef struct lanes {
  pair_t low[LANES], high[LANES], point[LANES];
  double low_magnitude[LANES], high_magnitude[LANES];
} lanes_t;

KERNEL_INLINE void add_low(lanes_t *inout, const fast_numbers_t *a, size_t i, size_t lane) {
  inout->low[lane] = pair_add_number(inout->low[lane], a->low[i]);
  inout->low_magnitude[lane] += fabs(a->low[i]);
}

KERNEL_INLINE void add_interval(lanes_t *inout, const fast_numbers_t *a, size_t i, size_t lane) {
  add_low(inout, a, i, lane);
  inout->high[lane] = pair_add_number(inout->high[lane], a->high[i]);
  inout->high_magnitude[lane] += fabs(a->high[i]);
  bool is_tiny = fabs(a->point[i]) < PAIR_LEAST;
  pair_t point = pair_choose(is_tiny, pair_of(0), point_of(a, i));
  inout->point[lane] = pair_add(inout->point[lane], point);
}

/* All three sums advance together, since each waits for its own last addition. */
#define ADD_ALL(add)                                                                   \
  do {                                                                                 \
    size_t i = 0;                                                                      \
    for (; i + LANES <= a->count; i += LANES) {                                        \
      for (size_t lane = 0; lane < LANES; lane++) add(&lanes, a, i + lane, lane);      \
    }                                                                                  \
    for (size_t lane = 0; i + lane < a->count; lane++) add(&lanes, a, i + lane, lane); \
  } while (0)

KERNEL_INLINE double sum_of_magnitudes(const double lanes[LANES]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static void sum(const fast_numbers_t *a, fast_totals_t *out) {
  lanes_t lanes = {.low = {{0, 0}}};
  if (a->are_points) {
    ADD_ALL(add_low);
  } else {
    ADD_ALL(add_interval);
  }
  pair_t low = sum_of_lanes(lanes.low), high = low, point = low;
  out->low_magnitude = out->high_magnitude = sum_of_magnitudes(lanes.low_magnitude);
  if (!a->are_points) {
    high = sum_of_lanes(lanes.high);
    point = sum_of_lanes(lanes.point);
    out->high_magnitude = sum_of_magnitudes(lanes.high_magnitude);
  }
  out->low = low.high, out->low_tail = low.low;
  out->high = high.high, out->high_tail = high.low;
  out->point = point.high, out->point_tail = point.low;
}

KERNEL_INLINE pair_t square_about(double x, pair_t about) {
  pair_t deviation = pair_subtract(pair_of(x), about);
  return pair_multiply(deviation, deviation);
}

static void squared_deviations(const fast_numbers_t *a, const fast_numbers_t *mean,
                               fast_totals_t *out) {
  pair_t sums[LANES] = {{0, 0}}, about = point_of(mean, 0);
  size_t i = 0;
  for (; i + LANES <= a->count; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      sums[lane] = pair_add(sums[lane], square_about(a->point[i + lane], about));
    }
  }
  for (size_t lane = 0; i + lane < a->count; lane++) {
    sums[lane] = pair_add(sums[lane], square_about(a->point[i + lane], about));
  }
  pair_t total = sum_of_lanes(sums);
  *out = (fast_totals_t){.point = total.high, .point_tail = total.low};
}

#endif
