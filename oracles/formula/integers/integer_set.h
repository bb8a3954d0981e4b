/* SPDX-License-Identifier: Apache-2.0 */
/* Integers and booleans beside the floats of a formula: what one of them may be is all numbers
 * between two ends, mostly one number (theory.md, T154).  Arithmetic is modulo 2^bits of the type.
 */
#ifndef ASSAY_ORACLES_FORMULA_INTEGERS_INTEGER_SET_H
#define ASSAY_ORACLES_FORMULA_INTEGERS_INTEGER_SET_H

#include "harness/num/element.h"

__extension__ typedef __int128 integer_t; /* Holds all of i64 and ui64. */

typedef struct integer_set {
  integer_t low;
  integer_t high;
} integer_set_t;

static inline integer_set_t integer_set_of(integer_t value) {
  return (integer_set_t){value, value};
}
static inline bool integer_set_is_point(const integer_set_t *set) { return set->low == set->high; }

/* The value of a pattern of an integer or boolean type, and the pattern of a value. */
integer_t integer_from_pattern(const element_t *element, uint64_t bits);
uint64_t integer_to_pattern(const element_t *element, integer_t value);

/* All values of a type; whether a type has a value. */
integer_set_t integer_set_everything(const element_t *element);
bool integer_is_of(const element_t *element, integer_t value);

typedef enum integer_operation {
  INTEGER_ADD,
  INTEGER_SUBTRACT,
  INTEGER_MULTIPLY,
  INTEGER_MAXIMUM,
  INTEGER_MINIMUM,
  INTEGER_AND,
  INTEGER_OR,
  INTEGER_XOR,
  INTEGER_SHIFT_LEFT,
  INTEGER_SHIFT_RIGHT, /* With copies of the sign where the type has one. */
  INTEGER_DIVIDE,      /* Without the fraction; */
  INTEGER_REMAINDER,   /* a - b * that: with the sign of a. */
} integer_operation_t;

/* What the operation may give for operands of a type.  A shift by less than 0 or by all bits or
 * more, a division by 0, and one whose quotient the type does not have (the smallest number by -1)
 * give any value: StableHLO does not say which (theory.md, T154, T200). */
integer_set_t integer_set_apply(const element_t *element, integer_operation_t operation,
                                integer_set_t a, integer_set_t b);

/* Converted to a type that need not have the value: then any value of that type. */
integer_set_t integer_set_convert(const element_t *to, integer_set_t a);

typedef enum comparison { COMPARISON_LESS, COMPARISON_LESS_EQUAL, COMPARISON_EQUAL } comparison_t;

/* A boolean: 1 where all numbers of both sets compare so, 0 where none do, else 0 to 1. */
integer_set_t integer_set_compare(comparison_t comparison, integer_set_t a, integer_set_t b);

/* The hull of both. */
integer_set_t integer_set_unite(integer_set_t a, integer_set_t b);

#endif
