/* SPDX-License-Identifier: Apache-2.0 */
/* No process outlives its host: children, and daemons in sessions of their own, of what runs in an
 * isolated backend or a worker are gone when the host is, however it ends. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/exec/child/guard.h"
#include "tests/exec/exec_checks.h"

/* Whether a process runs no more; its new parent may not have reaped it yet. */
static bool is_dead(pid_t pid) {
  g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
  g_autofree char *text = NULL;
  bool is_there = g_file_get_contents(path, &text, NULL, NULL);
  const char *state = is_there ? strrchr(text, ')') : NULL; /* "PID (NAME) STATE ..." */
  return state == NULL || g_str_has_prefix(state, ") Z") || g_str_has_prefix(state, ") X");
}

static bool wait_until_dead(pid_t pid) {
  for (int i = 0; i < 1000; i++) {
    if (is_dead(pid)) return true;
    g_usleep(10000);
  }
  return false;
}

/* The processes that have written their numbers into the file; waits until there are `count`. */
static GArray *read_processes(const char *path, guint count) {
  GArray *processes = g_array_new(FALSE, FALSE, sizeof(pid_t));
  for (int i = 0; i < 1000 && processes->len < count; i++) {
    g_autofree char *text = NULL;
    g_array_set_size(processes, 0);
    g_usleep(5000);
    if (!g_file_get_contents(path, &text, NULL, NULL)) continue;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL && line[1] != NULL; line++) {
      pid_t process = (pid_t)g_ascii_strtoll(*line, NULL, 10);
      g_array_append_val(processes, process);
    }
  }
  g_assert_cmpuint(processes->len, ==, count);
  return processes;
}

static void check_dead(GArray *processes) {
  for (guint i = 0; i < processes->len; i++) {
    g_assert_true(wait_until_dead(g_array_index(processes, pid_t, i)));
  }
  g_array_unref(processes);
}

/* ---- The guard itself. */

static int wait_for(pid_t process) {
  int status;
  while (waitpid(process, &status, 0) < 0) g_assert_cmpint(errno, ==, EINTR);
  return status;
}

static void test_ends_like_its_child(void) {
  pid_t guard = process_guard_fork();
  if (guard == 0) _exit(7);
  int status = wait_for(guard);
  g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  static const int numbers[] = {SIGSEGV, SIGKILL, SIGTERM, SIGABRT};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    guard = process_guard_fork();
    if (guard == 0) {
      signal(numbers[i], SIG_DFL);
      kill(getpid(), numbers[i]);
      pause();
    }
    status = wait_for(guard);
    g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
  }
}

static void test_stop(void) {
  pid_t guard = process_guard_fork();
  if (guard == 0) {
    for (;;) pause();
  }
  process_guard_stop(guard);
  g_assert_true(WIFSIGNALED(wait_for(guard)));
}

/* The child is what it was: group, signals. */
static void test_child_is_as_forked(void) {
  pid_t group = getpgrp();
  pid_t guard = process_guard_fork();
  if (guard == 0) {
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    bool is_good = getpgrp() == group && sigisemptyset(&blocked);
    _exit(is_good ? 0 : 1);
  }
  g_assert_cmpint(wait_for(guard), ==, 0);
}

/* ---- Hosts. */

typedef struct deed_row {
  const char *name;
  const char *executor; /* "%s" is the file in which processes write their numbers. */
  guint count;
} deed_row_t;

static const deed_row_t deed_rows[] = {
    {"children", "dso:" ASSAY_BINARY_DIR "/tests/dso/faulty.so?execute:leave_children:%s", 10},
    {"daemon", "dso:" ASSAY_BINARY_DIR "/tests/dso/faulty.so?execute:leave_a_daemon:%s", 1},
    {"daemon_at_open", "dso:" ASSAY_BINARY_DIR "/tests/dso/faulty.so?open:leave_a_daemon:%s", 1},
    {"worker_daemon",
     "proc:python3 -S " ASSAY_SOURCE_DIR
     "/tests/exec/workers/misbehave.py execute:leave_a_daemon %s",
     1},
};

static executor_t *open_row(const deed_row_t *row, const marker_t *marker) {
  g_auto(GStrv) parts = g_strsplit(row->executor, "%s", 2);
  g_autofree char *name = g_strconcat(parts[0], marker->path, parts[1], NULL);
  const executor_options_t options = {.isolate = true};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* The host ends as it should. */
static void test_gone_after_close(gconstpointer data) {
  const deed_row_t *row = data;
  bench_t bench;
  bench_init(&bench);
  marker_t marker = marker_make();
  executor_t *executor = open_row(row, &marker);
  check_run(executor, &bench);
  GArray *processes = read_processes(marker.path, row->count);
  executor_close(executor);
  check_dead(processes);
  marker_free(&marker);
  bench_deinit(&bench);
}

/* We are killed by signal 9, alone or with our whole process group. */
static void check_gone_after_kill(const deed_row_t *row, bool kills_group) {
  marker_t marker = marker_make();
  pid_t parent = fork();
  if (parent == 0) {
    setpgid(0, 0);
    bench_t bench;
    bench_init(&bench);
    check_run(open_row(row, &marker), &bench);
    for (;;) pause();
  }
  setpgid(parent, parent);
  GArray *processes = read_processes(marker.path, row->count);
  kill(kills_group ? -parent : parent, SIGKILL);
  g_assert_true(WIFSIGNALED(wait_for(parent)));
  check_dead(processes);
  marker_free(&marker);
}

static void test_gone_after_kill(gconstpointer row) { check_gone_after_kill(row, false); }

static void test_gone_after_kill_of_group(gconstpointer row) { check_gone_after_kill(row, true); }

static void add_rows(const char *when, GTestDataFunc function) {
  for (size_t i = 0; i < G_N_ELEMENTS(deed_rows); i++) {
    g_autofree char *path = g_strdup_printf("/guard/%s/%s", when, deed_rows[i].name);
    g_test_add_data_func(path, &deed_rows[i], function);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/guard/ends_like_its_child", test_ends_like_its_child);
  g_test_add_func("/guard/stop", test_stop);
  g_test_add_func("/guard/child_is_as_forked", test_child_is_as_forked);
  add_rows("gone_after_close", test_gone_after_close);
  add_rows("gone_after_kill", test_gone_after_kill);
  add_rows("gone_after_kill_of_group", test_gone_after_kill_of_group);
  return g_test_run();
}
