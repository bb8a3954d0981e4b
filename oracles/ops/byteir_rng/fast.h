/* SPDX-License-Identifier: Apache-2.0 */
/* low + u * (high - low) with three roundings, in binary64: numbers that surely are in the accept
 * set of that u (byteir_rng/element.h). */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_FAST_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_FAST_H

#include "oracles/exact/arithmetic.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"

enum { BYTEIR_RNG_FAST_WAYS = 3 };

typedef struct byteir_rng_fast {
  const format_t *result;
  /* In the operands' type, as published; and in a wider one, from a u that is rounded to the
   * operands' type or not: f32 where that has 16 bits, f64 where nodes may be wider.  Where no
   * wider type is permitted, all are the first. */
  struct {
    arithmetic_t arithmetic;
    bool rounds_uniform;
    double width; /* high - low */
  } ways[BYTEIR_RNG_FAST_WAYS];
  double low;
} byteir_rng_fast_t;

byteir_rng_fast_t byteir_rng_fast_make(const case_t *instance, const contract_t *contract);

/* The number by one way. */
double byteir_rng_fast_value(const byteir_rng_fast_t *fast, int way, double uniform);

/* The pattern by the first way; NaN without sign, which depends on the host. */
uint64_t byteir_rng_fast_bits(const byteir_rng_fast_t *fast, double uniform);

/* Whether the pattern is that of one of the ways. */
bool byteir_rng_fast_holds(const byteir_rng_fast_t *fast, double uniform, uint64_t bits);

#endif
