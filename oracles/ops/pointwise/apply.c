/* SPDX-License-Identifier: Apache-2.0 */
/* The pointwise ops in binary64, which holds all numbers of all formats, and in 64-bit integers:
 * quotients and roots that binary64 rounds are rounded again to the format as if once
 * (theory.md, T6). */
#include <math.h>

#include "oracles/ops/pointwise/parts.h"

pointwise_step_t pointwise_step_of(const program_t *program) {
  pointwise_step_t step = {.function = pointwise_of(program)};
  step.element = program->operands[pointwise_main_operand(step.function)].element;
  if (step.function == POINTWISE_COMPARE)
    step.direction = (comparison_t)compare_attributes(program)->direction;
  return step;
}

bool pointwise_holds(comparison_t direction, int sign, bool is_unordered) {
  switch (direction) {
    case COMPARISON_EQ:
      return !is_unordered && sign == 0;
    case COMPARISON_NE:
      return is_unordered || sign != 0;
    case COMPARISON_GE:
      return !is_unordered && sign >= 0;
    case COMPARISON_GT:
      return !is_unordered && sign > 0;
    case COMPARISON_LE:
      return !is_unordered && sign <= 0;
    default:
      return !is_unordered && sign < 0;
  }
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static double sign_of(double x) { return isnan(x) || x == 0 ? x : copysign(1, x); }

/* Rounded to binary64; all that follow the first three are exact. */
static double compute(pointwise_t function, const double x[]) {
  switch (function) {
    case POINTWISE_DIVIDE:
      return x[0] / x[1];
    case POINTWISE_REMAINDER:
      return fmod(x[0], x[1]);
    case POINTWISE_SQRT:
      return sqrt(x[0]);
    case POINTWISE_ABS:
      return fabs(x[0]);
    case POINTWISE_SIGN:
      return sign_of(x[0]);
    case POINTWISE_FLOOR:
      return floor(x[0]);
    case POINTWISE_CEIL:
      return ceil(x[0]);
    case POINTWISE_ROUND_EVEN:
      return nearbyint(x[0]); /* Of two the even one. */
    case POINTWISE_ROUND_AWAY:
      return round(x[0]);
    default: /* The second between the first and the third. */
      return arithmetic_minimum(arithmetic_maximum(x[1], x[0]), x[2]);
  }
}

static bool is_rounding(pointwise_t function) {
  return function >= POINTWISE_FLOOR && function <= POINTWISE_ROUND_AWAY;
}

static uint64_t apply_floats(const pointwise_step_t *step, const uint64_t operands[],
                             bool *out_is_open) {
  const format_t *format = step->element->format;
  double x[POINTWISE_OPERANDS_MAX];
  for (uint32_t i = 0; i < pointwise_arity(step->function); i++) {
    x[i] = format_to_double(format, operands[i]);
  }
  if (step->function == POINTWISE_COMPARE) {
    int sign = x[0] < x[1] ? -1 : x[0] > x[1];
    return pointwise_holds(step->direction, sign, isnan(x[0]) || isnan(x[1]));
  }
  double value = compute(step->function, x);
  uint64_t bits = format_from_double(format, value);
  bool is_unknown = !isfinite(value) && format->specials == FORMAT_FINITE;
  bool is_missed =
      is_rounding(step->function) && isfinite(value) && format_to_double(format, bits) != value;
  *out_is_open = is_unknown || is_missed;
  return bits;
}

/* ---- Integers -------------------------------------------------------------------------------- */

static int compare_integers(const element_t *element, uint64_t a, uint64_t b) {
  if (element->kind != ELEMENT_SIGNED) return a < b ? -1 : a > b;
  int64_t left = element_signed_value(element, a), right = element_signed_value(element, b);
  return left < right ? -1 : left > right;
}

/* Quotient or remainder, toward zero; the one quotient that overflows wraps. */
static uint64_t divide_integers(const pointwise_step_t *step, uint64_t a, uint64_t b,
                                bool *out_is_open) {
  bool is_quotient = step->function == POINTWISE_DIVIDE;
  *out_is_open = b == 0;
  if (b == 0) return 0;
  if (step->element->kind != ELEMENT_SIGNED) return is_quotient ? a / b : a % b;
  int64_t left = element_signed_value(step->element, a);
  int64_t right = element_signed_value(step->element, b);
  if (right == -1) {
    *out_is_open = is_quotient && left == element_integer_min(step->element);
    return is_quotient ? 0 - (uint64_t)left : 0;
  }
  return (uint64_t)(is_quotient ? left / right : left % right);
}

static uint64_t apply_integers(const pointwise_step_t *step, const uint64_t operands[],
                               bool *out_is_open) {
  const element_t *element = step->element;
  uint64_t a = operands[0], b = pointwise_arity(step->function) > 1 ? operands[1] : 0;
  switch (step->function) {
    case POINTWISE_DIVIDE:
    case POINTWISE_REMAINDER:
      return divide_integers(step, a, b, out_is_open);
    case POINTWISE_ABS: {
      int64_t value = element_signed_value(element, a);
      *out_is_open = value == element_integer_min(element);
      return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    }
    case POINTWISE_SIGN: {
      int64_t value = element_signed_value(element, a);
      return (uint64_t)(int64_t)(value < 0 ? -1 : value > 0);
    }
    case POINTWISE_AND:
      return a & b;
    case POINTWISE_OR:
      return a | b;
    case POINTWISE_XOR:
      return a ^ b;
    case POINTWISE_NOT:
      return ~a;
    case POINTWISE_COMPARE:
      return pointwise_holds(step->direction, compare_integers(element, a, b), false);
    default: { /* The larger of the first two, and the smaller of that and the third. */
      uint64_t larger = compare_integers(element, a, b) > 0 ? a : b;
      return compare_integers(element, larger, operands[2]) > 0 ? operands[2] : larger;
    }
  }
}

uint64_t pointwise_apply(const pointwise_step_t *step, const uint64_t operands[],
                         bool *out_is_open) {
  *out_is_open = false;
  if (step->function == POINTWISE_SELECT) return operands[operands[0] != 0 ? 1 : 2];
  if (step->element->format != NULL) return apply_floats(step, operands, out_is_open);
  uint64_t bits = apply_integers(step, operands, out_is_open);
  return step->function == POINTWISE_COMPARE ? bits : bits & element_mask(step->element);
}
