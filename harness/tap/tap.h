/* SPDX-License-Identifier: Apache-2.0 */
/* Writes TAP 13, as Debian's prove 3.44 reads it: a version line, test points with directives, and
 * YAML blocks of the subset that prove accepts. */
#ifndef ASSAY_TAP_TAP_H
#define ASSAY_TAP_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct tap {
  FILE *out;       /* Borrowed. */
  bool has_plan;   /* The plan line is written ... */
  size_t planned;  /* ... and promises so many points. */
  size_t count;    /* Test points so far. */
  size_t failures; /* Those that are neither ok nor TODO. */
  bool has_bailed; /* Nothing may follow. */
} tap_t;

/* One line of a YAML block; both are text. */
typedef struct tap_detail {
  const char *key; /* Letters, digits and underscores. */
  const char *value;
} tap_detail_t;

/* Starts a stream with its version line.  The plan follows at once with tap_plan(), or at the end.
 */
void tap_begin(tap_t *tap, FILE *out);

/* "1..COUNT": how many test points the stream has; at most once, and before the first point. */
void tap_plan(tap_t *tap, size_t count);

/* "1..0 # SKIP REASON": the whole stream is skipped; nothing follows. */
void tap_skip_all(tap_t *tap, const char *reason);

/* A test point.  Descriptions and reasons are any text: what would end or split the line is
 * escaped. */
void tap_point(tap_t *tap, bool is_ok, const char *description);

/* A point that was not run, and one whose failure is known. */
void tap_point_skip(tap_t *tap, const char *description, const char *reason);
void tap_point_todo(tap_t *tap, bool is_ok, const char *description, const char *reason);

/* The YAML block of the point just written. */
void tap_details(tap_t *tap, const tap_detail_t *details, size_t count);

/* A line for people, or several if the text has newlines. */
void tap_comment(tap_t *tap, const char *text);

/* "Bail out! REASON": the test cannot go on; nothing follows. */
void tap_bail_out(tap_t *tap, const char *reason);

/* Writes the plan if it is still due and flushes.  True if no point failed and nobody bailed out.
 */
bool tap_end(tap_t *tap);

#endif
