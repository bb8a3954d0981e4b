/* SPDX-License-Identifier: Apache-2.0 */
/* assay_worker.py, with whatever Python here has numpy and ml_dtypes; and finding our workers. */
#include <glib/gstdio.h>

#include "harness/exec/registry/registry.h"
#include "oracles/ops/dot_general/algorithm.h"
#include "tests/exec/exec_checks.h"
#include "tests/exec/worker_python.h"

static char *python; /* As worker_python() has it. */

static executor_t *open_echo(const char *options) {
  char *name = g_strdup_printf("proc:%s %s/tests/exec/workers/echo_worker.py %s", python,
                               ASSAY_SOURCE_DIR, options);
  executor_options_t settings = {0};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &settings, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  g_free(name);
  return executor;
}

static bool skips_without_python(void) {
  if (python == NULL) g_test_skip("no Python here has numpy and ml_dtypes");
  return python == NULL;
}

/* Programs of every element type, whose data must come back bit for bit. */
static void test_types(void) {
  if (skips_without_python()) return;
  executor_t *executor = open_echo("");
  g_assert_cmpstr(executor_version(executor), ==, "echo 1");
  arena_t arena;
  arena_init(&arena);
  for (size_t row = 0; row < element_count; row++) {
    const element_t *element = &element_table[row];
    if (!element->is_tensor_element) continue;
    char *line = g_strdup_printf("stablehlo.reduce body=add dims=[] %s[2,3] %s[] -> %s[2,3]",
                                 element->name, element->name, element->name);
    program_t program = check_parse_program(line, &arena);
    tensor_t operands[2];
    for (int i = 0; i < 2; i++) operands[i] = tensor_make(&arena, &program.operands[i]);
    tensor_t result = tensor_make(&arena, &program.results[0]);
    size_t components = type_component_count(&program.operands[0]);
    for (size_t i = 0; i < components; i++) {
      uint64_t bits = 0x9e3779b97f4a7c15u * (i + 1);
      element_store(element, operands[0].data, i, bits & element_mask(element));
    }
    memset(operands[1].data, 0, type_bytes(&program.operands[1]));
    executor_program_t *compiled = NULL;
    char reason[192];
    g_assert_cmpint(executor_promises(executor, &program), ==, EXECUTOR_PROMISE_YES);
    g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                    EXECUTOR_OK);
    execution_t execution = executor_execute(executor, compiled, operands, POISON, &result);
    g_assert_cmpstr(execution.reason, ==, "");
    g_assert_true(memcmp(result.data, operands[0].data, type_bytes(&result.type)) == 0);
    g_free(line);
  }
  arena_deinit(&arena);
  executor_close(executor);
}

typedef struct mood_row {
  const char *options;
  const char *line;
  executor_outcome_t outcome;
  const char *reason;
} mood_row_t;

static const mood_row_t mood_rows[] = {
    {"", "stablehlo.reduce body=multiply dims=[] f32[2] f32[] -> f32[2]", EXECUTOR_REFUSED,
     "no products"},
    {"", "stablehlo.reduce body=or dims=[] i8[2] i8[] -> i8[2]", EXECUTOR_REJECTED,
     "never heard of it"},
    {"mood=angry", "stablehlo.reduce body=add dims=[] f32[0] f32[] -> f32[0]", EXECUTOR_FAILED,
     "RuntimeError: enough of this"},
    {"mood=short", "stablehlo.reduce body=add dims=[] f32[2] f32[] -> f32[2]", EXECUTOR_FAILED,
     "TypeError: 0 results, not 1"},
    {"mood=bare", "stablehlo.reduce body=add dims=[] f32[1] f32[] -> f32[1]", EXECUTOR_FAILED,
     "TypeError: execute() returned one ndarray, not a list of results"},
    {"mood=silent", "stablehlo.reduce body=add dims=[] f32[2] f32[] -> f32[2]", EXECUTOR_FAILED,
     "TypeError: execute() returned None, not a list of results"},
    {"mood=typed", "stablehlo.reduce body=add dims=[] f32[2] f32[] -> f32[2]", EXECUTOR_FAILED,
     "TypeError: result 0 is float64[2], not float32[2]"},
    {"",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] precision=[HIGH,HIGH] f32[2] f32[2] -> "
     "f32[]",
     EXECUTOR_REFUSED, "takes no precision"},
    {"", "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f16[2] f16[2] -> f32[]",
     EXECUTOR_REFUSED, "multiplies tensors of one type of numbers, with a result of that"},
    {"",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
     "algorithm=[f8E5M2,f8E4M3FN,f32,1,1,1,false] f8E5M2[2] f8E4M3FN[2] -> f32[]",
     EXECUTOR_REFUSED, "multiplies tensors of one type of numbers, with a result of that"},
    {"",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[f64,f64,f64,1,1,1,false] "
     "f32[2] f32[2] -> f32[]",
     EXECUTOR_REFUSED, "multiplies f32, and not by algorithm F64_F64_F64"},
    {"",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,1,1,2,false] "
     "f32[2] f32[2] -> f32[]",
     EXECUTOR_REFUSED, "multiplies f32, and not by algorithm [bf16,bf16,f32,1,1,2,false]"},
    {"",
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,2,3,3,false] "
     "f32[2] f32[2] -> f32[]",
     EXECUTOR_REFUSED, "multiplies f32, and not by algorithm [bf16,bf16,f32,2,3,3,false]"},
    {"mood=good", "stablehlo.reduce body=add dims=[] f32[0,3] f32[] -> f32[0,3]", EXECUTOR_OK, ""},
};

static void test_mood(gconstpointer data) {
  const mood_row_t *row = data;
  if (skips_without_python()) return;
  bench_t bench;
  bench_init(&bench);
  bench.program = check_parse_program(row->line, &bench.arena);
  for (uint32_t i = 0; i < bench.program.operand_count; i++) {
    bench.operands[i] = tensor_make(&bench.arena, &bench.program.operands[i]);
    memset(bench.operands[i].data, 0, type_bytes(&bench.program.operands[i]));
  }
  bench.results[0] = tensor_make(&bench.arena, &bench.program.results[0]);
  executor_t *executor = open_echo(row->options);
  for (int time = 0; time < 2; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpint(execution.outcome, ==, row->outcome);
    g_assert_cmpstr(execution.reason, ==, row->reason);
  }
  executor_close(executor);
  bench_deinit(&bench);
}

/* The names that assay_worker.py gives to algorithms are those of algorithms.def, in both ways of
 * counting components; and only the one that a plain product is by is not refused. */
static void test_algorithm_names(void) {
  if (skips_without_python()) return;
  executor_t *executor = open_echo("");
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < 2 * dot_algorithm_count; i++) {
    const dot_algorithm_row_t *row = &dot_algorithm_table[i / 2];
    const format_t *f8 = format_find(str_from("f8E4M3FN"));
    const format_t *precision = row->precision == NULL ? f8 : row->precision;
    dot_algorithm_t algorithm = dot_algorithm_of_row(row, precision, precision);
    dot_algorithm_attribute_t attribute = dot_algorithm_attribute(&algorithm, i % 2 != 0);
    g_autoptr(GString) line =
        g_string_new("stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=");
    dot_algorithm_print(&attribute, line);
    g_string_append(line, " f32[2] f32[2] -> f32[]");
    program_t program = check_parse_program(line->str, &arena);
    g_autofree char *expected =
        g_strdup_printf("multiplies f32, and not by algorithm %s", row->name);
    executor_program_t *compiled = NULL;
    char reason[192] = "";
    bool is_plain = strcmp(row->name, "F32_F32_F32") == 0;
    g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                    is_plain ? EXECUTOR_OK : EXECUTOR_REFUSED);
    g_assert_cmpstr(reason, ==, is_plain ? "" : expected);
  }
  arena_deinit(&arena);
  executor_close(executor);
}

typedef struct target_row {
  const char *options;
  const char *attribute;
  executor_promise_t promise;
} target_row_t;

/* Without the option, what compiles is promised: a backend that says nothing of algorithms. */
static const target_row_t target_rows[] = {
    {"", "", EXECUTOR_PROMISE_YES},
    {"", " algorithm=[f32,f32,f32,1,1,1,false]", EXECUTOR_PROMISE_YES},
    {"", " algorithm=[bf16,bf16,f32,1,1,3,false]", EXECUTOR_PROMISE_NO},
    {"mood=keen", " algorithm=[bf16,bf16,f32,1,1,3,false]", EXECUTOR_PROMISE_YES},
    {"mood=keen,algorithms=none", "", EXECUTOR_PROMISE_YES},
    {"mood=keen,algorithms=none", " algorithm=[f32,f32,f32,1,1,1,false]", EXECUTOR_PROMISE_NO},
    {"mood=keen,algorithms=BF16_BF16_F32_X3+F64_F64_F64", " algorithm=[bf16,bf16,f32,2,2,3,false]",
     EXECUTOR_PROMISE_YES},
    {"mood=keen,algorithms=BF16_BF16_F32_X3+F64_F64_F64", " algorithm=[f64,f64,f64,1,1,1,false]",
     EXECUTOR_PROMISE_YES},
    {"mood=keen,algorithms=BF16_BF16_F32_X3+F64_F64_F64", " algorithm=[bf16,bf16,f32,1,1,6,false]",
     EXECUTOR_PROMISE_NO},
    {"algorithms=BF16_BF16_F32_X3", " algorithm=[bf16,bf16,f32,1,1,3,false]", EXECUTOR_PROMISE_NO},
};

static void test_algorithm_target(gconstpointer data) {
  const target_row_t *row = data;
  if (skips_without_python()) return;
  executor_t *executor = open_echo(row->options);
  arena_t arena;
  arena_init(&arena);
  g_autofree char *line =
      g_strdup_printf("stablehlo.dot_general batch=[]x[] contract=[0]x[0]%s f32[2] f32[2] -> f32[]",
                      row->attribute);
  program_t program = check_parse_program(line, &arena);
  executor_program_t *compiled = NULL;
  char reason[192];
  g_assert_cmpint(executor_promises(executor, &program), ==, row->promise);
  executor_compile(executor, &program, &compiled, reason, sizeof reason);
  g_assert_cmpint(executor_promises(executor, &program), ==, row->promise);
  arena_deinit(&arena);
  executor_close(executor);
}

/* Wrong options keep it from starting, with the reason. */
static void test_options(void) {
  if (skips_without_python()) return;
  char *name = g_strdup_printf("proc:%s %s/tests/exec/workers/echo_worker.py mood=sad", python,
                               ASSAY_SOURCE_DIR);
  executor_options_t settings = {0};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open(name, &settings, &executor, &error), ==, STATUS_IO);
  check_text_contains(error.text,
                      "mood is one of good, short, bare, silent, typed, angry, keen, not sad");
  g_free(name);
}

/* A worker that is not installed says what to do; one whose environment is stamped with the present
 * requirements is started from there.  The environment here is a fake. */
static void test_registry(void) {
  char *data = g_dir_make_tmp("assay-data-XXXXXX", NULL);
  g_setenv("XDG_DATA_HOME", data, TRUE);
  g_assert_cmpstr(g_get_user_data_dir(), ==, data); /* Else what follows would touch the user's. */
  char *folder = g_dir_make_tmp("assay-workers-XXXXXX", NULL);
  g_assert_null(worker_find("nothing", strlen("nothing")));
  g_assert_null(worker_find("xl", strlen("xl")));
  const worker_t *worker = worker_find("torch?x", strlen("torch"));
  g_assert_cmpstr(worker->name, ==, "torch");
  executor_options_t settings = {.worker_directory = folder};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open("torch?x", &settings, &executor, &error), ==, STATUS_IO);
  check_text_contains(error.text, "not installed: run `assay executors install torch`");

  char *lists = g_build_filename(folder, "requirements", NULL);
  char *requirements = g_build_filename(lists, "torch.requirements", NULL);
  char *bin = g_build_filename(g_get_user_data_dir(), "assay", "executors", "torch", "bin", NULL);
  char *fake = g_build_filename(bin, "python", NULL);
  char *stamp = g_build_filename(bin, "..", "assay.requirements", NULL);
  g_assert_cmpint(g_mkdir_with_parents(bin, 0700), ==, 0);
  g_assert_cmpint(g_mkdir(lists, 0700), ==, 0);
  g_assert_true(g_file_set_contents(requirements, "torch==1\n", -1, NULL));
  g_assert_true(g_file_set_contents(
      fake, "#!/bin/sh\nprintf 'assay-worker 1\\nname fake\\nversion %s\\nready\\n' \"$2\"; cat\n",
      -1, NULL));
  g_assert_cmpint(g_chmod(fake, 0700), ==, 0);
  g_assert_false(worker_is_installed(worker, folder));
  g_assert_true(g_file_set_contents(stamp, "torch==0\n", -1, NULL));
  g_assert_false(worker_is_installed(worker, folder));
  g_assert_true(g_file_set_contents(stamp, "torch==1\n", -1, NULL));
  g_assert_true(worker_is_installed(worker, folder));
  g_assert_cmpint(executor_open("torch?it's=1", &settings, &executor, &error), ==, STATUS_OK);
  g_assert_cmpstr(executor_version(executor), ==, "fake it's=1");
  executor_close(executor);

  g_assert_cmpint(worker_remove(worker, &error), ==, STATUS_OK);
  g_assert_false(worker_is_installed(worker, folder));
  g_assert_false(g_file_test(bin, G_FILE_TEST_EXISTS));
  g_assert_cmpint(g_remove(requirements) | g_rmdir(lists), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  char *executors = g_build_filename(data, "assay", "executors", NULL);
  char *assay = g_path_get_dirname(executors);
  g_assert_cmpint(g_rmdir(executors) | g_rmdir(assay) | g_rmdir(data), ==, 0);
  g_free(assay);
  g_free(executors);
  g_free(data);
  g_free(stamp);
  g_free(fake);
  g_free(bin);
  g_free(requirements);
  g_free(lists);
  g_free(folder);
}

int main(int argc, char **argv) {
  python = worker_python();
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/workers/types", test_types);
  for (size_t i = 0; i < G_N_ELEMENTS(mood_rows); i++) {
    char *path = g_strdup_printf("/workers/mood/%zu", i);
    g_test_add_data_func(path, &mood_rows[i], test_mood);
    g_free(path);
  }
  g_test_add_func("/workers/algorithm_names", test_algorithm_names);
  for (size_t i = 0; i < G_N_ELEMENTS(target_rows); i++) {
    char *path = g_strdup_printf("/workers/algorithm_target/%zu", i);
    g_test_add_data_func(path, &target_rows[i], test_algorithm_target);
    g_free(path);
  }
  g_test_add_func("/workers/options", test_options);
  g_test_add_func("/workers/registry", test_registry);
  int result = g_test_run();
  g_free(python);
  return result;
}
