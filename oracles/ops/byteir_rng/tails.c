/* SPDX-License-Identifier: Apache-2.0 */
/* Tail bounds of deviation, binomial, rare-event and run statistics, in bits of improbability.
 * Closed formulas only, so that a refutation never rests on an asymptotic approximation. */
#include "oracles/ops/byteir_rng/tails.h"

#include <math.h>

double byteir_rng_deviation_bits(size_t count, double deviation) {
  const double bits_of_e = 0x1.71547652b82fep+0; /* log2(e) */
  if (deviation <= 0) return 0;
  return 2 * (double)count * deviation * deviation * bits_of_e - 1;
}

/* k log2(k / mean), which is 0 for k = 0. */
static double share(double k, double mean) { return k > 0 ? k * log2(k / mean) : 0; }

double byteir_rng_binomial_bits(size_t count, size_t successes, double probability) {
  double n = (double)count, k = (double)successes;
  return share(k, n * probability) + share(n - k, n * (1 - probability));
}

double byteir_rng_rare_bits(double mean, size_t successes) {
  const double bits_of_e = 0x1.71547652b82fep+0;
  double k = (double)successes;
  if (k <= mean) return 0;
  return share(k, mean) + (mean - k) * bits_of_e;
}

double byteir_rng_run_bits(size_t count, size_t length) {
  double bits = -log2((double)(count - length + 1));
  for (size_t i = 2; i <= length; i++) bits += log2((double)i);
  return bits;
}
