/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring power keeps to its share of a run where every answer that it asks for is dear: windows
 * that are mostly padding, added in order. */
#include "harness/base/clock.h"
#include "harness/builtin/builtin.h"
#include "harness/session/session.h"

static const char padded_line[] =
    "stablehlo.reduce_window body=add window_dimensions=[40] window_strides=[1] "
    "base_dilations=[1] window_dilations=[1] padding=[[36,36]] f32[8] f32[] -> f32[41]";

enum { CASES = 100 };

/* Seconds of a processor that the cases take; *out_measured: elements of which the tolerance is
 * known. */
static double run_cases(bool measures_power, size_t *out_measured) {
  const executor_options_t executor_options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open("model:sequential", &executor_options, &executor, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  arena_t arena;
  arena_init(&arena);
  stream_program_t program = {.broken = NULL};
  g_assert_cmpint(stream_program_parse(str_from(padded_line), &arena, &program, &error), ==,
                  STATUS_OK);
  session_options_t options = {
      .stream = {.programs = &program, .program_count = 1, .gen = gen_options_default(), .seed = 1},
      .executors = &executor,
      .executor_count = 1,
      .cases_max = CASES,
      .measures_power = measures_power,
      .command = "test",
      .assay_version = "test"};
  options.stream.gen.strata = strata_default();
  g_assert_cmpint(contract_parse(str_from("spec"), &options.contract, &error), ==, STATUS_OK);
  uint64_t begin = clock_cpu_nanoseconds();
  session_t *session = NULL;
  if (session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  double seconds = (double)(clock_cpu_nanoseconds() - begin) * 1e-9;
  g_assert_cmpuint(session_judged(session, 0), ==, CASES);
  g_assert_cmpuint(session_finding_count(session), ==, 0);
  const power_table_t *table = session_power(session);
  *out_measured = 0;
  for (guint i = 0; i < table->rows->len; i++) {
    *out_measured += ((const power_row_t *)g_ptr_array_index(table->rows, i))->elements->len;
  }
  session_close(session, 0, NULL);
  executor_close(executor);
  arena_deinit(&arena);
  return seconds;
}

/* A second and 3 % (power.c), and the answer that was under way. */
static void test_padded_windows(void) {
  size_t measured, unmeasured;
  double plain = run_cases(false, &unmeasured);
  double both = run_cases(true, &measured);
  g_test_message("%.2f s, with power %.2f s, %zu elements", plain, both, measured);
  g_assert_cmpuint(unmeasured, ==, 0);
  g_assert_cmpuint(measured, >, 0);
  g_assert_cmpfloat(both - plain, <, 2.5);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/power_share/padded_windows", test_padded_windows);
  return g_test_run();
}
