/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once for each instruction set (vector_kernels.cmake).  Nothing but the table at the end
 * is visible outside. */
#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/composite/store/fast_store.h"
#include "oracles/exact/vector_kernels.h"
#include "oracles/formula/fast/fast_steps.h"

KERNEL_INLINE bool is_negative_zero(double x) { return binary64_bits(x) == UINT64_C(1) << 63; }

/* How far an interval reaches from x*, which is point + tail. */
KERNEL_INLINE double reach(double low, double high, double point, double tail) {
  return most((high - point) - tail, (point - low) + tail);
}

/* A zero that may be -0 is left to the enclosed evaluator, which knows its sign. */
KERNEL_INLINE void store_intervals(const double *restrict low, const double *restrict high,
                                   const double *restrict point, size_t count,
                                   const set_arrays_t *out) {
  double *restrict out_low = out->low, *restrict out_high = out->high;
  uint8_t *restrict specials = out->specials, *restrict decide = out->decide;
  double *restrict magnitude = out->magnitude, *restrict reference = out->reference;
  for (size_t i = 0; i < count; i++) {
    bool is_infinite = low[i] == -(double)INFINITY;
    double least_number = is_infinite ? 1 : low[i], most_number = is_infinite ? -1 : high[i];
    out_low[i] = least_number;
    out_high[i] = most_number;
    reference[i] = point[i];
    magnitude[i] = reach(least_number, most_number, point[i], 0);
    decide[i] = (low[i] != low[i] || is_negative_zero(low[i]) || is_negative_zero(high[i])) ? 1 : 0;
    specials[i] = is_infinite ? ACCEPT_NEGATIVE_INFINITY : 0;
  }
}

/* The same of points with tails, where x* is 0 if nothing else is permitted. */
KERNEL_INLINE void store_tails(const double *restrict row_low, const double *restrict row_high,
                               const double *restrict row_tail, size_t count,
                               const set_arrays_t *out) {
  double *restrict magnitude = out->magnitude, *restrict reference = out->reference;
  double *restrict tail = out->tail;
  const double *restrict low = out->low, *restrict high = out->high;
  for (size_t i = 0; i < count; i++) {
    bool is_nothing = (row_low[i] == 0) & (row_high[i] == 0);
    double head = is_nothing ? 0 : reference[i], rest = is_nothing ? 0 : row_tail[i];
    reference[i] = head;
    tail[i] = rest;
    magnitude[i] = reach(low[i], high[i], head, rest);
  }
}

static void first_variant(const fast_row_t *row, size_t first, size_t count,
                          const set_arrays_t *out) {
  store_intervals(row->low + first, row->high + first, row->point + first, count, out);
  if (row->tail != NULL) {
    store_tails(row->low + first, row->high + first, row->tail + first, count, out);
  } else {
    for (size_t i = 0; i < count; i++) out->tail[i] = 0;
  }
  for (size_t i = 0; out->other_low != NULL && i < count; i++) {
    out->other_low[i] = 1;
    out->other_high[i] = -1;
  }
}

/* A zero at an end is left out if it is -0, which the fast set does not hold, and +0 not for sure.
 */
static void other_variant(const fast_row_t *row, size_t first, size_t count, double smallest,
                          const set_arrays_t *out) {
  const double *restrict row_low = row->low + first, *restrict row_high = row->high + first;
  double *restrict other_low = out->other_low, *restrict other_high = out->other_high;
  double *restrict magnitude = out->magnitude;
  const double *restrict reference = out->reference, *restrict tail = out->tail;
  const uint8_t *restrict decide = out->decide;
  for (size_t i = 0; i < count; i++) {
    double low = is_negative_zero(row_low[i]) ? smallest : row_low[i];
    double high = is_negative_zero(row_high[i]) ? -smallest : row_high[i];
    bool is_told = (decide[i] == 0) & (row_low[i] > -(double)INFINITY);
    other_low[i] = is_told ? low : other_low[i];
    other_high[i] = is_told ? high : other_high[i];
    double error = most(reach(low, high, reference[i], tail[i]), magnitude[i]);
    magnitude[i] = is_told ? error : magnitude[i];
  }
}

extern const fast_store_t KERNEL_TABLE(fast_store_);
const fast_store_t KERNEL_TABLE(fast_store_) = {
    .name = KERNEL_NAME,
    .first = first_variant,
    .other = other_variant,
};
