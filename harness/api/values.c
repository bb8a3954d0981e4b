/* SPDX-License-Identifier: Apache-2.0 */
/* Values of components in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/api/handles.h"

static const char *keep(arena_t *arena, const char *text) {
  return arena_copy_text(arena, text, strlen(text));
}

assay_value_t value_show_nothing(void) {
  return (assay_value_t){.number = NAN, .decimal = "", .hex = ""};
}

/* The decimal with the fewest digits that is this number, of at least `digits`. */
static const char *show_decimal(arena_t *arena, double value) {
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (g_ascii_strtod(text, NULL) == value) break;
  }
  return keep(arena, text);
}

assay_value_t value_show_double(arena_t *arena, double value) {
  if (isnan(value)) return (assay_value_t){.number = NAN, .decimal = "nan", .hex = "nan"};
  char hex[40];
  snprintf(hex, sizeof hex, "%a", value);
  return (assay_value_t){
      .number = value, .decimal = show_decimal(arena, value), .hex = keep(arena, hex)};
}

assay_value_t value_show(arena_t *arena, const element_t *element, uint64_t bits) {
  char decimal[40], hex[40];
  if (element->format != NULL) {
    bool is_nan = format_is_nan(element->format, bits);
    assay_value_t value =
        value_show_double(arena, is_nan ? NAN : format_to_double(element->format, bits));
    if (!is_nan) return value;
    snprintf(hex, sizeof hex, "nan (%" PRIx64 ")", bits);
    value.hex = keep(arena, hex);
    return value;
  }
  snprintf(hex, sizeof hex, "0x%" PRIx64, bits);
  int64_t value = element_signed_value(element, bits);
  bool is_unsigned = element->kind == ELEMENT_UNSIGNED;
  if (is_unsigned) {
    snprintf(decimal, sizeof decimal, "%" PRIu64, bits);
  } else {
    snprintf(decimal, sizeof decimal, "%" PRId64, value);
  }
  return (assay_value_t){.number = is_unsigned ? (double)bits : (double)value,
                         .decimal = keep(arena, decimal),
                         .hex = keep(arena, hex)};
}
