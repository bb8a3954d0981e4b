/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in the database: added once, counted again, kept apart by version, and in databases that
 * are older than they. */
#include <string.h>

#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"
#include "tests/store/store_profile_sample.h"

static void test_seen_again(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t executor = add_executor(fixture, store, "x");
  store_profile_t profile = sample_profile(executor);
  add_profile(fixture, store, &profile, true);
  profile.program_line = "stablehlo.reduce body=add dims=[0] f32[20] f32[] -> f32[]";
  profile.text = "another instance of the rule";
  add_profile(fixture, store, &profile, false);
  close_store(fixture, store);
  assert_query(fixture,
               "SELECT terms_low, terms_high, rule, text, line, sightings FROM profile "
               "JOIN program USING (program_id)",
               "1|512|lanes 8|another instance of the rule|stablehlo.reduce body=add dims=[0] "
               "f32[20] f32[] -> f32[]|2");
  assert_query(fixture, "SELECT first_seen <= last_seen, length(hash) FROM profile", "1|32");
}

/* Another rule, range, shape or executor is another profile. */
static void test_kept_apart(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t executor = add_executor(fixture, store, "x");
  store_profile_t profile = sample_profile(executor);
  add_profile(fixture, store, &profile, true);
  store_profile_t other = profile;
  other.rule = "lanes 16";
  add_profile(fixture, store, &other, true);
  other = profile;
  other.terms_high = 256;
  add_profile(fixture, store, &other, true);
  other = profile;
  other.shape = "stablehlo.reduce body=add dims=[1] f32[4,n] f32[] -> f32[4]";
  add_profile(fixture, store, &other, true);
  other = profile;
  other.executor_id = add_executor(fixture, store, "y");
  add_profile(fixture, store, &other, true);
  other = profile; /* Without a rule the text tells two apart. */
  other.rule = "";
  other.terms_high = other.terms_low = 7;
  add_profile(fixture, store, &other, true);
  other.text = "another tree";
  add_profile(fixture, store, &other, true);
  add_profile(fixture, store, &other, false);
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*), sum(sightings) FROM profile", "7|8");
}

/* What breaks a rule of the table is refused, and nothing of it stays. */
static void test_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t executor = add_executor(fixture, store, "x");
  bool is_new;
  store_profile_t profile = sample_profile(executor);
  profile.rule = ""; /* It would claim lengths that nobody can predict. */
  ASSERT_FAILS(fixture, store_add_profile(store, &profile, &is_new, &fixture->error),
               STATUS_INVALID, "rule");
  profile = sample_profile(executor);
  profile.terms_low = 513;
  ASSERT_FAILS(fixture, store_add_profile(store, &profile, &is_new, &fixture->error),
               STATUS_INVALID, "terms_high");
  profile = sample_profile(executor + 1);
  ASSERT_FAILS(fixture, store_add_profile(store, &profile, &is_new, &fixture->error),
               STATUS_INVALID, "FOREIGN KEY");
  close_store(fixture, store);
  assert_query(fixture, "SELECT (SELECT count(*) FROM profile), (SELECT count(*) FROM program)",
               "0|0");
}

/* A database of version 1 keeps what is in it. */
static void test_older_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_schema_t schema = store_schema();
  g_assert_cmpint(schema.version, >=, 2);
  schema.version = 1;
  schema.views = "";
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  ASSERT_OK(fixture,
            connection_execute(&connection, "INSERT INTO executor VALUES (5, 'old', '1', 'avx2')",
                               &fixture->error));
  connection_close(&connection);
  assert_query(fixture, "SELECT count(*) FROM sqlite_schema WHERE name = 'profile'", "0");
  store_t *store = open_store(fixture);
  store_profile_t profile = sample_profile(5);
  add_profile(fixture, store, &profile, true);
  close_store(fixture, store);
  assert_query(fixture, "SELECT name, words FROM profile JOIN executor USING (executor_id)",
               "old|8 lanes, pairwise at the end");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-profile/seen-again", test_seen_again);
  STORE_TEST("/store-profile/kept-apart", test_kept_apart);
  STORE_TEST("/store-profile/refused", test_refused);
  STORE_TEST("/store-profile/older-database", test_older_database);
  return g_test_run();
}
