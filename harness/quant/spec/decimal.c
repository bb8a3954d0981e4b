/* SPDX-License-Identifier: Apache-2.0 */
/* Reads decimal numbers with one correct rounding to any float format (also near rounding
 * boundaries) and prints the shortest decimal that reads back to the same bits. */
#include "harness/quant/spec/decimal.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>

str_t decimal_take(scan_t *scan) {
  const char *start = scan->cursor;
  while (g_ascii_isalnum(scan_peek(scan)) || scan_peek(scan) == '.' || scan_peek(scan) == '+' ||
         scan_peek(scan) == '-') {
    scan->cursor++;
  }
  return (str_t){.data = start, .size = (size_t)(scan->cursor - start)};
}

/* ---- Grammar --------------------------------------------------------------------------------- */

static size_t take_digits(scan_t *scan, bool is_hex) {
  const char *start = scan->cursor;
  while (is_hex ? g_ascii_isxdigit(scan_peek(scan)) : g_ascii_isdigit(scan_peek(scan))) {
    scan->cursor++;
  }
  return (size_t)(scan->cursor - start);
}

/* ["-"] digits ["." {digit}] [exponent]: what is left is certainly a number to strtod(). */
static bool is_number(str_t text) {
  scan_t scan = scan_make(text);
  (void)scan_accept(&scan, "-");
  bool is_hex = scan_accept(&scan, "0x");
  if (take_digits(&scan, is_hex) == 0) return false;
  if (scan_accept(&scan, ".")) (void)take_digits(&scan, is_hex);
  bool has_exponent =
      is_hex ? scan_accept(&scan, "p") : scan_accept(&scan, "e") || scan_accept(&scan, "E");
  if (has_exponent) {
    if (!scan_accept(&scan, "-")) (void)scan_accept(&scan, "+");
    if (take_digits(&scan, false) == 0) return false;
  }
  return scan_at_end(&scan);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static double read_rounded(const char *text, int direction) {
  int before = fegetround();
  fesetround(direction);
  double value = g_ascii_strtod(text, NULL);
  fesetround(before);
  return value;
}

/* A binary64 number that rounds to the format as the text does: the nearest one, unless a rounding
 * boundary of the format lies just there, where the text's side of it decides. */
static double read_for(const char *text, const format_t *format) {
  double nearest = g_ascii_strtod(text, NULL);
  double below = nextafter(nearest, -INFINITY), above = nextafter(nearest, INFINITY);
  if (format->precision == 53 ||
      format_from_double(format, below) == format_from_double(format, above)) {
    return nearest;
  }
  double floor_value = read_rounded(text, FE_DOWNWARD);
  double ceiling = read_rounded(text, FE_UPWARD);
  if (floor_value == ceiling) return nearest;
  return floor_value == nearest ? above : below;
}

/* Where rounding leaves the format's numbers: to infinity or NaN, or for formats that saturate
 * beyond half a unit above the largest. */
static bool is_in_range(const format_t *format, double value, uint64_t bits) {
  if (format_is_nan(format, bits) || format_is_infinity(format, bits)) return false;
  if (format->specials == FORMAT_EXPONENT_ONLY) return value > 0;
  if (format->specials != FORMAT_FINITE) return true;
  double half_unit = ldexp(0.5, format_ulp_exponent(format, format->exponent_max));
  return fabs(value) <= format_to_double(format, format->largest_bits) + half_unit;
}

static bool read_word(str_t text, const format_t *format, uint64_t *out_bits) {
  number_t number = {.kind = NUMBER_INFINITY};
  if (str_equal_text(text, "nan")) {
    number.kind = NUMBER_NAN;
  } else if (str_equal_text(text, "-inf")) {
    number.negative = true;
  } else if (!str_equal_text(text, "inf")) {
    return false;
  }
  if (number.kind == NUMBER_NAN ? !format_has_nan(format) : !format_has_infinity(format)) {
    return false;
  }
  *out_bits = format_encode(format, number, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  return true;
}

bool decimal_read(str_t text, const format_t *format, bool has_words, uint64_t *out_bits) {
  if (has_words && read_word(text, format, out_bits)) return true;
  if (!is_number(text)) return false;
  char buffer[64];
  char *copy = text.size < sizeof buffer ? buffer : g_malloc(text.size + 1);
  memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  double value = read_for(copy, format);
  if (copy != buffer) g_free(copy);
  uint64_t bits = format_from_double(format, value);
  if (!is_in_range(format, value, bits)) return false;
  *out_bits = bits;
  return true;
}

bool decimal_read_double(str_t text, double *out_value) {
  const format_t *format = &format_table[FORMAT_f64];
  uint64_t bits;
  if (!decimal_read(text, format, false, &bits)) return false;
  *out_value = format_to_double(format, bits);
  return true;
}

/* ---- Printing -------------------------------------------------------------------------------- */

enum {
  DIGITS_MAX = 17,  /* So many give every binary64 number back. */
  PLAIN_DIGITS = 6, /* Numbers with so many digits before the point are printed in full. */
};

/* MLIR's floats have a point: "1" becomes "1.0", "1e-05" becomes "1.0e-05". */
static void append_with_point(const char *text, GString *out_text) {
  const char *exponent = strchr(text, 'e');
  size_t head = exponent == NULL ? strlen(text) : (size_t)(exponent - text);
  g_string_append_len(out_text, text, (gssize)head);
  if (memchr(text, '.', head) == NULL) g_string_append(out_text, ".0");
  if (exponent != NULL) g_string_append(out_text, exponent);
}

/* Prints with so many significant digits; whether that is read back as the same pattern. */
static bool try_digits(const format_t *format, uint64_t bits, int digits,
                       char out_text[G_ASCII_DTOSTR_BUF_SIZE]) {
  char style[16];
  snprintf(style, sizeof style, "%%.%dg", digits);
  g_ascii_formatd(out_text, G_ASCII_DTOSTR_BUF_SIZE, style, format_to_double(format, bits));
  uint64_t again;
  return decimal_read(str_from(out_text), format, false, &again) && again == bits;
}

/* "200.0" for what would be "2.0e+02". */
static void print_finite(const format_t *format, uint64_t bits, GString *out_text) {
  char text[G_ASCII_DTOSTR_BUF_SIZE], plain[G_ASCII_DTOSTR_BUF_SIZE];
  int digits = 1;
  while (digits < DIGITS_MAX && !try_digits(format, bits, digits, text)) digits++;
  if (digits == DIGITS_MAX) (void)try_digits(format, bits, digits, text);
  double magnitude = fabs(format_to_double(format, bits));
  bool is_plain = digits < PLAIN_DIGITS && magnitude >= 1 && magnitude < 1e6 &&
                  strchr(text, 'e') != NULL && try_digits(format, bits, PLAIN_DIGITS, plain);
  append_with_point(is_plain ? plain : text, out_text);
}

bool decimal_print(const format_t *format, uint64_t bits, GString *out_text) {
  if (format_is_nan(format, bits)) {
    uint64_t word;
    if (!read_word(str_from("nan"), format, &word) || word != bits) return false;
    g_string_append(out_text, "nan");
  } else if (format_is_infinity(format, bits)) {
    g_string_append(out_text, format_is_negative(format, bits) ? "-inf" : "inf");
  } else {
    print_finite(format, bits, out_text);
  }
  return true;
}

void decimal_print_double(double value, GString *out_text) {
  const format_t *format = &format_table[FORMAT_f64];
  (void)decimal_print(format, format_from_double(format, value), out_text);
}
