/* SPDX-License-Identifier: Apache-2.0 */
/* Tests whether an exact MPFR value is representable in a format, or in every format that counts
 * as wider than it, from its precision and lowest bit. */
#include "oracles/exact/wider_node.h"

#include "oracles/exact/error_bound.h"

/* Whether a number has at most `precision` bits, and none below 2^lowest. */
static bool fits(mpfr_srcptr value, int precision, int lowest) {
  if (mpfr_zero_p(value)) return true;
  if (!mpfr_number_p(value)) return false;
  mpfr_prec_t bits = mpfr_min_prec(value);
  return bits <= precision && mpfr_get_exp(value) - bits >= lowest;
}

/* theory.md, D6. */
bool wider_node_holds(const format_t *format, mpfr_srcptr value) {
  int more = error_bound_wider_bits(format);
  return fits(value, format->precision + more, format->exponent_min - format->precision + 1 - more);
}

bool format_holds(const format_t *format, mpfr_srcptr value) {
  double largest = format_to_double(format, format->largest_bits);
  return fits(value, format->precision, format->exponent_min - format->precision + 1) &&
         mpfr_cmp_d(value, largest) <= 0 && mpfr_cmp_d(value, -largest) >= 0;
}
