/* SPDX-License-Identifier: Apache-2.0 */
/* Obtains a verb's options by running the verb up to its parsing step, where the table is recorded
 * instead of parsed. */
#include "harness/cli/options/option_table.h"

#include <stdbool.h>

/* A verb makes its option table as it begins to parse, and nowhere else: it is run for that. */
static GArray *table_in_making;

static void clear_row(gpointer data) {
  option_row_t *row = data;
  g_free(row->name);
  g_free(row->value);
  g_free(row->text);
}

gboolean option_table_note(const GOptionEntry *entries, guint count) {
  if (table_in_making == NULL) return FALSE;
  for (guint i = 0; i < count; i++) {
    const GOptionEntry *entry = &entries[i];
    bool takes_value = entry->arg != G_OPTION_ARG_NONE;
    const char *value = entry->arg_description == NULL ? "VALUE" : entry->arg_description;
    const option_row_t row = {.name = g_strdup(entry->long_name),
                              .letter = entry->short_name,
                              .value = takes_value ? g_strdup(value) : NULL,
                              .text = g_strdup(entry->description),
                              .is_path = entry->arg == G_OPTION_ARG_FILENAME ||
                                         entry->arg == G_OPTION_ARG_FILENAME_ARRAY};
    g_array_append_val(table_in_making, row);
  }
  return TRUE;
}

GArray *option_table_make(const command_t *command) {
  GArray *table = g_array_new(FALSE, FALSE, sizeof(option_row_t));
  g_array_set_clear_func(table, clear_row);
  table_in_making = table;
  char *name = g_strdup(command->name);
  char *arguments[] = {name, NULL};
  command->run(command, 1, arguments);
  g_free(name);
  table_in_making = NULL;
  return table;
}
