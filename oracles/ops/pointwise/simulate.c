/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of the pointwise ops returns, with its planted fault. */
#include <glib.h>
#include <math.h>

#include "generated/pointwise_faults.h"
#include "generated/pointwise_permissions.h"
#include "harness/model/fault.h"
#include "oracles/copied.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/ops/pointwise/parts.h"

/* ---- Floats ---------------------------------------------------------------------------------- */

static double divide_by_inverse(const arithmetic_t *steps, double x, double y) {
  return arithmetic_multiply(steps, x, arithmetic_divide(steps, 1, y));
}

static double remainder_by_quotient(const arithmetic_t *steps, double x, double y) {
  double whole = trunc(arithmetic_divide(steps, x, y));
  return arithmetic_add(steps, x, -arithmetic_multiply(steps, whole, y));
}

static double remainder_of_floor(const arithmetic_t *steps, double x, double y) {
  double rest = fmod(x, y);
  bool is_other = rest != 0 && signbit(rest) != signbit(y);
  return is_other ? arithmetic_add(steps, rest, y) : rest;
}

static double clamp(fault_t fault, const double x[]) {
  if (fault == FAULT_clamp_drops_nan) return fmin(fmax(x[1], x[0]), x[2]);
  return arithmetic_maximum(arithmetic_minimum(x[1], x[2]), x[0]);
}

/* Of faults that compute floats in another way; false where the fault is none of them, or leaves
 * the op as it is. */
static bool compute_wrongly(fault_t fault, pointwise_t function, const arithmetic_t *steps,
                            const double x[], double *out_value) {
  bool divides = function == POINTWISE_DIVIDE, is_even = function == POINTWISE_ROUND_EVEN;
  bool is_nearest = is_even || function == POINTWISE_ROUND_AWAY;
  switch (fault) {
    case FAULT_divide_by_inverse:
      *out_value = divides ? divide_by_inverse(steps, x[0], x[1]) : 0;
      return divides;
    case FAULT_remainder_by_quotient:
      *out_value = remainder_by_quotient(steps, x[0], x[1]);
      return function == POINTWISE_REMAINDER;
    case FAULT_remainder_of_floor:
      *out_value = remainder_of_floor(steps, x[0], x[1]);
      return function == POINTWISE_REMAINDER;
    case FAULT_sqrt_by_inverse:
      *out_value = arithmetic_multiply(steps, x[0], arithmetic_round(steps, 1 / sqrt(x[0])));
      return function == POINTWISE_SQRT;
    case FAULT_abs_by_comparison:
      *out_value = x[0] < 0 ? -x[0] : x[0];
      return function == POINTWISE_ABS;
    case FAULT_sign_of_nan_zero:
      *out_value = 0;
      return function == POINTWISE_SIGN && isnan(x[0]);
    case FAULT_sign_of_zero_positive:
      *out_value = 0;
      return function == POINTWISE_SIGN && x[0] == 0;
    case FAULT_floor_truncates:
      *out_value = trunc(x[0]);
      return function == POINTWISE_FLOOR;
    case FAULT_ceil_of_floor:
      *out_value = floor(x[0]) + 1;
      return function == POINTWISE_CEIL;
    case FAULT_round_ties_exchanged:
      *out_value = is_even ? round(x[0]) : nearbyint(x[0]);
      return is_nearest;
    case FAULT_round_by_half:
      *out_value = copysign(floor(arithmetic_add(steps, x[0], 0.5)), x[0]);
      return is_nearest;
    case FAULT_clamp_most_first:
    case FAULT_clamp_drops_nan:
      *out_value = function == POINTWISE_CLAMP ? clamp(fault, x) : 0;
      return function == POINTWISE_CLAMP;
    default:
      return false;
  }
}

static uint64_t compare_wrongly(fault_t fault, const pointwise_step_t *step,
                                const uint64_t operands[], const double x[]) {
  bool is_unordered = isnan(x[0]) || isnan(x[1]);
  int sign = x[0] < x[1] ? -1 : x[0] > x[1];
  if (fault == FAULT_compare_by_bits) {
    sign = operands[0] < operands[1] ? -1 : operands[0] > operands[1];
    is_unordered = false;
  }
  if (fault == FAULT_compare_nan_equal && isnan(x[0]) && isnan(x[1])) is_unordered = false;
  comparison_t direction = step->direction;
  bool is_negated =
      fault == FAULT_compare_negated && (direction == COMPARISON_GE || direction == COMPARISON_LE);
  if (!is_negated) return pointwise_holds(direction, sign, is_unordered);
  comparison_t opposite = direction == COMPARISON_GE ? COMPARISON_LT : COMPARISON_GT;
  return !pointwise_holds(opposite, sign, is_unordered);
}

static bool compares_wrongly(fault_t fault) {
  return fault == FAULT_compare_by_bits || fault == FAULT_compare_negated ||
         fault == FAULT_compare_nan_equal;
}

static uint64_t operate_floats(const implementation_model_t *schedule, bool by_inverse,
                               const pointwise_step_t *step, const uint64_t operands[]) {
  const format_t *format = step->element->format;
  fault_t fault = by_inverse ? FAULT_divide_by_inverse : schedule->fault;
  uint64_t read[POINTWISE_OPERANDS_MAX] = {0};
  double x[POINTWISE_OPERANDS_MAX] = {0}, wrong;
  for (uint32_t i = 0; i < pointwise_arity(step->function); i++) {
    x[i] = fault_load_float(schedule->fault, format, operands[i]);
    read[i] = format_from_double(format, x[i]);
  }
  const arithmetic_t steps = arithmetic_make(format);
  if (step->function == POINTWISE_COMPARE && compares_wrongly(fault)) {
    return compare_wrongly(fault, step, read, x);
  }
  if (compute_wrongly(fault, step->function, &steps, x, &wrong)) {
    return format_from_double(format, wrong);
  }
  bool is_open;
  return pointwise_apply(step, read, &is_open);
}

/* ---- Integers -------------------------------------------------------------------------------- */

static bool is_of_bits(pointwise_t function) {
  return function >= POINTWISE_AND && function <= POINTWISE_NOT;
}

static uint64_t of_truths(const pointwise_step_t *step, const uint64_t operands[]) {
  uint64_t truths[] = {operands[0] != 0, operands[1] != 0, 0};
  if (step->function == POINTWISE_NOT) return !truths[0];
  bool is_open;
  return pointwise_apply(step, truths, &is_open);
}

static int64_t quotient_in_f32(int64_t a, int64_t b) {
  float quotient = (float)a / (float)b;
  return fabsf(quotient) < 0x1p62f ? (int64_t)quotient : a / b;
}

/* Quotients and remainders of signed integers that are neither by zero nor beyond the range. */
static uint64_t divide_wrongly(fault_t fault, pointwise_t function, int64_t a, int64_t b) {
  bool is_uneven = a % b != 0 && (a < 0) != (b < 0), divides = function == POINTWISE_DIVIDE;
  int64_t quotient = a / b, rest = a % b;
  if (divides && fault == FAULT_divide_by_f32) return (uint64_t)quotient_in_f32(a, b);
  if (divides && fault == FAULT_divide_rounds_down) quotient -= is_uneven;
  if (fault == FAULT_remainder_of_floor && is_uneven) rest += b;
  return (uint64_t)(divides ? quotient : rest);
}

static uint64_t operate_integers(fault_t fault, const pointwise_step_t *step,
                                 const uint64_t operands[]) {
  pointwise_step_t taken = *step;
  const element_t *element = step->element;
  if (is_of_bits(step->function) && fault == FAULT_bits_as_truths) return of_truths(step, operands);
  if (step->function == POINTWISE_XOR && fault == FAULT_xor_as_or) taken.function = POINTWISE_OR;
  bool divides = step->function == POINTWISE_DIVIDE || step->function == POINTWISE_REMAINDER;
  if (divides && element->kind == ELEMENT_SIGNED) {
    int64_t a = element_signed_value(element, operands[0]);
    int64_t b = element_signed_value(element, operands[1]);
    if (b != 0 && b != -1) {
      return divide_wrongly(fault, step->function, a, b) & element_mask(element);
    }
  }
  g_autofree char *name = NULL;
  if (fault == FAULT_unsigned_as_signed && element->kind == ELEMENT_UNSIGNED) {
    name = g_strdup(element->name + 1); /* "ui8" is "i8" without its first letter. */
    taken.element = element_named(name);
  }
  bool is_open;
  return pointwise_apply(&taken, operands, &is_open);
}

/* ---- All ------------------------------------------------------------------------------------- */

static uint64_t choose(fault_t fault, const case_t *instance, const uint64_t operands[]) {
  const tensor_t *condition = &instance->operands[0];
  bool is_first = operands[0] != 0;
  if (fault == FAULT_select_by_first)
    is_first = element_load(condition->type.element, condition->data, 0) != 0;
  if (fault == FAULT_select_exchanged) is_first = !is_first;
  return operands[is_first ? 1 : 2];
}

/* One operation is rounded once, however a schedule orders and fuses. */
status_t pointwise_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                            tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  contract_t contract = contract_backend();
  if (schedule->readings != NULL) {
    STATUS_TRY(contract_parse(str_from(schedule->readings), &contract, call->error));
  }
  const pointwise_step_t step = pointwise_step_of(program);
  bool by_inverse =
      step.function == POINTWISE_DIVIDE && PERMITTED(&contract, division) == DIVISION_RECIPROCAL;
  tensor_t *result = &inout_results[0];
  const element_t *element = result->type.element;
  for (size_t i = 0; i < type_component_count(&result->type); i++) {
    size_t number = i / element->components;
    if (fault_skips_store(schedule->fault, number, result)) continue;
    uint64_t operands[POINTWISE_OPERANDS_MAX] = {0};
    for (uint32_t k = 0; k < program->operand_count; k++) {
      const tensor_t *operand = &call->instance->operands[k];
      operands[k] =
          element_load(operand->type.element, operand->data, pointwise_place(program, k, i));
    }
    uint64_t bits;
    if (step.function == POINTWISE_SELECT) {
      bits = choose(schedule->fault, call->instance, operands);
      bits = copied_spoil(schedule->fault, element, bits, number);
    } else if (step.element->format != NULL) {
      bits = operate_floats(schedule, by_inverse, &step, operands);
      if (element->format != NULL)
        bits = fault_spoil_bits(schedule->fault, element->format, bits, number);
    } else {
      bits = operate_integers(schedule->fault, &step, operands);
    }
    element_store(element, result->data, i, bits);
  }
  return STATUS_OK;
}
