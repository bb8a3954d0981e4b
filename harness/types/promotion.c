/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether every value of one element type is also a value of another, format by format. */
#include "harness/types/promotion.h"

static bool kinds_agree(const element_t *from, const element_t *to) {
  return from->kind == to->kind || (element_is_integer(from) && element_is_integer(to));
}

bool element_is_promotable(const element_t *from, const element_t *to) {
  return from->is_tensor_element && to->is_tensor_element && kinds_agree(from, to) &&
         from->bits <= to->bits;
}

static bool integers_survive(const element_t *from, const element_t *to) {
  if (from->kind == to->kind) return from->bits <= to->bits;
  return to->kind == ELEMENT_SIGNED && from->bits < to->bits;
}

static bool specials_survive(const format_t *from, const format_t *to) {
  return (!format_has_infinity(from) || format_has_infinity(to)) &&
         (!format_has_nan(from) || format_has_nan(to)) &&
         (!format_has_negative_zero(from) || format_has_negative_zero(to));
}

/* Every finite number of `from` lies on the grid of `to` and in its range. */
static bool numbers_survive(const format_t *from, const format_t *to) {
  int from_quantum = from->exponent_min - from->precision + 1;
  int to_quantum = to->exponent_min - to->precision + 1;
  return from->precision <= to->precision && from_quantum >= to_quantum &&
         format_to_double(from, from->largest_bits) <= format_to_double(to, to->largest_bits);
}

bool element_promotion_is_exact(const element_t *from, const element_t *to) {
  if (from == to) return true;
  if (!element_is_promotable(from, to)) return false;
  if (from->format == NULL) return integers_survive(from, to);
  return specials_survive(from->format, to->format) && numbers_survive(from->format, to->format);
}

status_t element_require_exact_promotion(const element_t *from, const element_t *to,
                                         failure_t *error) {
  if (element_promotion_is_exact(from, to)) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for %s accumulated in %s, which does not hold all its values",
                     from->name, to->name);
}
