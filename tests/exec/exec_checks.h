/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of executors share: one small program, and running it through a handle. */
#ifndef ASSAY_TESTS_EXEC_EXEC_CHECKS_H
#define ASSAY_TESTS_EXEC_EXEC_CHECKS_H

#include <glib/gstdio.h>
#include <string.h>

#include "harness/exec/executor.h"

enum { CHECK_TERMS = 4, POISON = 0xa5 };

static const char check_line[] = "stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]";

/* An arena, a program with operands 1 2 3 4 and 10, and room for its result. */
typedef struct bench {
  arena_t arena;
  program_t program;
  tensor_t operands[CASE_OPERANDS_MAX];
  tensor_t results[CASE_RESULTS_MAX];
} bench_t;

static inline program_t check_parse_program(const char *line, arena_t *arena) {
  program_t program;
  const char *violation;
  failure_t error;
  if (program_parse(str_from(line), arena, &program, &violation, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return program;
}

static inline void bench_init(bench_t *bench) {
  arena_init(&bench->arena);
  bench->program = check_parse_program(check_line, &bench->arena);
  for (uint32_t i = 0; i < bench->program.operand_count; i++) {
    bench->operands[i] = tensor_make(&bench->arena, &bench->program.operands[i]);
  }
  bench->results[0] = tensor_make(&bench->arena, &bench->program.results[0]);
  memcpy(bench->operands[0].data, (const float[CHECK_TERMS]){1, 2, 3, 4}, CHECK_TERMS * 4);
  memcpy(bench->operands[1].data, &(const float){10}, sizeof(float));
}

static inline void bench_deinit(bench_t *bench) { arena_deinit(&bench->arena); }

static inline float bench_result(const bench_t *bench) {
  float result;
  memcpy(&result, bench->results[0].data, sizeof result);
  return result;
}

/* "dso:DIRECTORY/FILE?OPTIONS"; the caller frees it. */
static inline char *check_dso_name(const char *file, const char *options) {
  return g_strdup_printf("dso:%s/tests/dso/%s.so?%s", ASSAY_BINARY_DIR, file, options);
}

static inline executor_t *check_open(const char *file, const char *options, bool isolate,
                                     uint32_t timeout_ms) {
  char *name = check_dso_name(file, options);
  executor_options_t settings = {.isolate = isolate, .timeout_ms = timeout_ms};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &settings, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  g_free(name);
  return executor;
}

/* Compiles and executes the program of the bench once. */
static inline execution_t check_run(executor_t *executor, bench_t *bench) {
  execution_t execution = {.outcome = EXECUTOR_OK};
  executor_program_t *program = NULL;
  execution.outcome = executor_compile(executor, &bench->program, &program, execution.reason,
                                       sizeof execution.reason);
  if (execution.outcome != EXECUTOR_OK) return execution;
  return executor_execute(executor, program, bench->operands, POISON, bench->results);
}

/* A file that a backend makes, in a directory of its own. */
typedef struct marker {
  char *directory;
  char *path;
} marker_t;

static inline marker_t marker_make(void) {
  marker_t marker = {.directory = g_dir_make_tmp("assay-exec-XXXXXX", NULL)};
  marker.path = g_build_filename(marker.directory, "marker", NULL);
  return marker;
}

/* The file must have been made. */
static inline void marker_free(marker_t *marker) {
  g_assert_cmpint(g_remove(marker->path), ==, 0);
  g_assert_cmpint(g_rmdir(marker->directory), ==, 0);
  g_free(marker->path);
  g_free(marker->directory);
}

static inline void check_text_contains(const char *text, const char *part) {
  if (strstr(text, part) == NULL) g_error("\"%s\" does not contain \"%s\"", text, part);
}

#endif
