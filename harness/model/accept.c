/* SPDX-License-Identifier: Apache-2.0 */
/* Membership in a fast accept set: listed pattern, special-value flags, then one of two intervals,
 * restricted to the numbers of another format where results come from a conversion. */
#include "harness/model/accept.h"

#include <math.h>

bool accept_special_holds(const accept_t *accept, const format_t *format, size_t component,
                          uint64_t bits) {
  if (accept->specials == NULL || accept->specials[component] == 0) return false;
  double value = format_to_double(format, bits);
  bool is_negative = signbit(value) != 0;
  unsigned special = 0;
  if (isnan(value)) {
    special = ACCEPT_NAN;
  } else if (isinf(value)) {
    special = is_negative ? ACCEPT_NEGATIVE_INFINITY : ACCEPT_POSITIVE_INFINITY;
  } else if (value == 0 && is_negative) {
    special = ACCEPT_NEGATIVE_ZERO;
  }
  return (accept->specials[component] & special) != 0;
}

bool accept_holds(const accept_t *accept, const element_t *element, size_t component,
                  uint64_t bits) {
  if (accept->decide != NULL && accept->decide[component] != 0) return false;
  if (accept->bits != NULL && accept->bits[component] == bits) return true;
  if (accept->low == NULL) return false;
  if (element->format == NULL) {
    double integer = (double)element_signed_value(element, bits);
    return accept->low[component] <= integer && integer <= accept->high[component];
  }
  if (accept_special_holds(accept, element->format, component, bits)) return true;
  double value = format_to_double(element->format, bits);
  if (!isfinite(value) || (value == 0 && signbit(value) != 0)) return false;
  if (accept->grid != NULL && format_round_double(accept->grid, value) != value) return false;
  if (accept->low[component] <= value && value <= accept->high[component]) return true;
  return accept->other_low != NULL && accept->other_low[component] <= value &&
         value <= accept->other_high[component];
}

bool accept_differs_from_twin(const accept_t *accept, const tensor_t *result, size_t component) {
  if (accept->twin == NULL) return false;
  const element_t *element = result->type.element;
  return element_load(element, result->data, component) !=
         element_load(element, result->data, accept->twin[component]);
}
