/* SPDX-License-Identifier: Apache-2.0 */
/* String views and a one-line scanner whose errors name the column and what was found instead;
 * integers are parsed without overflow. */
#include "harness/base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

bool str_equal(str_t a, str_t b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool str_equal_text(str_t a, const char *b) { return str_equal(a, str_from(b)); }

bool str_starts_with(str_t text, const char *prefix) {
  size_t size = strlen(prefix);
  return text.size >= size && memcmp(text.data, prefix, size) == 0;
}

scan_t scan_make(str_t text) {
  return (scan_t){.begin = text.data, .cursor = text.data, .end = text.data + text.size};
}

size_t scan_column(const scan_t *scan) { return (size_t)(scan->cursor - scan->begin) + 1; }

bool scan_at_end(const scan_t *scan) { return scan->cursor == scan->end; }

char scan_peek(const scan_t *scan) { return scan_at_end(scan) ? '\0' : *scan->cursor; }

bool scan_accept(scan_t *scan, const char *expected) {
  str_t rest = {.data = scan->cursor, .size = (size_t)(scan->end - scan->cursor)};
  if (!str_starts_with(rest, expected)) return false;
  scan->cursor += strlen(expected);
  return true;
}

status_t scan_fail(const scan_t *scan, failure_t *error, const char *format, ...) {
  char text[ERROR_TEXT_BYTES / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t column = scan_column(scan);
  return status_fail_at(error, STATUS_INVALID, column, "column %zu: %s", column, text);
}

/* A short, printable picture of what stands at the cursor. */
static void describe_next(const scan_t *scan, char *out, size_t out_bytes) {
  if (scan_at_end(scan)) {
    snprintf(out, out_bytes, "the end of the line");
    return;
  }
  char shown[17];
  size_t count = 0;
  for (const char *p = scan->cursor; p < scan->end && count < sizeof shown - 1; p++) {
    shown[count++] = isprint((unsigned char)*p) ? *p : '?';
  }
  shown[count] = '\0';
  snprintf(out, out_bytes, "\"%s\"", shown);
}

status_t scan_fail_expecting(const scan_t *scan, failure_t *error, const char *what) {
  char found[32];
  describe_next(scan, found, sizeof found);
  return scan_fail(scan, error, "expected %s, found %s", what, found);
}

status_t scan_expect(scan_t *scan, const char *expected, failure_t *error) {
  if (scan_accept(scan, expected)) return STATUS_OK;
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\"", expected);
  return scan_fail_expecting(scan, error, quoted);
}

str_t scan_until(scan_t *scan, const char *stops) {
  const char *start = scan->cursor;
  while (scan->cursor < scan->end && strchr(stops, *scan->cursor) == NULL) scan->cursor++;
  return (str_t){.data = start, .size = (size_t)(scan->cursor - start)};
}

status_t scan_integer(scan_t *scan, int64_t *out_value, failure_t *error) {
  scan_t start = *scan;
  bool negative = scan_accept(scan, "-");
  const char *digits = scan->cursor;
  int64_t value = 0;
  while (isdigit((unsigned char)scan_peek(scan))) {
    int digit = *scan->cursor++ - '0';
    if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
        __builtin_sub_overflow(value, (int64_t)digit, &value)) {
      return scan_fail(&start, error, "the integer does not fit in 64 bits");
    }
  }
  if (scan->cursor == digits) return scan_fail_expecting(&start, error, "an integer");
  bool leading_zero = *digits == '0' && (scan->cursor - digits > 1 || negative);
  if (leading_zero) return scan_fail(&start, error, "an integer is written without leading zeros");
  if (!negative && value == INT64_MIN) {
    return scan_fail(&start, error, "the integer does not fit in 64 bits");
  }
  *out_value = negative ? value : -value;
  return STATUS_OK;
}

status_t scan_list(scan_t *scan, const scan_list_t *kind, void *list, uint32_t *inout_count,
                   failure_t *error) {
  STATUS_TRY(scan_expect(scan, "[", error));
  return scan_entries(scan, kind, list, inout_count, error);
}

status_t scan_entries(scan_t *scan, const scan_list_t *kind, void *list, uint32_t *inout_count,
                      failure_t *error) {
  if (scan_accept(scan, "]")) return STATUS_OK;
  do {
    if (*inout_count == kind->count_max) {
      return scan_fail(scan, error, "%s at most %u %s", kind->holder, kind->count_max,
                       kind->entries);
    }
    STATUS_TRY(kind->parse_entry(scan, *inout_count, list, error));
    ++*inout_count;
  } while (scan_accept(scan, ","));
  return scan_expect(scan, "]", error);
}
