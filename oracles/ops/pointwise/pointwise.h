/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.divide, remainder, sqrt, abs, sign, floor, ceil, round_nearest_even, round_nearest_afz,
 * and, or, xor, not, compare, select and clamp: each result element is one operation on the
 * operands' elements at its place, or on the one element of a scalar operand.
 *
 * Quotients and roots of floats are rounded once, as IEEE 754 has them; all other results are
 * exact.  Integer quotients are truncated.  What the specification leaves open conforms whatever it
 * is: integers divided by zero, which processors trap and no data are drawn with; NaN and
 * infinities in formats that have neither; and whole numbers that are no numbers of the format
 * which they are rounded from. */
#ifndef ASSAY_ORACLES_OPS_POINTWISE_POINTWISE_H
#define ASSAY_ORACLES_OPS_POINTWISE_POINTWISE_H

#include "harness/model/op.h"

typedef enum pointwise {
  POINTWISE_DIVIDE,
  POINTWISE_REMAINDER,
  POINTWISE_SQRT,
  POINTWISE_ABS,
  POINTWISE_SIGN,
  POINTWISE_FLOOR,
  POINTWISE_CEIL,
  POINTWISE_ROUND_EVEN,
  POINTWISE_ROUND_AWAY,
  POINTWISE_AND,
  POINTWISE_OR,
  POINTWISE_XOR,
  POINTWISE_NOT,
  POINTWISE_COMPARE,
  POINTWISE_SELECT, /* (i1, T, T) -> T */
  POINTWISE_CLAMP,  /* (least, operand, most) -> operand's type */
  POINTWISE_COUNT
} pointwise_t;

enum { POINTWISE_OPERANDS_MAX = 3 };

typedef enum comparison {
  COMPARISON_EQ,
  COMPARISON_NE,
  COMPARISON_GE,
  COMPARISON_GT,
  COMPARISON_LE,
  COMPARISON_LT,
  COMPARISON_COUNT
} comparison_t;

/* What kind of numbers a comparison says that it compares. */
typedef enum comparison_type {
  COMPARISON_TYPE_ABSENT,
  COMPARISON_TYPE_FLOAT,
  COMPARISON_TYPE_TOTALORDER,
  COMPARISON_TYPE_SIGNED,
  COMPARISON_TYPE_UNSIGNED,
  COMPARISON_TYPE_COUNT
} comparison_type_t;

/* Of compare; the other ops have no attributes. */
typedef struct compare_attributes {
  uint8_t direction; /* comparison_t */
  uint8_t type;      /* comparison_type_t */
} compare_attributes_t;

static inline const compare_attributes_t *compare_attributes(const program_t *program) {
  return program->attributes;
}

/* Which of the ops a program of this family is, and how many operands that takes. */
pointwise_t pointwise_of(const program_t *program);
uint32_t pointwise_arity(pointwise_t function);

/* Whether Assay has a meaning for it on unquantized tensors of that element type. */
bool pointwise_takes(pointwise_t function, const element_t *element);

/* The operand whose element type is that of the numbers that are computed with. */
static inline uint32_t pointwise_main_operand(pointwise_t function) {
  return function == POINTWISE_SELECT || function == POINTWISE_CLAMP ? 1 : 0;
}

/* Drawing: op/draw.c.  inout_program->op is set. */
void pointwise_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                    program_t *inout_program);
void pointwise_draw_edges(rng_t *rng, case_t *inout_case);

/* Of integers that are divided: no divisor is 0, and no quotient is beyond the range. */
void pointwise_settle(rng_t *rng, case_t *inout_case);

#endif
