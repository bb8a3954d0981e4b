/* SPDX-License-Identifier: Apache-2.0 */
/* Emits TAP line by line and keeps count, so that the plan, skipped points and the final verdict
 * are consistent; escapes text for descriptions, reasons and YAML separately. */
#include "harness/tap/tap.h"

#include <glib.h>

void tap_begin(tap_t *tap, FILE *out) {
  *tap = (tap_t){.out = out};
  fputs("TAP version 13\n", out);
}

void tap_plan(tap_t *tap, size_t count) {
  g_assert(!tap->has_plan && tap->count == 0);
  tap->has_plan = true;
  tap->planned = count;
  fprintf(tap->out, "1..%zu\n", count);
}

/* Text within a line: newlines and other control characters become blanks, and '#', which starts a
 * directive, is escaped, as is the backslash that escapes. */
static void put_text(tap_t *tap, const char *text) {
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '#' || *c == '\\') fputc('\\', tap->out);
    fputc(g_ascii_iscntrl(*c) ? ' ' : *c, tap->out);
  }
}

/* Text that ends a line and knows no escapes. */
static void put_reason(tap_t *tap, const char *reason) {
  for (const char *c = reason; *c != '\0'; c++) fputc(g_ascii_iscntrl(*c) ? ' ' : *c, tap->out);
  fputc('\n', tap->out);
}

void tap_skip_all(tap_t *tap, const char *reason) {
  g_assert(!tap->has_plan && tap->count == 0);
  tap->has_plan = true;
  fputs("1..0 # SKIP ", tap->out);
  put_reason(tap, reason);
}

static void put_point(tap_t *tap, bool is_ok, const char *description) {
  tap->count++;
  fprintf(tap->out, "%s %zu - ", is_ok ? "ok" : "not ok", tap->count);
  put_text(tap, description);
}

void tap_point(tap_t *tap, bool is_ok, const char *description) {
  put_point(tap, is_ok, description);
  fputc('\n', tap->out);
  if (!is_ok) tap->failures++;
}

void tap_point_skip(tap_t *tap, const char *description, const char *reason) {
  put_point(tap, true, description);
  fputs(" # SKIP ", tap->out);
  put_reason(tap, reason);
}

void tap_point_todo(tap_t *tap, bool is_ok, const char *description, const char *reason) {
  put_point(tap, is_ok, description);
  fputs(" # TODO ", tap->out);
  put_reason(tap, reason);
}

/* A double-quoted YAML string. */
static void put_quoted(tap_t *tap, const char *text) {
  fputc('"', tap->out);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\n') {
      fputs("\\n", tap->out);
    } else if (*c == '\t') {
      fputs("\\t", tap->out);
    } else if (g_ascii_iscntrl(*c)) {
      fprintf(tap->out, "\\x%02x", (unsigned)(unsigned char)*c);
    } else {
      if (*c == '"' || *c == '\\') fputc('\\', tap->out);
      fputc(*c, tap->out);
    }
  }
  fputc('"', tap->out);
}

void tap_details(tap_t *tap, const tap_detail_t *details, size_t count) {
  g_assert(tap->count != 0);
  if (count == 0) return;
  fputs("  ---\n", tap->out);
  for (size_t i = 0; i < count; i++) {
    fprintf(tap->out, "  %s: ", details[i].key);
    put_quoted(tap, details[i].value);
    fputc('\n', tap->out);
  }
  fputs("  ...\n", tap->out);
}

void tap_comment(tap_t *tap, const char *text) {
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) fprintf(tap->out, "# %s\n", *line);
  g_strfreev(lines);
}

void tap_bail_out(tap_t *tap, const char *reason) {
  tap->has_bailed = true;
  fputs("Bail out! ", tap->out);
  put_reason(tap, reason);
  fflush(tap->out);
}

bool tap_end(tap_t *tap) {
  if (!tap->has_plan && !tap->has_bailed) {
    tap->planned = tap->count;
    fprintf(tap->out, "1..%zu\n", tap->count);
  }
  fflush(tap->out);
  return tap->count == tap->planned && tap->failures == 0 && !tap->has_bailed;
}
