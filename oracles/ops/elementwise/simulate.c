/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of the elementwise ops returns: what reduce does with two terms
 * (fold.h), where reduce has that. */
#include <glib.h>
#include <math.h>

#include "generated/elementwise_faults.h"
#include "harness/num/binary64.h"
#include "oracles/exact/fold/fold.h"
#include "oracles/ops/elementwise/parts.h"

enum { LANES = 8 }; /* Of a fault that broadcasts one. */

static fold_body_t body_of(elementwise_t function, const element_t *element, fault_t fault) {
  switch (function) {
    case ELEMENTWISE_MULTIPLY:
      return FOLD_MULTIPLY;
    case ELEMENTWISE_MAXIMUM:
      return FOLD_MAXIMUM;
    case ELEMENTWISE_MINIMUM:
      return FOLD_MINIMUM;
    default: {
      bool is_exclusive = element->kind == ELEMENT_BOOLEAN && fault == FAULT_booleans_exclusive;
      return is_exclusive ? FOLD_XOR : FOLD_ADD;
    }
  }
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static double negate_part(fault_t fault, double value) {
  if (fault == FAULT_negation_of_magnitude) return -fabs(value);
  return fault == FAULT_negate_by_subtraction ? 0 - value : -value;
}

static fold_value_t negate_float(const fold_t *fold, fold_value_t value) {
  fault_t fault = fold->schedule->fault;
  double real = negate_part(fault, value.real);
  if (fold->element->kind == ELEMENT_FLOAT) return fold_real(real);
  return fold_complex(real, negate_part(fault, value.imaginary));
}

static bool spoil_extremum(fault_t fault, bool is_maximum, fold_value_t left, fold_value_t right,
                           fold_value_t *out_value) {
  bool takes_left = isnan(right.real), is_nan = takes_left || isnan(left.real);
  double a = is_maximum ? left.real : right.real, b = is_maximum ? right.real : left.real;
  switch (fault) {
    case FAULT_drop_nan:
      if (!is_nan) return false;
      takes_left = !isnan(left.real);
      break;
    case FAULT_extremum_takes_right_nan:
      takes_left = a > b;
      break;
    case FAULT_extremum_by_bits:
      if (is_nan) return false;
      takes_left = (int64_t)binary64_bits(a) > (int64_t)binary64_bits(b);
      break;
    default:
      return false;
  }
  *out_value = takes_left ? left : right;
  return true;
}

static fold_value_t operate_floats(const fold_t *fold, elementwise_t function, fold_value_t left,
                                   fold_value_t right) {
  bool is_extremum = function == ELEMENTWISE_MAXIMUM || function == ELEMENTWISE_MINIMUM;
  if (function == ELEMENTWISE_NEGATE) return negate_float(fold, left);
  if (is_extremum && fold->element->kind == ELEMENT_FLOAT) {
    fold_value_t spoilt;
    bool is_maximum = function == ELEMENTWISE_MAXIMUM;
    if (spoil_extremum(fold->schedule->fault, is_maximum, left, right, &spoilt)) return spoilt;
  }
  if (function == ELEMENTWISE_SUBTRACT) {
    right.real = -right.real;
    if (fold->element->kind == ELEMENT_COMPLEX) right.imaginary = -right.imaginary;
  }
  return fold->combine(fold, left, right);
}

/* ---- Integers -------------------------------------------------------------------------------- */

static __int128 wide_value(const element_t *element, uint64_t extended) {
  return element->kind == ELEMENT_SIGNED ? (__int128)(int64_t)extended : (__int128)extended;
}

/* At the nearest end of the range instead of wrapped; products of ui64 in 128 bits without sign. */
static uint64_t saturated(const element_t *element, elementwise_t function, uint64_t a,
                          uint64_t b) {
  __int128 least = element_integer_min(element), most = (__int128)element_integer_max(element);
  __int128 left = wide_value(element, a), right = wide_value(element, b), exact = left + right;
  if (function == ELEMENTWISE_SUBTRACT) exact = left - right;
  if (function == ELEMENTWISE_NEGATE) exact = -left;
  if (function == ELEMENTWISE_MULTIPLY) {
    bool is_far = element->kind != ELEMENT_SIGNED && left != 0 && right > most / left;
    exact = is_far ? most : left * right;
  }
  return (uint64_t)CLAMP(exact, least, most);
}

/* Of a value that is shifted by less than the width, or by more. */
static uint64_t divide_by_power(int64_t value, uint64_t amount, bool is_in_range) {
  return is_in_range && amount < 63 ? (uint64_t)(value / (INT64_C(1) << amount)) : 0;
}

static uint64_t shift(const element_t *element, fault_t fault, uint64_t left, uint64_t amount) {
  unsigned unused = 64u - element->bits;
  int64_t value = (int64_t)(left << unused) >> unused;
  uint64_t pattern = left & element_mask(element);
  amount &= element_mask(element);
  if (fault == FAULT_shift_modulo) amount %= element->bits;
  if (fault == FAULT_shift_as_of_32_bits) amount %= element->bits == 64 ? 64 : 32;
  bool is_in_range = amount < element->bits;
  if (fault == FAULT_shift_as_division) return divide_by_power(value, amount, is_in_range);
  if (fault == FAULT_shift_logical) return is_in_range ? pattern >> amount : 0;
  return is_in_range ? (uint64_t)(value >> amount) : value < 0 ? UINT64_MAX : 0;
}

/* The larger or smaller of two patterns, read as signed. */
static fold_value_t misread_extremum(const element_t *element, elementwise_t function,
                                     fold_value_t left, fold_value_t right) {
  unsigned unused = 64u - element->bits;
  int64_t a = (int64_t)(left.integer << unused), b = (int64_t)(right.integer << unused);
  return (function == ELEMENTWISE_MAXIMUM) == (a < b) ? right : left;
}

/* Of faults that compute integers in another way; false where the fault of the schedule is none of
 * them, or leaves these as they are. */
static bool compute_wrongly(const fold_t *fold, elementwise_t function, uint64_t a, uint64_t b,
                            uint64_t *out_value) {
  const element_t *element = fold->element;
  bool is_signed = element->kind == ELEMENT_SIGNED, is_wide = element->bits == 64;
  bool is_difference = function == ELEMENTWISE_SUBTRACT;
  uint64_t mask = element_mask(element);
  switch (fold->schedule->fault) {
    case FAULT_products_of_halves:
      *out_value = (uint64_t)(uint32_t)a * (uint32_t)b;
      return is_wide && function == ELEMENTWISE_MULTIPLY;
    case FAULT_booleans_multiplied_as_or:
      *out_value = a | b;
      return element->kind == ELEMENT_BOOLEAN && function == ELEMENTWISE_MULTIPLY;
    case FAULT_negation_saturates:
      *out_value = element_integer_max(element);
      return is_signed && function == ELEMENTWISE_NEGATE &&
             (int64_t)a == element_integer_min(element);
    case FAULT_difference_as_unsigned:
      *out_value = 0;
      return element->kind == ELEMENT_UNSIGNED && is_difference && a < b;
    case FAULT_integers_by_f64: {
      double left = is_signed ? (double)(int64_t)a : (double)a;
      double right = is_signed ? (double)(int64_t)b : (double)b;
      double sum = is_difference ? left - right : left + right;
      bool fits = is_signed ? fabs(sum) < 0x1p63 : sum >= 0 && sum < 0x1p64;
      *out_value = !fits ? a + b : is_signed ? (uint64_t)(int64_t)sum : (uint64_t)sum;
      return fits && is_wide && (is_difference || function == ELEMENTWISE_ADD);
    }
    case FAULT_extremum_by_difference: {
      bool is_below = ((a - b) & mask) >> (element->bits - 1) != 0;
      *out_value = is_below == (function == ELEMENTWISE_MAXIMUM) ? b : a;
      bool is_extremum = function == ELEMENTWISE_MAXIMUM || function == ELEMENTWISE_MINIMUM;
      return is_extremum && element_is_integer(element);
    }
    default:
      return false;
  }
}

static fold_value_t operate_integers(const fold_t *fold, elementwise_t function, fold_value_t left,
                                     fold_value_t right) {
  const element_t *element = fold->element;
  fault_t fault = fold->schedule->fault;
  uint64_t a = left.integer, b = right.integer, wrong;
  if (compute_wrongly(fold, function, a, b, &wrong)) return fold_integer(wrong);
  if (function == ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC) {
    return fold_integer(shift(element, fault, a, b));
  }
  bool is_sum = function == ELEMENTWISE_ADD || function == ELEMENTWISE_SUBTRACT;
  bool may_overflow = is_sum || function == ELEMENTWISE_MULTIPLY ||
                      (function == ELEMENTWISE_NEGATE && element->kind == ELEMENT_SIGNED);
  if (fault == FAULT_integers_saturate && may_overflow && element_is_integer(element)) {
    return fold_integer(saturated(element, function, a, b));
  }
  bool is_extremum = function == ELEMENTWISE_MAXIMUM || function == ELEMENTWISE_MINIMUM;
  bool is_misread = element->kind == ELEMENT_UNSIGNED && fault == FAULT_unsigned_as_signed;
  if (is_extremum && is_misread) return misread_extremum(element, function, left, right);
  if (function == ELEMENTWISE_NEGATE) return fold_integer(0 - a);
  if (function == ELEMENTWISE_SUBTRACT) right = fold_integer(0 - b);
  return fold->combine(fold, left, right);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Whether it is one of elementwise/complex_simulate.c. */
static bool is_complex_step(const element_t *element, elementwise_t function) {
  return element->kind == ELEMENT_COMPLEX &&
         (function == ELEMENTWISE_MULTIPLY || function == ELEMENTWISE_MAXIMUM ||
          function == ELEMENTWISE_MINIMUM);
}

/* One operation of one format rounds once, however the schedule orders and fuses; complex products
 * are several. */
status_t elementwise_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                              tensor_t *inout_results) {
  const case_t *instance = call->instance;
  STATUS_TRY(elementwise_check(&instance->program, call->error));
  tensor_t *result = &inout_results[0];
  if (result->type.quantization != NULL) {
    elementwise_quantized_simulate(instance, schedule, result);
    return STATUS_OK;
  }
  const element_t *element = result->type.element;
  elementwise_t function = elementwise_of(&instance->program);
  implementation_model_t plain = *schedule;
  plain.fused = false;
  plain.accumulator = NULL;
  fold_t fold;
  fold_body_t body = body_of(function, element, schedule->fault);
  STATUS_TRY(fold_make(body, element, NULL, &plain, &fold, call->error));
  bool is_reversed = function == ELEMENTWISE_SUBTRACT && schedule->fault == FAULT_subtract_reversed;
  const tensor_t *first = &instance->operands[is_reversed ? 1 : 0];
  const tensor_t *last = &instance->operands[is_reversed ? 0 : instance->program.operand_count - 1];
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    fold_value_t left = fold_load(&fold, element, first->data, i);
    size_t lane = schedule->fault == FAULT_lanes_broadcast ? i - i % LANES : i;
    fold_value_t right = fold_load(&fold, element, last->data, lane);
    fold_value_t value;
    if (is_complex_step(element, function)) {
      value = elementwise_combine_complex(&fold, function, schedule, left, right);
    } else {
      value = element->format != NULL ? operate_floats(&fold, function, left, right)
                                      : operate_integers(&fold, function, left, right);
    }
    fold_store(&fold, value, i, result);
  }
  return STATUS_OK;
}
