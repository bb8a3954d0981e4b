/* SPDX-License-Identifier: Apache-2.0 */
/* The product with one number of initial values: its exact value, permitted errors, and the set of
 * values that follows from them in any order.  (product_problem.h has what is asked.) */
#ifndef ASSAY_ORACLES_EXACT_PRODUCT_BOUNDS_H
#define ASSAY_ORACLES_EXACT_PRODUCT_BOUNDS_H

#include <mpfr.h>

#include "harness/model/contract.h"
#include "oracles/exact/product/problem.h"
#include "oracles/exact/value_range.h"

/* Exponents of products of 2^24 factors stay far inside MPFR's range; the precision makes 2^26
 * roundings of the reference negligible, and they are rounded outwards besides. */
enum { PRODUCT_PRECISION = 256 };

typedef struct product_bounds {
  uint32_t init_count;
  size_t count; /* Factors, initial values included unless they are ones. */
  bool has_nan, has_infinity, has_zero, negative;
  size_t large_count; /* Factors above 1 in magnitude. */
  size_t odd_count;   /* Factors other than powers of two, ... */
  size_t other_count; /* ... and other than 1 and -1. */
  bool is_rounded;    /* The reference is not exact. */
  int64_t lowest_bit; /* Every partial product is a multiple of 2^lowest_bit. */
  mpfr_t reference;   /* Product of the finite nonzero factors, to PRODUCT_PRECISION bits. */
  mpfr_t largest;     /* Upper bound on any partial product: of the magnitudes above 1. */
  mpfr_t smallest;    /* Lower bound on any partial product: of the magnitudes below 1. */
  value_range_t range;
  mpfr_t error, total_error;
} product_bounds_t;

/* Whether initial values change nothing. */
static inline bool product_init_is_one(const product_problem_t *question) {
  return question->init == 1;
}

void product_bounds_init(product_bounds_t *product, const product_problem_t *question,
                         uint32_t init_count);
void product_bounds_deinit(product_bounds_t *product);

/* Sets all that follows from the factors: errors, and the range in the type of the result. */
void product_bounds_set_range(product_bounds_t *product, const product_problem_t *question,
                              const contract_t *contract);

#endif
