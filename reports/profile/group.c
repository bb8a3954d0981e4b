/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table by joined texts, sorted when it is written. */
#include "reports/profile/group.h"

#include <inttypes.h>
#include <string.h>

/* A note is cut here: it gives examples. */
static const size_t NOTE_BYTES_MAX = 120;

enum { COLUMNS_MAX = 16 };

static void row_free(gpointer pointer) {
  group_row_t *row = (group_row_t *)pointer;
  g_free(row->note);
  g_free(row);
}

void group_init(group_t *group) {
  group->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, row_free);
}

void group_deinit(group_t *group) { g_hash_table_destroy(group->rows); }

group_row_t *group_row(group_t *group, const char *const *texts) {
  g_autoptr(GString) key = g_string_new(NULL);
  for (const char *const *text = texts; *text != NULL; text++) {
    if (text != texts) g_string_append_c(key, '\t');
    g_string_append(key, *text);
  }
  group_row_t *row = (group_row_t *)g_hash_table_lookup(group->rows, key->str);
  if (row != NULL) return row;
  row = g_new0(group_row_t, 1);
  row->note = g_strdup("");
  g_hash_table_insert(group->rows, g_strdup(key->str), row);
  return row;
}

static bool has_part(const char *note, const char *text) {
  g_auto(GStrv) parts = g_strsplit(note, "; ", -1);
  return g_strv_contains((const char *const *)parts, text);
}

void group_row_note(group_row_t *row, const char *text) {
  if (text[0] == '\0' || has_part(row->note, text) || g_str_has_suffix(row->note, "...")) return;
  bool is_full = row->note[0] != '\0' && strlen(row->note) + strlen(text) > NOTE_BYTES_MAX;
  char *note =
      g_strconcat(row->note, row->note[0] == '\0' ? "" : "; ", is_full ? "..." : text, NULL);
  g_free(row->note);
  row->note = note;
}

static gint compare_keys(gconstpointer a, gconstpointer b) {
  return strcmp((const char *)a, (const char *)b);
}

static void write_row(const char *key, const group_row_t *row, int texts, int columns,
                      bool has_note, report_grid_t *grid) {
  g_auto(GStrv) parts = g_strsplit(key, "\t", texts);
  store_value_t values[COLUMNS_MAX] = {0};
  char numbers[COLUMNS_MAX][24];
  for (int i = 0; i < columns; i++) {
    if (i < texts) {
      values[i] = (store_value_t){.kind = STORE_TEXT, .text = parts[i]};
    } else if (has_note && i == columns - 1) {
      values[i] = (store_value_t){.kind = STORE_TEXT, .text = row->note};
    } else {
      uint64_t count = row->counts[i - texts];
      g_snprintf(numbers[i], sizeof numbers[i], "%" PRIu64, count);
      values[i] = (store_value_t){.kind = STORE_INTEGER,
                                  .text = numbers[i],
                                  .real = (double)count,
                                  .integer = (int64_t)count};
    }
  }
  report_grid_add(grid, columns, NULL, values, NULL);
}

void group_write(const group_t *group, const char *const *names, int texts, bool has_note,
                 report_grid_t *grid) {
  int columns = 0;
  while (names[columns] != NULL) columns++;
  g_assert(columns <= COLUMNS_MAX && columns - texts - has_note <= GROUP_COUNTS_MAX);
  report_grid_add(grid, columns, names, NULL, NULL);
  GList *keys = g_list_sort(g_hash_table_get_keys(group->rows), compare_keys);
  for (const GList *key = keys; key != NULL; key = key->next) {
    const group_row_t *row = (const group_row_t *)g_hash_table_lookup(group->rows, key->data);
    write_row((const char *)key->data, row, texts, columns, has_note, grid);
  }
  g_list_free(keys);
}
