/* SPDX-License-Identifier: Apache-2.0 */
/* What a call tells its caller about *our program*.  It never speaks about the case under test:
 * that is a verdict (harness/judge/verdict.h).
 *
 * Every function that can fail returns status_t and takes `failure_t *error` last.  On failure the
 * error holds one line for the user: what is wrong, where, and what to do.  Out parameters are
 * written only on STATUS_OK.  Running out of memory ends the program, as GLib's allocators do. */
#ifndef ASSAY_BASE_STATUS_H
#define ASSAY_BASE_STATUS_H

#include <stddef.h>

typedef enum status {
  STATUS_OK = 0,
  STATUS_INVALID,     /* The input breaks a rule: fix the input. */
  STATUS_UNSUPPORTED, /* Well formed, but nobody here does it. */
  STATUS_UNDECIDED,   /* More precision, time or memory might decide it. */
  STATUS_IO,          /* The environment failed: disk, process, library. */
} status_t;

enum { ERROR_TEXT_BYTES = 512 };

typedef struct error {
  size_t column;               /* 1-based column of the offending byte in a text, or 0. */
  char text[ERROR_TEXT_BYTES]; /* One line, NUL-terminated, no trailing full stop or newline. */
} failure_t;

/* Formats the message into `error` (may be NULL) and returns `status`. */
status_t status_fail(failure_t *error, status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with the column of the offending byte. */
status_t status_fail_at(failure_t *error, status_t status, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text without the "column 3: " that it may begin with: for messages that say the place
 * themselves. */
const char *failure_reason(const failure_t *error);

/* Passes a failure up. */
#define STATUS_TRY(expression)                        \
  do {                                                \
    status_t status_try_ = (expression);              \
    if (status_try_ != STATUS_OK) return status_try_; \
  } while (0)

#endif
