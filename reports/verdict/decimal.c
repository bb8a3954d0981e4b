/* SPDX-License-Identifier: Apache-2.0 */
/* Hex floats are found in texts by a pattern; operands are decoded from their bits. */
#include "reports/verdict/decimal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* As many digits as tell it from its neighbours: most numbers are of f32, or narrower. */
static int digits_of(double value) { return (double)(float)value == value ? 9 : 17; }

static gboolean put_decimal(const GMatchInfo *match, GString *text, gpointer context) {
  g_autofree char *hexadecimal = g_match_info_fetch(match, 0);
  double value = g_ascii_strtod(hexadecimal, NULL);
  if (context == NULL) {
    g_string_append_printf(text, "%.*g", digits_of(value), value);
  } else {
    g_string_append_printf(text, "%s = %.17g", hexadecimal, value);
  }
  return FALSE;
}

char *decimal_words(const char *text, bool keeps) {
  g_autoptr(GRegex) number = g_regex_new("-?0x[0-9a-f.]+p[+-]\\d+", 0, 0, NULL);
  return g_regex_replace_eval(number, text, -1, 0, 0, put_decimal, keeps ? &keeps : NULL, NULL);
}

char *decimal_plain(const char *text) {
  g_autofree char *words = decimal_words(text, false);
  g_autoptr(GRegex) bits = g_regex_new(" \\([0-9a-f]+\\)", 0, 0, NULL);
  return g_regex_replace_literal(bits, words, -1, 0, "", 0, NULL);
}

static void append_component(const element_t *element, uint64_t bits, GString *out_text) {
  if (element->format != NULL) {
    double value = format_to_double(element->format, bits);
    g_string_append_printf(out_text, "%.*g", digits_of(value), value);
  } else if (element->kind == ELEMENT_BOOLEAN) {
    g_string_append(out_text, bits != 0 ? "true" : "false");
  } else if (element->kind == ELEMENT_SIGNED) {
    g_string_append_printf(out_text, "%" PRId64, element_signed_value(element, bits));
  } else {
    g_string_append_printf(out_text, "%" PRIu64, bits);
  }
}

void decimal_operands(const case_t *instance, size_t elements_max, GString *out_text) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    const element_t *element = operand->type.element;
    size_t count = type_element_count(&operand->type);
    g_string_append(out_text, i == 0 ? "[" : " [");
    for (size_t k = 0; k < MIN(count, elements_max); k++) {
      if (k > 0) g_string_append(out_text, ", ");
      for (size_t part = 0; part < element->components; part++) {
        if (part > 0) g_string_append(out_text, " + i ");
        size_t at = k * element->components + part;
        append_component(element, element_load(element, operand->data, at), out_text);
      }
    }
    if (count > elements_max) {
      g_string_append_printf(out_text, ", ... %zu more", count - elements_max);
    }
    g_string_append_c(out_text, ']');
  }
}

/* An integer of up to 64 bits, signed or not, and what stands behind it. */
static bool read_integer(const char *text, __int128 *out_value, const char **out_rest) {
  char *end = NULL;
  bool is_negative = text[0] == '-';
  if (!g_ascii_isdigit(text[is_negative])) return false;
  errno = 0;
  guint64 magnitude = g_ascii_strtoull(text + is_negative, &end, 10);
  if (errno != 0) return false;
  *out_value = is_negative ? -(__int128)magnitude : (__int128)magnitude;
  *out_rest = end;
  return true;
}

char *decimal_distance(const char *got, const char *permitted) {
  static const char between[] = " .. ";
  __int128 value, low, high;
  const char *rest;
  if (!read_integer(got, &value, &rest)) return NULL;
  if (*rest != '\0' && !g_str_has_prefix(rest, " (")) return NULL; /* Its bits. */
  if (!read_integer(permitted, &low, &rest)) return NULL;
  high = low;
  if (g_str_has_prefix(rest, between)) {
    if (!read_integer(rest + strlen(between), &high, &rest)) return NULL;
  }
  if (*rest != '\0') return NULL;
  __int128 distance = value < low ? low - value : value - high;
  if (distance <= 0) return NULL;
  /* At most 2^65: two parts of decimal digits. */
  const uint64_t part = UINT64_C(1000000000000000000);
  uint64_t high_digits = (uint64_t)(distance / part);
  uint64_t low_digits = (uint64_t)(distance % part);
  return high_digits == 0 ? g_strdup_printf("%" PRIu64, low_digits)
                          : g_strdup_printf("%" PRIu64 "%018" PRIu64, high_digits, low_digits);
}
