/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file of severities, and puts those that it does not name behind. */
#include "harness/store/severity/severity_order.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

static char *list_severities(void) {
  GString *text = g_string_new(NULL);
  for (int i = 0; i < SEVERITY_COUNT; i++) {
    g_string_append_printf(text, "%s%s", i == 0 ? "" : ", ", severity_spelling((severity_id_t)i));
  }
  return g_string_free(text, FALSE);
}

/* Adds what one line names, if it names something. */
static status_t add_line(const char *path, int number, char *line, severity_order_t *order,
                         int *count, failure_t *error) {
  line[strcspn(line, "#")] = '\0';
  g_strstrip(line);
  if (line[0] == '\0') return STATUS_OK;
  severity_id_t severity = severity_find(line);
  if (severity == SEVERITY_COUNT) {
    g_autofree char *known = list_severities();
    return status_fail(error, STATUS_INVALID,
                       "%s:%d: no severity \"%s\"; write one of these on a line: %s", path, number,
                       line, known);
  }
  for (int i = 0; i < *count; i++) {
    if (order->order[i] != severity) continue;
    return status_fail(error, STATUS_INVALID, "%s:%d: \"%s\" is named twice; leave one of them out",
                       path, number, line);
  }
  order->order[(*count)++] = severity;
  return STATUS_OK;
}

static void add_others(severity_order_t *order, int count) {
  int named = count;
  for (int severity = 0; severity < SEVERITY_COUNT; severity++) {
    bool is_named = false;
    for (int i = 0; i < named; i++) is_named |= order->order[i] == (severity_id_t)severity;
    if (!is_named) order->order[count++] = (severity_id_t)severity;
  }
}

status_t severity_order_read(const char *path, severity_order_t *out_order, failure_t *error) {
  g_autofree char *text = NULL;
  g_autoptr(GError) failure = NULL;
  if (!g_file_get_contents(path, &text, NULL, &failure)) {
    return status_fail(error, STATUS_INVALID, "cannot read the order of severities: %s",
                       failure->message);
  }
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  int count = 0;
  for (int i = 0; lines[i] != NULL; i++) {
    STATUS_TRY(add_line(path, i + 1, lines[i], out_order, &count, error));
  }
  add_others(out_order, count);
  return STATUS_OK;
}
