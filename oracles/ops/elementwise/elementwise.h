/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.add, subtract, multiply, maximum, minimum, negate and shift_right_arithmetic: each
 * result element is one operation on the operands' elements at its place.
 *
 * On booleans add and maximum are OR, multiply and minimum are AND; integers wrap around; floats
 * are IEEE 754's operations, rounded once; complex numbers are added by components, multiplied by
 * the formula (elementwise/product.c) and ordered by their real parts first
 * (elementwise/lexicographic.c).  Quantized ones are dequantized, operated on as floats, and
 * quantized. */
#ifndef ASSAY_ORACLES_OPS_ELEMENTWISE_ELEMENTWISE_H
#define ASSAY_ORACLES_OPS_ELEMENTWISE_ELEMENTWISE_H

#include "harness/model/op.h"

typedef enum elementwise {
  ELEMENTWISE_ADD,
  ELEMENTWISE_SUBTRACT,
  ELEMENTWISE_MULTIPLY,
  ELEMENTWISE_MAXIMUM,
  ELEMENTWISE_MINIMUM,
  ELEMENTWISE_NEGATE,
  ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC,
  ELEMENTWISE_COUNT
} elementwise_t;

/* Which of them a program of this family is. */
elementwise_t elementwise_of(const program_t *program);

/* Operands that it takes: 1 or 2. */
uint32_t elementwise_arity(elementwise_t function);

/* Whether it is defined on unquantized tensors of that element type; and on quantized ones. */
bool elementwise_takes(elementwise_t function, const element_t *element);
bool elementwise_takes_quantized(elementwise_t function);

/* Drawing: op/draw.c, op/edges.c.  inout_program->op is set. */
void elementwise_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *inout_program);
void elementwise_draw_edges(rng_t *rng, case_t *inout_case);

#endif
