/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of n terms has 3^n / 2 splits of its parts, over which the sets are computed; a case may
 * take so many steps, which decides how many of its sums are judged by their trees.  Which ones is
 * drawn by a hash of their terms. */
#include "oracles/exact/any_order/share.h"

#include <math.h>

#include "harness/base/rng.h"
#include "harness/num/binary64.h"

/* Steps are some 10 ns.  An answer takes STEPS_BESIDE more, for its bound and what it tells. */
enum { STEPS_OF_CASE = 1 << 12, STEPS_BESIDE = 64 };

size_t tree_share_divisor(size_t sum_count, size_t term_count) {
  size_t steps = 1;
  for (size_t i = 0; i < term_count && steps < STEPS_OF_CASE; i++) steps *= 3;
  size_t affordable = STEPS_OF_CASE / (steps + STEPS_BESIDE);
  if (affordable == 0) affordable = 1;
  return sum_count <= affordable ? 1 : (sum_count + affordable - 1) / affordable;
}

/* All NaNs are alike, and so are zeros. */
static uint64_t hash_number(double value) {
  uint64_t state = isnan(value) ? 1 : binary64_bits(value + 0.0);
  return rng_splitmix(&state);
}

bool tree_share_has(size_t divisor, size_t term_count, const double *left, const double *right) {
  if (divisor == 1) return true;
  uint64_t sum = 0;
  for (size_t i = 0; i < term_count; i++) {
    uint64_t term = hash_number(left[i]);
    if (right != NULL) term ^= hash_number(right[i]) * 3;
    sum += rng_splitmix(&term);
  }
  return rng_splitmix(&sum) % divisor == 0;
}
