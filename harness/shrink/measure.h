/* SPDX-License-Identifier: Apache-2.0 */
/* How large a case is, for shrinking: natural numbers, compared one after the other, so that no
 * case can become smaller for ever. */
#ifndef ASSAY_SHRINK_MEASURE_H
#define ASSAY_SHRINK_MEASURE_H

#include "harness/model/op.h"

typedef struct shrink_measure {
  uint64_t steps;      /* Of a module, twice, and its constants; of other programs 0. */
  uint64_t elements;   /* Of all operands and results, of a module also inside. */
  uint64_t ranks;      /* Dimensions, likewise. */
  uint64_t inversions; /* Pairs of an operand's dimensions that are not in the usual order, which is
                        * batches, rows, terms, columns; 0 where the op tells no axes. */
  uint64_t attributes; /* shrink_attributes_cost(), and what quantizations cost; of modules 0. */
  uint64_t nonzeros;   /* Components of operands that are neither +0 nor a neutral initial value. */
  uint64_t values;     /* Sum of shrink_value_cost() over them. */
} shrink_measure_t;

/* `broken`: the program breaks a constraint, so that the op may not be asked about its roles. */
shrink_measure_t shrink_measure(const case_t *instance, bool is_broken);

/* Negative, 0 or positive, as `a` is smaller than, as large as or larger than `b`. */
int shrink_measure_compare(const shrink_measure_t *a, const shrink_measure_t *b);

/* What a component tells to a reader: nothing for 0, little for 1, then by the bits of its
 * significand, its sign, and how far its exponent is from 0. */
uint64_t shrink_value_cost(const element_t *element, uint64_t bits);

/* The pattern that says least: the neutral one of an initial value, else 0. */
uint64_t shrink_plain_bits(const program_t *program, uint32_t operand, size_t component,
                           bool is_broken);

/* The place of an axis in the usual order of an operand's dimensions. */
int shrink_axis_place(const axes_t *axes, uint32_t axis);

#endif
