#include "harness/model/accept.h"

#include <math.h>

static bool special_holds(const accept_t *accept, const format_t *format, size_t component,
                          uint64_t bits) {
  unsigned specials = accept->specials == NULL ? 0 : accept->specials[component];
  if (format_is_nan(format, bits)) return (specials & ACCEPT_NAN) != 0;
  bool negative = format_is_negative(format, bits);
  return (specials & (negative ? ACCEPT_NEGATIVE_INFINITY : ACCEPT_POSITIVE_INFINITY)) != 0;
}

bool accept_holds(const accept_t *accept, const element_t *element, size_t component,
                  uint64_t bits) {
  if (accept->ask != NULL && accept->ask[component] != 0) return false;
  if (accept->bits != NULL && accept->bits[component] == bits) return true;
  if (accept->low == NULL || element->format == NULL) return false;
  double value = format_to_double(element->format, bits);
  if (!isfinite(value)) return special_holds(accept, element->format, component, bits);
  if (value == 0 && signbit(value) != 0) return false;
  if (accept->grid != NULL && format_round_double(accept->grid, value) != value) return false;
  if (accept->low[component] <= value && value <= accept->high[component]) return true;
  return accept->other_low != NULL && accept->other_low[component] <= value &&
         value <= accept->other_high[component];
}
