/* SPDX-License-Identifier: Apache-2.0 */
/* Entry point that rounds the ends of many enclosures with the fastest kernel for the running
 * machine. */
#include "oracles/exact/matmul/enclosure_round.h"

#include "oracles/exact/matmul/kernels.h"

void enclosure_round_ends(const enclosure_t *enclosure, double *low, double *high) {
  exact_kernels_best()->round_ends(enclosure, low, high);
}
