/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds and splits numbers of any storage type: floats through plan.h's dot_split(), integers in
 * integer arithmetic, so that 64 bits of them are rounded once. */
#include "oracles/ops/dot_general/components.h"

#include <math.h>

#include "harness/num/element_value.h"

static void fill_nan(int count, double *out_components) {
  for (int i = 0; i < count; i++) out_components[i] = NAN;
}

/* ---- Integers as floats ---------------------------------------------------------------------- */

static __int128 load_integer(const tensor_t *operand, size_t component) {
  const element_t *element = operand->type.element;
  uint64_t bits = element_load(element, operand->data, component);
  return element->kind == ELEMENT_SIGNED ? (__int128)element_signed_value(element, bits)
                                         : (__int128)bits;
}

/* At most 64 bits and a sign. */
static double round_integer(const format_t *precision, __int128 value, rounding_t rounding) {
  if (value == 0) return 0;
  const number_t number = {.kind = NUMBER_FINITE,
                           .negative = value < 0,
                           .significand = (uint64_t)(value < 0 ? -value : value)};
  uint64_t bits = format_encode(precision, number, rounding, OVERFLOW_FORMAT);
  return format_to_double(precision, bits);
}

/* What is left of an integer is an integer while components are; a component that is none has
 * stopped at the largest number of its type, or is not finite. */
static void split_integer(split_t split, const format_t *precision, int count, __int128 value,
                          double *out_components) {
  double rest = 0;
  bool is_integer = true;
  for (int i = 0; i < count; i++) {
    rounding_t rounding = dot_split_rounding(split, i, count);
    double component = is_integer ? round_integer(precision, value, rounding)
                                  : dot_split_round(precision, rest, rounding);
    out_components[i] = component;
    if (is_integer && fabs(component) <= 0x1p64 && trunc(component) == component) {
      value -= (__int128)component;
    } else {
      rest = (is_integer ? (double)value : rest) - component;
      is_integer = false;
    }
  }
}

/* ---- Numbers as integers --------------------------------------------------------------------- */

static bool holds_integer(const element_t *type, __int128 value) {
  return value >= (__int128)element_integer_min(type) &&
         value <= (__int128)element_integer_max(type);
}

static double round_to_integer(double value, rounding_t rounding) {
  if (rounding == ROUNDING_TOWARD_ZERO) return trunc(value);
  return rounding == ROUNDING_NEAREST_AWAY ? round(value) : nearbyint(value);
}

bool dot_components_load_integer(split_t split, const element_t *precision, const tensor_t *operand,
                                 size_t component, uint64_t *out_integer) {
  const element_t *element = operand->type.element;
  __int128 value;
  *out_integer = 0;
  if (element->format == NULL) {
    value = load_integer(operand, component);
  } else {
    uint64_t bits = element_load(element, operand->data, component);
    double number = format_to_double(element->format, bits);
    number = round_to_integer(number, dot_split_rounding(split, 0, 1));
    if (!(fabs(number) <= 0x1p64)) return false; /* NaN too. */
    value = (__int128)number;
  }
  if (!holds_integer(precision, value)) return false;
  *out_integer = (uint64_t)value;
  return true;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool load_as_integer(split_t split, const element_t *precision, const tensor_t *operand,
                            size_t component, double *out_components) {
  uint64_t integer;
  bool is_known = dot_components_load_integer(split, precision, operand, component, &integer);
  out_components[0] =
      precision->kind == ELEMENT_SIGNED ? (double)(int64_t)integer : (double)integer;
  if (!is_known) fill_nan(1, out_components);
  return is_known;
}

bool dot_components_load(split_t split, const element_t *precision, int count,
                         const tensor_t *operand, size_t component,
                         double out_components[DOT_COMPONENTS_MAX]) {
  const element_t *element = operand->type.element;
  if (precision->format == NULL) {
    return load_as_integer(split, precision, operand, component, out_components);
  }
  if (element->format == NULL) {
    split_integer(split, precision->format, count, load_integer(operand, component),
                  out_components);
    return true;
  }
  dot_stored_t number = {.storage = element->format};
  number.bits = element_load(element, operand->data, component);
  number.value = format_to_double(number.storage, number.bits);
  if (!isfinite(number.value) && !format_has_nan(precision->format)) {
    fill_nan(count, out_components);
    return false;
  }
  if (number.storage == precision->format && count == 1) {
    out_components[0] = number.value;
  } else {
    dot_split(split, precision->format, count, &number, out_components);
  }
  return true;
}

bool dot_general_load_components(const tensor_t *operand, const dot_plan_t *plan, split_t split,
                                 uint32_t side, size_t component,
                                 double out_components[DOT_COMPONENTS_MAX]) {
  if (!plan->has_algorithm) {
    const element_t *element = operand->type.element;
    out_components[0] = element_load_float(element, operand->data, component);
    return true;
  }
  return dot_components_load(dot_plan_split(plan, side, split), plan->types[side],
                             plan->component_counts[side], operand, component, out_components);
}
