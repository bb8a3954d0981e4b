/* SPDX-License-Identifier: Apache-2.0 */
/* The life of findings in the database: each state of the view finding_state, by events that are
 * written as they would come; waivers; the ledger of bits; merging; and a database of version 5. */
#include <string.h>

#include "harness/store/life.h"
#include "harness/store/merge.h"
#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"

/* Runs statements on the database, past the store: to set clocks. */
static void change(store_fixture_t *fixture, const char *sql) {
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, connection_execute(&connection, sql, &fixture->error));
  connection_close(&connection);
}

static int64_t add_version(store_fixture_t *fixture, store_t *store, const char *version,
                           const char *hardware) {
  const store_executor_t executor = {.name = "x", .version = version, .hardware = hardware};
  int64_t executor_id = -1;
  ASSERT_OK(fixture, store_add_executor(store, &executor, &executor_id, &fixture->error));
  return executor_id;
}

/* A run of some version on some hardware, in which one thing happens to finding "s": 'S' a search
 * sees it, '-' a search does not, 'g' 'c' 'n' 's' a retest finds it gone, changed, not to be run,
 * still there (and sees it). */
typedef struct event {
  char what;
  const char *version;
  const char *hardware;
  const char *campaign;
} event_t;

static void add_event(store_fixture_t *fixture, store_t *store, const event_t *event) {
  static const char letters[] = "gcns";
  static const char *const results[] = {"gone", "changed", "not-run", "still"};
  store_run_t run = {.command = "assay",
                     .contract = "order=any",
                     .assay_version = "0",
                     .campaign = event->campaign};
  int64_t run_id = -1;
  ASSERT_OK(fixture, store_begin_run(store, &run, &run_id, &fixture->error));
  int64_t executor = add_version(fixture, store, event->version, event->hardware);
  store_counter_t counter = sample_counter(run_id, executor);
  store_count(store, &counter);
  const char *letter = strchr(letters, event->what);
  if (letter != NULL) {
    const store_retest_t retest = {.run_id = run_id,
                                   .executor_id = executor,
                                   .signature = "s",
                                   .result = results[letter - letters],
                                   .cases = 1,
                                   .executions = 2,
                                   .outcome = "conforms",
                                   .class = "",
                                   .seen_signature = "",
                                   .reason = ""};
    store_add_retest(store, &retest);
  }
  if (event->what == 'S' || event->what == 's') {
    store_divergence_t divergence = sample_divergence(run_id, executor, "s");
    store_add_divergence(store, &divergence);
  }
  ASSERT_OK(fixture, store_flush(store, &fixture->error));
}

static void waive(store_fixture_t *fixture, store_t *store, const char *signature,
                  const char *expires) {
  const store_waiver_t waiver = {.executor = "x",
                                 .signature = signature,
                                 .reason = "known",
                                 .owner = "ann",
                                 .expires = expires};
  ASSERT_OK(fixture, store_add_waiver(store, &waiver, &fixture->error));
}

/* As if all that is in the database had been written with a clock that went 30 years ahead. */
static void set_clock_back(store_fixture_t *fixture) {
#define LATER(column) #column " = strftime('%Y-%m-%dT%H:%M:%SZ', " #column ", '+30 years')"
  change(fixture, "UPDATE run SET " LATER(started) ", " LATER(ended) ";"
                  "UPDATE divergence SET " LATER(first_seen) ", " LATER(last_seen) ";"
                  "UPDATE sighting SET " LATER(first_seen) ", " LATER(last_seen) ";"
                  "UPDATE retest SET " LATER(tested));
#undef LATER
}

/* All events fall into one second or so: what came first is told by the runs. */
static void walk_lives(store_fixture_t *fixture, bool sets_clock_back) {
  static const char seen_in[] =
      "SELECT state, first_version, last_version, last_good_version, open_on FROM finding_state";
  static const struct {
    event_t events[6];
    const char *state;
  } lives[] = {
      {{{'S', "1", "a", ""}}, "new|1|1|NULL|a"},
      {{{'S', "1", "a", ""}, {'S', "1", "a", ""}}, "known|1|1|NULL|a"},
      {{{'S', "1", "a", ""}, {'-', "1", "a", ""}}, "known|1|1|NULL|a"},
      {{{'-', "1", "a", "c"}, {'S', "1", "a", "c"}, {'-', "1", "a", "c"}}, "new|1|1|NULL|a"},
      {{{'S', "1", "a", ""}, {'-', "1", "a", "c"}, {'-', "1", "a", "c"}}, "known|1|1|NULL|a"},
      {{{'S', "1", "a", ""}, {'s', "1", "a", ""}}, "new|1|1|NULL|a"}, /* A retest is no search. */
      {{{'S', "1", "a", ""}, {'n', "2", "a", ""}}, "new|1|1|NULL|a"},
      {{{'S', "1", "a", ""}, {'g', "2", "a", ""}}, "fixed|1|1|2|NULL"},
      {{{'S', "1", "a", ""}, {'g', "1", "a", ""}}, "fixed|1|1|1|NULL"},
      {{{'S', "1", "a", ""}, {'c', "2", "a", ""}}, "changed|1|1|NULL|NULL"},
      {{{'S', "1", "a", ""}, {'g', "2", "a", ""}, {'S', "3", "a", ""}}, "regressed|1|3|2|a"},
      {{{'S', "1", "a", ""}, {'g', "1", "a", ""}, {'S', "1", "a", ""}}, "regressed|1|1|1|a"},
      {{{'S', "1", "a", ""}, {'c', "2", "a", ""}, {'S', "3", "a", ""}}, "known|1|3|NULL|a"},
      /* What an older version shows does not reopen it. */
      {{{'S', "1", "a", ""}, {'g', "2", "a", ""}, {'S', "1", "a", ""}}, "fixed|1|1|2|NULL"},
      {{{'S', "1", "a", ""}, {'g', "2", "a", ""}, {'S', "3", "a", ""}, {'g', "4", "a", ""}},
       "fixed|1|3|4|NULL"},
      {{{'S', "1", "a", ""},
        {'g', "2", "a", ""},
        {'S', "3", "a", ""},
        {'g', "4", "a", ""},
        {'S', "4", "a", ""}},
       "regressed|1|4|4|a"},
      /* To ask an older version afterwards is to look where it came from. */
      {{{'-', "1", "a", ""}, {'S', "2", "a", ""}, {'g', "1", "a", ""}}, "new|2|2|1|a"},
      /* Hardware that never showed it says nothing. */
      {{{'S', "1", "a", ""}, {'g', "2", "b", ""}}, "new|1|1|NULL|a"},
      {{{'S', "1", "a", ""}, {'S', "1", "b", ""}, {'g', "2", "b", ""}}, "known|1|1|2|a"},
      {{{'S', "1", "a", ""}, {'S', "1", "b", ""}, {'g', "2", "b", ""}, {'g', "2", "a", ""}},
       "fixed|1|1|2|NULL"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(lives); i++) {
    for (const event_t *event = lives[i].events; event->what != '\0'; event++) {
      store_t *store = open_store(fixture);
      add_event(fixture, store, event);
      close_store(fixture, store);
      if (sets_clock_back) set_clock_back(fixture);
    }
    g_test_message("life %zu", i);
    assert_query(fixture, seen_in, lives[i].state);
    change(fixture,
           "DELETE FROM sighting; DELETE FROM reproducer; DELETE FROM divergence; "
           "DELETE FROM retest; DELETE FROM counter; DELETE FROM run; DELETE FROM executor");
  }
}

static void test_states(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  walk_lives(fixture, false);
}

/* Each event comes 30 years before the ones that came before it. */
static void test_clock_set_back(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  walk_lives(fixture, true);
  store_t *store = open_store(fixture); /* What expires does so by the clock, whatever it says. */
  const event_t event = {'S', "1", "a", ""};
  add_event(fixture, store, &event);
  waive(fixture, store, "s", "2999-01-01");
  close_store(fixture, store);
  set_clock_back(fixture);
  store = open_store(fixture);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  g_autofree char *today = g_date_time_format(now, "%Y-%m-%d");
  waive(fixture, store, "s", today);
  close_store(fixture, store);
  assert_query(fixture, "SELECT state FROM finding_state", "waived");
}

/* A retest whose own cases are fine, while another case of it shows the finding. */
static void test_gone_but_seen(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  const event_t search = {'S', "1", "a", ""};
  const event_t retest = {'s', "2", "a", ""};
  add_event(fixture, store, &search);
  add_event(fixture, store, &retest);
  close_store(fixture, store);
  change(fixture, "UPDATE retest SET result = 'gone'");
  assert_query(fixture, "SELECT state, last_version FROM finding_state", "new|2");
  change(fixture, "DELETE FROM sighting WHERE run_id = 2");
  change(fixture, "UPDATE divergence SET last_run_id = 1 WHERE last_run_id = 2");
  change(fixture, "UPDATE divergence SET first_run_id = 1");
  change(fixture, "DELETE FROM reproducer WHERE run_id = 2");
  change(fixture, "DELETE FROM divergence WHERE executor_id = 2");
  assert_query(fixture, "SELECT state, last_version FROM finding_state", "fixed|1");
}

static void test_waivers(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const char state[] =
      "SELECT finding_state.state, waiver_state.state FROM finding_state "
      "LEFT JOIN waiver_state USING (executor, signature)";
  const event_t seen = {'S', "1", "a", ""};
  const event_t gone = {'g', "2", "a", ""};
  const event_t back = {'S', "3", "a", ""};
  const event_t changed = {'c', "3", "a", ""};
  store_t *store = open_store(fixture);
  add_event(fixture, store, &seen);
  waive(fixture, store, "s", "9999-12-31");
  waive(fixture, store, "other", "9999-12-31");
  assert_query(fixture, state, "waived|holds");
  assert_query(fixture, "SELECT state FROM waiver_state WHERE signature = 'other'", "unseen");
  change(fixture, "UPDATE waiver SET expires = date('now')");
  assert_query(fixture, state, "waived|holds"); /* The last day is a day of it. */
  change(fixture, "UPDATE waiver SET expires = date('now', '-1 day')");
  assert_query(fixture, state, "waiver-expired|expired");
  change(fixture, "UPDATE waiver SET expires = '9999-12-31', created = '2026-01-01T00:00:00Z'");
  add_event(fixture, store, &gone);
  assert_query(fixture, state, "fixed|vanished");
  add_event(fixture, store, &back);
  assert_query(fixture, state, "regressed|outlived");
  waive(fixture, store, "s", "9999-12-30");
  assert_query(fixture, state, "waived|holds");
  assert_query(fixture, "SELECT count(*), min(expires) FROM waiver WHERE signature = 's'",
               "2|9999-12-30"); /* The older one is history. */
  add_event(fixture, store, &changed);
  assert_query(fixture, state, "changed|changed");
  ASSERT_OK(fixture, store_withdraw_waiver(store, "x", "s", &fixture->error));
  assert_query(fixture, state, "changed|NULL");
  ASSERT_FAILS(fixture, store_withdraw_waiver(store, "x", "s", &fixture->error), STATUS_INVALID,
               "no waiver");
  close_store(fixture, store);
}

static void test_bad_waivers(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    store_waiver_t waiver;
    const char *words;
  } rows[] = {
      {{"x", "s", "", "ann", "9999-12-31"}, "reason"},
      {{"x", "s", " \n", "ann", "9999-12-31"}, "reason"},
      {{"x", "s", "known", NULL, "9999-12-31"}, "owner"},
      {{"x", "s", "known", "ann", NULL}, "is no day"},
      {{"x", "s", "known", "ann", "9999-2-3"}, "is no day"},
      {{"x", "s", "known", "ann", "9999-13-01"}, "is no day"},
      {{"x", "s", "known", "ann", "9999-02-30"}, "is no day"},
      {{"x", "s", "known", "ann", "9999-02-0x"}, "is no day"},
      {{"x", "s", "known", "ann", "tomorrow!!"}, "is no day"},
      {{"x", "s", "known", "ann", "2020-02-29"}, "expired already"},
      {{"", "s", "known", "ann", "9999-12-31"}, "executor"},
  };
  store_t *store = open_store(fixture);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    ASSERT_FAILS(fixture, store_add_waiver(store, &rows[i].waiver, &fixture->error), STATUS_INVALID,
                 rows[i].words);
  }
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*) FROM waiver", "0");
}

static void test_bits(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_bits_t bits = {.run_id = run_id,
                       .executor_id = add_version(fixture, store, "1", "a"),
                       .op = "stablehlo.reduce",
                       .algorithm = "add",
                       .types = "f32,f32->f32",
                       .case_line = "a case",
                       .bits = "0123",
                       .outcome = "conforms",
                       .class = "",
                       .ulp_error = 0.5,
                       .slack = 0.25};
  store_add_bits(store, &bits);
  store_add_bits(store, &bits);
  ASSERT_OK(fixture, store_flush(store, &fixture->error));
  assert_query(fixture, "SELECT bits, changes, run_id FROM result_bits", "0123|0|1");
  bits.bits = "4567";
  bits.run_id = begin_run(fixture, store);
  store_add_bits(store, &bits);
  bits.executor_id = add_version(fixture, store, "2", "a");
  store_add_bits(store, &bits);
  close_store(fixture, store);
  assert_query(fixture,
               "SELECT version, bits, changes, run_id, slack, length(case_hash), case_line "
               "FROM result_bits JOIN bits_case USING (case_hash) JOIN executor USING "
               "(executor_id) ORDER BY executor_id",
               "1|4567|1|2|0.25|32|a case\n2|4567|0|2|0.25|32|a case");
}

/* A source that was merged twice, in any order, is there once; the later record of bits holds. */
static void test_merge(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const event_t events[] = {{'S', "1", "a", ""}, {'g', "2", "a", ""}, {'S', "3", "a", ""}};
  store_t *store = open_store(fixture);
  for (size_t i = 0; i < G_N_ELEMENTS(events); i++) add_event(fixture, store, &events[i]);
  waive(fixture, store, "s", "9999-12-31");
  const store_bits_t bits = {.run_id = 2,
                             .executor_id = 2,
                             .op = "op",
                             .algorithm = "",
                             .types = "",
                             .case_line = "a case",
                             .bits = "0123",
                             .outcome = "conforms",
                             .class = "",
                             .ulp_error = 0.5,
                             .slack = 0.25};
  store_add_bits(store, &bits);
  close_store(fixture, store);
  g_autofree char *source = fixture->path;
  fixture->path = g_build_filename(fixture->directory, "target.db", NULL);
  store = open_store(fixture);
  const event_t other = {'-', "9", "b", ""}; /* Numbers differ from those of the source. */
  add_event(fixture, store, &other);
  store_merge_report_t report;
  static const char states[] = "SELECT state, last_good_version, waiver_owner FROM finding_state";
  static const char ledger[] =
      "SELECT version, bits, changes, case_line FROM result_bits "
      "JOIN executor USING (executor_id) JOIN bits_case USING (case_hash)";
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(fixture, store_merge(store, source, &report, &fixture->error));
    assert_query(fixture, states, "waived|2|ann");
    assert_query(fixture, ledger, "2|0123|0|a case");
    assert_query(fixture, "SELECT count(*) FROM retest", "1");
  }
  change(fixture, "UPDATE result_bits SET bits = '4567', last_seen = '9999-01-01T00:00:00Z'");
  ASSERT_OK(fixture, store_withdraw_waiver(store, "x", "s", &fixture->error));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(fixture, store_merge(store, source, &report, &fixture->error));
    assert_query(fixture, states, "regressed|2|NULL");
    assert_query(fixture, ledger, "2|4567|1|a case");
  }
  close_store(fixture, store);
}

/* What cannot be written is kept for the next try, and nothing is written by halves. */
static void test_refused_rows(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor = add_version(fixture, store, "1", "a");
  store_retest_t retest = {.run_id = run_id,
                           .executor_id = executor,
                           .signature = "s",
                           .result = "still",
                           .outcome = "",
                           .class = "",
                           .seen_signature = "",
                           .reason = ""};
  store_add_retest(store, &retest);
  retest.result = "perhaps";
  retest.signature = "t";
  store_add_retest(store, &retest);
  ASSERT_FAILS(fixture, store_flush(store, &fixture->error), STATUS_INVALID, "result");
  assert_query(fixture, "SELECT count(*) FROM retest", "0");
  ASSERT_FAILS(fixture, store_close(store, &fixture->error), STATUS_INVALID, "result");
}

/* A database of version 5 keeps its findings, and they have states. */
static void test_version_5(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_schema_t schema = store_schema();
  g_assert_cmpint(schema.version, >=, 6);
  schema.version = 5;
  schema.views = "";
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  ASSERT_OK(
      fixture,
      connection_execute(
          &connection,
          "INSERT INTO contract VALUES (1, 'order=any');"
          "INSERT INTO run (run_id, command, seed, contract_id, assay_version, started, uuid) "
          " VALUES (1, 'assay', '1', 1, '0', '2026-01-01T00:00:00Z', 'u');"
          "INSERT INTO executor VALUES (5, 'x', '1', 'a');"
          "INSERT INTO divergence VALUES (7, 5, 's', 'op', '', '', 'diverges', 'value', '', 3, "
          " '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 1, 1, '', '');",
          &fixture->error));
  connection_close(&connection);
  store_t *store = open_store(fixture);
  assert_query(fixture, "SELECT id, state, first_version, sightings FROM finding_state",
               "7|new|1|3");
  const event_t gone = {'g', "2", "a", ""};
  add_event(fixture, store, &gone);
  close_store(fixture, store);
  assert_query(fixture, "SELECT id, state, last_good_version FROM finding_state", "7|fixed|2");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-life/states", test_states);
  STORE_TEST("/store-life/clock-set-back", test_clock_set_back);
  STORE_TEST("/store-life/gone-but-seen", test_gone_but_seen);
  STORE_TEST("/store-life/waivers", test_waivers);
  STORE_TEST("/store-life/bad-waivers", test_bad_waivers);
  STORE_TEST("/store-life/bits", test_bits);
  STORE_TEST("/store-life/merge", test_merge);
  STORE_TEST("/store-life/refused-rows", test_refused_rows);
  STORE_TEST("/store-life/version-5", test_version_5);
  return g_test_run();
}
