/* SPDX-License-Identifier: Apache-2.0 */
/* Groups findings by executor, op, class and cause for display, in order of severity, and lists
 * the executors of a report. */
#include <string.h>

#include "reports/overview/overview.h"

static char *group_key(const overview_finding_t *finding) {
  return g_strjoin("\n", finding->executor, finding->op, finding->class_, finding->cause, NULL);
}

static void add_finding(const overview_t *overview, overview_group_t *group, size_t index) {
  overview_finding_t finding = overview_finding(overview, index);
  overview_finding_t example = overview_finding(overview, group->example);
  bool is_shorter = strlen(finding.case_line) < strlen(example.case_line);
  if (finding.is_new != example.is_new ? finding.is_new : is_shorter) group->example = index;
  group->count++;
  group->new_count += finding.is_new;
  group->sightings += finding.sightings;
}

static gint compare_groups(gconstpointer a, gconstpointer b) {
  const overview_group_t *left = a;
  const overview_group_t *right = b;
  if ((left->new_count > 0) != (right->new_count > 0)) return left->new_count > 0 ? -1 : 1;
  if (left->sightings != right->sightings) return left->sightings > right->sightings ? -1 : 1;
  return left->example < right->example ? -1 : left->example > right->example;
}

GArray *overview_groups(const overview_t *overview) {
  GArray *groups = g_array_new(FALSE, TRUE, sizeof(overview_group_t));
  g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  size_t count = overview_finding_count(overview);
  for (size_t i = 0; i < count; i++) {
    overview_finding_t finding = overview_finding(overview, i);
    char *key = group_key(&finding);
    gpointer place = g_hash_table_lookup(places, key);
    if (place == NULL) {
      const overview_group_t group = {.example = i};
      g_array_append_val(groups, group);
      place = GUINT_TO_POINTER(groups->len); /* From 1: NULL is none. */
      g_hash_table_insert(places, key, place);
    } else {
      g_free(key);
    }
    add_finding(overview, &g_array_index(groups, overview_group_t, GPOINTER_TO_UINT(place) - 1), i);
  }
  g_array_sort(groups, compare_groups);
  return groups;
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *overview_executors(const overview_t *overview) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  GPtrArray *executors = g_ptr_array_new();
  g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    gpointer executor = (gpointer)(uintptr_t)overview_text(grid, row, "executor");
    if (g_hash_table_add(known, executor)) g_ptr_array_add(executors, executor);
  }
  g_ptr_array_sort(executors, compare_names);
  return executors;
}
