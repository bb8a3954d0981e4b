/* SPDX-License-Identifier: Apache-2.0 */
/* Model of an accumulator that aligns addends to the largest one: each group of products is cut
 * below a common bit, added to the accumulator, and the sum is cut to a fixed number of bits.
 * Works in binary64 throughout. */
#include "oracles/exact/fold/aligned_sum.h"

#include <math.h>

/* `value` without what lies below 2^lowest; values that are not finite stay. */
static double cut(double value, int lowest) {
  return isfinite(value) ? ldexp(trunc(ldexp(value, -lowest)), lowest) : value;
}

/* Cut to so many bits of its own. */
static double cut_to(double value, int bits) {
  return value == 0 || !isfinite(value) ? value : cut(value, ilogb(value) - bits + 1);
}

double aligned_sum(const double *left, const double *right, size_t count, size_t width, int bits) {
  double accumulator = 0;
  for (size_t begin = 0; begin < count; begin += width) {
    size_t end = count - begin < width ? count : begin + width;
    double largest = fabs(accumulator);
    for (size_t i = begin; i < end; i++) largest = fmax(largest, fabs(left[i] * right[i]));
    int lowest = isfinite(largest) && largest != 0 ? ilogb(largest) - bits + 1 : 0;
    double sum = cut(accumulator, lowest);
    for (size_t i = begin; i < end; i++) sum += cut(left[i] * right[i], lowest);
    accumulator = cut_to(sum, bits);
  }
  return accumulator;
}
