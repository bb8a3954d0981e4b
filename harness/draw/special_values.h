/* SPDX-License-Identifier: Apache-2.0 */
/* Single patterns worth drawing: for every element type, floats or not. */
#ifndef ASSAY_DRAW_SPECIAL_VALUES_H
#define ASSAY_DRAW_SPECIAL_VALUES_H

#include "harness/base/rng.h"
#include "harness/num/element.h"

/* (-1)^negative * significand * 2^exponent, rounded to nearest even and saturated; what a type has
 * not is replaced by its nearest: f8E8M0FNU has no sign and no zero.  Only for elements with a
 * format. */
uint64_t special_value_number(const element_t *element, bool negative, uint64_t significand,
                              int exponent);

/* A small integer, in floats, integers and booleans (nonzero is true); unsigned ones take |value|.
 */
uint64_t special_value_integer(const element_t *element, int value);

/* (-1)^negative * 0, or +0 where the type has no other, or the smallest number where it has none.
 */
uint64_t special_value_zero(const element_t *element, bool negative);

/* `bits` with the other sign: two's complement for integers; unchanged for NaNs, for zeros where
 * the type has no -0, and for types without sign. */
uint64_t special_value_negated(const element_t *element, uint64_t bits);

/* The largest, smallest and subnormal numbers, powers of two near them, and their neighbours. */
uint64_t special_value_boundary(rng_t *rng, const element_t *element);

/* A NaN, an infinity or a zero; what the type has not is replaced by a boundary. */
uint64_t special_value_nan(rng_t *rng, const element_t *element);
uint64_t special_value_infinity(rng_t *rng, const element_t *element);
uint64_t special_value_special(rng_t *rng, const element_t *element);

/* Any value, biased to the ones above. */
uint64_t special_value_any(rng_t *rng, const element_t *element);

#endif
