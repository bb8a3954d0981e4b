/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation makes of complex products and extrema. */
#include <glib.h>
#include <math.h>

#include "generated/elementwise_faults.h"
#include "oracles/exact/fold/fold.h"
#include "oracles/ops/elementwise/parts.h"

/* ---- Products -------------------------------------------------------------------------------- */

/* By three products instead of four, which cancel where the four do not. */
static fold_value_t multiply_by_three(const arithmetic_t *steps, fold_value_t x, fold_value_t y) {
  double a = x.real, b = x.imaginary, c = y.real, d = y.imaginary;
  double first = arithmetic_multiply(steps, c, arithmetic_add(steps, a, b));
  double second = arithmetic_multiply(steps, a, arithmetic_add(steps, d, -c));
  double third = arithmetic_multiply(steps, b, arithmetic_add(steps, c, d));
  return fold_complex(arithmetic_add(steps, first, -third), arithmetic_add(steps, first, second));
}

/* a b + c d, of which the first product stays unrounded if that is `fused`. */
static double add_products(const arithmetic_t *steps, bool fused, double a, double b, double c,
                           double d) {
  double addend = arithmetic_multiply(steps, c, d);
  if (fused) return arithmetic_fused(steps, a, b, addend);
  return arithmetic_add(steps, arithmetic_multiply(steps, a, b), addend);
}

/* In the accumulator's format if that holds the numbers, with what C's annex G recovers by the
 * other way. */
static fold_value_t multiply(const fold_t *fold, const implementation_model_t *schedule,
                             fold_value_t x, fold_value_t y) {
  const format_t *format = fold->element->format;
  if (schedule->fault == FAULT_three_products) return multiply_by_three(&fold->arithmetic, x, y);
  if (schedule->fault != FAULT_NONE) return fold->combine(fold, x, y);
  bool is_wide =
      schedule->accumulator != NULL && arithmetic_format_holds(schedule->accumulator, format);
  const arithmetic_t steps = arithmetic_make(is_wide ? schedule->accumulator : format);
  bool fused = schedule->fused;
  double real = add_products(&steps, fused, x.real, y.real, -x.imaginary, y.imaginary);
  double imaginary = add_products(&steps, fused, x.real, y.imaginary, x.imaginary, y.real);
  const double left[2] = {x.real, x.imaginary}, right[2] = {y.real, y.imaginary};
  double recovered[2];
  bool recovers = schedule->other_way && isnan(real) && isnan(imaginary);
  if (recovers && elementwise_recover_product(format, left, right, recovered)) {
    return fold_complex(recovered[0], recovered[1]);
  }
  return fold_complex(real, imaginary);
}

/* ---- Extrema --------------------------------------------------------------------------------- */

static bool has_nan(fold_value_t value) { return isnan(value.real) || isnan(value.imaginary); }

static double extremum_of_parts(bool is_maximum, double a, double b) {
  return is_maximum ? arithmetic_maximum(a, b) : arithmetic_minimum(a, b);
}

/* Of what may be taken the left operand, or by the other way the right one. */
static fold_value_t take(const implementation_model_t *schedule, bool is_maximum, fold_value_t x,
                         fold_value_t y) {
  if (schedule->fault == FAULT_extremum_by_parts) {
    return fold_complex(extremum_of_parts(is_maximum, x.real, y.real),
                        extremum_of_parts(is_maximum, x.imaginary, y.imaginary));
  }
  if (schedule->fault == FAULT_drop_nan && (has_nan(x) || has_nan(y))) return has_nan(x) ? y : x;
  const double left[2] = {x.real, x.imaginary}, right[2] = {y.real, y.imaginary};
  unsigned taken = elementwise_lexicographic(is_maximum, left, right);
  if (taken == ELEMENTWISE_NEITHER) return has_nan(x) ? x : y;
  unsigned other = schedule->other_way ? ELEMENTWISE_RIGHT : ELEMENTWISE_LEFT;
  bool takes_left =
      taken == ELEMENTWISE_LEFT || (taken != ELEMENTWISE_RIGHT && other == ELEMENTWISE_LEFT);
  return takes_left ? x : y;
}

fold_value_t elementwise_combine_complex(const fold_t *fold, elementwise_t function,
                                         const implementation_model_t *schedule, fold_value_t left,
                                         fold_value_t right) {
  if (function == ELEMENTWISE_MULTIPLY) return multiply(fold, schedule, left, right);
  return take(schedule, function == ELEMENTWISE_MAXIMUM, left, right);
}
