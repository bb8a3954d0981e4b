/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of runs are absorbed once, wherever and in whatever order databases are merged: compared
 * with a model that knows how many cases of which part have got where. */
#include <string.h>

#include "harness/base/rng.h"
#include "harness/store/campaign.h"
#include "harness/store/connection.h"
#include "harness/store/merge.h"
#include "tests/store/store_fixture.h"

enum {
  HOMES = 2, /* Databases of campaigns, in which runs absorb their parts. */
  OTHERS = 3,
  DATABASES = HOMES + OTHERS,
  PARTS_MAX = 24,
  STEPS = 160,
};

typedef struct part {
  char *path; /* Of its own database; NULL: there is no such part. */
  int home;
  unsigned written; /* Cases. */
  bool has_ended;
} part_t;

typedef struct world {
  store_fixture_t *fixture;
  rng_t rng;
  char *paths[DATABASES];
  char *wholes[HOMES]; /* The uuid of the run that starts parts there. */
  part_t parts[PARTS_MAX];
  int part_count;
  unsigned known[DATABASES][PARTS_MAX]; /* Cases of each part that a database has. */
} world_t;

static store_t *open_at(world_t *world, const char *path) {
  store_t *store = NULL;
  ASSERT_OK(world->fixture, store_open(path, &store, &world->fixture->error));
  return store;
}

static int64_t begin(world_t *world, store_t *store, const char *part_of) {
  const store_run_t run = {.command = "assay fuzz",
                           .seed = 1,
                           .contract = "order=any",
                           .assay_version = "0.1.0",
                           .campaign = "night",
                           .part_of = part_of};
  int64_t run_id = -1;
  ASSERT_OK(world->fixture, store_begin_run(store, &run, &run_id, &world->fixture->error));
  return run_id;
}

/* Another start of the campaign; parts of the one before may still be about. */
static void begin_whole(world_t *world, int home) {
  store_t *store = open_at(world, world->paths[home]);
  g_free(world->wholes[home]);
  ASSERT_OK(world->fixture, store_run_uuid(store, begin(world, store, NULL), &world->wholes[home],
                                           &world->fixture->error));
  close_store(world->fixture, store);
}

/* One case, counted in every table. */
static void write_case(world_t *world, store_t *store, int64_t run_id) {
  store_fixture_t *fixture = world->fixture;
  static const char *const types[] = {"a", "b", "c"};
  static const char *const signatures[] = {"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"};
  const char *type = types[rng_below(&world->rng, G_N_ELEMENTS(types))];
  int64_t executor_id = add_executor(fixture, store, "x");
  store_counter_t counter = sample_counter(run_id, executor_id);
  counter.types = type;
  counter.slack_max = (double)rng_below(&world->rng, 100);
  store_count(store, &counter);
  store_divergence_t divergence = sample_divergence(
      run_id, executor_id, signatures[rng_below(&world->rng, G_N_ELEMENTS(signatures))]);
  store_add_divergence(store, &divergence);
  const store_histogram_t histogram = {run_id,  executor_id, "op", "", type, "conforms",
                                       "slack", 3,           0.5,  1,  1};
  store_add_histogram(store, &histogram);
  const store_tolerance_t tolerance = {run_id, "op", "a", type, 9, 64, 0, 3, 0.5, 1, 1};
  store_add_tolerance(store, &tolerance);
  const store_constraint_t constraint = {run_id, executor_id, "op", type, "conforms", 1};
  store_count_constraint(store, &constraint);
  const store_observation_t observation = {run_id, executor_id, "op", "a", type, "b", "formula", 1};
  store_add_observation(store, &observation);
  const store_pair_t pair = {.run_id = run_id,
                             .first_executor_id = executor_id,
                             .second_executor_id = add_executor(fixture, store, "y"),
                             .op = "op",
                             .algorithm = "",
                             .types = type,
                             .cases = 1,
                             .different = 1,
                             .undecided = 1,
                             .are_twins = 1};
  store_add_pair(store, &pair);
}

/* ---- What may happen ------------------------------------------------------------------------- */

static void begin_part(world_t *world) {
  if (world->part_count == PARTS_MAX) return;
  int home = (int)rng_below(&world->rng, HOMES);
  part_t *part = &world->parts[world->part_count];
  *part = (part_t){
      .path = g_strdup_printf("%s/part-%d.db", world->fixture->directory, world->part_count),
      .home = home};
  store_t *store = open_at(world, part->path);
  begin(world, store, world->wholes[home]);
  close_store(world->fixture, store);
  world->part_count++;
}

static part_t *pick_part(world_t *world, int *out_index) {
  if (world->part_count == 0) return NULL;
  *out_index = (int)rng_below(&world->rng, (uint64_t)world->part_count);
  return &world->parts[*out_index];
}

static void write_part(world_t *world) {
  int index;
  part_t *part = pick_part(world, &index);
  if (part == NULL || part->has_ended) return;
  store_t *store = open_at(world, part->path);
  unsigned cases = 1 + (unsigned)rng_below(&world->rng, 4);
  for (unsigned i = 0; i < cases; i++) write_case(world, store, 1);
  close_store(world->fixture, store);
  part->written += cases;
}

static void merge_into(world_t *world, int target, const char *source, bool has_ended) {
  store_merge_report_t report;
  store_t *store = open_at(world, world->paths[target]);
  status_t (*merge)(store_t *, const char *, store_merge_report_t *, failure_t *) =
      has_ended ? store_merge_ended : store_merge;
  ASSERT_OK(world->fixture, merge(store, source, &report, &world->fixture->error));
  close_store(world->fixture, store);
}

/* Its campaign takes a part in: while it goes on, or at its end, more than once where a kill came
 * before the file was removed. */
static void collect_part(world_t *world) {
  int index;
  part_t *part = pick_part(world, &index);
  if (part == NULL) return;
  if (!part->has_ended) part->has_ended = rng_one_in(&world->rng, 2);
  merge_into(world, part->home, part->path, part->has_ended);
  world->known[part->home][index] = part->written;
}

/* Somebody merges the database of a part by itself. */
static void merge_part(world_t *world) {
  int index;
  const part_t *part = pick_part(world, &index);
  if (part == NULL) return;
  int target = HOMES + (int)rng_below(&world->rng, OTHERS);
  merge_into(world, target, part->path, false);
  world->known[target][index] = MAX(world->known[target][index], part->written);
}

static void merge_database(world_t *world, int target, int source) {
  if (target == source) return;
  merge_into(world, target, world->paths[source], false);
  for (int i = 0; i < PARTS_MAX; i++) {
    world->known[target][i] = MAX(world->known[target][i], world->known[source][i]);
  }
}

/* Into any, also into the campaigns' own. */
static void merge_any(world_t *world) {
  merge_database(world, (int)rng_below(&world->rng, DATABASES),
                 (int)rng_below(&world->rng, DATABASES));
}

/* ---- Whether it is as the model says --------------------------------------------------------- */

static char *decide(world_t *world, const char *path, const char *sql) {
  GString *text = g_string_new(NULL);
  ASSERT_OK(world->fixture, store_query(path, sql, append_row, text, &world->fixture->error));
  return g_string_free(text, FALSE);
}

static void assert_as_modelled(world_t *world, int database) {
  static const char sql[] =
      "SELECT (SELECT coalesce(sum(cases), 0) FROM counter),"
      " (SELECT coalesce(sum(cases), 0) FROM histogram),"
      " (SELECT coalesce(sum(cases), 0) FROM constraint_counter),"
      " (SELECT coalesce(sum(cases), 0) FROM tolerance),"
      " (SELECT coalesce(sum(cases), 0) FROM observation),"
      " (SELECT coalesce(sum(undecided), 0) FROM pair),"
      " (SELECT coalesce(min(are_twins), 1) FROM pair),"
      " (SELECT coalesce(sum(cases), 0) FROM sighting),"
      " (SELECT coalesce(sum(sightings), 0) FROM divergence)";
  unsigned cases = 0;
  for (int i = 0; i < PARTS_MAX; i++) cases += world->known[database][i];
  g_autofree char *expected = g_strdup_printf("%u|%u|%u|%u|%u|%u|1|%u|%u", cases, cases, cases,
                                              cases, cases, cases, cases, cases);
  g_autofree char *found = decide(world, world->paths[database], sql);
  g_assert_cmpstr(found, ==, expected);
  g_autofree char *broken = decide(world, world->paths[database], "PRAGMA foreign_key_check");
  g_assert_cmpstr(broken, ==, "");
}

static const char CONTENTS[] =
    "SELECT uuid, types, cases, slack_max FROM counter JOIN run USING (run_id) UNION ALL "
    "SELECT uuid, signature, cases, sightings FROM sighting JOIN run USING (run_id) "
    "JOIN divergence USING (divergence_id) UNION ALL "
    "SELECT uuid, types, cases, bucket FROM histogram JOIN run USING (run_id) UNION ALL "
    "SELECT uuid, seed, seconds, part_of FROM run UNION ALL "
    "SELECT absorbed_run.uuid, run.uuid, 0, 0 FROM absorbed_run JOIN run USING (run_id) "
    "ORDER BY 1, 2, 3, 4";

static void set_up_world(world_t *world, store_fixture_t *fixture, uint64_t seed) {
  *world = (world_t){.fixture = fixture, .rng = rng_make(seed)};
  for (int i = 0; i < DATABASES; i++) {
    world->paths[i] = g_strdup_printf("%s/%d.db", fixture->directory, i);
    close_store(fixture, open_at(world, world->paths[i]));
  }
  for (int i = 0; i < HOMES; i++) begin_whole(world, i);
}

static void tear_down_world(world_t *world) {
  for (int i = 0; i < DATABASES; i++) g_free(world->paths[i]);
  for (int i = 0; i < HOMES; i++) g_free(world->wholes[i]);
  for (int i = 0; i < world->part_count; i++) g_free(world->parts[i].path);
}

static void test_any_order(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static void (*const acts[])(world_t *world) = {begin_part, write_part,   write_part,
                                                 write_part, collect_part, collect_part,
                                                 merge_part, merge_any,    merge_any};
  world_t world;
  set_up_world(&world, fixture, 11);
  for (int step = 0; step < STEPS; step++) {
    if (step % 50 == 49) begin_whole(&world, step % HOMES);
    acts[rng_below(&world.rng, G_N_ELEMENTS(acts))](&world);
    assert_as_modelled(&world, step % DATABASES);
  }
  /* All end, and everybody learns all. */
  for (int i = 0; i < world.part_count; i++) {
    part_t *part = &world.parts[i];
    merge_into(&world, part->home, part->path, true);
    world.known[part->home][i] = part->written;
  }
  for (int i = 0; i < DATABASES; i++) {
    for (int home = 0; home < HOMES; home++) merge_database(&world, i, home);
  }
  merge_database(&world, 0, 1);
  g_autofree char *contents = decide(&world, world.paths[0], CONTENTS);
  for (int i = 0; i < DATABASES; i++) {
    assert_as_modelled(&world, i);
    g_autofree char *other = decide(&world, world.paths[i], CONTENTS);
    g_assert_cmpstr(other, ==, contents);
    g_autofree char *left =
        decide(&world, world.paths[i], "SELECT count(*) FROM run WHERE part_of <> ''");
    g_assert_cmpstr(left, ==, "0");
  }
  tear_down_world(&world);
}

/* The parts of one run cost one row each, whatever they counted; but for those rows all is as if
 * one process had counted. */
static void test_rows_are_those_of_one_run(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  world_t world;
  set_up_world(&world, fixture, 5);
  static const char rows[] =
      "SELECT (SELECT count(*) FROM counter) <= 3, (SELECT count(*) FROM histogram) <= 3,"
      " (SELECT count(*) FROM observation) <= 3, (SELECT count(*) FROM sighting) <= 8,"
      " (SELECT count(*) FROM run), (SELECT count(*) FROM absorbed_run)";
  for (int i = 0; i < 10; i++) {
    g_autofree char *path = g_strdup_printf("%s/part-%d.db", fixture->directory, i);
    store_t *store = open_at(&world, path);
    int64_t run_id = begin(&world, store, world.wholes[0]);
    for (int c = 0; c < 20; c++) write_case(&world, store, run_id);
    const store_run_times_t times = {
        .run_id = run_id, .seconds = 3, .oracle_seconds = 2, .judge_seconds = 0.5};
    store_set_run_times(store, &times);
    ASSERT_OK(fixture, store_end_run(store, run_id, 1, &fixture->error));
    close_store(fixture, store);
    merge_into(&world, 0, path, true);
    g_autofree char *expected = g_strdup_printf("1|1|1|1|1|%d", i + 1);
    g_autofree char *found = decide(&world, world.paths[0], rows);
    g_assert_cmpstr(found, ==, expected);
  }
  g_autofree char *run =
      decide(&world, world.paths[0],
             "SELECT seconds, oracle_seconds, judge_seconds, ended IS NULL FROM run");
  g_assert_cmpstr(run, ==, "30.0|20.0|5.0|1");
  g_autofree char *campaign =
      decide(&world, world.paths[0], "SELECT campaign, runs, cases, findings FROM campaign");
  g_assert_cmpstr(campaign, ==, "night|11|200|8");
  tear_down_world(&world);
}

/* What a part brought is told at its end, also where it was merged while it went on. */
static void test_news_of_parts(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  world_t world;
  set_up_world(&world, fixture, 7);
  static const struct {
    unsigned cases;
    int64_t findings;
    int64_t counters;
  } rows[] = {{60, 8, 3}, {60, 0, 0}}; /* By then all is known that can be drawn. */
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("%s/part-%zu.db", fixture->directory, i);
    store_t *store = open_at(&world, path);
    int64_t run_id = begin(&world, store, world.wholes[0]);
    for (unsigned c = 0; c < rows[i].cases; c++) write_case(&world, store, run_id);
    close_store(fixture, store);
    merge_into(&world, 0, path, false);
    store_merge_report_t report;
    store = open_at(&world, world.paths[0]);
    ASSERT_OK(fixture, store_merge_ended(store, path, &report, &fixture->error));
    g_assert_cmpint(report.findings_new, ==, rows[i].findings);
    g_assert_cmpint(report.counters_new, ==, rows[i].counters);
    ASSERT_OK(fixture, store_merge_ended(store, path, &report, &fixture->error));
    g_assert_cmpint(report.findings_new, ==, 0);
    g_assert_cmpint(report.counters_new, ==, 0);
    close_store(fixture, store);
  }
  tear_down_world(&world);
}

/* A table of which a part's rows are forgotten would fail here. */
static void test_nothing_refers_to_a_part(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  world_t world;
  set_up_world(&world, fixture, 3);
  g_autofree char *path = g_strdup_printf("%s/part.db", fixture->directory);
  store_t *store = open_at(&world, path);
  write_case(&world, store, begin(&world, store, world.wholes[0]));
  close_store(fixture, store);
  g_autofree char *columns =
      decide(&world, world.paths[0],
             "SELECT 'SELECT count(*) FROM ' || t.name || ' WHERE ' || c.name || ' <> 1'"
             " FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
             " WHERE t.schema = 'main' AND t.type = 'table' AND c.name LIKE '%run_id'");
  g_auto(GStrv) questions = g_strsplit(columns, "\n", -1);
  g_assert_cmpuint(g_strv_length(questions), >=, 12);
  merge_into(&world, 0, path, false);
  g_autofree char *before =
      decide(&world, world.paths[0], "SELECT count(*) FROM counter WHERE run_id <> 1");
  g_assert_cmpstr(before, ==, "1");
  merge_into(&world, 0, path, true);
  for (char **question = questions; *question != NULL; question++) {
    g_autofree char *rows = decide(&world, world.paths[0], *question);
    if (strcmp(rows, "0") != 0) g_error("%s: %s", *question, rows);
  }
  tear_down_world(&world);
}

/* The clock was set back 30 years between two campaigns: what the second one sees first is new,
 * also while its slices, which do not know what the database says, go on. */
static void test_clock_of_parts(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  world_t world;
  set_up_world(&world, fixture, 3);
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(world.paths[0], CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture,
            connection_execute(
                &connection, "UPDATE run SET campaign = 'before', started = '2999-01-01T00:00:00Z'",
                &fixture->error));
  connection_close(&connection);
  begin_whole(&world, 0);
  g_autofree char *path = g_strdup_printf("%s/part.db", fixture->directory);
  store_t *store = open_at(&world, path);
  write_case(&world, store, begin(&world, store, world.wholes[0]));
  close_store(fixture, store);
  static const char sql[] =
      "SELECT state, finding_state.first_seen >= '2999', sighting.last_seen >= '2999',"
      " finding.first_campaign FROM finding_state JOIN finding USING (id)"
      " JOIN sighting ON divergence_id = id";
  merge_into(&world, 0, path, false);
  g_autofree char *live = decide(&world, world.paths[0], sql);
  g_assert_cmpstr(live, ==, "new|1|1|night");
  merge_into(&world, 0, path, true);
  g_autofree char *ended = decide(&world, world.paths[0], sql);
  g_assert_cmpstr(ended, ==, "new|1|1|night");
  tear_down_world(&world);
}

/* Two copies of a campaign's folder that were both gone on with. */
static void test_forks_are_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  world_t world;
  set_up_world(&world, fixture, 3);
  merge_into(&world, 2, world.paths[0], false); /* The copy. */
  for (int i = 0; i < 2; i++) {
    g_autofree char *path = g_strdup_printf("%s/part-%d.db", fixture->directory, i);
    store_t *store = open_at(&world, path);
    write_case(&world, store, begin(&world, store, world.wholes[0]));
    close_store(fixture, store);
    merge_into(&world, i == 0 ? 0 : 2, path, true);
  }
  g_autofree char *before = decide(&world, world.paths[2], CONTENTS);
  store_merge_report_t report;
  store_t *store = open_at(&world, world.paths[2]);
  ASSERT_FAILS(fixture, store_merge(store, world.paths[0], &report, &fixture->error),
               STATUS_INVALID, "two copies of one campaign's folder");
  close_store(fixture, store);
  g_autofree char *after = decide(&world, world.paths[2], CONTENTS);
  g_assert_cmpstr(after, ==, before);
  tear_down_world(&world);
}

/* ---- What a campaign keeps ------------------------------------------------------------------- */

static void test_slice_numbers(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  uint64_t number;
  for (uint64_t i = 0; i < 3; i++) { /* Whoever opens the database next goes on. */
    store_t *store = open_store(fixture);
    ASSERT_OK(fixture, store_take_slice_number(store, 0, &number, &fixture->error));
    g_assert_cmpuint(number, ==, i);
    close_store(fixture, store);
  }
  store_t *store = open_store(fixture);
  ASSERT_OK(fixture, store_take_slice_number(store, 40, &number, &fixture->error));
  g_assert_cmpuint(number, ==, 40);
  ASSERT_OK(fixture, store_take_slice_number(store, 3, &number, &fixture->error));
  g_assert_cmpuint(number, ==, 41);
  close_store(fixture, store);
}

static void test_told(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  bool found = true;
  int64_t id = -1;
  store_t *store = open_store(fixture);
  ASSERT_OK(fixture, store_read_reported(store, &found, &id, &fixture->error));
  g_assert_false(found);
  ASSERT_OK(fixture, store_write_reported(store, 5, &fixture->error));
  ASSERT_OK(fixture, store_write_reported(store, 12, &fixture->error));
  close_store(fixture, store);
  store = open_store(fixture);
  ASSERT_OK(fixture, store_read_reported(store, &found, &id, &fixture->error));
  g_assert_true(found && id == 12);
  ASSERT_OK(fixture, store_clear_reported(store, &fixture->error));
  ASSERT_OK(fixture, store_read_reported(store, &found, &id, &fixture->error));
  g_assert_false(found);
  close_store(fixture, store);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-parts/any-order", test_any_order);
  STORE_TEST("/store-parts/rows", test_rows_are_those_of_one_run);
  STORE_TEST("/store-parts/news", test_news_of_parts);
  STORE_TEST("/store-parts/references", test_nothing_refers_to_a_part);
  STORE_TEST("/store-parts/forks", test_forks_are_refused);
  STORE_TEST("/store-parts/clock", test_clock_of_parts);
  STORE_TEST("/store-parts/slice-numbers", test_slice_numbers);
  STORE_TEST("/store-parts/told", test_told);
  return g_test_run();
}
