/* SPDX-License-Identifier: Apache-2.0 */
/* A round trip of a compiled program to a PJRT plugin: through `pjrt:`, by the same calls in a bare
 * C loop of this process, and through the Python worker `xla`.  Microseconds of the clock on the
 * wall.
 *
 *   build/bench/bench_pjrt PLUGIN.so [CALLS] */
#include <stdio.h>
#include <string.h>

#include "harness/exec/executor.h"
#include "tests/bench/bench_timing.h"
#ifdef ASSAY_HAS_PJRT
#include "harness/exec/pjrt/pjrt.h"
#endif

enum { POISON = 0xa5 };

static const char dot[] =
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[8,40] f32[40,24] -> f32[8,24]";

static const char dot_mlir[] =
    "module {\n"
    "  func.func @main(%a: tensor<8x40xf32>, %b: tensor<40x24xf32>) -> tensor<8x24xf32> {\n"
    "    %c = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : "
    "(tensor<8x40xf32>, tensor<40x24xf32>) -> tensor<8x24xf32>\n"
    "    return %c : tensor<8x24xf32>\n"
    "  }\n"
    "}\n";

static _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "bench_pjrt: %s: %s\n", what, why);
  exit(3);
}

static double wall_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

typedef struct call {
  void (*run)(void *context);
  void *context;
} call_t;

/* The time that one call in ten keeps below: what others do on the machine makes the rest slower.
 */
static double measure(call_t call, int calls) {
  double *times = g_new(double, calls);
  for (int i = 0; i < calls / 4; i++) call.run(call.context);
  for (int i = 0; i < calls; i++) {
    double begin = wall_microseconds();
    call.run(call.context);
    times[i] = wall_microseconds() - begin;
  }
  qsort(times, (size_t)calls, sizeof *times, compare_doubles);
  double time = times[calls / 10];
  g_free(times);
  return time;
}

/* ---- Through an executor --------------------------------------------------------------------- */

typedef struct through {
  executor_t *executor;
  executor_program_t *program;
  tensor_t operands[2];
  tensor_t result;
} through_t;

static void run_through(void *context) {
  through_t *through = context;
  execution_t execution = executor_execute(through->executor, through->program, through->operands,
                                           POISON, &through->result);
  if (execution.outcome != EXECUTOR_OK) fail("execute", execution.reason);
}

static double measure_executor(const char *name, int calls) {
  failure_t error;
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *violation;
  if (program_parse(str_from(dot), &arena, &program, &violation, &error) != STATUS_OK) {
    fail(dot, error.text);
  }
  const executor_options_t options = {.timeout_ms = 60000};
  through_t through = {.executor = NULL};
  if (executor_open(name, &options, &through.executor, &error) != STATUS_OK) {
    fprintf(stderr, "bench_pjrt: %s\n", error.text);
    return -1;
  }
  char reason[192];
  if (executor_compile(through.executor, &program, &through.program, reason, sizeof reason) !=
      EXECUTOR_OK) {
    fail(name, reason);
  }
  for (int i = 0; i < 2; i++) {
    through.operands[i] = tensor_make(&arena, &program.operands[i]);
    memset(through.operands[i].data, 0, type_bytes(&program.operands[i]));
  }
  through.result = tensor_make(&arena, &program.results[0]);
  double time = measure((call_t){run_through, &through}, calls);
  executor_close(through.executor);
  arena_deinit(&arena);
  return time;
}

/* ---- The table of the same transport, called here -------------------------------------------- */

#ifdef ASSAY_HAS_PJRT
typedef struct bare {
  const assay_executor_t *table;
  void *self;
  void *handle;
  float left[8 * 40];
  float right[40 * 24];
  float result[8 * 24];
} bare_t;

static void run_bare(void *context) {
  bare_t *bare = context;
  char text[192] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  const void *const operands[] = {bare->left, bare->right};
  void *const results[] = {bare->result};
  if (bare->table->execute(bare->self, bare->handle, operands, results, &reason) !=
      ASSAY_EXECUTOR_OK) {
    fail("execute", text);
  }
}

/* Exactly the calls of PJRT that a round trip takes, in a loop: nobody checks anything. */
static double measure_bare(const char *path, int calls) {
  bare_t bare = {.table = pjrt_executor()};
  char text[400] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  if (bare.table->open(path, &bare.self, &reason) != ASSAY_EXECUTOR_OK) fail(path, text);
  const assay_type_t operands[] = {{.element = "f32", .dims = (int64_t[]){8, 40}, .rank = 2},
                                   {.element = "f32", .dims = (int64_t[]){40, 24}, .rank = 2}};
  const assay_type_t result = {.element = "f32", .dims = (int64_t[]){8, 24}, .rank = 2};
  const assay_program_t program = {.struct_size = sizeof program,
                                   .operand_count = 2,
                                   .result_count = 1,
                                   .op = "stablehlo.dot_general",
                                   .program_line = dot,
                                   .mlir = dot_mlir,
                                   .operands = operands,
                                   .results = &result};
  if (bare.table->compile(bare.self, &program, &bare.handle, &reason) != ASSAY_EXECUTOR_OK) {
    fail(path, text);
  }
  double time = measure((call_t){run_bare, &bare}, calls);
  bare.table->release(bare.self, bare.handle);
  bare.table->close(bare.self);
  return time;
}
#endif

int main(int argc, char **argv) {
  if (argc < 2) fail("usage", "bench_pjrt PLUGIN.so [CALLS]");
#ifdef ASSAY_HAS_PJRT
  int calls = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20000;
  char *name = g_strconcat("pjrt:", argv[1], NULL);
  double hosted = measure_executor(name, calls);
  double python = measure_executor("xla", calls / 10 + 1);
  double bare = measure_bare(argv[1], calls);
  printf("a dot of 8x40 and 40x24 f32, a round trip of the compiled program\n");
  printf("  bare calls      %8.1f us\n", bare);
  printf("  pjrt:           %8.1f us  %5.2f times that\n", hosted, hosted / bare);
  if (python > 0)
    printf("  xla, in Python  %8.1f us  %5.2f times pjrt:\n", python, python / hosted);
  g_free(name);
  return 0;
#else
  fail("this build", "without pjrt_c_api.h");
#endif
}
