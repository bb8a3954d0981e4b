/* SPDX-License-Identifier: Apache-2.0 */
/* Prints scales as hexadecimal floats in one canonical spelling, and parses only that spelling, so
 * that equal types have equal text. */
#include "harness/types/scale.h"

#include <inttypes.h>

#include "harness/num/format.h"

enum { SCALE_TEXT_BYTES_MAX = 24, HEX_DIGITS = 16 };

void scale_print(double scale, GString *out_text) {
  const format_t *f64 = &format_table[FORMAT_f64];
  number_t number = format_decode(f64, format_from_double(f64, scale));
  g_assert(number.kind == NUMBER_FINITE && !number.negative);
  int shift = __builtin_clzll(number.significand);
  uint64_t fraction = number.significand << shift << 1;
  g_string_append(out_text, "0x1");
  if (fraction != 0) {
    int zeros = __builtin_ctzll(fraction) / 4;
    g_string_append_printf(out_text, ".%0*" PRIx64, HEX_DIGITS - zeros, fraction >> (zeros * 4));
  }
  g_string_append_printf(out_text, "p%+d", number.exponent + 63 - shift);
}

bool scale_parse(str_t text, double *out_scale) {
  char copy[SCALE_TEXT_BYTES_MAX + 1] = "";
  if (text.size > SCALE_TEXT_BYTES_MAX) return false;
  memcpy(copy, text.data, text.size);
  double scale = g_ascii_strtod(copy, NULL);
  bool is_finite = scale * 0 == 0;
  if (!is_finite || scale <= 0) return false;
  GString *canonical = g_string_new(NULL);
  scale_print(scale, canonical);
  bool is_canonical = strcmp(copy, canonical->str) == 0;
  g_string_free(canonical, TRUE);
  if (is_canonical) *out_scale = scale;
  return is_canonical;
}
