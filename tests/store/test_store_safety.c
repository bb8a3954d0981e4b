/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes, kill -9, and files that are not ours. */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/store/schema.h"
#include "tests/store/store_fixture.h"

/* Runs `body` in another process; it must end with exit status 0. */
typedef void (*child_body_t)(store_fixture_t *fixture, int pipe_end);

static pid_t start_child(store_fixture_t *fixture, child_body_t body, int *out_pipe_end) {
  int ends[2];
  g_assert_cmpint(pipe(ends), ==, 0);
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    close(ends[0]);
    body(fixture, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  *out_pipe_end = ends[0];
  return child;
}

enum { WRITERS = 4, ROUNDS = 25 };

/* All writers find the same things, and commit in between. */
static void write_shared_findings(store_fixture_t *fixture, int pipe_end) {
  (void)pipe_end;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor_id = add_executor(fixture, store, "x");
  for (int round = 0; round < ROUNDS; round++) {
    store_counter_t counter = sample_counter(run_id, executor_id);
    store_count(store, &counter);
    store_divergence_t divergence = sample_divergence(run_id, executor_id, "s1");
    divergence.slack = (double)(round * WRITERS + run_id);
    store_add_divergence(store, &divergence);
    ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
  }
  close_store(fixture, store);
}

static void test_concurrent_writers(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  pid_t children[WRITERS];
  for (int i = 0; i < WRITERS; i++) {
    int pipe_end = -1;
    children[i] = start_child(fixture, write_shared_findings, &pipe_end);
    close(pipe_end);
  }
  for (int i = 0; i < WRITERS; i++) {
    int status = -1;
    g_assert_cmpint(waitpid(children[i], &status, 0), ==, children[i]);
    g_assert_cmpint(status, ==, 0);
  }
  assert_query(fixture, "SELECT count(*) FROM executor", "1");
  assert_query(fixture, "SELECT count(*), sum(cases) FROM counter", "4|100");
  assert_query(fixture, "SELECT sightings, slack FROM finding", "100|100.0");
  assert_query(fixture, "SELECT * FROM pragma_integrity_check", "ok");
}

/* Adds one sighting and commits, for ever; says so through the pipe each time. */
static void write_until_killed(store_fixture_t *fixture, int pipe_end) {
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_divergence_t divergence =
      sample_divergence(run_id, add_executor(fixture, store, "x"), "s1");
  for (;;) {
    store_add_divergence(store, &divergence);
    ASSERT_OK(fixture, store_end_run(store, run_id, 0, &fixture->error));
    if (write(pipe_end, "", 1) != 1) _exit(1);
  }
}

/* Bytes that come through the pipe: `wanted` of them before the kill, and all that were on the way.
 */
static int count_commits(int pipe_end, pid_t child, int wanted) {
  char byte;
  int commits = 0;
  while (commits < wanted && read(pipe_end, &byte, 1) == 1) commits++;
  g_assert_cmpint(commits, ==, wanted);
  g_usleep((gulong)g_test_rand_int_range(0, 2000));
  g_assert_cmpint(kill(child, SIGKILL), ==, 0);
  while (read(pipe_end, &byte, 1) == 1) commits++;
  return commits;
}

static void test_kill_loses_the_open_transaction_only(store_fixture_t *fixture,
                                                      gconstpointer data) {
  (void)data;
  enum { KILLS = 12 };
  int committed = 0;
  for (int i = 0; i < KILLS; i++) {
    int pipe_end = -1;
    pid_t child = start_child(fixture, write_until_killed, &pipe_end);
    committed += count_commits(pipe_end, child, 1 + i * 3);
    close(pipe_end);
    int status = 0;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    /* Each kill may have come between a commit and its message. */
    g_autofree char *sql = g_strdup_printf("SELECT sightings BETWEEN %d AND %d FROM finding",
                                           committed, committed + i + 1);
    assert_query(fixture, sql, "1");
    assert_query(fixture, "SELECT * FROM pragma_integrity_check", "ok");
    assert_query(fixture, "SELECT count(*) FROM pragma_foreign_key_check", "0");
  }
  store_t *store = open_store(fixture);
  begin_run(fixture, store);
  close_store(fixture, store);
  assert_query(fixture, "SELECT count(*) FROM run", "13");
}

/* A tick writes nothing at first, and everything once a second has passed. */
static void test_tick_commits_each_second(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  store_counter_t counter =
      sample_counter(begin_run(fixture, store), add_executor(fixture, store, "x"));
  store_count(store, &counter);
  ASSERT_OK(fixture, store_tick(store, &fixture->error));
  assert_query(fixture, "SELECT count(*) FROM counter", "0");
  g_usleep(1010 * 1000);
  ASSERT_OK(fixture, store_tick(store, &fixture->error));
  assert_query(fixture, "SELECT count(*) FROM counter", "1");
  close_store(fixture, store);
}

static void make_file(store_fixture_t *fixture, const char *bytes, size_t size) {
  g_assert_true(g_file_set_contents(fixture->path, bytes, (gssize)size, NULL));
}

/* Opening fails both ways, and the file is as it was. */
static void assert_refused(store_fixture_t *fixture, const char *words) {
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize size_before = 0;
  gsize size_after = 0;
  store_t *store = NULL;
  g_assert_true(g_file_get_contents(fixture->path, &before, &size_before, NULL));
  ASSERT_FAILS(fixture, store_open(fixture->path, &store, &fixture->error), STATUS_INVALID, words);
  g_assert_null(store);
  ASSERT_FAILS(fixture, store_query(fixture->path, "SELECT 1", append_row, NULL, &fixture->error),
               STATUS_INVALID, words);
  g_assert_true(g_file_get_contents(fixture->path, &after, &size_after, NULL));
  g_assert_cmpuint(size_before, ==, size_after);
  g_assert_cmpint(memcmp(before, after, size_before), ==, 0);
}

static void test_other_files_are_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  make_file(fixture, "To do: buy milk\n", 16);
  assert_refused(fixture, "is not a database");
  make_file(fixture, "SQLite format 3", 16); /* Cut off. */
  assert_refused(fixture, "is not a database");
}

static void test_other_databases_are_refused(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  sqlite3 *foreign = NULL;
  g_assert_cmpint(sqlite3_open(fixture->path, &foreign), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(foreign, "PRAGMA application_id = 7; CREATE TABLE song (title TEXT)",
                               NULL, NULL, NULL),
                  ==, SQLITE_OK);
  sqlite3_close(foreign);
  assert_refused(fixture, "not one of Assay's");
}

static void test_empty_file_becomes_a_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  make_file(fixture, "", 0);
  ASSERT_FAILS(fixture, store_query(fixture->path, "SELECT 1", append_row, NULL, &fixture->error),
               STATUS_INVALID, "is empty");
  close_store(fixture, open_store(fixture));
  assert_query(fixture, "SELECT count(*) FROM run", "0");
}

static void test_places_that_cannot_be_written(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    const char *path;
    status_t status;
    const char *words;
  } rows[] = {
      {"/nowhere/at/all/x.db", STATUS_INVALID, "there is no folder"},
      {"/dev/null/x.db", STATUS_INVALID, "there is no folder"},
      {"/proc/x.db", STATUS_IO, "cannot open database"},
      {"/", STATUS_INVALID, "Is a directory"},
      {"/dev/null", STATUS_INVALID, "is no plain file"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    store_t *store = NULL;
    ASSERT_FAILS(fixture, store_open(rows[i].path, &store, &fixture->error), rows[i].status,
                 rows[i].words);
    g_assert_nonnull(strstr(fixture->error.text, rows[i].path));
  }
  ASSERT_FAILS(fixture, store_query(fixture->path, "SELECT 1", append_row, NULL, &fixture->error),
               STATUS_INVALID, "there is no database");
  ASSERT_FAILS(fixture, store_require(fixture->path, &fixture->error), STATUS_INVALID,
               "there is no database");
  g_assert_false(g_file_test(fixture->path, G_FILE_TEST_EXISTS));
}

/* Root may write anywhere, so the test steps down to "nobody" for a while. */
static void test_read_only_directory(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  bool is_root = geteuid() == 0;
  g_assert_cmpint(chmod(fixture->path, 0444), ==, 0);
  g_assert_cmpint(chmod(fixture->directory, 0555), ==, 0);
  if (is_root) g_assert_cmpint(seteuid(65534), ==, 0);
  assert_query(fixture, "SELECT count(*) FROM run", "0"); /* There is no log: it can be read. */
  store_t *store = NULL;
  ASSERT_FAILS(fixture, store_open(fixture->path, &store, &fixture->error), STATUS_IO, "read-only");
  if (is_root) g_assert_cmpint(seteuid(0), ==, 0);
  g_assert_cmpint(chmod(fixture->directory, 0755), ==, 0);
}

static connection_t open_connection(store_fixture_t *fixture) {
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  return connection;
}

static void test_full_disk(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  connection_t connection = open_connection(fixture);
  ASSERT_OK(fixture, connection_execute(&connection, "PRAGMA max_page_count = 1", &fixture->error));
  ASSERT_FAILS(
      fixture,
      connection_execute(&connection, "INSERT INTO contract VALUES (1, hex(zeroblob(1000000)))",
                         &fixture->error),
      STATUS_IO, "the disk is full");
  connection_close(&connection);
}

static void test_locked_database(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  connection_t holder = open_connection(fixture);
  connection_t waiter = open_connection(fixture);
  ASSERT_OK(fixture, connection_begin(&holder, &fixture->error));
  sqlite3_busy_timeout(waiter.database, 10);
  ASSERT_FAILS(fixture, connection_begin(&waiter, &fixture->error), STATUS_IO, "is locked");
  connection_roll_back(&holder);
  ASSERT_OK(fixture, connection_begin(&waiter, &fixture->error));
  connection_roll_back(&waiter);
  connection_close(&waiter);
  connection_close(&holder);
}

/* Reads for a while, which keeps others from changing the journal mode; says so when it has begun.
 */
static void read_for_a_while(store_fixture_t *fixture, int pipe_end) {
  connection_t connection = open_connection(fixture);
  ASSERT_OK(fixture, connection_execute(&connection, "BEGIN; SELECT * FROM run", &fixture->error));
  if (write(pipe_end, "", 1) != 1) _exit(1);
  g_usleep(100 * 1000);
  connection_roll_back(&connection);
  connection_close(&connection);
}

/* As when two processes make one database: the schema is there, the log is not, somebody reads. */
static void test_opening_beside_a_reader(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  connection_t connection = open_connection(fixture);
  store_schema_t schema = store_schema();
  ASSERT_OK(fixture, store_schema_apply(&connection, &schema, &fixture->error));
  connection_close(&connection);
  int pipe_end = -1;
  char byte = 0;
  pid_t child = start_child(fixture, read_for_a_while, &pipe_end);
  g_assert_cmpint(read(pipe_end, &byte, 1), ==, 1);
  close_store(fixture, open_store(fixture));
  int status = -1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  close(pipe_end);
}

/* A row that breaks a rule of the schema: none of its transaction is kept, and the store says why.
 */
static void test_broken_rule(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  store_counter_t counter = sample_counter(begin_run(fixture, store), 4711);
  store_count(store, &counter);
  ASSERT_FAILS(fixture, store_close(store, &fixture->error), STATUS_INVALID, "FOREIGN KEY");
  assert_query(fixture, "SELECT count(*) FROM counter", "0");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-safety/concurrent-writers", test_concurrent_writers);
  STORE_TEST("/store-safety/kill", test_kill_loses_the_open_transaction_only);
  STORE_TEST("/store-safety/tick", test_tick_commits_each_second);
  STORE_TEST("/store-safety/other-files", test_other_files_are_refused);
  STORE_TEST("/store-safety/other-databases", test_other_databases_are_refused);
  STORE_TEST("/store-safety/empty-file", test_empty_file_becomes_a_database);
  STORE_TEST("/store-safety/unwritable-places", test_places_that_cannot_be_written);
  STORE_TEST("/store-safety/read-only-directory", test_read_only_directory);
  STORE_TEST("/store-safety/full-disk", test_full_disk);
  STORE_TEST("/store-safety/locked", test_locked_database);
  STORE_TEST("/store-safety/beside-a-reader", test_opening_beside_a_reader);
  STORE_TEST("/store-safety/broken-rule", test_broken_rule);
  return g_test_run();
}
