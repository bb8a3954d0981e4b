/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong when a program is released, or a backend closed and unloaded, is told, and no
 * case is blamed for it. */
#include <sys/wait.h>

#include "tests/exec/exec_checks.h"

typedef struct after_row {
  const char *deed;
  executor_outcome_t outcome;
  const char *reason;
  uint32_t timeout_ms;
} after_row_t;

static const after_row_t after_rows[] = {
    {"release:crash", EXECUTOR_CRASHED, "SIGSEGV in release()", 0},
    {"release:leave_well", EXECUTOR_ENDED, "exit status 0 in release()", 0},
    {"release:hang", EXECUTOR_TIMED_OUT, "no answer within 100 ms in release()", 100},
    {"close:crash", EXECUTOR_CRASHED, "SIGSEGV in close()", 0},
    {"close:leave_at_once", EXECUTOR_ENDED, "exit status 0 in close()", 0},
    {"close:be_killed", EXECUTOR_ENDED, "SIGKILL in close()", 0},
    {"close:hang", EXECUTOR_TIMED_OUT, "no answer within 100 ms in close()", 100},
    {"unload:crash", EXECUTOR_CRASHED, "SIGSEGV when it was unloaded", 0},
    {"unload:leave", EXECUTOR_ENDED, "exit status 3 when it was unloaded", 0},
};

static void check_aftermath(executor_t *executor, executor_outcome_t outcome, const char *reason) {
  executor_aftermath_t aftermath = executor_take_aftermath(executor);
  g_assert_cmpint(aftermath.outcome, ==, outcome);
  if (outcome != EXECUTOR_OK) {
    check_text_contains(aftermath.reason, reason);
    g_assert_cmpstr(aftermath.program_line, ==, check_line);
  }
  g_free(aftermath.program_line);
}

/* At the end of a run. */
static void test_end(gconstpointer data) {
  const after_row_t *row = data;
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("faulty", row->deed, true, row->timeout_ms);
  g_assert_cmpint(check_run(executor, &bench).outcome, ==, EXECUTOR_OK);
  check_aftermath(executor, EXECUTOR_OK, "");
  executor_shut(executor);
  check_aftermath(executor, row->outcome, row->reason);
  check_aftermath(executor, EXECUTOR_OK, "");
  g_assert_cmpstr(executor_version(executor), ==, "tester 1.5");
  executor_close(executor);
  g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1);
  bench_deinit(&bench);
}

/* In the middle of one: the cases after it are as good as ever. */
static void test_middle(gconstpointer data) {
  const after_row_t *row = data;
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("faulty", row->deed, true, row->timeout_ms);
  for (int time = 0; time < 3; time++) {
    g_assert_cmpint(check_run(executor, &bench).outcome, ==, EXECUTOR_OK);
    executor_forget_programs(executor);
    check_aftermath(executor, row->outcome, row->reason);
  }
  executor_close(executor);
  bench_deinit(&bench);
}

static void test_nothing(gconstpointer isolate) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("good", "", GPOINTER_TO_INT(isolate) != 0, 0);
  g_assert_cmpint(check_run(executor, &bench).outcome, ==, EXECUTOR_OK);
  executor_shut(executor);
  executor_shut(executor);
  check_aftermath(executor, EXECUTOR_OK, "");
  executor_close(executor);
  bench_deinit(&bench);
}

/* Workers: a release has no answer, so that its end shows later. */
static executor_t *open_worker(const char *deed) {
  g_autofree char *name = g_strdup_printf("proc:python3 -S %s/tests/exec/workers/misbehave.py %s",
                                          ASSAY_SOURCE_DIR, deed);
  const executor_options_t options = {.timeout_ms = 5000};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static void test_worker_release(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = open_worker("release:crash");
  for (int time = 0; time < 3; time++) {
    g_assert_cmpint(check_run(executor, &bench).outcome, ==, EXECUTOR_OK);
    executor_forget_programs(executor);
  }
  executor_aftermath_t aftermath = executor_take_aftermath(executor);
  g_assert_cmpint(aftermath.outcome, ==, EXECUTOR_CRASHED);
  check_text_contains(aftermath.reason, "SIGSEGV");
  g_free(aftermath.program_line);
  executor_close(executor);
  bench_deinit(&bench);
}

static void test_worker_end(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = open_worker("end:crash");
  g_assert_cmpint(check_run(executor, &bench).outcome, ==, EXECUTOR_OK);
  executor_shut(executor);
  check_aftermath(executor, EXECUTOR_CRASHED, "SIGSEGV at the end of its input");
  executor_close(executor);
  bench_deinit(&bench);
}

static void add_rows(const char *when, GTestDataFunc function, const char *only) {
  for (size_t i = 0; i < G_N_ELEMENTS(after_rows); i++) {
    if (!g_str_has_prefix(after_rows[i].deed, only)) continue;
    g_autofree char *label = g_strdelimit(g_strdup(after_rows[i].deed), ":", '_');
    g_autofree char *path = g_strdup_printf("/aftermath/%s/%s", when, label);
    g_test_add_data_func(path, &after_rows[i], function);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_rows("end", test_end, "");
  add_rows("middle", test_middle, "release:");
  g_test_add_data_func("/aftermath/nothing", GINT_TO_POINTER(0), test_nothing);
  g_test_add_data_func("/aftermath/nothing_isolated", GINT_TO_POINTER(1), test_nothing);
  g_test_add_func("/aftermath/worker_release", test_worker_release);
  g_test_add_func("/aftermath/worker_end", test_worker_end);
  return g_test_run();
}
