/* SPDX-License-Identifier: Apache-2.0 */
/* The codecs of values that many ops have: integers, lists, words, booleans, numbers and patterns.
 */
#include "harness/model/attribute.h"

#include <inttypes.h>
#include <string.h>

#include "harness/model/case.h"
#include "harness/types/scale.h"

static const char *const boolean_words[] = {"false", "true", NULL};

/* ---- Integers and lists ---------------------------------------------------------------------- */

static status_t parse_integer(const attribute_source_t *from, void *out_value) {
  return scan_integer(from->scan, (int64_t *)out_value, from->error);
}

static void print_integer(const void *value, const attribute_sink_t *to) {
  g_string_append_printf(to->text, "%" PRId64, *(const int64_t *)value);
}

static void print_mlir_integer(const void *value, const attribute_sink_t *to) {
  print_integer(value, to);
  g_string_append(to->text, " : i64");
}

const attribute_codec_t attribute_integer = {
    .parse = parse_integer, .print = print_integer, .print_mlir = print_mlir_integer};

static bool is_absent_integer(const void *value) {
  return !((const optional_integer_t *)value)->is_present;
}

static status_t parse_optional_integer(const attribute_source_t *from, void *out_value) {
  optional_integer_t *out_integer = out_value;
  out_integer->is_present = true;
  return parse_integer(from, &out_integer->value);
}

static void print_optional_integer(const void *value, const attribute_sink_t *to) {
  print_integer(&((const optional_integer_t *)value)->value, to);
}

static void print_mlir_optional_integer(const void *value, const attribute_sink_t *to) {
  print_mlir_integer(&((const optional_integer_t *)value)->value, to);
}

const attribute_codec_t attribute_optional_integer = {.is_absent = is_absent_integer,
                                                      .parse = parse_optional_integer,
                                                      .print = print_optional_integer,
                                                      .print_mlir = print_mlir_optional_integer};

static status_t parse_dimensions(const attribute_source_t *from, void *out_value) {
  return dimension_list_parse(from->scan, (dimension_list_t *)out_value, from->error);
}

static void print_dimensions(const void *value, const attribute_sink_t *to) {
  dimension_list_print((const dimension_list_t *)value, to->text);
}

static void print_mlir_array(const void *value, const attribute_sink_t *to) {
  const dimension_list_t *list = value;
  g_string_append(to->text, list->count == 0 ? "array<i64" : "array<i64: ");
  dimension_list_print_entries(list, ", ", to->text);
  g_string_append_c(to->text, '>');
}

const attribute_codec_t attribute_dimensions = {
    .parse = parse_dimensions, .print = print_dimensions, .print_mlir = print_mlir_array};

static void print_mlir_list(const void *value, const attribute_sink_t *to) {
  g_string_append_c(to->text, '[');
  dimension_list_print_entries((const dimension_list_t *)value, ", ", to->text);
  g_string_append_c(to->text, ']');
}

const attribute_codec_t attribute_list = {
    .parse = parse_dimensions, .print = print_dimensions, .print_mlir = print_mlir_list};

/* ---- Words and booleans ---------------------------------------------------------------------- */

/* The index of a word, by which enums number them too. */
static status_t parse_one_of(const attribute_source_t *from, const char *const *words,
                             uint8_t *out_index) {
  scan_t start = *from->scan;
  str_t text = scan_until(from->scan, " ");
  g_autoptr(GString) known = g_string_new(NULL);
  for (uint8_t i = 0; words[i] != NULL; i++) {
    if (str_equal_text(text, words[i])) {
      *out_index = i;
      return STATUS_OK;
    }
    g_string_append_printf(known, "%s%s", i == 0 ? "" : ", ", words[i]);
  }
  return scan_fail(&start, from->error, "\"%.*s\" is none of %s", (int)MIN(text.size, 64),
                   text.data, known->str);
}

static status_t parse_word(const attribute_source_t *from, void *out_value) {
  return parse_one_of(from, from->row->words, (uint8_t *)out_value);
}

static void print_word(const void *value, const attribute_sink_t *to) {
  g_string_append(to->text, to->row->words[*(const uint8_t *)value]);
}

static void print_mlir_word(const void *value, const attribute_sink_t *to) {
  g_string_append_printf(to->text, "\"%s\"", to->row->words[*(const uint8_t *)value]);
}

const attribute_codec_t attribute_word = {
    .parse = parse_word, .print = print_word, .print_mlir = print_mlir_word};

static bool is_absent_element(const void *value) {
  return *(const element_t *const *)value == NULL;
}

static status_t parse_element(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  str_t name = scan_until(from->scan, " ");
  const element_t *element = element_find(name);
  if (element == NULL || !element->is_tensor_element) {
    return scan_fail(&start, from->error, "no elements have type \"%.*s\"; some have f32 or i8",
                     (int)MIN(name.size, 64), name.data);
  }
  *(const element_t **)out_value = element;
  return STATUS_OK;
}

static void print_element(const void *value, const attribute_sink_t *to) {
  g_string_append(to->text, (*(const element_t *const *)value)->name);
}

const attribute_codec_t attribute_element = {.is_absent = is_absent_element,
                                             .parse = parse_element,
                                             .print = print_element,
                                             .print_mlir = print_element};

static status_t parse_boolean(const attribute_source_t *from, void *out_value) {
  return parse_one_of(from, boolean_words, (uint8_t *)out_value);
}

static void print_boolean(const void *value, const attribute_sink_t *to) {
  g_string_append(to->text, boolean_words[*(const uint8_t *)value]);
}

const attribute_codec_t attribute_boolean = {
    .parse = parse_boolean, .print = print_boolean, .print_mlir = print_boolean};

static bool is_absent_boolean(const void *value) {
  return *(const optional_boolean_t *)value == OPTIONAL_ABSENT;
}

static status_t parse_optional_boolean(const attribute_source_t *from, void *out_value) {
  uint8_t index = 0;
  STATUS_TRY(parse_boolean(from, &index));
  *(optional_boolean_t *)out_value = index == 0 ? OPTIONAL_FALSE : OPTIONAL_TRUE;
  return STATUS_OK;
}

static void print_optional_boolean(const void *value, const attribute_sink_t *to) {
  const uint8_t index = *(const optional_boolean_t *)value == OPTIONAL_TRUE;
  print_boolean(&index, to);
}

const attribute_codec_t attribute_optional_boolean = {.is_absent = is_absent_boolean,
                                                      .parse = parse_optional_boolean,
                                                      .print = print_optional_boolean,
                                                      .print_mlir = print_optional_boolean};

static bool is_absent_flag(const void *value) { return !*(const bool *)value; }

static status_t parse_flag(const attribute_source_t *from, void *out_value) {
  (void)from;
  *(bool *)out_value = true;
  return STATUS_OK;
}

const attribute_codec_t attribute_flag = {
    .begins = "true", .is_absent = is_absent_flag, .parse = parse_flag, .is_unit = true};

/* ---- Numbers and patterns -------------------------------------------------------------------- */

static status_t parse_number(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  str_t text = scan_until(from->scan, " ");
  if (str_equal_text(text, "0x0p+0") || scale_parse(text, (double *)out_value)) return STATUS_OK;
  return scan_fail(&start, from->error,
                   "expected 0x0p+0 or a hex float such as 0x1.8p-3, found \"%.*s\"",
                   (int)MIN(text.size, 64), text.data);
}

static void print_number(const void *value, const attribute_sink_t *to) {
  if (*(const double *)value > 0) {
    scale_print(*(const double *)value, to->text);
  } else {
    g_string_append(to->text, "0x0p+0");
  }
}

/* Floats in MLIR's exact spelling, the hex digits of their bits. */
static void print_mlir_number(const void *value, const attribute_sink_t *to) {
  g_string_append_printf(to->text, "0x%016" PRIX64 " : f64",
                         format_from_double(&format_table[FORMAT_f64], *(const double *)value));
}

const attribute_codec_t attribute_number = {
    .parse = parse_number, .print = print_number, .print_mlir = print_mlir_number};

static status_t parse_pattern(const attribute_source_t *from, void *out_value) {
  static const char digits[] = "0123456789abcdef";
  scan_t start = *from->scan;
  str_t text = scan_until(from->scan, " ");
  attribute_pattern_t pattern = {.digits = (uint8_t)text.size};
  bool is_hex = text.size >= 1 && text.size <= 16;
  for (size_t i = 0; is_hex && i < text.size; i++) {
    const char *digit = memchr(digits, text.data[i], sizeof digits - 1);
    is_hex = digit != NULL;
    if (is_hex) pattern.bits = pattern.bits << 4 | (uint64_t)(digit - digits);
  }
  if (!is_hex) return scan_fail_expecting(&start, from->error, "1 to 16 hex digits 0-9a-f");
  *(attribute_pattern_t *)out_value = pattern;
  return STATUS_OK;
}

static void print_pattern(const void *value, const attribute_sink_t *to) {
  const attribute_pattern_t *pattern = value;
  g_string_append_printf(to->text, "%0*" PRIx64, pattern->digits, pattern->bits);
}

static void print_mlir_pattern(const void *value, const attribute_sink_t *to) {
  const attribute_pattern_t *pattern = value;
  const element_t *element = to->program->results[0].element;
  if (element->kind == ELEMENT_BOOLEAN) {
    g_string_append(to->text, boolean_words[pattern->bits & 1]);
  } else if (element->format != NULL) {
    g_string_append_printf(to->text, "0x%0*" PRIX64 " : %s", (element->bits + 3) / 4, pattern->bits,
                           element->name);
  } else if (element->kind == ELEMENT_UNSIGNED) {
    g_string_append_printf(to->text, "%" PRIu64 " : %s", pattern->bits, element->name);
  } else {
    int64_t number = element_signed_value(element, pattern->bits);
    g_string_append_printf(to->text, "%" PRId64 " : %s", number, element->name);
  }
}

const attribute_codec_t attribute_pattern = {
    .parse = parse_pattern, .print = print_pattern, .print_mlir = print_mlir_pattern};

bool attribute_pattern_fits(const attribute_pattern_t *pattern, const element_t *element) {
  return element->components == 1 && pattern->digits == (element->bits + 3) / 4 &&
         (pattern->bits & ~element_mask(element)) == 0;
}
