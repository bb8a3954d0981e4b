/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor data as hex: the data fields of the case line. */
#include "harness/model/case.h"

static const char digit_of[] = "0123456789abcdef";

/* DIGIT_VALID + value for the characters of digit_of, else 0. */
enum { DIGIT_VALID = 16 };
static const uint8_t value_of[256] = {
    ['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22, ['7'] = 23,
    ['8'] = 24, ['9'] = 25, ['a'] = 26, ['b'] = 27, ['c'] = 28, ['d'] = 29, ['e'] = 30, ['f'] = 31,
};

static size_t digits_per_component(const element_t *element) {
  return ((size_t)element->bits + 3) / 4;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* Inlined with constant `digits` and `bytes`, so that the inner loop unrolls. */
static inline __attribute__((always_inline)) void print_components(const uint8_t *data,
                                                                   size_t count, size_t bytes,
                                                                   size_t digits, char *text) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, data + i * bytes, bytes);
    for (size_t d = 0; d < digits; d++) {
      text[i * digits + d] = digit_of[bits >> (4 * (digits - 1 - d)) & 15];
    }
  }
}

void tensor_print_data(const tensor_t *tensor, GString *out_text) {
  size_t count = type_component_count(&tensor->type);
  if (count == 0) {
    g_string_append_c(out_text, '-');
    return;
  }
  size_t digits = digits_per_component(tensor->type.element);
  size_t before = out_text->len;
  g_string_set_size(out_text, before + count * digits);
  char *text = out_text->str + before;
  switch (digits) {
    case 1:
      return print_components(tensor->data, count, 1, 1, text);
    case 2:
      return print_components(tensor->data, count, 1, 2, text);
    case 4:
      return print_components(tensor->data, count, 2, 4, text);
    case 8:
      return print_components(tensor->data, count, 4, 8, text);
    case 16:
      return print_components(tensor->data, count, 8, 16, text);
    default:
      g_assert_not_reached();
  }
}

/* ---- Parsing --------------------------------------------------------------------------------- */

/* Reads one component; true if all its digits are hex digits. */
static inline __attribute__((always_inline)) bool parse_component(const char *text, size_t digits,
                                                                  uint64_t *out_bits) {
  uint64_t bits = 0;
  uint8_t valid = DIGIT_VALID;
  for (size_t d = 0; d < digits; d++) {
    uint8_t value = value_of[(unsigned char)text[d]];
    valid &= value;
    bits = bits << 4 | (value & 15);
  }
  *out_bits = bits;
  return valid != 0;
}

/* True if every component is well spelled and without bits above `mask`. */
static inline __attribute__((always_inline)) bool parse_components(const char *text, size_t count,
                                                                   size_t digits, size_t bytes,
                                                                   uint64_t mask, uint8_t *data) {
  bool is_valid = true;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    is_valid &= parse_component(text + i * digits, digits, &bits);
    is_valid &= (bits & ~mask) == 0;
    __builtin_memcpy(data + i * bytes, &bits, bytes);
  }
  return is_valid;
}

static bool parse_data(const char *text, size_t count, const element_t *element, uint8_t *data) {
  uint64_t mask = element_mask(element);
  switch (digits_per_component(element)) {
    case 1:
      return parse_components(text, count, 1, 1, mask, data);
    case 2:
      return parse_components(text, count, 2, 1, mask, data);
    case 4:
      return parse_components(text, count, 4, 2, mask, data);
    case 8:
      return parse_components(text, count, 8, 4, mask, data);
    case 16:
      return parse_components(text, count, 16, 8, mask, data);
    default:
      g_assert_not_reached();
  }
}

/* Fails at the first bad digit or component; there is one. */
static status_t report_bad_component(const scan_t *field, const element_t *element,
                                     failure_t *error) {
  size_t digits = digits_per_component(element);
  scan_t scan = *field;
  uint64_t bits;
  while (parse_component(scan.cursor, digits, &bits) && (bits & ~element_mask(element)) == 0) {
    scan.cursor += digits;
  }
  if (parse_component(scan.cursor, digits, &bits)) {
    return scan_fail(&scan, error, "%.*s has bits that %s has not", (int)digits, scan.cursor,
                     element->name);
  }
  while (value_of[(unsigned char)*scan.cursor] != 0) scan.cursor++;
  return scan_fail_expecting(&scan, error, "a hex digit 0-9a-f");
}

/* Fails at the beginning of a field that has not the right length. */
static status_t report_bad_length(const scan_t *field, size_t found, size_t expected,
                                  const type_t *type, failure_t *error) {
  GString *name = g_string_new(NULL);
  type_print(type, name);
  if (expected == 0) {
    scan_fail(field, error, "expected \"-\" for the empty %.100s, found %zu bytes", name->str,
              found);
  } else {
    scan_fail(field, error, "expected %zu hex digits for %.100s, found %zu", expected, name->str,
              found);
  }
  g_string_free(name, TRUE);
  return STATUS_INVALID;
}

status_t tensor_parse_data(scan_t *scan, const type_t *type, arena_t *arena, tensor_t *out_tensor,
                           failure_t *error) {
  size_t rest = (size_t)(scan->end - scan->cursor);
  const char *blank = rest == 0 ? NULL : memchr(scan->cursor, ' ', rest);
  size_t size = blank == NULL ? rest : (size_t)(blank - scan->cursor);
  size_t count = type_component_count(type);
  if (count == 0) {
    if (size != 1 || *scan->cursor != '-') return report_bad_length(scan, size, 0, type, error);
    *out_tensor = tensor_make(arena, type);
    scan->cursor++;
    return STATUS_OK;
  }
  /* Compared before anything is allocated: memory stays in proportion to the line. */
  size_t expected = count * digits_per_component(type->element);
  if (size != expected) return report_bad_length(scan, size, expected, type, error);
  tensor_t tensor = tensor_make(arena, type);
  if (!parse_data(scan->cursor, count, type->element, tensor.data)) {
    return report_bad_component(scan, type->element, error);
  }
  scan->cursor += size;
  *out_tensor = tensor;
  return STATUS_OK;
}
