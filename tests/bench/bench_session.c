/* SPDX-License-Identifier: Apache-2.0 */
/* Whole cases: how many `assay run` walks in a second of this thread with a model executor, in
 * process, and where the time goes; of some programs, and of all ops as they are drawn.  Beside it
 * the naive scalar f32 loop of this machine, in nanoseconds a step. */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/bench/bench_timing.h"

static const int step_count = 1 << 24;

enum { ALL_OPS_CASES = 10000 };

/* So many cases of each, so that every run draws the same data and asks the same of it. */
typedef struct walked {
  size_t cases;
  const char *line; /* NULL: of all ops, as they are drawn. */
} walked_t;

static const walked_t programs[] = {
    {60000, "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[4,8] f32[8,16] -> f32[4,16]"},
    {40000,
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[16,16] f32[16,16] -> f32[16,16]"},
    {4000,
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[64,64] f32[64,64] -> f32[64,64]"},
    {10000,
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f64[16,16] f64[16,16] -> f64[16,16]"},
    {40000, "stablehlo.reduce body=add dims=[0] f32[16,64] f32[] -> f32[64]"},
    {ALL_OPS_CASES, NULL},
};

/* A dependent chain of multiplications and additions, as a scalar dot product is. */
static double naive_step_ns(void) {
  static float numbers[4096];
  for (int i = 0; i < 4096; i++) numbers[i] = (float)i * 0x1p-12f;
  volatile float sink;
  float sum = 0;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < step_count; i++) {
    float product = numbers[i % 4096] * numbers[(i + 1) % 4096];
    sum = sum + product;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  sink = sum;
  (void)sink;
  double ns = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
  return ns / step_count;
}

static void fail(const failure_t *error) {
  fprintf(stderr, "bench_session: %s\n", error->text);
  exit(3);
}

static size_t count_ops(void) {
  size_t count = 0;
  while (op_all()[count] != NULL) count++;
  return count;
}

static void measure(const walked_t *walked, const char *model) {
  const char *line = walked->line;
  failure_t error;
  arena_t arena;
  arena_init(&arena);
  stream_program_t given = {0};
  const char *violation;
  executor_t *executor;
  executor_options_t executor_options = {.find_builtin = builtin_find};
  session_t *session;
  bool is_given = line != NULL;
  if (is_given &&
      program_parse(str_from(line), &arena, &given.program, &violation, &error) != STATUS_OK) {
    fail(&error);
  }
  if (executor_open(model, &executor_options, &executor, &error) != STATUS_OK) fail(&error);
  session_options_t options = {.stream = {.seed = 1,
                                          .programs = is_given ? &given : NULL,
                                          .program_count = is_given ? 1 : 0,
                                          .gen = gen_options_default(),
                                          .ops = op_all(),
                                          .op_count = count_ops()},
                               .executors = &executor,
                               .executor_count = 1,
                               .contract = contract_backend(),
                               .cases_max = walked->cases};
  if (session_open(&options, &session, &error) != STATUS_OK) fail(&error);
  double begin = microseconds();
  if (session_run(session, &error) != STATUS_OK) fail(&error);
  double cpu_seconds = (microseconds() - begin) / 1e6;
  case_runner_times_t times = session_times(session);
  double seconds = session_seconds(session);
  double share = (double)(times.oracle + times.executor + times.judge) / (seconds * 1e9);
  printf(
      "%-20s %10.0f cases/CPU-s  oracle %2.0f%%  judge %2.0f%%  executor %2.0f%%  together %3.0f%% "
      " "
      "%s\n",
      model, (double)session_cases(session) / cpu_seconds, (double)times.oracle / seconds / 1e7,
      (double)times.judge / seconds / 1e7, (double)times.executor / seconds / 1e7, share * 100,
      is_given ? line : "all ops");
  if (session_close(session, 0, &error) != STATUS_OK) fail(&error);
  executor_close(executor);
  arena_deinit(&arena);
}

/* With an argument only what contains it: bench_session 'f32[16,16]'. */
int main(int count, char **arguments) {
  const char *wanted = count > 1 ? arguments[1] : "";
  printf("naive scalar f32 loop: %.2f ns a step\n", naive_step_ns());
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    const char *line = programs[i].line == NULL ? "all ops" : programs[i].line;
    if (strstr(line, wanted) == NULL) continue;
    measure(&programs[i], "model:sequential");
    if (programs[i].line != NULL) measure(&programs[i], "model:sequential+fma");
  }
  return 0;
}
