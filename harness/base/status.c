/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the error text of a failed call, with or without a column; a NULL error is permitted. */
#include "harness/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_text(failure_t *error, size_t column, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void format_text(failure_t *error, size_t column, const char *format, va_list arguments) {
  if (error == NULL) return;
  error->column = column;
  vsnprintf(error->text, sizeof error->text, format, arguments);
}

status_t status_fail(failure_t *error, status_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  format_text(error, 0, format, arguments);
  va_end(arguments);
  return status;
}

status_t status_fail_at(failure_t *error, status_t status, size_t column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  format_text(error, column, format, arguments);
  va_end(arguments);
  return status;
}

const char *failure_reason(const failure_t *error) {
  static const char prefix[] = "column ";
  if (strncmp(error->text, prefix, strlen(prefix)) != 0) return error->text;
  const char *after = error->text + strlen(prefix);
  after += strspn(after, "0123456789");
  return strncmp(after, ": ", 2) == 0 ? after + 2 : error->text;
}
