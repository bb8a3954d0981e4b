/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a single node of a reduction: comparisons that are none, and sums that saturate. */
#include <math.h>

#include "harness/model/fault.h"
#include "harness/num/binary64.h"
#include "oracles/exact/fold/parts.h"

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Whether a faulty implementation takes a for greater than b. */
static bool seems_greater(fault_t fault, double a, double b) {
  if (fault == FAULT_extremum_by_patterns) {
    return (int64_t)binary64_bits(a) > (int64_t)binary64_bits(b);
  }
  return fault == FAULT_extremum_by_magnitude ? fabs(a) > fabs(b) : a > b;
}

static bool is_fault_of_comparing(fault_t fault) {
  return fault == FAULT_extremum_by_patterns || fault == FAULT_extremum_by_magnitude ||
         fault == FAULT_extremum_by_comparison;
}

static bool spoil_extremum(const fold_t *fold, fold_value_t left, fold_value_t right,
                           fold_value_t *out_value) {
  fault_t fault = fold->schedule->fault;
  bool is_nan = isnan(left.real) || isnan(right.real);
  if (!is_fault_of_comparing(fault)) return false;
  if (is_nan && fault != FAULT_extremum_by_comparison) return false;
  bool is_maximum = fold->body == FOLD_MAXIMUM;
  bool takes_left = is_maximum ? seems_greater(fault, left.real, right.real)
                               : seems_greater(fault, right.real, left.real);
  *out_value = takes_left ? left : right;
  return true;
}

static bool spoil_sum(const fold_t *fold, fold_value_t left, fold_value_t right,
                      fold_value_t *out_value) {
  fault_t fault = fold->schedule->fault;
  double a = fold_settle(fold, left).real, b = fold_settle(fold, right).real;
  if (fault == FAULT_opposite_infinities_cancel && isinf(a) && isinf(b) && a == -b) {
    *out_value = fold_real(0);
    return true;
  }
  if (fault != FAULT_partial_sums_clamped || isinf(a) || isinf(b)) return false;
  const format_t *format = fold->element->format;
  double sum = arithmetic_add(&fold->arithmetic, a, b);
  if (isinf(sum)) sum = copysign(format_to_double(format, format->largest_bits), sum);
  *out_value = fold_real(sum);
  return true;
}

/* ---- Integers -------------------------------------------------------------------------------- */

static uint64_t saturated_sum(const element_t *element, uint64_t left, uint64_t right) {
  bool is_signed = element->kind == ELEMENT_SIGNED;
  __int128 a = is_signed ? (__int128)(int64_t)left : (__int128)left;
  __int128 b = is_signed ? (__int128)(int64_t)right : (__int128)right;
  __int128 least = element_integer_min(element), most = (__int128)element_integer_max(element);
  return (uint64_t)CLAMP(a + b, least, most);
}

static bool spoil_integer_sum(const fold_t *fold, fold_value_t left, fold_value_t right,
                              fold_value_t *out_value) {
  fault_t fault = fold->schedule->fault;
  bool is_boolean = fold->element->kind == ELEMENT_BOOLEAN;
  if (fault == FAULT_boolean_sums_exclusive && is_boolean) {
    *out_value = fold_integer(left.integer ^ right.integer);
    return true;
  }
  if (fault != FAULT_integer_sums_saturate || is_boolean) return false;
  *out_value = fold_integer(saturated_sum(fold->element, left.integer, right.integer));
  return true;
}

bool fold_spoil_node(const fold_t *fold, fold_value_t left, fold_value_t right,
                     fold_value_t *out_value) {
  bool is_float = fold->element->kind == ELEMENT_FLOAT;
  bool is_extremum = fold->body == FOLD_MAXIMUM || fold->body == FOLD_MINIMUM;
  if (is_extremum) return is_float && spoil_extremum(fold, left, right, out_value);
  if (fold->body != FOLD_ADD) return false;
  return is_float ? spoil_sum(fold, left, right, out_value)
                  : spoil_integer_sum(fold, left, right, out_value);
}
