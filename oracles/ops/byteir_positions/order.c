/* SPDX-License-Identifier: Apache-2.0 */
/* Orders elements in two independent ways, by integer keys (fast) and by comparing values (exact),
 * under the contract's rules for NaN, zeros and flushing. Also defines which patterns a copied
 * element may become. */
#include "oracles/ops/byteir_positions/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Keys of floats: +0 is in the middle, a positive pattern m lies m above it.  A negative one lies m
 * + 1 below it, so that -0 has a key of its own, which is used only where zeros are ordered. */
static uint64_t float_key(const pick_order_t *order, uint64_t bits) {
  const uint64_t middle = UINT64_C(1) << 63;
  const format_t *format = order->element->format;
  uint64_t sign = UINT64_C(1) << (format->bits - 1);
  bool is_negative = (bits & sign) != 0;
  uint64_t magnitude = bits & (sign - 1);
  uint64_t smallest_normal = UINT64_C(1) << (format->precision - 1);
  if (order->flushes && magnitude < smallest_normal) magnitude = 0;
  if (magnitude == 0 && !order->orders_zeros) return middle;
  return is_negative ? middle - magnitude - 1 : middle + magnitude;
}

/* NaNs take the outermost keys: numbers have none of these, since all of their patterns are smaller
 * than those of NaNs. */
uint64_t pick_order_key(const pick_order_t *order, uint64_t bits) {
  const element_t *element = order->element;
  uint64_t key;
  if (element->format == NULL) {
    key = element->kind == ELEMENT_SIGNED
              ? (uint64_t)element_signed_value(element, bits) ^ UINT64_C(1) << 63
              : bits;
  } else if (format_is_nan(element->format, bits) && order->nan != PICK_NAN_BY_PATTERN) {
    return order->nan == PICK_NAN_FIRST ? UINT64_MAX : 0;
  } else {
    key = float_key(order, bits);
  }
  return order->smallest_first ? ~key : key;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_nan(const element_t *element, uint64_t bits) {
  return element->format != NULL && format_is_nan(element->format, bits);
}

/* 1 if NaNs like this one stand before all numbers, -1 if after them; 0 for numbers. */
static int side_of(const pick_order_t *order, uint64_t bits) {
  if (!is_nan(order->element, bits)) return 0;
  if (order->nan != PICK_NAN_BY_PATTERN) return order->nan == PICK_NAN_FIRST ? 1 : -1;
  return format_is_negative(order->element->format, bits) == order->smallest_first ? 1 : -1;
}

/* 1, 0 or -1 as a number is greater than, equal to or less than another. */
static int compare_numbers(const pick_order_t *order, uint64_t a, uint64_t b) {
  const element_t *element = order->element;
  if (element->kind == ELEMENT_SIGNED) {
    int64_t left = element_signed_value(element, a), right = element_signed_value(element, b);
    return (left > right) - (left < right);
  }
  if (element->format == NULL) return (a > b) - (a < b);
  double left = format_to_double(element->format, a), right = format_to_double(element->format, b);
  double normal = ldexp(1, element->format->exponent_min);
  if (order->flushes && fabs(left) < normal) left = copysign(0, left);
  if (order->flushes && fabs(right) < normal) right = copysign(0, right);
  if (left == 0 && right == 0 && order->orders_zeros) {
    return (signbit(right) != 0) - (signbit(left) != 0);
  }
  return (left > right) - (left < right);
}

int pick_order_compare(const pick_order_t *order, uint64_t a, uint64_t b) {
  int left = side_of(order, a), right = side_of(order, b);
  if (left != right) return right - left;
  int greater = 0;
  if (left == 0) {
    greater = compare_numbers(order, a, b);
  } else if (order->nan == PICK_NAN_BY_PATTERN) {
    /* Both have the same sign: patterns ascend away from the numbers. */
    bool is_negative = format_is_negative(order->element->format, a);
    greater = ((a > b) - (a < b)) * (is_negative ? -1 : 1);
  }
  return order->smallest_first ? greater : -greater;
}

/* ---- What an element may become -------------------------------------------------------------- */

bool pick_value_matches(const element_t *element, const contract_t *contract, uint64_t from,
                        uint64_t bits) {
  if (bits == from) return true;
  const format_t *format = element->format;
  if (format == NULL) return false;
  if (format_is_nan(format, from)) return format_is_nan(format, bits);
  if (!format_is_zero(format, bits)) return false;
  bool is_any_sign = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  if (format_is_zero(format, from)) return is_any_sign;
  bool has_same_sign = format_zero_has_sign(format, bits, format_is_negative(format, from));
  return format_is_subnormal(format, from) && PERMITTED(contract, ftz) != FTZ_NONE &&
         (has_same_sign || is_any_sign);
}

bool pick_may_flush(const element_t *element, const contract_t *contract) {
  return element->format != NULL &&
         (PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH);
}

void pick_print_value(const element_t *element, uint64_t bits, char *out, size_t out_bytes) {
  if (is_nan(element, bits)) {
    snprintf(out, out_bytes, "nan");
  } else if (element->format != NULL) {
    snprintf(out, out_bytes, "%a", format_to_double(element->format, bits));
  } else if (element->kind == ELEMENT_SIGNED) {
    snprintf(out, out_bytes, "%" PRId64, element_signed_value(element, bits));
  } else {
    snprintf(out, out_bytes, "%" PRIu64, bits);
  }
}
