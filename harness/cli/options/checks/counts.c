/* SPDX-License-Identifier: Apache-2.0 */
/* Tells counts that were given from those that were not: all get a mark before GOption parses, and
 * what still has it was left out. */
#include "harness/cli/options/checks/counts.h"

#include <stdbool.h>
#include <string.h>

/* `assay report --scripts 0` says that none are wanted. */
static const char option_that_may_be_zero[] = "scripts";

static bool is_count(const GOptionEntry *entry) {
  return entry->arg == G_OPTION_ARG_INT || entry->arg == G_OPTION_ARG_INT64;
}

gint64 count_value(const GOptionEntry *entry) {
  if (entry->arg == G_OPTION_ARG_INT64) return *(const gint64 *)entry->arg_data;
  return *(const gint *)entry->arg_data;
}

static void set_value(const GOptionEntry *entry, gint64 value) {
  if (entry->arg == G_OPTION_ARG_INT64) {
    *(gint64 *)entry->arg_data = value;
  } else {
    *(gint *)entry->arg_data = (gint)value;
  }
}

GArray *counts_mark(const GOptionEntry *entries, guint count) {
  GArray *marks = g_array_new(FALSE, TRUE, sizeof(gint64));
  g_array_set_size(marks, count);
  for (guint i = 0; i < count; i++) {
    if (!is_count(&entries[i])) continue;
    g_array_index(marks, gint64, i) = count_value(&entries[i]);
    set_value(&entries[i], G_MININT);
  }
  return marks;
}

const GOptionEntry *counts_settle(const GOptionEntry *entries, guint count, const GArray *marks) {
  const GOptionEntry *bad = NULL;
  for (guint i = 0; i < count; i++) {
    if (!is_count(&entries[i])) continue;
    gint64 value = count_value(&entries[i]);
    bool may_be_zero = strcmp(entries[i].long_name, option_that_may_be_zero) == 0;
    if (value == G_MININT) {
      set_value(&entries[i], g_array_index(marks, gint64, i));
    } else if (bad == NULL && value < (may_be_zero ? 0 : 1)) {
      bad = &entries[i];
    }
  }
  return bad;
}
