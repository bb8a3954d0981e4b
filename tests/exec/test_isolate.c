/* SPDX-License-Identifier: Apache-2.0 */
/* Backends in a process of their own: what ends or stops them costs one case and leaves nothing. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/exec/exec_checks.h"

static int count_descriptors(void) {
  GDir *directory = g_dir_open("/proc/self/fd", 0, NULL);
  int count = 0;
  while (g_dir_read_name(directory) != NULL) count++;
  g_dir_close(directory);
  return count;
}

/* No child is left, living or dead. */
static void check_no_child(void) { g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1); }

typedef struct death_row {
  const char *deed;
  executor_outcome_t outcome;
  const char *reason;
  uint32_t timeout_ms; /* 0: the default, which no death needs. */
} death_row_t;

static const death_row_t death_rows[] = {
    {"execute:crash", EXECUTOR_CRASHED, "SIGSEGV in execute()", 0},
    {"compile:crash", EXECUTOR_CRASHED, "SIGSEGV in compile()", 0},
    {"promises:crash", EXECUTOR_CRASHED, "SIGSEGV in promises()", 0},
    {"execute:talk_and_abort", EXECUTOR_CRASHED, "line 9999 the lattice is broken", 0},
    {"execute:leave", EXECUTOR_ENDED, "exit status 3 in execute()", 0},
    {"execute:leave_well", EXECUTOR_ENDED, "exit status 0 in execute()", 0},
    {"execute:leave_at_once", EXECUTOR_ENDED, "exit status 0 in execute()", 0},
    {"execute:be_killed", EXECUTOR_ENDED, "SIGKILL in execute()", 0},
    {"execute:be_terminated", EXECUTOR_ENDED, "SIGTERM in execute()", 0},
    {"compile:leave_well", EXECUTOR_ENDED, "exit status 0 in compile()", 0},
    {"promises:leave_well", EXECUTOR_ENDED, "exit status 0 in promises()", 0},
    {"implementation:crash", EXECUTOR_CRASHED, "SIGSEGV in implementation()", 0},
    {"execute:hang", EXECUTOR_TIMED_OUT, "no answer within 100 ms in execute()", 100},
    {"compile:hang", EXECUTOR_TIMED_OUT, "no answer within 100 ms in compile()", 100},
    {"execute:make_noise", EXECUTOR_GARBAGE, "garbage on its connection to Assay", 0},
    {"execute:hang_up", EXECUTOR_CRASHED, "closed its connection in execute()", 0},
    {"execute:write_operand", EXECUTOR_CRASHED, "SIGSEGV in execute()", 0},
    {"execute:write_very_far_before", EXECUTOR_CRASHED, "SIGSEGV in execute()", 0},
    {"execute:write_very_far_after", EXECUTOR_CRASHED, "SIGSEGV in execute()", 0},
};

/* Each of three cases dies its own death; then a well-behaved program still runs. */
static void test_death(gconstpointer data) {
  const death_row_t *row = data;
  bench_t bench;
  bench_init(&bench);
  int descriptors = count_descriptors();
  executor_t *executor = check_open("faulty", row->deed, true, row->timeout_ms);
  for (int time = 0; time < 3; time++) {
    if (g_str_has_prefix(row->deed, "promises:")) {
      g_assert_cmpint(executor_promises(executor, &bench.program), ==, EXECUTOR_PROMISE_NONE);
    }
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, row->outcome);
    check_text_contains(execution.reason, row->reason);
  }
  executor_close(executor);
  check_no_child();
  g_assert_cmpint(count_descriptors(), ==, descriptors);
  bench_deinit(&bench);
}

/* Handles that were compiled before a crash work after it: a crash costs exactly one case. */
static void test_crash_costs_one_case(void) {
  bench_t bench;
  bench_init(&bench);
  marker_t marker = marker_make();
  char *options = g_strdup_printf("execute:crash_once:%s", marker.path);
  executor_t *executor = check_open("faulty", options, true, 0);
  executor_program_t *programs[2] = {NULL, NULL};
  static const char *const lines[2] = {
      check_line, "stablehlo.reduce body=add dims=[0,1] f32[2,2] f32[] -> f32[]"};
  char reason[64];
  for (int i = 0; i < 2; i++) {
    program_t program = check_parse_program(lines[i], &bench.arena);
    g_assert_cmpint(executor_compile(executor, &program, &programs[i], reason, sizeof reason), ==,
                    EXECUTOR_OK);
  }
  execution_t execution =
      executor_execute(executor, programs[0], bench.operands, POISON, bench.results);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_CRASHED);
  for (int time = 0; time < 4; time++) {
    executor_program_t *program = programs[time % 2];
    execution = executor_execute(executor, program, bench.operands, POISON, bench.results);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
    g_assert_cmpfloat(bench_result(&bench), ==, 20.0f);
    g_assert_cmpstr(executor_implementation(executor, program), ==, "loop");
  }
  executor_close(executor);
  marker_free(&marker);
  g_free(options);
  bench_deinit(&bench);
}

/* A backend that starts once only is given up after a few tries, and then costs no time. */
static void test_giving_up(void) {
  bench_t bench;
  bench_init(&bench);
  marker_t marker = marker_make();
  char *options = g_strdup_printf("execute:crash;open:start_once:%s", marker.path);
  executor_t *executor = check_open("faulty", options, true, 0);
  check_text_contains(check_run(executor, &bench).reason, "SIGSEGV in execute()");
  for (int time = 0; time < 5; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_CRASHED);
    check_text_contains(execution.reason, "does not start again");
  }
  int64_t begin = g_get_monotonic_time();
  for (int time = 0; time < 1000; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_CRASHED);
    check_text_contains(execution.reason, "given up: SIGABRT in open()");
  }
  g_assert_cmpint(g_get_monotonic_time() - begin, <, G_USEC_PER_SEC);
  executor_close(executor);
  check_no_child();
  marker_free(&marker);
  g_free(options);
  bench_deinit(&bench);
}

/* What a backend cannot do at all is told when it is opened. */
static void test_death_at_start(void) {
  char *name = check_dso_name("faulty", "open:talk_and_abort");
  executor_options_t options = {.isolate = true};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open(name, &options, &executor, &error), ==, STATUS_IO);
  check_text_contains(error.text, "SIGABRT in open(), after it wrote: ");
  check_text_contains(error.text, "the lattice is broken");
  check_no_child();
  g_free(name);
}

/* What ends the process before open() is called. */
typedef struct start_row {
  const char *variable;
  const char *deed;
  const char *reason;
} start_row_t;

static const start_row_t start_rows[] = {
    {"FAULTY_LOAD", "leave_well", "exit status 0 when it was loaded"},
    {"FAULTY_QUERY", "crash", "SIGSEGV in assay_executor_query()"},
};

static void test_end_at_start(gconstpointer data) {
  const start_row_t *row = data;
  g_autofree char *name = check_dso_name("faulty", "");
  executor_options_t options = {.isolate = true};
  executor_t *executor = NULL;
  failure_t error;
  g_setenv(row->variable, row->deed, TRUE);
  g_assert_cmpint(executor_open(name, &options, &executor, &error), ==, STATUS_IO);
  g_unsetenv(row->variable);
  check_text_contains(error.text, row->reason);
  check_no_child();
}

static void test_memory_limit(void) {
  bench_t bench;
  bench_init(&bench);
  char *name = check_dso_name("faulty", "execute:take_memory");
  executor_options_t options = {.isolate = true, .memory_bytes_max = (uint64_t)512 << 20};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open(name, &options, &executor, &error), ==, STATUS_OK);
  execution_t execution = check_run(executor, &bench);
  g_assert_cmpint(execution.outcome, !=, EXECUTOR_OK);
  executor_close(executor);
  g_free(name);
  bench_deinit(&bench);
}

static void leave_quietly(int number) {
  (void)number;
  _exit(9);
}

/* Handlers of Assay (ASan's, libFuzzer's) do not handle what the backend does. */
static void test_own_signal_handlers(void) {
  bench_t bench;
  bench_init(&bench);
  struct sigaction handler = {.sa_handler = leave_quietly};
  struct sigaction saved;
  g_assert_cmpint(sigaction(SIGSEGV, &handler, &saved), ==, 0);
  executor_t *executor = check_open("faulty", "execute:crash", true, 0);
  check_text_contains(check_run(executor, &bench).reason, "SIGSEGV in execute()");
  executor_close(executor);
  g_assert_cmpint(sigaction(SIGSEGV, &saved, NULL), ==, 0);
  bench_deinit(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(death_rows); i++) {
    char *label = g_strdelimit(g_strdup(death_rows[i].deed), ":", '_');
    char *path = g_strdup_printf("/isolate/death/%s", label);
    g_test_add_data_func(path, &death_rows[i], test_death);
    g_free(path);
    g_free(label);
  }
  g_test_add_func("/isolate/crash_costs_one_case", test_crash_costs_one_case);
  g_test_add_func("/isolate/giving_up", test_giving_up);
  g_test_add_func("/isolate/death_at_start", test_death_at_start);
  g_test_add_func("/isolate/memory_limit", test_memory_limit);
  g_test_add_func("/isolate/own_signal_handlers", test_own_signal_handlers);
  for (size_t i = 0; i < G_N_ELEMENTS(start_rows); i++) {
    g_autofree char *path = g_strdup_printf("/isolate/start/%s", start_rows[i].variable);
    g_test_add_data_func(path, &start_rows[i], test_end_at_start);
  }
  return g_test_run();
}
