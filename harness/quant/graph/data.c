/* SPDX-License-Identifier: Apache-2.0 */
/* Data of constants: lists of numbers, or the data of case lines. */
#include <inttypes.h>

#include "harness/quant/graph/text.h"
#include "harness/quant/spec/decimal.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool read_integer(str_t text, const element_t *element, uint64_t *out_bits) {
  scan_t scan = scan_make(text);
  if (element->kind == ELEMENT_SIGNED) {
    int64_t value;
    if (scan_integer(&scan, &value, NULL) != STATUS_OK || !scan_at_end(&scan)) return false;
    *out_bits = (uint64_t)value & element_mask(element);
    return element_signed_value(element, *out_bits) == value;
  }
  uint64_t value = 0;
  while (g_ascii_isdigit(scan_peek(&scan))) {
    if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*scan.cursor++ - '0'), &value)) {
      return false;
    }
  }
  *out_bits = value;
  return text.size > 0 && scan_at_end(&scan) && value <= element_integer_max(element);
}

static bool read_component(str_t text, const element_t *element, uint64_t *out_bits) {
  if (element->format != NULL) return decimal_read(text, element->format, true, out_bits);
  return read_integer(text, element, out_bits);
}

static bool print_component(const element_t *element, uint64_t bits, GString *out_text) {
  if (element->format != NULL) return decimal_print(element->format, bits, out_text);
  if (element->kind == ELEMENT_SIGNED) {
    g_string_append_printf(out_text, "%" PRId64, element_signed_value(element, bits));
  } else {
    g_string_append_printf(out_text, "%" PRIu64, bits);
  }
  return true;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void skip_blanks(scan_t *scan) {
  while (scan_peek(scan) == ' ' || scan_peek(scan) == '\t') scan->cursor++;
}

/* Memory is taken only once the list is known to have as many entries. */
static status_t check_count(const scan_t *scan, size_t count, failure_t *error) {
  size_t found = 0;
  bool is_empty = true;
  for (const char *p = scan->cursor; p < scan->end && *p != ']'; p++) {
    found += *p == ',';
    is_empty &= *p == ' ' || *p == '\t';
  }
  found += !is_empty;
  if (found == count) return STATUS_OK;
  return scan_fail(scan, error, "%zu numbers for %zu elements", found, count);
}

static status_t parse_list(scan_t *scan, const type_t *type, arena_t *arena, tensor_t *tensor,
                           failure_t *error) {
  const element_t *element = type->element;
  size_t count = type_component_count(type);
  STATUS_TRY(check_count(scan, count, error));
  *tensor = tensor_make(arena, type);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) STATUS_TRY(scan_expect(scan, ",", error));
    skip_blanks(scan);
    scan_t start = *scan;
    uint64_t bits;
    if (!read_component(decimal_take(scan), element, &bits)) {
      char what[64];
      g_snprintf(what, sizeof what, "a number within %s", element->name);
      return scan_fail_expecting(&start, error, what);
    }
    element_store(element, tensor->data, i, bits);
    skip_blanks(scan);
  }
  skip_blanks(scan);
  return scan_expect(scan, "]", error);
}

status_t graph_data_parse(scan_t *scan, const type_t *type, arena_t *arena,
                          const tensor_t **out_tensor, failure_t *error) {
  tensor_t *tensor = ARENA_NEW_ARRAY(arena, tensor_t, 1);
  if (scan_accept(scan, "[")) {
    STATUS_TRY(parse_list(scan, type, arena, tensor, error));
  } else if (scan_accept(scan, "0x")) {
    STATUS_TRY(tensor_parse_data(scan, type, arena, tensor, error));
  } else {
    return scan_fail_expecting(scan, error, "data: [numbers] or 0x and digits");
  }
  *out_tensor = tensor;
  return STATUS_OK;
}

void graph_data_print(const tensor_t *tensor, GString *out_text) {
  size_t start = out_text->len;
  size_t count = type_component_count(&tensor->type);
  g_string_append_c(out_text, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    uint64_t bits = element_load(tensor->type.element, tensor->data, i);
    if (print_component(tensor->type.element, bits, out_text)) continue;
    g_string_truncate(out_text, start); /* A NaN that no word stands for. */
    g_string_append(out_text, "0x");
    tensor_print_data(tensor, out_text);
    return;
  }
  g_string_append_c(out_text, ']');
}
