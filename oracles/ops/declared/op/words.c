/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a declaration's lines, and what is said of those that are wrong. */
#include <stdarg.h>
#include <stdio.h>

#include "oracles/ops/declared/op/reader.h"

status_t reader_fail(const reader_t *reader, const char *at, const char *format, ...) {
  char text[ERROR_TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t column = (size_t)(at - reader->scan.begin) + 1;
  return status_fail(reader->error, STATUS_INVALID, "%s:%zu:%zu: %.400s", reader->path,
                     reader->line, column, text);
}

status_t reader_fail_in_line(const reader_t *reader, size_t line, const char *format, ...) {
  char text[ERROR_TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status_fail(reader->error, STATUS_INVALID, "%s:%zu:1: %.400s", reader->path, line, text);
}

status_t reader_fail_expecting(const reader_t *reader, const char *what) {
  const char *at = reader->scan.cursor;
  while (at < reader->scan.end && *at == ' ') at++;
  if (at == reader->scan.end) {
    return reader_fail(reader, at, "expected %s, found the end of the line", what);
  }
  int size = (int)MIN(reader->scan.end - at, 16);
  return reader_fail(reader, at, "expected %s, found \"%.*s\"", what, size, at);
}

void reader_skip_blanks(reader_t *reader) {
  while (scan_accept(&reader->scan, " ")) continue;
}

bool reader_accept(reader_t *reader, const char *text) {
  reader_skip_blanks(reader);
  return scan_accept(&reader->scan, text);
}

status_t reader_expect(reader_t *reader, const char *text) {
  if (reader_accept(reader, text)) return STATUS_OK;
  g_autofree char *quoted = g_strdup_printf("\"%s\"", text);
  return reader_fail_expecting(reader, quoted);
}

str_t reader_word(reader_t *reader) {
  reader_skip_blanks(reader);
  str_t word = {.data = reader->scan.cursor};
  while (reader->scan.cursor < reader->scan.end &&
         (g_ascii_isalnum(*reader->scan.cursor) || *reader->scan.cursor == '_')) {
    reader->scan.cursor++;
  }
  word.size = (size_t)(reader->scan.cursor - word.data);
  return word;
}

char *reader_keep(const reader_t *reader, str_t text) {
  return arena_copy_text(&reader->declaration->arena, text.data, text.size);
}

bool reader_is_name(str_t word) { return word.size > 0 && g_ascii_islower(word.data[0]); }

bool reader_is_index(str_t word) { return word.size > 0 && g_ascii_isupper(word.data[0]); }

int reader_find_index(const reader_t *reader, str_t word) {
  for (uint32_t i = 0; i < reader->declaration->index_count; i++) {
    if (str_equal_text(word, reader->declaration->indices[i].name)) return (int)i;
  }
  return -1;
}

status_t reader_expect_end(reader_t *reader) {
  reader_skip_blanks(reader);
  return scan_at_end(&reader->scan) ? STATUS_OK
                                    : reader_fail_expecting(reader, "the end of the line");
}
