/* SPDX-License-Identifier: Apache-2.0 */
/* Linear resizes of integers: elements become floats, are interpolated as these are, and what comes
 * of it is rounded to an integer, in one of several ways (permission resize_rounding). */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RESIZE_INTEGERS_H
#define ASSAY_ORACLES_OPS_BYTEIR_RESIZE_INTEGERS_H

#include "harness/model/contract.h"
#include "oracles/formula/enclosed.h"

/* Values of permission resize_rounding, in the order of their spellings. */
typedef enum resize_rounding {
  RESIZE_TO_ZERO,
  RESIZE_DOWN,
  RESIZE_TO_NEAREST,
  RESIZE_ANY_ROUNDING,
} resize_rounding_t;

/* The number that an integer becomes in a working format. */
double resize_integer_number(const element_t *element, const format_t *format, uint64_t bits);

/* The same as a set: where a wider node is permitted, that number, the integer, and all between. */
row_t resize_integer_load(formula_t *formula, const element_t *element, uint64_t bits);

/* The integers of a type that a set of numbers may become, as a range of numbers (theory.md, T185);
 * low > high if there are none.  The formula's format and contract are those of the steps before.
 */
value_range_t resize_integer_range(const formula_t *formula, const enclosed_t *set,
                                   const element_t *element);

/* The range that holds one pattern alone. */
value_range_t resize_integer_alone(const element_t *element, uint64_t bits);

bool resize_integer_holds(const value_range_t *range, const element_t *element, uint64_t bits);

/* Writes the set in words: "3", "{3, 4}", "3 .. 7". */
void resize_integer_print(const value_range_t *range, char *out, size_t out_bytes);

/* What an implementation that rounds so makes of one number: ties to even, and the least or the
 * largest integer of the type for numbers beyond these. */
uint64_t resize_integer_of(resize_rounding_t rounding, const element_t *element, double number);

#endif
