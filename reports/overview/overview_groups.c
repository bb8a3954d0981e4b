/* SPDX-License-Identifier: Apache-2.0 */
/* Groups findings by executor, hypothesis and family of ops for display, the gravest first, and
 * lists the executors of a report. */
#include <string.h>

#include "reports/overview/overview.h"

static char *group_key(const overview_finding_t *finding) {
  return g_strjoin("\n", finding->executor, finding->hypothesis, finding->family, NULL);
}

/* Of two findings the one to look at: the graver one, then the one with the shorter case line. */
static size_t better_example(const overview_t *overview, size_t old, size_t other) {
  overview_finding_t a = overview_finding(overview, old);
  overview_finding_t b = overview_finding(overview, other);
  if (a.severity_rank != b.severity_rank) return a.severity_rank < b.severity_rank ? old : other;
  return strlen(b.case_line) < strlen(a.case_line) ? other : old;
}

/* `known` has what groups were seen in so far. */
static void add_spread(overview_group_t *group, const overview_finding_t *finding,
                       GHashTable *known) {
  char *where = g_strjoin(" ", finding->op, finding->algorithm, finding->types, NULL);
  if (g_hash_table_add(known, g_strdup_printf("%zu %s", group->first, where))) {
    g_ptr_array_add(group->spread, where);
  } else {
    g_free(where);
  }
}

static void add_finding(const overview_t *overview, overview_group_t *group, size_t index,
                        GHashTable *known) {
  overview_finding_t finding = overview_finding(overview, index);
  group->example = better_example(overview, group->example, index);
  if (finding.is_new) {
    bool is_first = group->new_count == 0;
    group->example_new = is_first ? index : better_example(overview, group->example_new, index);
  }
  group->count++;
  group->new_count += finding.is_new;
  group->sightings += finding.sightings;
  add_spread(group, &finding, known);
}

static void free_group(gpointer data) {
  overview_group_t *group = data;
  g_ptr_array_unref(group->spread);
}

GArray *overview_groups(const overview_t *overview) {
  GArray *groups = g_array_new(FALSE, TRUE, sizeof(overview_group_t));
  g_array_set_clear_func(groups, free_group);
  g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  size_t count = overview_finding_count(overview);
  for (size_t i = 0; i < count; i++) { /* The gravest finding comes first, and so do groups. */
    overview_finding_t finding = overview_finding(overview, i);
    char *key = group_key(&finding);
    gpointer place = g_hash_table_lookup(places, key);
    if (place == NULL) {
      const overview_group_t group = {
          .first = i, .example = i, .spread = g_ptr_array_new_with_free_func(g_free)};
      g_array_append_val(groups, group);
      place = GUINT_TO_POINTER(groups->len); /* From 1: NULL is none. */
      g_hash_table_insert(places, key, place);
    } else {
      g_free(key);
    }
    add_finding(overview, &g_array_index(groups, overview_group_t, GPOINTER_TO_UINT(place) - 1), i,
                known);
  }
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
