/* SPDX-License-Identifier: Apache-2.0 */
/* PJRT plugins as executors: fakes of tests/exec/pjrt, good and bad.  A bad one costs one case, and
 * says what is wrong; a good one is asked for no more than its version has, gets options of the
 * types that they look like, and has nothing left when it is closed. */
#ifdef ASSAY_HAS_PJRT
#include "harness/exec/pjrt/pjrt.h"
#include "tests/exec/exec_checks.h"

static char *plugin_name(const char *file, const char *options) {
  return g_strdup_printf("pjrt:%s/tests/%s%s", ASSAY_BINARY_DIR, file, options);
}

static executor_t *open_plugin(const char *file, const char *options, bool isolate) {
  g_autofree char *name = plugin_name(file, options);
  const executor_options_t settings = {.isolate = isolate, .timeout_ms = 300};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &settings, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* Nothing is wrong at the end either: a fake tells of what is left. */
static void close_plugin(executor_t *executor) {
  executor_shut(executor);
  executor_aftermath_t aftermath = executor_take_aftermath(executor);
  if (aftermath.outcome != EXECUTOR_OK) g_error("%s", aftermath.reason);
  g_free(aftermath.program_line);
  executor_close(executor);
}

/* ---- Plugins that work ----------------------------------------------------------------------- */

static void check_sums(const char *file, const char *options, bool isolate, const char *version) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = open_plugin(file, options, isolate);
  g_assert_cmpstr(executor_version(executor), ==, version);
  g_assert_cmpstr(executor_hardware(executor), ==, "abacus, 1 device");
  for (int time = 0; time < 3; time++) {
    execution_t execution = check_run(executor, &bench);
    g_assert_cmpstr(execution.reason, ==, "");
    g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
    g_assert_false(execution.wrote_out_of_bounds);
    g_assert_cmpfloat(bench_result(&bench), ==, 20);
  }
  close_plugin(executor);
  bench_deinit(&bench);
}

static void test_good(void) {
  g_autofree char *ours = pjrt_header_version();
  g_autofree char *version =
      g_strdup_printf("pjrt:fake 1.5, PJRT %s, XLA 2, StableHLO 1.14.3", ours);
  check_sums("pjrt/good.so", "", true, version);
  check_sums("pjrt/good.so", "", false, version);
}

/* Whoever does not tell the types of results is believed. */
static void test_untold_types(void) {
  g_autofree char *ours = pjrt_header_version();
  g_autofree char *version =
      g_strdup_printf("pjrt:fake 1.5, PJRT %s, XLA 2, StableHLO 1.14.3, fault=types_error", ours);
  check_sums("pjrt/good.so", "?fault=types_error", true, version);
}

static void test_older(void) { check_sums("pjrt/older.so", "", true, "pjrt:fake 1.5, PJRT 0.40"); }

static void test_newer(void) {
  g_autofree char *ours = pjrt_header_version();
  const char *minor = strchr(ours, '.') + 1;
  g_autofree char *version = g_strdup_printf("pjrt:fake 1.5, PJRT 0.%d, XLA 2, StableHLO 1.14.3",
                                             (int)g_ascii_strtoll(minor, NULL, 10) + 40);
  check_sums("pjrt/newer.so", "", true, version);
}

static void test_options(void) {
  static const char options[] =
      "?text_5:string=5,integer_5=5,number_half=0.5,number_5:float=5,truth=true,"
      "list_3_minus_4=[3,-4],device=0";
  g_autofree char *ours = pjrt_header_version();
  g_autofree char *version =
      g_strdup_printf("pjrt:fake 1.5, PJRT %s, XLA 2, StableHLO 1.14.3, %s", ours, options + 1);
  check_sums("pjrt/good.so", options, true, version);
}

/* ---- Plugins that do not open ---------------------------------------------------------------- */

typedef struct refused_row {
  const char *name; /* Of the test. */
  const char *file;
  const char *options;
  const char *reason; /* "%s" is the version of our header. */
} refused_row_t;

static const refused_row_t refused_rows[] = {
    {"absent", "pjrt/absent.so", "", "it does not load: "},
    {"no-object", "../CMakeCache.txt", "", "it does not load: "},
    {"no-plugin", "dso/good.so", "", "it exports no GetPjrtApi()"},
    {"no-table", "pjrt/no_table.so", "", "its GetPjrtApi() gives no table"},
    {"short-table", "pjrt/short_table.so", "",
     "has 24 bytes, where the version alone ends at byte 40"},
    {"other-major", "pjrt/other_major.so", "", "it speaks PJRT 1.2, this Assay speaks %s"},
    {"too-old", "pjrt/too_old.so", "",
     "(version 0.1, 600 bytes) has no PJRT_Buffer_ToHostBuffer()"},
    {"too-old-both", "pjrt/too_old.so", "", "built with version %s, "},
    {"no-function", "pjrt/no_compile.so", "",
     "has no PJRT_Client_Compile(), which this Assay needs"},
    {"grown", "pjrt/grown.so", "", "built with the header of %s)"},
    {"grown-why", "pjrt/grown.so", "",
     "Unexpected PJRT_Client_Compile_Args size: expected 64, got 56"},
    {"client", "pjrt/good.so", "?fault=client",
     "it makes no client: UNAVAILABLE: no device is free"},
    {"devices", "pjrt/good.so", "?fault=devices", "the client has 0 devices"},
    {"device", "pjrt/good.so", "?device=1", "device=1: the client has 1 devices"},
    {"device-text", "pjrt/good.so", "?device=first", "device=N is the place of a device"},
    {"other-type", "pjrt/good.so", "?text_5=5", "INVALID_ARGUMENT: an option of another type"},
    {"no-value", "pjrt/good.so", "?verbose", "\"verbose\" is no option: write PATH?key=value"},
    {"no-key", "pjrt/good.so", "?=1", "\"=1\" is no option"},
    {"no-type", "pjrt/good.so", "?a:double=1", "a type is string, int, float, bool or ints"},
    {"not-of-type", "pjrt/good.so", "?a:int=1.5", "the value is not of that type"},
    {"list", "pjrt/good.so", "?a:ints=[1,x]", "the value is not of that type"},
    {"override-list", "pjrt/good.so", "?xla_a=[1]", "a debug option of XLA's is no list"},
    {"override", "pjrt/good.so", "?xla_a=1",
     "the sum of two numbers: it does not compile: INTERNAL: other"},
};

static void test_refused(gconstpointer data) {
  const refused_row_t *row = data;
  g_autofree char *name = plugin_name(row->file, row->options);
  const executor_options_t settings = {.isolate = true, .timeout_ms = 300};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open(name, &settings, &executor, &error), !=, STATUS_OK);
  g_autofree char *ours = pjrt_header_version();
  g_auto(GStrv) parts = g_strsplit(row->reason, "%s", -1);
  g_autofree char *reason = g_strjoinv(ours, parts);
  check_text_contains(error.text, reason);
}

static void test_no_path(void) {
  const executor_options_t settings = {.isolate = true, .timeout_ms = 300};
  executor_t *executor = NULL;
  failure_t error;
  g_assert_cmpint(executor_open("pjrt:?device=0", &settings, &executor, &error), ==,
                  STATUS_INVALID);
  check_text_contains(error.text, "pjrt: needs the path of a plugin");
}

/* ---- Plugins that fail with a program -------------------------------------------------------- */

typedef struct fault_row {
  const char *fault;
  executor_outcome_t outcome;
  const char *reason;
} fault_row_t;

static const fault_row_t fault_rows[] = {
    {"unimplemented", EXECUTOR_REFUSED, "it does not compile: UNIMPLEMENTED: no sums of 4"},
    {"invalid", EXECUTOR_REFUSED, "it does not compile: INVALID_ARGUMENT: not this nor that"},
    {"parser", EXECUTOR_REFUSED, "UNKNOWN: -:3:5: error: what is a module?"},
    {"unknown", EXECUTOR_FAILED, "it does not compile: UNKNOWN: something"},
    {"internal", EXECUTOR_FAILED, "it does not compile: INTERNAL: RET_CHECK failed"},
    {"strange", EXECUTOR_FAILED, "an unknown code: a code of the future"},
    {"hang", EXECUTOR_TIMED_OUT, "no answer within 300 ms in compile()"},
    {"thread_crash", EXECUTOR_CRASHED, "SIGSEGV in compile()"},
    {"thread_exit", EXECUTOR_ENDED, "exit status 3 in compile()"},
    {"nothing", EXECUTOR_FAILED, "it compiles without an error, and to nothing"},
    {"outputs", EXECUTOR_FAILED, "its executable has 2 results, the program 1"},
    {"types", EXECUTOR_FAILED, "result 0 is i32 in its executable, and f32 in the program"},
    {"operand", EXECUTOR_FAILED, "it takes no operand: RESOURCE_EXHAUSTED: out of beads"},
    {"operand_event", EXECUTOR_FAILED, "an operand does not arrive: DATA_LOSS: a bead fell off"},
    {"execute", EXECUTOR_FAILED, "it does not run: INTERNAL: the frame broke"},
    {"execute_event", EXECUTOR_FAILED, "it does not run: DATA_LOSS: a bead is stuck"},
    {"result", EXECUTOR_FAILED, "it gives no result: INTERNAL: nobody can read this"},
    {"result_event", EXECUTOR_FAILED, "a result does not arrive: DATA_LOSS: lost on the way"},
};

/* Each of three cases fails by itself, and all that was made for it is destroyed. */
static void test_fault(gconstpointer data) {
  const fault_row_t *row = data;
  bench_t bench;
  bench_init(&bench);
  g_autofree char *options = g_strdup_printf("?fault=%s", row->fault);
  executor_t *executor = open_plugin("pjrt/good.so", options, true);
  for (int time = 0; time < 3; time++) {
    execution_t execution = check_run(executor, &bench);
    check_text_contains(execution.reason, row->reason);
    g_assert_cmpint(execution.outcome, ==, row->outcome);
  }
  close_plugin(executor);
  bench_deinit(&bench);
}

static void test_writes_beyond(void) {
  bench_t bench;
  bench_init(&bench);
  executor_t *executor = open_plugin("pjrt/good.so", "?fault=beyond", true);
  execution_t execution = check_run(executor, &bench);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  g_assert_true(execution.wrote_out_of_bounds);
  close_plugin(executor);
  bench_deinit(&bench);
}

/* ---- Programs that PJRT has no words for ----------------------------------------------------- */

typedef struct inexpressible_row {
  const char *name;
  const char *line;
  const char *reason;
} inexpressible_row_t;

static const inexpressible_row_t inexpressible_rows[] = {
    {"narrow", "stablehlo.add f6E2M3FN[2] f6E2M3FN[2] -> f6E2M3FN[2]", "no buffers of f6E2M3FN"},
    {"custom-call", "byteir.softmax axis=0 f32[4] -> f32[4]", "byteir.softmax is a custom_call"},
    {"quantized", "stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1p-3>[2] -> f32[2]",
     "no buffers of !quant.uniform"},
};

static void test_inexpressible(gconstpointer data) {
  const inexpressible_row_t *row = data;
  arena_t arena;
  arena_init(&arena);
  program_t program = check_parse_program(row->line, &arena);
  executor_t *executor = open_plugin("pjrt/good.so", "", true);
  executor_program_t *compiled = NULL;
  char reason[192];
  g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                  EXECUTOR_REFUSED);
  check_text_contains(reason, row->reason);
  close_plugin(executor);
  arena_deinit(&arena);
}

static void add_rows(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(refused_rows); i++) {
    g_autofree char *path = g_strconcat("/pjrt/refused/", refused_rows[i].name, NULL);
    g_test_add_data_func(path, &refused_rows[i], test_refused);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(fault_rows); i++) {
    g_autofree char *path = g_strconcat("/pjrt/fault/", fault_rows[i].fault, NULL);
    g_test_add_data_func(path, &fault_rows[i], test_fault);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(inexpressible_rows); i++) {
    g_autofree char *path = g_strconcat("/pjrt/inexpressible/", inexpressible_rows[i].name, NULL);
    g_test_add_data_func(path, &inexpressible_rows[i], test_inexpressible);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pjrt/good", test_good);
  g_test_add_func("/pjrt/untold-types", test_untold_types);
  g_test_add_func("/pjrt/older", test_older);
  g_test_add_func("/pjrt/newer", test_newer);
  g_test_add_func("/pjrt/options", test_options);
  g_test_add_func("/pjrt/no-path", test_no_path);
  g_test_add_func("/pjrt/writes-beyond", test_writes_beyond);
  add_rows();
  return g_test_run();
}

#else
#include "tests/exec/pjrt_absent.h"

int main(int argc, char **argv) { return main_without_pjrt(argc, argv); }
#endif
