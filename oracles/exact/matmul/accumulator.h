/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed-point number wide enough for every sum of binary64 products (Kulisch's accumulator): the
 * slow way that always works, for the few outputs that the vector kernels cannot certify. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_ACCUMULATOR_H
#define ASSAY_ORACLES_EXACT_MATMUL_ACCUMULATOR_H

#include <stdbool.h>
#include <stdint.h>

enum { EXACT_ACCUMULATOR_LIMBS = 136 };

/* The value is the sum of limb[i] * 2^(32 i - 2148).  Limbs overlap by 32 bits, so that an addition
 * carries nothing: 2^29 of them fit.  All before `first` and from `end` on are 0. */
typedef struct exact_accumulator {
  int first, end;
  int64_t limb[EXACT_ACCUMULATOR_LIMBS];
} exact_accumulator_t;

void exact_accumulator_clear(exact_accumulator_t *accumulator);

/* Adds a * b; both must be finite. */
void exact_accumulator_add_product(exact_accumulator_t *accumulator, double a, double b);

/* Rounds the value to nearest even.  False if that overflows, or is subnormal and not exact. */
bool exact_accumulator_round(const exact_accumulator_t *accumulator, double *out_value);

#endif
