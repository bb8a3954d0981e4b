/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses the pointwise ops (theory.md, T259, T260): real intervals, which quotients and roots
 * round once and which all others give exactly. */
#include <math.h>

#include "generated/pointwise_permissions.h"
#include "oracles/exact/box/box.h"
#include "oracles/ops/pointwise/parts.h"

/* One program. */
typedef struct enclosing {
  const program_t *program;
  const contract_t *contract; /* Or NULL. */
  pointwise_t function;
  const element_t *element; /* Of the numbers that are computed with. */
} enclosing_t;

static bool flushes_inputs(const contract_t *contract) {
  return contract != NULL &&
         (PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The root, which is exact where its square is the number and nothing of it is below binary64. */
static double root_of(double x, bool is_upper) {
  static const double least_checked = 0x1p-900;
  double root = sqrt(x);
  bool is_exact = x == 0 || isinf(x) || (x >= least_checked && fma(root, root, -x) == 0);
  if (is_exact) return root;
  return is_upper ? box_above(root) : box_below(root);
}

static box_t box_root(box_t a) {
  return a.low < 0 ? box_whole_line() : (box_t){root_of(a.low, false), root_of(a.high, true)};
}

static box_t box_abs(box_t a) {
  if (box_is_whole_line(a)) return a;
  if (a.low >= 0) return a;
  return a.high <= 0 ? box_negate(a) : (box_t){0, box_magnitude(a)};
}

/* The monotone function at both ends. */
static box_t at_ends(box_t a, double (*function)(double)) {
  return box_is_whole_line(a) ? a : (box_t){function(a.low), function(a.high)};
}

static double round_even(double x) { return nearbyint(x); }

static double sign_of(double x) { return (double)((x > 0) - (x < 0)); }

/* ---- Floats ---------------------------------------------------------------------------------- */

static box_t round_to(const enclosing_t *enclosing, box_t exact) {
  const format_t *format = enclosing->element->format;
  if (enclosing->contract == NULL) return exact;
  box_t rounded = box_round(exact, format);
  if (PERMITTED(enclosing->contract, ftz) == FTZ_NONE) return rounded;
  return box_flush_rounded(exact, rounded, format);
}

/* The quotient, and the product with the inverse. */
static box_t divide(const enclosing_t *enclosing, box_t left, box_t right) {
  box_t out = round_to(enclosing, box_divide(left, right));
  bool inverts = enclosing->contract != NULL &&
                 PERMITTED(enclosing->contract, division) == DIVISION_RECIPROCAL;
  if (!inverts) return out;
  box_t inverse = round_to(enclosing, box_divide(box_point(1), right));
  return box_unite(out, round_to(enclosing, box_multiply(left, inverse)));
}

static box_t clamp(box_t least, box_t number, box_t most) {
  return box_minimum(box_maximum(least, number), most);
}

/* What is exact of floats and of integers. */
static box_t apply_exactly(pointwise_t function, const box_t a[]) {
  switch (function) {
    case POINTWISE_SQRT:
      return box_root(a[0]);
    case POINTWISE_ABS:
      return box_abs(a[0]);
    case POINTWISE_SIGN:
      return at_ends(a[0], sign_of);
    case POINTWISE_FLOOR:
      return at_ends(a[0], floor);
    case POINTWISE_CEIL:
      return at_ends(a[0], ceil);
    case POINTWISE_ROUND_EVEN:
      return at_ends(a[0], round_even);
    case POINTWISE_ROUND_AWAY:
      return at_ends(a[0], round);
    case POINTWISE_CLAMP:
    default:
      return clamp(a[0], a[1], a[2]);
  }
}

/* A whole number beyond the largest one of a format without infinities: nothing is said of it
 * (theory.md, T259). */
static bool is_beyond(const enclosing_t *enclosing, box_t exact) {
  const format_t *format = enclosing->element->format;
  bool is_open = enclosing->contract != NULL && !format_has_infinity(format);
  return is_open && box_magnitude(exact) > format_to_double(format, format->largest_bits);
}

static box_t enclose_float(const enclosing_t *enclosing, const box_t a[]) {
  if (enclosing->function == POINTWISE_DIVIDE) return divide(enclosing, a[0], a[1]);
  box_t exact = apply_exactly(enclosing->function, a);
  return is_beyond(enclosing, exact) ? box_whole_line() : round_to(enclosing, exact);
}

/* A magnitude that does not fit is the lowest integer again, or saturates. */
static box_t enclose_integer(const enclosing_t *enclosing, const box_t a[]) {
  box_t exact = apply_exactly(enclosing->function, a);
  return box_fits(exact, enclosing->element) ? exact : box_of_element(enclosing->element);
}

/* ---- Comparisons and choices ----------------------------------------------------------------- */

/* Whether it is so for all numbers of the boxes: signs of zeros, which a total order tells apart,
 * are not in a box. */
static box_t compare(const enclosing_t *enclosing, box_t left, box_t right) {
  const compare_attributes_t *attributes = compare_attributes(enclosing->program);
  comparison_t direction = (comparison_t)attributes->direction;
  bool may_be_nan = box_is_whole_line(left) || box_is_whole_line(right);
  bool is_equal = left.low == left.high && right.low == right.high && left.low == right.low;
  bool tells_zeros = attributes->type == COMPARISON_TYPE_TOTALORDER && left.low == 0;
  const box_t open = {0, 1};
  int sign = 0;
  if (may_be_nan) return open;
  if (left.high < right.low) {
    sign = -1;
  } else if (left.low > right.high) {
    sign = 1;
  } else if (!is_equal || tells_zeros) {
    return open;
  }
  return box_point(pointwise_holds(direction, sign, false));
}

static box_t select_one(const box_t a[]) {
  if (a[0].low == a[0].high) return a[0].low == 0 ? a[2] : a[1];
  return box_unite(a[1], a[2]);
}

/* ---- All ------------------------------------------------------------------------------------- */

static box_t enclose_element(const enclosing_t *enclosing, box_t a[]) {
  const element_t *element = enclosing->element;
  bool is_float = element->format != NULL;
  uint32_t first = enclosing->function == POINTWISE_SELECT ? 1 : 0;
  for (uint32_t k = first; k < enclosing->program->operand_count && is_float; k++) {
    if (flushes_inputs(enclosing->contract)) a[k] = box_flush(a[k], element->format);
  }
  if (enclosing->function == POINTWISE_COMPARE) return compare(enclosing, a[0], a[1]);
  if (enclosing->function == POINTWISE_SELECT) {
    box_t chosen = select_one(a);
    return is_float ? box_unite(chosen, round_to(enclosing, chosen)) : chosen;
  }
  return is_float ? enclose_float(enclosing, a) : enclose_integer(enclosing, a);
}

static bool is_enclosed(const enclosing_t *enclosing) {
  bool is_float = enclosing->element->format != NULL;
  switch (enclosing->function) {
    case POINTWISE_DIVIDE:
    case POINTWISE_SQRT:
      return is_float;
    case POINTWISE_REMAINDER:
    case POINTWISE_AND:
    case POINTWISE_OR:
    case POINTWISE_XOR:
    case POINTWISE_NOT:
      return false;
    default:
      return true;
  }
}

static status_t check(const enclosing_t *enclosing, failure_t *error) {
  const element_t *element = enclosing->element;
  bool has_zero = element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
  for (uint32_t k = 0; k < enclosing->program->operand_count; k++) {
    if (enclosing->program->operands[k].quantization != NULL) has_zero = false;
  }
  if (has_zero && element->components == 1 && is_enclosed(enclosing)) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "%s of %s is not enclosed",
                     enclosing->program->op->name, element->name);
}

status_t pointwise_enclose(const enclosure_call_t *call,
                           box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  pointwise_t function = pointwise_of(program);
  const enclosing_t enclosing = {program, call->contract, function,
                                 program->operands[pointwise_main_operand(function)].element};
  STATUS_TRY(check(&enclosing, call->error));
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) {
    box_t operands[POINTWISE_OPERANDS_MAX];
    for (uint32_t k = 0; k < program->operand_count; k++) {
      operands[k] = call->operands[k][pointwise_place(program, k, i)];
    }
    out_results[0][i] = enclose_element(&enclosing, operands);
  }
  return STATUS_OK;
}
