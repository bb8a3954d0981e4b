/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds a short significand to nearest even, without branches that depend on its bits. */
#ifndef ASSAY_NUM_SIGNIFICAND_H
#define ASSAY_NUM_SIGNIFICAND_H

#include <stdbool.h>
#include <stdint.h>

enum { SIGNIFICAND_SHORT_BITS = 62 };

/* Whether so few bits can be rounded so: with as many that are dropped a carry has room. */
static inline bool significand_is_short(uint64_t significand, int64_t drop) {
  return significand >> SIGNIFICAND_SHORT_BITS == 0 && drop < SIGNIFICAND_SHORT_BITS;
}

/* significand / 2^drop, rounded; a negative `drop` appends zeros, for which there must be room. */
static inline uint64_t significand_round_short(uint64_t significand, int64_t drop) {
  if (drop <= 0) return significand << -drop;
  uint64_t is_odd = significand >> drop & 1, half = UINT64_C(1) << (drop - 1);
  return (significand + (half - 1) + is_odd) >> drop;
}

#endif
