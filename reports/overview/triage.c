/* SPDX-License-Identifier: Apache-2.0 */
/* A pass over view `graded` in any order: each finding is added to its root cause, of which the
 * gravest are kept. */
#include "reports/overview/triage.h"

#include <math.h>
#include <string.h>

/* What the pass needs of a finding, in the order of the query. */
enum {
  AT_ID,
  AT_EXECUTOR,
  AT_HYPOTHESIS,
  AT_FAMILY,
  AT_OP,
  AT_ALGORITHM,
  AT_TYPES,
  AT_RANK,
  AT_WEIGHT,
  AT_SIGHTINGS,
  AT_IS_NEW,
  AT_IS_SEEN,
  COLUMN_COUNT
};

static const char PASS[] =
    "WITH latest AS MATERIALIZED (SELECT run_id FROM run_label WHERE campaign ="
    " (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 1))"
    " SELECT divergence_id, executor_id, hypothesis, family, op, algorithm, types, severity_rank,"
    " severity_weight, sightings, first_run_id IN (SELECT run_id FROM latest),"
    " last_run_id IN (SELECT run_id FROM latest) FROM graded";

/* By what findings of a root cause are in order. */
typedef struct grade {
  double rank;
  double weight;
  double sightings;
  int64_t id;
} grade_t;

/* Whose findings have one root cause; texts are interned. */
typedef struct cause_key {
  int64_t executor_id;
  const char *hypothesis;
  const char *family;
} cause_key_t;

typedef struct building {
  cause_key_t key; /* First: a building is found by it. */
  overview_group_t group;
  grade_t shown[OVERVIEW_SHOWN_MAX]; /* Of group.shown. */
  grade_t newest;
  GHashTable *spread[3]; /* Of ops, algorithms and types: interned texts. */
} building_t;

typedef struct pass {
  GStringChunk *names;
  GHashTable *places;             /* Of building_t, by their keys. */
  GPtrArray *buildings;           /* building_t, owned. */
  const char *last[COLUMN_COUNT]; /* Texts of the finding before, interned. */
  double count;
} pass_t;

static bool is_graver(const grade_t *a, const grade_t *b) {
  if (a->rank != b->rank) return a->rank < b->rank;
  if (a->weight != b->weight) return a->weight > b->weight;
  if (a->sightings != b->sightings) return a->sightings > b->sightings;
  return a->id < b->id;
}

static building_t *add_building(pass_t *pass, const cause_key_t *key) {
  building_t *building = g_new0(building_t, 1);
  building->key = *key;
  overview_group_t *group = &building->group;
  group->executor_id = key->executor_id;
  group->hypothesis = key->hypothesis;
  group->family = key->family;
  group->ops = g_ptr_array_new();
  group->algorithms = g_ptr_array_new();
  group->types = g_ptr_array_new();
  for (int i = 0; i < 3; i++) building->spread[i] = g_hash_table_new(NULL, NULL);
  g_ptr_array_add(pass->buildings, building);
  g_hash_table_add(pass->places, building);
  return building;
}

static guint hash_key(gconstpointer data) {
  const cause_key_t *key = data;
  return g_direct_hash(key->hypothesis) * 31 + g_direct_hash(key->family) * 17 +
         (guint)key->executor_id;
}

static gboolean is_same_key(gconstpointer a, gconstpointer b) {
  const cause_key_t *left = a, *right = b;
  return left->executor_id == right->executor_id && left->hypothesis == right->hypothesis &&
         left->family == right->family;
}

/* The text in a column, the same place for the same text. */
static const char *intern(pass_t *pass, const store_value_t *values, int column) {
  const char **last = &pass->last[column]; /* Findings come as they were found, many alike. */
  if (*last == NULL || strcmp(*last, values[column].text) != 0) {
    *last = g_string_chunk_insert_const(pass->names, values[column].text);
  }
  return *last;
}

static building_t *find_building(pass_t *pass, const store_value_t *values) {
  const cause_key_t key = {.executor_id = values[AT_EXECUTOR].integer,
                           .hypothesis = intern(pass, values, AT_HYPOTHESIS),
                           .family = intern(pass, values, AT_FAMILY)};
  building_t *building = g_hash_table_lookup(pass->places, &key);
  return building != NULL ? building : add_building(pass, &key);
}

/* Keeps it if it is among the gravest. */
static void show(building_t *building, const grade_t *grade) {
  size_t count = building->group.shown_count;
  size_t place = count;
  while (place > 0 && is_graver(grade, &building->shown[place - 1])) place--;
  if (place == OVERVIEW_SHOWN_MAX) return;
  if (count < OVERVIEW_SHOWN_MAX) building->group.shown_count = ++count;
  memmove(&building->shown[place + 1], &building->shown[place],
          (count - place - 1) * sizeof *grade);
  building->shown[place] = *grade;
}

static void spread_to(building_t *building, int kind, GPtrArray *list, const char *name) {
  gpointer key = (gpointer)(uintptr_t)name;
  if (list->len > 0 && list->pdata[list->len - 1] == key) return;
  if (g_hash_table_add(building->spread[kind], key)) g_ptr_array_add(list, key);
}

static status_t add_finding(void *context, int column_count, const char *const *names,
                            const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  pass_t *pass = context;
  building_t *building = find_building(pass, values);
  overview_group_t *group = &building->group;
  const grade_t grade = {values[AT_RANK].real, values[AT_WEIGHT].real, values[AT_SIGHTINGS].real,
                         values[AT_ID].integer};
  bool is_new = values[AT_IS_NEW].integer != 0;
  if (is_new && (group->new_count == 0 || is_graver(&grade, &building->newest))) {
    building->newest = grade;
    group->newest = grade.id;
  }
  show(building, &grade);
  group->count++;
  group->new_count += is_new;
  group->seen_count += values[AT_IS_SEEN].integer != 0;
  group->sightings += grade.sightings;
  spread_to(building, 0, group->ops, intern(pass, values, AT_OP));
  spread_to(building, 1, group->algorithms, intern(pass, values, AT_ALGORITHM));
  spread_to(building, 2, group->types, intern(pass, values, AT_TYPES));
  pass->count++;
  return STATUS_OK;
}

static gint compare_buildings(gconstpointer a, gconstpointer b) {
  const building_t *left = *(const building_t *const *)a;
  const building_t *right = *(const building_t *const *)b;
  return is_graver(&left->shown[0], &right->shown[0]) ? -1 : 1;
}

static gint compare_texts(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists are in the order of names: that of the pass is nobody's. */
static void finish(building_t *building) {
  overview_group_t *group = &building->group;
  for (size_t i = 0; i < group->shown_count; i++) group->shown[i] = building->shown[i].id;
  g_ptr_array_sort(group->ops, compare_texts);
  g_ptr_array_sort(group->algorithms, compare_texts);
  g_ptr_array_sort(group->types, compare_texts);
}

static void free_building(gpointer data) {
  building_t *building = data;
  for (int i = 0; i < 3; i++) g_hash_table_destroy(building->spread[i]);
  g_free(building);
}

static void free_group(gpointer data) {
  overview_group_t *group = data;
  g_ptr_array_unref(group->ops);
  g_ptr_array_unref(group->algorithms);
  g_ptr_array_unref(group->types);
}

status_t triage_read(store_reader_t *reader, overview_t *overview, failure_t *error) {
  overview->names = g_string_chunk_new(4096);
  overview->groups = g_array_new(FALSE, FALSE, sizeof(overview_group_t));
  g_array_set_clear_func(overview->groups, free_group);
  pass_t pass = {.names = overview->names,
                 .places = g_hash_table_new(hash_key, is_same_key),
                 .buildings = g_ptr_array_new_with_free_func(free_building)};
  status_t status = store_reader_scan(reader, PASS, add_finding, &pass, error);
  g_ptr_array_sort(pass.buildings, compare_buildings);
  for (guint i = 0; i < pass.buildings->len; i++) {
    building_t *building = g_ptr_array_index(pass.buildings, i);
    finish(building);
    g_array_append_val(overview->groups, building->group);
  }
  overview->finding_count = pass.count;
  g_hash_table_destroy(pass.places);
  g_ptr_array_unref(pass.buildings);
  return status;
}

GArray *triage_shown(const overview_t *overview) {
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    g_array_append_vals(ids, group->shown, (guint)group->shown_count);
    if (group->newest != 0) g_array_append_val(ids, group->newest);
  }
  return ids;
}
