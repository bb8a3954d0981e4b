/* SPDX-License-Identifier: Apache-2.0 */
/* Views of text and a scanner over one line.  Text is built with GLib's GString. */
#ifndef ASSAY_BASE_TEXT_H
#define ASSAY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "harness/base/status.h"

/* A borrowed run of bytes, not NUL-terminated. */
typedef struct str {
  const char *data;
  size_t size;
} str_t;

/* For printf("%.*s", STR_FORMAT(s)). */
#define STR_FORMAT(s) (int)(s).size, (s).data

static inline str_t str_from(const char *text) {
  return (str_t){.data = text, .size = strlen(text)};
}

bool str_equal(str_t a, str_t b);
bool str_equal_text(str_t a, const char *b);
bool str_starts_with(str_t text, const char *prefix);

/* A cursor over one line.  Columns are counted from 1. */
typedef struct scan {
  const char *begin;
  const char *cursor;
  const char *end;
} scan_t;

scan_t scan_make(str_t text);
size_t scan_column(const scan_t *scan);
bool scan_at_end(const scan_t *scan);

/* The next byte without taking it, or '\0' at the end. */
char scan_peek(const scan_t *scan);

/* Takes `expected` if it is next. */
bool scan_accept(scan_t *scan, const char *expected);

/* Takes `expected`, or fails with the column and what was found. */
status_t scan_expect(scan_t *scan, const char *expected, failure_t *error);

/* Takes bytes up to, not including, the first that is in `stops` or the end; may be empty. */
str_t scan_until(scan_t *scan, const char *stops);

/* Takes a decimal integer in its one canonical spelling: no '+', no leading zero, no "-0". */
status_t scan_integer(scan_t *scan, int64_t *out_value, failure_t *error);

/* How a list is read: its entries, and what is said of too many: "a list holds at most 12 rows". */
typedef struct scan_list {
  const char *holder;  /* "a list holds" */
  const char *entries; /* "rows" */
  uint32_t count_max;
  status_t (*parse_entry)(scan_t *scan, uint32_t index, void *list, failure_t *error);
} scan_list_t;

/* Takes "[]" or "[ENTRY,ENTRY]", and appends entries to the *inout_count that are there. */
status_t scan_list(scan_t *scan, const scan_list_t *kind, void *list, uint32_t *inout_count,
                   failure_t *error);

/* The same behind the '['. */
status_t scan_entries(scan_t *scan, const scan_list_t *kind, void *list, uint32_t *inout_count,
                      failure_t *error);

/* Fails at the present column. */
status_t scan_fail(const scan_t *scan, failure_t *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails at the present column: "expected WHAT, found ...". */
status_t scan_fail_expecting(const scan_t *scan, failure_t *error, const char *what);

#endif
