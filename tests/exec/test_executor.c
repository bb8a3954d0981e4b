/* SPDX-License-Identifier: Apache-2.0 */
/* The handle over backends in this process: names, the ABI, guards, poison, the environment and the
 * cache of compiled programs.  What would end this process is in test_isolate.c. */
#include <glib/gstdio.h>

#include "harness/exec/program_cache.h"
#include "harness/exec/transport/environment.h"
#include "tests/exec/dso/backend.h"
#include "tests/exec/exec_checks.h"

/* ---- Opening. */

typedef struct open_row {
  const char *label;
  const char *name; /* Or a library in tests/dso: "@file". */
  status_t status;
  const char *message;
} open_row_t;

static const open_row_t open_rows[] = {
    {"empty", "", STATUS_INVALID, "names no executor"},
    {"only_options", "?threads=2", STATUS_INVALID, "names no executor"},
    {"unknown_kind", "docker:image", STATUS_INVALID, "names no executor"},
    {"builtin_without_table", "model:pairwise", STATUS_INVALID, "names no executor"},
    {"dso_without_path", "dso:", STATUS_INVALID, "names no executor"},
    {"path_as_plugin", "../openblas", STATUS_INVALID, "names no executor"},
    {"absent_plugin", "nosuch?a=b", STATUS_INVALID, "there is no executor \"nosuch\""},
    {"absent_file", "dso:/nonexistent/libmine.so", STATUS_INVALID, "does not load"},
    {"absent_file_here", "dso:libc.so.6", STATUS_INVALID, "./libc.so.6"},
    {"a_folder", "dso:/tmp", STATUS_INVALID, "does not load"},
    {"no_object", "dso:" ASSAY_BINARY_DIR "/CMakeCache.txt", STATUS_INVALID, "invalid ELF header"},
    {"no_symbol", "@no_symbol", STATUS_INVALID, "exports no assay_executor_query()"},
    {"no_abi", "@no_abi", STATUS_IO, "needs a newer Assay"},
    {"new_abi", "@new_abi", STATUS_IO, "built for executor ABI 2"},
    {"short_table", "@short_table", STATUS_IO, "set struct_size"},
    {"no_execute", "@no_execute", STATUS_IO, "has no execute()"},
    {"open_fails", "@faulty?open:fail_mutely", STATUS_IO, "without a reason"},
    {"open_is_refused", "@faulty?open:call_invalid", STATUS_INVALID, "C99 is broken"},
    {"open_answers_nonsense", "@faulty?open:answer_nonsense", STATUS_IO, "answered 77"},
};

static void test_open(gconstpointer data) {
  const open_row_t *row = data;
  char *name = g_strdup(row->name);
  if (row->name[0] == '@') {
    char **parts = g_strsplit(row->name + 1, "?", 2);
    g_free(name);
    name = check_dso_name(parts[0], parts[1] == NULL ? "" : parts[1]);
    g_strfreev(parts);
  }
  for (int isolate = 0; isolate < 2; isolate++) {
    executor_options_t options = {.isolate = isolate != 0};
    executor_t *executor = NULL;
    failure_t error;
    status_t status = executor_open(name, &options, &executor, &error);
    g_assert_cmpint(status, ==, row->status);
    g_assert_null(executor);
    check_text_contains(error.text, row->message);
  }
  g_free(name);
}

/* A plugin is a file NAME_plugin.so in a directory; one that is not there is told with those that
 * are. */
static void test_plugin(void) {
  char *directory = g_dir_make_tmp("assay-plugins-XXXXXX", NULL);
  char *plugin = g_build_filename(directory, "adder_plugin.so", NULL);
  char *library = g_strdup_printf("%s/tests/dso/good.so", ASSAY_BINARY_DIR);
  char *bytes = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(library, &bytes, &size, NULL));
  g_assert_true(g_file_set_contents(plugin, bytes, (gssize)size, NULL));
  executor_options_t options = {.plugin_directory = directory};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open("adder?any", &options, &executor, &error), ==, STATUS_OK);
  g_assert_cmpstr(executor_name(executor), ==, "adder?any");
  executor_close(executor);
  g_assert_cmpint(executor_open("addler", &options, &executor, &error), ==, STATUS_INVALID);
  check_text_contains(error.text, "holds adder (");
  g_assert_cmpint(g_remove(plugin), ==, 0);
  g_assert_cmpint(g_rmdir(directory), ==, 0);
  g_free(bytes);
  g_free(library);
  g_free(plugin);
  g_free(directory);
}

/* ---- A good backend. */

static void test_good(gconstpointer isolate) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("good", "", GPOINTER_TO_INT(isolate) != 0, 0);
  g_assert_cmpstr(executor_version(executor), ==, "tester 1.5");
  g_assert_cmpstr(executor_hardware(executor), ==, "any");
  g_assert_false(executor_load_changed_environment(executor));
  g_assert_cmpint(executor_promises(executor, &bench.program), ==, EXECUTOR_PROMISE_YES);
  executor_program_t *program = NULL;
  char reason[64];
  g_assert_cmpint(executor_compile(executor, &bench.program, &program, reason, sizeof reason), ==,
                  EXECUTOR_OK);
  g_assert_cmpstr(executor_implementation(executor, program), ==, "loop");
  for (int i = 0; i < 200; i++) {
    memcpy(bench.operands[1].data, &(const float){(float)i}, sizeof(float));
    execution_t execution =
        executor_execute(executor, program, bench.operands, POISON, bench.results);
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
    g_assert_false(execution.wrote_out_of_bounds);
    g_assert_false(execution.changed_environment);
    g_assert_cmpstr(execution.reason, ==, "");
    g_assert_cmpfloat(bench_result(&bench), ==, (float)(10 + i));
  }
  executor_close(executor);
  bench_deinit(&bench);
}

static void test_refusal(gconstpointer isolate) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("good", "", GPOINTER_TO_INT(isolate) != 0, 0);
  program_t program =
      check_parse_program("stablehlo.reduce body=add dims=[0] f64[4] f64[] -> f64[]", &bench.arena);
  executor_program_t *compiled = NULL;
  for (int time = 0; time < 2; time++) { /* The second time from memory. */
    char reason[128] = "";
    g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                    EXECUTOR_REFUSED);
    g_assert_cmpstr(reason, ==, "only sums of f32 to one number");
    g_assert_cmpint(executor_promises(executor, &program), ==, EXECUTOR_PROMISE_NO);
  }
  executor_close(executor);
  bench_deinit(&bench);
}

/* ---- Faults that this process survives. */

typedef struct fault_row {
  const char *deed;
  executor_outcome_t outcome;
  bool out_of_bounds;
  bool environment;
  const char *reason;
} fault_row_t;

static const fault_row_t fault_rows[] = {
    {"execute:write_before", EXECUTOR_OK, true, false, ""},
    {"execute:write_after", EXECUTOR_OK, true, false, ""},
    {"execute:write_far_before", EXECUTOR_OK, true, false, ""},
    {"execute:write_far_after", EXECUTOR_OK, true, false, ""},
    {"execute:spread_poison", EXECUTOR_OK, true, false, ""},
    {"execute:change_rounding", EXECUTOR_OK, false, true, ""},
    {"compile:change_rounding", EXECUTOR_OK, false, true, ""},
    {"execute:answer_nonsense", EXECUTOR_GARBAGE, false, false, "answered 77"},
    {"compile:answer_nonsense", EXECUTOR_GARBAGE, false, false, "answered 77"},
    {"execute:fail_strangely", EXECUTOR_FAILED, false, false, "\\xfe\\xfe"},
    {"execute:fail_mutely", EXECUTOR_FAILED, false, false, "without a reason"},
    {"compile:fail_mutely", EXECUTOR_FAILED, false, false, "without a reason"},
    {"compile:call_invalid", EXECUTOR_REJECTED, false, false, "C99 is broken"},
    {"execute:leave_unwritten", EXECUTOR_OK, false, false, ""},
};

static void check_fault(const fault_row_t *row, bool isolate) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("faulty", row->deed, isolate, 0);
  environment_t before = environment_get();
  for (int time = 0; time < 3; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, row->outcome);
    g_assert_cmpint(execution.wrote_out_of_bounds, ==, row->out_of_bounds);
    g_assert_cmpint(execution.changed_environment, ==, row->environment);
    check_text_contains(execution.reason, row->reason);
    g_assert_cmphex(environment_get().control, ==, before.control);
  }
  executor_close(executor);
  bench_deinit(&bench);
}

static void test_fault(gconstpointer row) { check_fault(row, false); }

static void test_isolated_fault(gconstpointer row) { check_fault(row, true); }

/* What was not written is the poison, whichever it is. */
static void test_poison(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("faulty", "execute:leave_unwritten", false, 0);
  executor_program_t *program = NULL;
  char reason[64];
  g_assert_cmpint(executor_compile(executor, &bench.program, &program, reason, sizeof reason), ==,
                  EXECUTOR_OK);
  for (unsigned poison = 0; poison < 256; poison += 51) {
    executor_execute(executor, program, bench.operands, (uint8_t)poison, bench.results);
    for (size_t i = 0; i < sizeof(float); i++) {
      g_assert_cmphex(bench.results[0].data[i], ==, poison);
    }
  }
  executor_close(executor);
  bench_deinit(&bench);
}

/* A write into an operand is seen on the first execution of a program, and undone. */
static void test_operand_write(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("faulty", "execute:write_operand", false, 0);
  execution_t execution = check_run(executor, &bench);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_GARBAGE);
  check_text_contains(execution.reason, "wrote into operand 0");
  float first;
  memcpy(&first, bench.operands[0].data, sizeof first);
  g_assert_cmpfloat(first, ==, 1.0f);
  executor_close(executor);
  bench_deinit(&bench);
}

/* A write that happens once in 50 executions is seen when it happens. */
static void test_rare_operand_write(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("faulty", "execute:write_operand_seldom", false, 0);
  int seen = 0;
  for (int time = 1; time <= 500; time++) {
    execution_t execution = check_run(executor, &bench);
    seen += execution.outcome == EXECUTOR_GARBAGE;
    if (execution.outcome == EXECUTOR_OK) g_assert_cmpfloat(bench_result(&bench), ==, 20.0f);
  }
  g_assert_cmpint(seen, ==, 10);
  executor_close(executor);
  bench_deinit(&bench);
}

static void test_fast_math(gconstpointer isolate) {
  char *library = g_strdup_printf("%s/tests/dso/fast_math.so", ASSAY_BINARY_DIR);
  bool is_there = g_file_test(library, G_FILE_TEST_EXISTS);
  g_free(library);
  if (!is_there) {
    g_test_skip("gcc, which links the code that switches to flush-to-zero, is not installed");
    return;
  }
  bench_t bench;
  bench_init(&bench);
  environment_t before = environment_get();
  executor_t *executor = check_open("fast_math", "", GPOINTER_TO_INT(isolate) != 0, 0);
  g_assert_true(executor_load_changed_environment(executor));
  g_assert_cmphex(environment_get().control, ==, before.control);
  execution_t execution = check_run(executor, &bench);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  g_assert_false(execution.changed_environment);
  executor_close(executor);
  bench_deinit(&bench);
}

/* More programs than are kept: all run, again and again, and every handle is released (ASan). */
static void test_many_programs(gconstpointer isolate) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = check_open("good", "", GPOINTER_TO_INT(isolate) != 0, 0);
  enum { PROGRAMS = 600 };
  for (int time = 0; time < 2; time++) {
    for (int terms = 1; terms <= PROGRAMS; terms++) {
      char *line =
          g_strdup_printf("stablehlo.reduce body=add dims=[0] f32[%d] f32[] -> f32[]", terms);
      program_t program = check_parse_program(line, &bench.arena);
      tensor_t operands[2] = {tensor_make(&bench.arena, &program.operands[0]), bench.operands[1]};
      for (int i = 0; i < terms; i++) {
        memcpy(operands[0].data + (size_t)i * sizeof(float), &(const float){1}, sizeof(float));
      }
      executor_program_t *compiled = NULL;
      char reason[64];
      g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                      EXECUTOR_OK);
      executor_execute(executor, compiled, operands, POISON, bench.results);
      g_assert_cmpfloat(bench_result(&bench), ==, (float)(10 + terms));
      g_free(line);
    }
  }
  executor_close(executor);
  bench_deinit(&bench);
}

/* ---- A builtin that counts what it was asked for. */

static int compiled_count;
static int live_count;

static int32_t counting_compile(void *self, const assay_program_t *program, void **out_handle,
                                assay_reason_t *reason) {
  int32_t code = good_compile(self, program, out_handle, reason);
  compiled_count++;
  live_count += code == ASSAY_EXECUTOR_OK;
  return code;
}

static void counting_release(void *self, void *handle) {
  live_count--;
  good_release(self, handle);
}

static const assay_executor_t *find_counting(const char *name) {
  static assay_executor_t table;
  if (!g_str_has_prefix(name, "model:")) return NULL;
  table = good_table;
  table.compile = counting_compile;
  table.release = counting_release;
  return &table;
}

static void compile_sum(executor_t *executor, int terms, const char *type,
                        executor_outcome_t expected) {
  arena_t arena;
  arena_init(&arena);
  char *line = g_strdup_printf("stablehlo.reduce body=add dims=[0] %s[%d] %s[] -> %s[]", type,
                               terms, type, type);
  program_t program = check_parse_program(line, &arena);
  executor_program_t *compiled = NULL;
  char reason[64];
  g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                  expected);
  g_free(line);
  arena_deinit(&arena);
}

/* Programs are compiled once while they are kept, and not for ever kept; refusals are kept too. */
static void test_cache(void) {
  executor_options_t options = {.find_builtin = find_counting};
  executor_t *executor = NULL;
  g_assert_cmpint(executor_open("model:counting", &options, &executor, NULL), ==, STATUS_OK);
  for (int terms = 1; terms <= PROGRAM_CACHE_MAX; terms++) {
    compile_sum(executor, terms, "f32", EXECUTOR_OK);
    compile_sum(executor, 1, "f32", EXECUTOR_OK); /* Used most recently, so it stays. */
  }
  g_assert_cmpint(compiled_count, ==, PROGRAM_CACHE_MAX);
  g_assert_cmpint(live_count, ==, PROGRAM_CACHE_MAX);
  compile_sum(executor, 7, "f64", EXECUTOR_REFUSED); /* In the place of 2 terms. */
  compile_sum(executor, 7, "f64", EXECUTOR_REFUSED);
  g_assert_cmpint(compiled_count, ==, PROGRAM_CACHE_MAX + 1);
  g_assert_cmpint(live_count, ==, PROGRAM_CACHE_MAX - 1);
  compile_sum(executor, 1, "f32", EXECUTOR_OK);
  g_assert_cmpint(compiled_count, ==, PROGRAM_CACHE_MAX + 1);
  compile_sum(executor, 2, "f32", EXECUTOR_OK);
  g_assert_cmpint(compiled_count, ==, PROGRAM_CACHE_MAX + 2);
  executor_close(executor);
  g_assert_cmpint(live_count, ==, 0);
}

/* What a backend declares of itself, in this process and through an isolated one; tables of older
 * headers declare nothing. */
static void test_declarations(gconstpointer data) {
  static const struct {
    const char *file;
    bool validates, is_dear;
  } rows[] = {{"good", false, false},
              {"validates", true, false},
              {"dear", false, true},
              {"old_table", false, false}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    executor_t *executor = check_open(rows[i].file, "", GPOINTER_TO_INT(data) != 0, 0);
    g_assert_cmpint(executor_validates(executor), ==, rows[i].validates);
    g_assert_cmpint(executor_compiling_is_dear(executor), ==, rows[i].is_dear);
    executor_close(executor);
  }
}

static void add_rows(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(open_rows); i++) {
    char *path = g_strdup_printf("/executor/open/%s", open_rows[i].label);
    g_test_add_data_func(path, &open_rows[i], test_open);
    g_free(path);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(fault_rows); i++) {
    char *label = g_strdelimit(g_strdup(fault_rows[i].deed), ":", '_');
    char *path = g_strdup_printf("/executor/fault/%s", label);
    char *isolated_path = g_strdup_printf("/executor/isolated_fault/%s", label);
    g_test_add_data_func(path, &fault_rows[i], test_fault);
    g_test_add_data_func(isolated_path, &fault_rows[i], test_isolated_fault);
    g_free(isolated_path);
    g_free(path);
    g_free(label);
  }
}

static void add_pair(const char *name, GTestDataFunc function) {
  char *path = g_strdup_printf("/executor/%s/in_process", name);
  char *isolated_path = g_strdup_printf("/executor/%s/isolated", name);
  g_test_add_data_func(path, GINT_TO_POINTER(0), function);
  g_test_add_data_func(isolated_path, GINT_TO_POINTER(1), function);
  g_free(isolated_path);
  g_free(path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_rows();
  add_pair("good", test_good);
  add_pair("refusal", test_refusal);
  add_pair("fast_math", test_fast_math);
  add_pair("many_programs", test_many_programs);
  add_pair("declarations", test_declarations);
  g_test_add_func("/executor/plugin", test_plugin);
  g_test_add_func("/executor/poison", test_poison);
  g_test_add_func("/executor/cache", test_cache);
  g_test_add_func("/executor/operand_write", test_operand_write);
  g_test_add_func("/executor/rare_operand_write", test_rare_operand_write);
  return g_test_run();
}
