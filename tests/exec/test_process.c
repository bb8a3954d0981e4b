/* SPDX-License-Identifier: Apache-2.0 */
/* Backends as worker processes: whatever a worker does costs one case and its time limit. */
#include <glib/gstdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/exec/exec_checks.h"

enum { SHORT_TIMEOUT_MS = 300, SPEED_ELEMENTS = 16384, SPEED_ROUNDS = 2000 };

/* A worker under AddressSanitizer reserves that much, and uses little of it. */
static const uint64_t sanitized_bytes = (uint64_t)64 << 40;

/* "proc:python3 .../misbehave.py DEED"; the caller frees it. */
static char *misbehaving_name(const char *deed) {
  return g_strdup_printf("proc:python3 -S %s/tests/exec/workers/misbehave.py %s", ASSAY_SOURCE_DIR,
                         deed);
}

static executor_t *open_worker(const char *name, uint32_t timeout_ms, uint64_t memory_bytes_max) {
  executor_options_t options = {.timeout_ms = timeout_ms, .memory_bytes_max = memory_bytes_max};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static int count_descriptors(void) {
  GDir *directory = g_dir_open("/proc/self/fd", 0, NULL);
  int count = 0;
  while (g_dir_read_name(directory) != NULL) count++;
  g_dir_close(directory);
  return count;
}

/* No child is left, living or dead. */
static void check_no_child(void) { g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1); }

typedef struct deed_row {
  const char *deed;
  executor_outcome_t outcome;
  const char *reason;
} deed_row_t;

static const deed_row_t deed_rows[] = {
    {"execute:die_in_mid_answer", EXECUTOR_ENDED, "SIGKILL in execute()"},
    {"execute:crash", EXECUTOR_CRASHED, "SIGSEGV in execute()"},
    {"execute:answer_too_few_bytes", EXECUTOR_TIMED_OUT, "no answer within 300 ms in execute()"},
    {"execute:announce_too_few_bytes", EXECUTOR_GARBAGE,
     "announced 3 bytes of results, the program has 4 in execute()"},
    {"execute:announce_too_many_bytes", EXECUTOR_GARBAGE,
     "wrote \"18446744073709551620\" where the number of bytes of the results is expected"},
    {"execute:answer_too_many_bytes", EXECUTOR_GARBAGE, "wrote more than its answer in execute()"},
    {"execute:sleep_for_ever", EXECUTOR_TIMED_OUT, "no answer within 300 ms in execute()"},
    {"compile:sleep_for_ever", EXECUTOR_TIMED_OUT, "no answer within 300 ms in compile()"},
    {"promises:sleep_for_ever", EXECUTOR_TIMED_OUT, "no answer within 300 ms in promises()"},
    {"execute:leave_a_sleeping_child", EXECUTOR_ENDED, "exit status 3 in execute()"},
    {"execute:print_to_stdout", EXECUTOR_GARBAGE,
     "wrote \"Loading kernels for the first time...\" where an answer is expected in execute()"},
    {"execute:flood_stdout", EXECUTOR_GARBAGE, "wrote a line of more than 4096 bytes"},
    {"execute:flood_stderr", EXECUTOR_TIMED_OUT, "in execute(), after it wrote: yyyyy"},
    {"execute:eat_all_memory", EXECUTOR_ENDED, "MemoryError"},
    {"execute:raise_an_exception", EXECUTOR_ENDED, "RuntimeError: the lattice is broken"},
    {"execute:answer_another_question", EXECUTOR_GARBAGE, "an answer to another question"},
    {"execute:answer_with_binary", EXECUTOR_GARBAGE, "where an answer is expected"},
    {"execute:close_stdout", EXECUTOR_CRASHED, "closed its connection in execute()"},
    {"execute:refuse_mutely", EXECUTOR_FAILED, "refused, it says, without a reason"},
    {"release:print_to_stdout", EXECUTOR_OK, ""},
};

/* Each of two cases (one, if it costs the time limit) meets its own fate, and no process or
 * descriptor is left. */
static void test_deed(gconstpointer data) {
  const deed_row_t *row = data;
  bench_t bench;
  bench_init(&bench);
  int descriptors = count_descriptors();
  char *name = misbehaving_name(row->deed);
  executor_t *executor = open_worker(name, SHORT_TIMEOUT_MS, (uint64_t)64 << 20);
  int times = row->outcome == EXECUTOR_TIMED_OUT ? 1 : 2;
  for (int time = 0; time < times; time++) {
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
  g_free(name);
  bench_deinit(&bench);
}

typedef struct start_row {
  const char *command;
  status_t status;
  const char *reason;
} start_row_t;

static const start_row_t start_rows[] = {
    {"proc:", STATUS_INVALID, "proc: needs a command"},
    {"proc:exec /nowhere/worker", STATUS_INVALID, "/nowhere/worker: not found"},
    {"proc:/tmp", STATUS_INVALID, "exit status 126 in open()"},
    {"proc:echo oops; exit 127", STATUS_IO, "wrote \"oops\""},
    {"proc:echo hello; sleep 100", STATUS_IO,
     "wrote \"hello\" where the greeting \"assay-worker 1\" is expected in open()"},
    {"proc:printf 'assay-worker 1\\r\\n'; sleep 100", STATUS_IO,
     "wrote \"assay-worker 1\", and a carriage return, where the greeting"},
    {"proc:echo 'assay-worker 1 '; sleep 100", STATUS_IO,
     "wrote \"assay-worker 1\", and a blank, where the greeting"},
    {"proc:echo assay-worker 2; sleep 100", STATUS_IO,
     "speaks version 2 of the worker protocol, where this Assay reads version 1 in open()"},
    {"proc:echo assay-worker 2x; sleep 100", STATUS_IO,
     "wrote \"assay-worker 2x\" where the greeting \"assay-worker 1\" is expected in open()"},
    {"proc:echo oops >&2; exit 7", STATUS_IO, "exit status 7 in open(), after it wrote: oops"},
    {"proc:yes 'assay-worker 1'", STATUS_IO, "where a line of the greeting"},
    {"proc:(echo assay-worker 1; yes hardware one)", STATUS_IO, "the end of the greeting"},
    {"proc:echo assay-worker 1; echo compiling free; sleep 100", STATUS_IO,
     "a line of the greeting"},
    {"proc:cat /dev/zero", STATUS_IO, "wrote a line of more than 4096 bytes"},
    {"open:greet_twice", STATUS_IO, "wrote more than its answer in open()"},
    {"open:greet_strangely", STATUS_IO, "speaks version 2 of the worker protocol"},
    {"open:apologise", STATUS_IO, "needs a licence file"},
    {"open:leave", STATUS_IO, "no module named backend"},
};

/* What keeps a worker from starting is told when it is opened. */
static void test_start(gconstpointer data) {
  const start_row_t *row = data;
  bool is_deed = g_str_has_prefix(row->command, "open:");
  char *name = is_deed ? misbehaving_name(row->command) : g_strdup(row->command);
  executor_options_t options = {.timeout_ms = SHORT_TIMEOUT_MS};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open(name, &options, &executor, &error), ==, row->status);
  check_text_contains(error.text, row->reason);
  check_no_child();
  g_free(name);
}

/* What a worker says of compiling; without a word it is cheap. */
static void test_compiling(void) {
  static const struct {
    const char *line;
    bool is_dear;
  } rows[] = {{"hardware any", false}, {"compiling cheap", false}, {"compiling dear", true}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *name = g_strdup_printf(
        "proc:printf 'assay-worker 1\nname a\nversion 1\n%s\nready\n'; cat >/dev/null",
        rows[i].line);
    executor_t *executor = open_worker(name, 0, 0);
    g_assert_cmpint(executor_compiling_is_dear(executor), ==, rows[i].is_dear);
    executor_close(executor);
  }
}

/* Programs of several steps go to workers that say that they take them, and to no others. */
static void test_modules(void) {
  static const char line[] =
      "module steps={v0=stablehlo.negate(a0) f32[2] -> f32[2];return(v0)} f32[2] -> f32[2]";
  static const struct {
    const char *line;
    const char *reason;
    executor_outcome_t outcome;
  } rows[] = {{"hardware any", "takes no modules", EXECUTOR_REFUSED},
              {"modules no", "takes no modules", EXECUTOR_REFUSED},
              {"modules yes", "", EXECUTOR_OK}};
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  program_t program;
  g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, &error), ==, STATUS_OK);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *name = g_strdup_printf(
        "proc:printf 'assay-worker 1\nname a\nversion 1\nmlir no\n%s\nready\n'; read l; case $l in "
        "\"compile 1 0 %s\") echo ok;; esac; cat >/dev/null",
        rows[i].line, line);
    executor_t *executor = open_worker(name, 0, 0);
    executor_program_t *compiled;
    char reason[192] = "";
    executor_outcome_t outcome =
        executor_compile(executor, &program, &compiled, reason, sizeof reason);
    g_assert_cmpint(outcome, ==, rows[i].outcome);
    check_text_contains(reason, rows[i].reason);
    executor_close(executor);
  }
  arena_deinit(&arena);
}

/* A program that was compiled before a crash is compiled again by the next worker. */
static void test_crash_costs_one_case(void) {
  bench_t bench;
  bench_init(&bench);
  char *directory = g_dir_make_tmp("assay-process-XXXXXX", NULL);
  char *name = g_strdup_printf(
      "proc:if mkdir %s/met 2>/dev/null; then deed=execute:raise_an_exception; "
      "else deed=none; fi; exec python3 -S %s/tests/exec/workers/misbehave.py $deed",
      directory, ASSAY_SOURCE_DIR);
  executor_t *executor = open_worker(name, 0, 0);
  g_assert_cmpstr(executor_version(executor), ==, "misbehave 1");
  g_assert_cmpint(executor_promises(executor, &bench.program), ==, EXECUTOR_PROMISE_YES);
  executor_program_t *program = NULL;
  char reason[64];
  g_assert_cmpint(executor_compile(executor, &bench.program, &program, reason, sizeof reason), ==,
                  EXECUTOR_OK);
  execution_t execution =
      executor_execute(executor, program, bench.operands, POISON, bench.results);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_ENDED);
  for (int time = 0; time < 3; time++) {
    execution = executor_execute(executor, program, bench.operands, POISON, bench.results);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
    g_assert_cmpfloat(bench_result(&bench), ==, 20.0f);
    g_assert_cmpstr(executor_implementation(executor, program), ==, "loop");
  }
  executor_close(executor);
  char *met = g_build_filename(directory, "met", NULL);
  g_assert_cmpint(g_rmdir(met), ==, 0);
  g_assert_cmpint(g_rmdir(directory), ==, 0);
  g_free(met);
  g_free(name);
  g_free(directory);
  bench_deinit(&bench);
}

/* A worker that starts once only is given up after a few tries, and then costs no time. */
static void test_giving_up(void) {
  bench_t bench;
  bench_init(&bench);
  char *directory = g_dir_make_tmp("assay-process-XXXXXX", NULL);
  char *marker = g_build_filename(directory, "started", NULL);
  char *deeds = g_strdup_printf("open:die_at_second_start,execute:raise_an_exception %s", marker);
  char *name = misbehaving_name(deeds);
  executor_t *executor = open_worker(name, 0, 0);
  check_text_contains(check_run(executor, &bench).reason, "RuntimeError");
  for (int time = 0; time < 5; time++) {
    check_text_contains(check_run(executor, &bench).reason, "does not start again");
  }
  int64_t begin = g_get_monotonic_time();
  for (int time = 0; time < 1000; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_ENDED);
    check_text_contains(execution.reason, "given up: exit status 1 in open()");
  }
  g_assert_cmpint(g_get_monotonic_time() - begin, <, G_USEC_PER_SEC);
  executor_close(executor);
  g_assert_cmpint(g_remove(marker), ==, 0);
  g_assert_cmpint(g_rmdir(directory), ==, 0);
  g_free(name);
  g_free(deeds);
  g_free(marker);
  g_free(directory);
  bench_deinit(&bench);
}

/* The worker in shell speaks hex. */
static void test_shell_example(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = open_worker(
      "proc:" ASSAY_SOURCE_DIR "/harness/exec/workers/examples/example_worker.sh", 0, 0);
  g_assert_cmpstr(executor_version(executor), ==, "example-shell 1");
  for (int time = 0; time < 3; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
    g_assert_cmpfloat(bench_result(&bench), ==, 10.0f);
  }
  program_t other = check_parse_program(
      "stablehlo.reduce body=multiply dims=[0] f32[4] f32[] -> f32[]", &bench.arena);
  executor_program_t *program = NULL;
  char reason[64];
  g_assert_cmpint(executor_compile(executor, &other, &program, reason, sizeof reason), ==,
                  EXECUTOR_REFUSED);
  g_assert_cmpstr(reason, ==, "only sums to one scalar");
  executor_close(executor);
  bench_deinit(&bench);
}

/* The worker in C; with -m perf, how many round trips with 64 KiB of operands it makes. */
static void test_c_example(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor =
      open_worker("proc:" ASSAY_BINARY_DIR "/example_worker", 0, sanitized_bytes);
  g_assert_cmpint(executor_promises(executor, &bench.program), ==, EXECUTOR_PROMISE_YES);
  g_assert_cmpint(check_run(executor, &bench).outcome, ==, EXECUTOR_OK);
  g_assert_cmpfloat(bench_result(&bench), ==, 20.0f);

  program_t large = check_parse_program(
      "stablehlo.reduce body=add dims=[0] f32[16384] f32[] -> f32[]", &bench.arena);
  tensor_t operands[] = {tensor_make(&bench.arena, &large.operands[0]), bench.operands[1]};
  for (size_t i = 0; i < SPEED_ELEMENTS; i++) {
    memcpy(operands[0].data + 4 * i, &(const float){1}, sizeof(float));
  }
  executor_program_t *program = NULL;
  char reason[64];
  g_assert_cmpint(executor_compile(executor, &large, &program, reason, sizeof reason), ==,
                  EXECUTOR_OK);
  int64_t begin = g_get_monotonic_time();
  for (int round = 0; round < SPEED_ROUNDS; round++) {
    execution_t execution = executor_execute(executor, program, operands, POISON, bench.results);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  }
  double seconds = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
  g_assert_cmpfloat(bench_result(&bench), ==, 16394.0f);
  double rate = (double)SPEED_ROUNDS / seconds;
  g_test_maximized_result(rate, "%.0f round trips a second, 64 KiB each", rate);
  if (g_test_perf()) g_assert_cmpfloat(rate, >, 5000);
  executor_close(executor);
  bench_deinit(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(deed_rows); i++) {
    char *label = g_strdelimit(g_strdup(deed_rows[i].deed), ":", '/');
    char *path = g_strdup_printf("/process/%s", label);
    g_test_add_data_func(path, &deed_rows[i], test_deed);
    g_free(path);
    g_free(label);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(start_rows); i++) {
    char *path = g_strdup_printf("/process/start/%zu", i);
    g_test_add_data_func(path, &start_rows[i], test_start);
    g_free(path);
  }
  g_test_add_func("/process/crash_costs_one_case", test_crash_costs_one_case);
  g_test_add_func("/process/compiling", test_compiling);
  g_test_add_func("/process/modules", test_modules);
  g_test_add_func("/process/giving_up", test_giving_up);
  g_test_add_func("/process/shell_example", test_shell_example);
  g_test_add_func("/process/c_example", test_c_example);
  return g_test_run();
}
