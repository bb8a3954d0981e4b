/* SPDX-License-Identifier: Apache-2.0 */
/* What a process holds on its database it keeps, whatever else it reads from that file; and files
 * of others are left as they are, with what stands beside them. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/store/connection.h"
#include "harness/store/merge.h"
#include "harness/store/reader.h"
#include "tests/store/store_fixture.h"

/* Where SQLite locks: "File Locking And Concurrency", SHARED_FIRST and SHARED_SIZE. */
enum { SHARED_FIRST = 0x40000002, SHARED_SIZE = 510 };

static int end_of_child(pid_t child) {
  int status = -1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* Asks from another process, as locks do not show to their owner. */
static bool is_held(const char *path) {
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    struct flock lock = {.l_type = F_WRLCK, .l_start = SHARED_FIRST, .l_len = SHARED_SIZE};
    int file = open(path, O_RDWR);
    if (file < 0 || fcntl(file, F_GETLK, &lock) != 0) _exit(2);
    _exit(lock.l_type == F_UNLCK ? 0 : 1);
  }
  int answer = end_of_child(child);
  g_assert_cmpint(answer, <, 2);
  return answer == 1;
}

/* Another process, begun before this one opened the database: SQLite does not work across fork().
 */
typedef struct helper {
  pid_t process;
  int go; /* Write a byte, and it acts. */
} helper_t;

static helper_t start_helper(store_fixture_t *fixture, void (*act)(store_fixture_t *fixture)) {
  int ends[2];
  char byte;
  g_assert_cmpint(pipe(ends), ==, 0);
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 1) _exit(1);
    act(fixture);
    _exit(0);
  }
  close(ends[0]);
  return (helper_t){.process = child, .go = ends[1]};
}

static void run_helper(helper_t helper) {
  g_assert_cmpint(write(helper.go, "", 1), ==, 1);
  close(helper.go);
  g_assert_cmpint(end_of_child(helper.process), ==, 0);
}

/* As the last one that has the database open, as far as it can see, it removes the log. */
static void write_and_close(store_fixture_t *fixture) {
  connection_t connection;
  ASSERT_OK(fixture,
            connection_open(fixture->path, CONNECTION_WRITE, &connection, &fixture->error));
  ASSERT_OK(fixture,
            connection_execute(&connection, "INSERT INTO contract (permissions) VALUES ('theirs')",
                               &fixture->error));
  connection_close(&connection);
}

static void look_for_both(store_fixture_t *fixture) {
  assert_query(fixture, "SELECT sum(cases) FROM counter", "1");
  assert_query(fixture, "SELECT count(*) FROM contract WHERE permissions = 'theirs'", "1");
}

static void read_query(store_fixture_t *fixture) { assert_query(fixture, "SELECT 1", "1"); }

static void read_report(store_fixture_t *fixture) {
  store_reader_t *reader = NULL;
  ASSERT_OK(fixture, store_reader_open(fixture->path, NULL, &reader, &fixture->error));
  store_reader_close(reader);
}

static void open_again(store_fixture_t *fixture) { close_store(fixture, open_store(fixture)); }

static void merge_elsewhere(store_fixture_t *fixture) {
  g_autofree char *other = g_strconcat(fixture->path, ".other", NULL);
  store_t *store = NULL;
  store_merge_report_t report;
  ASSERT_OK(fixture, store_open(other, &store, &fixture->error));
  ASSERT_OK(fixture, store_merge(store, fixture->path, &report, &fixture->error));
  close_store(fixture, store);
}

/* All that a process does to a database which it has open for writing. */
static void test_locks_are_kept(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    const char *name;
    void (*act)(store_fixture_t *fixture);
  } acts[] = {{"a query", read_query},
              {"a report", read_report},
              {"opening it again", open_again},
              {"merging it", merge_elsewhere}};
  store_t *store = open_store(fixture);
  begin_run(fixture, store);
  g_assert_true(is_held(fixture->path));
  for (size_t i = 0; i < G_N_ELEMENTS(acts); i++) {
    acts[i].act(fixture);
    if (!is_held(fixture->path)) g_error("%s has dropped the lock", acts[i].name);
  }
  close_store(fixture, store);
  g_assert_false(is_held(fixture->path));
}

/* What comes of a lost lock: the other process takes the log away under ours. */
static void test_nothing_is_lost_beside_another_writer(store_fixture_t *fixture,
                                                       gconstpointer data) {
  (void)data;
  helper_t writer = start_helper(fixture, write_and_close);
  helper_t reader = start_helper(fixture, look_for_both);
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor_id = add_executor(fixture, store, "x");
  read_query(fixture);
  run_helper(writer);
  store_counter_t counter = sample_counter(run_id, executor_id);
  store_count(store, &counter);
  ASSERT_OK(fixture, store_flush(store, &fixture->error));
  run_helper(reader);
  close_store(fixture, store);
}

/* ---- Files of others ------------------------------------------------------------------------- */

/* The bytes of a file; (size_t)-1 if there is none. */
typedef struct bytes {
  char *data;
  gsize size;
} bytes_t;

static bytes_t read_bytes(const char *path) {
  bytes_t bytes = {.data = NULL, .size = (gsize)-1};
  g_file_get_contents(path, &bytes.data, &bytes.size, NULL);
  return bytes;
}

static void assert_same_bytes(const char *path, bytes_t before) {
  bytes_t now = read_bytes(path);
  if (now.size != before.size ||
      (before.data != NULL && memcmp(now.data, before.data, now.size) != 0)) {
    g_error("%s has changed", path);
  }
  g_free(now.data);
}

/* Neither reading nor writing opens it, and neither it nor what is beside it changes. */
static void assert_left_alone(store_fixture_t *fixture) {
  static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
  char *paths[G_N_ELEMENTS(endings)];
  bytes_t before[G_N_ELEMENTS(endings)];
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
    paths[i] = g_strconcat(fixture->path, endings[i], NULL);
    before[i] = read_bytes(paths[i]);
  }
  store_t *store = NULL;
  ASSERT_FAILS(fixture, store_open(fixture->path, &store, &fixture->error), STATUS_INVALID,
               "not one of Assay's");
  ASSERT_FAILS(fixture, store_query(fixture->path, "SELECT 1", append_row, NULL, &fixture->error),
               STATUS_INVALID, "not one of Assay's");
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
    assert_same_bytes(paths[i], before[i]);
    g_free(before[i].data);
    g_free(paths[i]);
  }
}

/* A foreign database that a process leaves in the middle of what `sql` does. */
static void abandon_foreign(store_fixture_t *fixture, const char *sql) {
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    sqlite3 *foreign = NULL;
    if (sqlite3_open(fixture->path, &foreign) != SQLITE_OK ||
        sqlite3_exec(foreign, sql, NULL, NULL, NULL) != SQLITE_OK) {
      _exit(1);
    }
    _exit(0); /* Without closing: what stands beside the file stays. */
  }
  g_assert_cmpint(end_of_child(child), ==, 0);
}

static bool exists(const store_fixture_t *fixture, const char *ending) {
  g_autofree char *path = g_strconcat(fixture->path, ending, NULL);
  return g_file_test(path, G_FILE_TEST_EXISTS);
}

static void test_foreign_log(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  abandon_foreign(fixture,
                  "PRAGMA journal_mode = WAL; CREATE TABLE song (title TEXT);"
                  "INSERT INTO song VALUES ('a')");
  g_assert_true(exists(fixture, "-wal"));
  assert_left_alone(fixture);
}

static void test_foreign_hot_journal(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  abandon_foreign(fixture,
                  "CREATE TABLE song (title TEXT); INSERT INTO song VALUES (zeroblob(100000));"
                  "PRAGMA cache_size = 1; BEGIN; UPDATE song SET title = zeroblob(200000);"
                  "INSERT INTO song VALUES (zeroblob(400000))");
  g_assert_true(exists(fixture, "-journal"));
  assert_left_alone(fixture);
}

/* A file in a folder, even where its name means something to SQLite. */
static void test_names_that_mean_something_to_sqlite(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const char *const names[] = {":memory:", "file:x.db?mode=memory"};
  g_autofree char *before = g_get_current_dir();
  g_assert_cmpint(g_chdir(fixture->directory), ==, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    store_t *store = NULL;
    ASSERT_OK(fixture, store_open(names[i], &store, &fixture->error));
    begin_run(fixture, store);
    close_store(fixture, store);
    g_assert_true(g_file_test(names[i], G_FILE_TEST_IS_REGULAR));
  }
  store_t *store = NULL;
  ASSERT_FAILS(fixture, store_open("", &store, &fixture->error), STATUS_INVALID, "is empty");
  g_assert_cmpint(g_chdir(before), ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/store-lock/kept", test_locks_are_kept);
  STORE_TEST("/store-lock/nothing-lost", test_nothing_is_lost_beside_another_writer);
  STORE_TEST("/store-lock/foreign-log", test_foreign_log);
  STORE_TEST("/store-lock/foreign-hot-journal", test_foreign_hot_journal);
  STORE_TEST("/store-lock/names", test_names_that_mean_something_to_sqlite);
  return g_test_run();
}
