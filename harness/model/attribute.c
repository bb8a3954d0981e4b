/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and prints op attributes from a table of members (case line and MLIR), by kind of member.
 * MLIR wants keys in alphabetical order, the case line in that of the table. */
#include "harness/model/attribute.h"

#include <inttypes.h>
#include <string.h>

#include "harness/types/scale.h"

static const char *const boolean_words[] = {"false", "true", NULL};

static void *member_of(const attribute_row_t *row, void *attributes) {
  return (uint8_t *)attributes + row->offset;
}

static const void *value_of(const attribute_row_t *row, const void *attributes) {
  return (const uint8_t *)attributes + row->offset;
}

/* ---- Parsing --------------------------------------------------------------------------------- */

/* The index of a word, by which enums number them too. */
static status_t parse_word(scan_t *scan, const char *const *words, uint8_t *out_index,
                           failure_t *error) {
  scan_t start = *scan;
  str_t text = scan_until(scan, " ");
  g_autoptr(GString) known = g_string_new(NULL);
  for (uint8_t i = 0; words[i] != NULL; i++) {
    if (str_equal_text(text, words[i])) {
      *out_index = i;
      return STATUS_OK;
    }
    g_string_append_printf(known, "%s%s", i == 0 ? "" : ", ", words[i]);
  }
  return scan_fail(&start, error, "\"%.*s\" is none of %s", (int)MIN(text.size, 64), text.data,
                   known->str);
}

static status_t parse_number(scan_t *scan, double *out_number, failure_t *error) {
  scan_t start = *scan;
  str_t text = scan_until(scan, " ");
  if (str_equal_text(text, "0x0p+0")) {
    *out_number = 0;
    return STATUS_OK;
  }
  if (scale_parse(text, out_number)) return STATUS_OK;
  return scan_fail(&start, error, "expected 0x0p+0 or a hex float such as 0x1.8p-3, found \"%.*s\"",
                   (int)MIN(text.size, 64), text.data);
}

static status_t parse_pattern(scan_t *scan, attribute_pattern_t *out_pattern, failure_t *error) {
  static const char digits[] = "0123456789abcdef";
  scan_t start = *scan;
  str_t text = scan_until(scan, " ");
  attribute_pattern_t pattern = {.digits = (uint8_t)text.size};
  bool is_hex = text.size >= 1 && text.size <= 16;
  for (size_t i = 0; is_hex && i < text.size; i++) {
    const char *digit = memchr(digits, text.data[i], sizeof digits - 1);
    is_hex = digit != NULL;
    if (is_hex) pattern.bits = pattern.bits << 4 | (uint64_t)(digit - digits);
  }
  if (!is_hex) return scan_fail_expecting(&start, error, "1 to 16 hex digits 0-9a-f");
  *out_pattern = pattern;
  return STATUS_OK;
}

static status_t parse_value(const attribute_row_t *row, scan_t *scan, void *member,
                            failure_t *error) {
  uint8_t index = 0;
  switch (row->kind) {
    case ATTRIBUTE_INTEGER:
      return scan_integer(scan, (int64_t *)member, error);
    case ATTRIBUTE_OPTIONAL_INTEGER:
      ((optional_integer_t *)member)->is_present = true;
      return scan_integer(scan, &((optional_integer_t *)member)->value, error);
    case ATTRIBUTE_DIMENSIONS:
      return dimension_list_parse(scan, (dimension_list_t *)member, error);
    case ATTRIBUTE_BOOLEAN:
      return parse_word(scan, boolean_words, (uint8_t *)member, error);
    case ATTRIBUTE_OPTIONAL_BOOLEAN:
      STATUS_TRY(parse_word(scan, boolean_words, &index, error));
      *(optional_boolean_t *)member = index == 0 ? OPTIONAL_FALSE : OPTIONAL_TRUE;
      return STATUS_OK;
    case ATTRIBUTE_NUMBER:
      return parse_number(scan, (double *)member, error);
    case ATTRIBUTE_WORD:
      return parse_word(scan, row->words, (uint8_t *)member, error);
    case ATTRIBUTE_PATTERN:
      return parse_pattern(scan, (attribute_pattern_t *)member, error);
  }
  g_assert_not_reached();
}

static bool is_optional(const attribute_row_t *row) {
  return row->kind == ATTRIBUTE_OPTIONAL_INTEGER || row->kind == ATTRIBUTE_OPTIONAL_BOOLEAN;
}

status_t attributes_parse(const attribute_row_t *rows, scan_t *scan, void *out_attributes,
                          failure_t *error) {
  for (const attribute_row_t *row = rows; row->key != NULL; row++) {
    g_autofree char *opening = g_strdup_printf(" %s=", row->key);
    if (is_optional(row) && !scan_accept(scan, opening)) continue;
    if (!is_optional(row)) {
      STATUS_TRY(scan_expect(scan, " ", error));
      STATUS_TRY(scan_expect(scan, opening + 1, error));
    }
    STATUS_TRY(parse_value(row, scan, member_of(row, out_attributes), error));
  }
  return STATUS_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static bool is_absent(const attribute_row_t *row, const void *attributes) {
  const void *value = value_of(row, attributes);
  if (row->kind == ATTRIBUTE_OPTIONAL_INTEGER) {
    return !((const optional_integer_t *)value)->is_present;
  }
  return row->kind == ATTRIBUTE_OPTIONAL_BOOLEAN &&
         *(const optional_boolean_t *)value == OPTIONAL_ABSENT;
}

static int64_t integer_of(const attribute_row_t *row, const void *value) {
  return row->kind == ATTRIBUTE_INTEGER ? *(const int64_t *)value
                                        : ((const optional_integer_t *)value)->value;
}

/* The word of a boolean or a word. */
static const char *word_of(const attribute_row_t *row, const void *value) {
  if (row->kind == ATTRIBUTE_OPTIONAL_BOOLEAN) {
    return boolean_words[*(const optional_boolean_t *)value == OPTIONAL_TRUE];
  }
  uint8_t index = *(const uint8_t *)value;
  return row->kind == ATTRIBUTE_BOOLEAN ? boolean_words[index] : row->words[index];
}

static void print_value(const attribute_row_t *row, const void *value, GString *out_text) {
  const attribute_pattern_t *pattern = value;
  switch (row->kind) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_OPTIONAL_INTEGER:
      g_string_append_printf(out_text, "%" PRId64, integer_of(row, value));
      break;
    case ATTRIBUTE_DIMENSIONS:
      dimension_list_print((const dimension_list_t *)value, out_text);
      break;
    case ATTRIBUTE_BOOLEAN:
    case ATTRIBUTE_OPTIONAL_BOOLEAN:
    case ATTRIBUTE_WORD:
      g_string_append(out_text, word_of(row, value));
      break;
    case ATTRIBUTE_NUMBER:
      if (*(const double *)value > 0) {
        scale_print(*(const double *)value, out_text);
      } else {
        g_string_append(out_text, "0x0p+0");
      }
      break;
    case ATTRIBUTE_PATTERN:
      g_string_append_printf(out_text, "%0*" PRIx64, pattern->digits, pattern->bits);
      break;
  }
}

void attributes_print(const attribute_row_t *rows, const void *attributes, GString *out_text) {
  for (const attribute_row_t *row = rows; row->key != NULL; row++) {
    if (is_absent(row, attributes)) continue;
    g_string_append_printf(out_text, " %s=", row->key);
    print_value(row, value_of(row, attributes), out_text);
  }
}

/* ---- MLIR ------------------------------------------------------------------------------------ */

/* Floats in MLIR's exact spelling, the hex digits of their bits. */
static void print_mlir_pattern(const attribute_pattern_t *pattern, const element_t *element,
                               GString *out_text) {
  if (element->kind == ELEMENT_BOOLEAN) {
    g_string_append(out_text, boolean_words[pattern->bits & 1]);
  } else if (element->format != NULL) {
    g_string_append_printf(out_text, "0x%0*" PRIX64 " : %s", (element->bits + 3) / 4, pattern->bits,
                           element->name);
  } else if (element->kind == ELEMENT_UNSIGNED) {
    g_string_append_printf(out_text, "%" PRIu64 " : %s", pattern->bits, element->name);
  } else {
    int64_t value = element_signed_value(element, pattern->bits);
    g_string_append_printf(out_text, "%" PRId64 " : %s", value, element->name);
  }
}

static void print_mlir_value(const attribute_row_t *row, const void *value,
                             const element_t *pattern_element, GString *out_text) {
  const dimension_list_t *list = value;
  const format_t *f64 = &format_table[FORMAT_f64];
  switch (row->kind) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_OPTIONAL_INTEGER:
      g_string_append_printf(out_text, "%" PRId64 " : i64", integer_of(row, value));
      break;
    case ATTRIBUTE_DIMENSIONS:
      g_string_append_c(out_text, '[');
      for (uint32_t i = 0; i < list->count; i++) {
        g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : ", ", list->dims[i]);
      }
      g_string_append_c(out_text, ']');
      break;
    case ATTRIBUTE_BOOLEAN:
    case ATTRIBUTE_OPTIONAL_BOOLEAN:
      g_string_append(out_text, word_of(row, value));
      break;
    case ATTRIBUTE_WORD:
      g_string_append_printf(out_text, "\"%s\"", word_of(row, value));
      break;
    case ATTRIBUTE_NUMBER:
      g_string_append_printf(out_text, "0x%016" PRIX64 " : f64",
                             format_from_double(f64, *(const double *)value));
      break;
    case ATTRIBUTE_PATTERN:
      print_mlir_pattern((const attribute_pattern_t *)value, pattern_element, out_text);
      break;
  }
}

static gint compare_keys(gconstpointer a, gconstpointer b) {
  return strcmp((*(const attribute_row_t *const *)a)->key,
                (*(const attribute_row_t *const *)b)->key);
}

void attributes_print_mlir(const attribute_row_t *rows, const void *attributes,
                           const element_t *pattern_element, GString *out_text) {
  g_autoptr(GPtrArray) present = g_ptr_array_new();
  for (const attribute_row_t *row = rows; row->key != NULL; row++) {
    if (!is_absent(row, attributes)) g_ptr_array_add(present, (gpointer)(uintptr_t)row);
  }
  g_ptr_array_sort(present, compare_keys);
  g_string_append_c(out_text, '{');
  for (guint i = 0; i < present->len; i++) {
    const attribute_row_t *row = g_ptr_array_index(present, i);
    g_string_append_printf(out_text, "%s%s = ", i == 0 ? "" : ", ", row->key);
    print_mlir_value(row, value_of(row, attributes), pattern_element, out_text);
  }
  g_string_append_c(out_text, '}');
}

bool attribute_pattern_fits(const attribute_pattern_t *pattern, const element_t *element) {
  return element->components == 1 && pattern->digits == (element->bits + 3) / 4 &&
         (pattern->bits & ~element_mask(element)) == 0;
}
