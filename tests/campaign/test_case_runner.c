/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one case: every way in which an executor can answer, and its verdict. */
#include <math.h>
#include <string.h>

#include "harness/run/audit_sample.h"
#include "harness/run/case_runner.h"
#include "tests/campaign/fake_executor.h"

static const char sum_line[] =
    "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f8000004000000040400000 : "
    "00000000";
static const char and_line[] = "stablehlo.reduce body=and dims=[0] i1[1] i1[] -> i1[] : 1 : 1";
/* The result has the wrong shape. */
static const char broken_line[] =
    "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[3] : 3f8000004000000040400000 : "
    "00000000";

typedef struct row {
  const char *line;
  fake_t fake;
  bool isolate;
  outcome_t outcome;
  divergence_class_t class_;
} row_t;

static const row_t rows[] = {
    {sum_line, FAKE_right, false, OUTCOME_conforms, CLASS_none},
    {sum_line, FAKE_right, true, OUTCOME_conforms, CLASS_none},
    {sum_line, FAKE_wrong, false, OUTCOME_diverges, CLASS_value},
    {sum_line, FAKE_partly_written, false, OUTCOME_diverges, CLASS_unwritten},
    {sum_line, FAKE_unrepeatable, false, OUTCOME_diverges, CLASS_nondeterministic},
    {sum_line, FAKE_out_of_bounds, false, OUTCOME_diverges, CLASS_out_of_bounds},
    {sum_line, FAKE_out_of_bounds, true, OUTCOME_diverges, CLASS_out_of_bounds},
    {sum_line, FAKE_flushes, false, OUTCOME_diverges, CLASS_environment},
    {sum_line, FAKE_wrong_and_flushes, false, OUTCOME_diverges, CLASS_value},
    {and_line, FAKE_dirty_padding, false, OUTCOME_failed, CLASS_protocol},
    {sum_line, FAKE_refuses, false, OUTCOME_refused, CLASS_none},
    {sum_line, FAKE_breaks_promise, false, OUTCOME_diverges, CLASS_supported_refused},
    {sum_line, FAKE_refuses_data, false, OUTCOME_diverges, CLASS_supported_refused},
    {sum_line, FAKE_refuses_data_unpromised, false, OUTCOME_refused, CLASS_none},
    {sum_line, FAKE_rejects, false, OUTCOME_diverges, CLASS_supported_refused},
    {sum_line, FAKE_cannot_compile, false, OUTCOME_failed, CLASS_none},
    {sum_line, FAKE_cannot_execute, false, OUTCOME_failed, CLASS_none},
    {sum_line, FAKE_exceeds_target, false, OUTCOME_diverges, CLASS_unsupported_accepted},
    {sum_line, FAKE_crashes, true, OUTCOME_failed, CLASS_crash},
    {sum_line, FAKE_leaves, true, OUTCOME_failed, CLASS_ended},
    {sum_line, FAKE_hangs, true, OUTCOME_failed, CLASS_hang},
    {broken_line, FAKE_right, false, OUTCOME_diverges, CLASS_invalid_accepted},
    {broken_line, FAKE_rejects, false, OUTCOME_conforms, CLASS_none},
    {broken_line, FAKE_refuses, false, OUTCOME_refused, CLASS_none},
    {broken_line, FAKE_breaks_promise, false, OUTCOME_refused, CLASS_none},
    {broken_line, FAKE_cannot_compile, false, OUTCOME_failed, CLASS_none},
};

static verdict_t walk_line(const char *line, executor_t *executor, case_runner_t *walk) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *broken = NULL;
  failure_t error = {0};
  verdict_t verdict = {0};
  expectation_t expectation;
  if (case_parse(str_from(line), &arena, &instance, &broken, &error) != STATUS_OK ||
      case_runner_expect(walk, &instance, program_broken(&instance.program), &arena, &expectation,
                         &error) != STATUS_OK ||
      case_runner_run(walk, &expectation, executor, &verdict, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  arena_deinit(&arena);
  return verdict;
}

static case_runner_t make_walk(void) {
  const contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  return walk;
}

static void test_outcome(gconstpointer data) {
  const row_t *row = (const row_t *)data;
  executor_t *executor = fake_executor_open(row->fake, row->isolate);
  case_runner_t walk = make_walk();
  verdict_t verdict = walk_line(row->line, executor, &walk);
  g_assert_cmpstr(outcome_spelling(verdict.outcome), ==, outcome_spelling(row->outcome));
  g_assert_cmpstr(class_spelling(verdict.class_), ==, class_spelling(row->class_));
  g_assert_cmpint(verdict.constraint[0] != '\0', ==, row->line == broken_line);
  executor_close(executor);
}

/* What the user is told of two runs that differ: the component and both patterns. */
static void test_described(void) {
  executor_t *executor = fake_executor_open(FAKE_unrepeatable, false);
  case_runner_t walk = make_walk();
  verdict_t verdict = walk_line(sum_line, executor, &walk);
  g_assert_cmpstr(verdict.got, ==, "0x40e00000 in the first run, 0x41000000 in the second");
  g_assert_cmpuint(verdict.got_bits, ==, 0x40e00000);
  g_assert_cmpuint(verdict.wrong_count, ==, 1);
  g_assert_cmpuint(verdict.component_count, ==, 1);
  executor_close(executor);
}

/* After a crash the next case finds the executor alive again. */
static void test_crash_costs_one_case(void) {
  executor_t *executor = fake_executor_open(FAKE_crashes, true);
  case_runner_t walk = make_walk();
  for (int i = 0; i < 3; i++) {
    g_assert_cmpint(walk_line(sum_line, executor, &walk).class_, ==, CLASS_crash);
    g_assert_cmpint(walk_line(broken_line, executor, &walk).class_, ==, CLASS_invalid_accepted);
  }
  executor_close(executor);
}

/* Every component is audited if one in one is, and about one in ten if one in ten is. */
static void test_audit_rate(void) {
  static const char line[] =
      "stablehlo.reduce body=add dims=[] f32[4] f32[] -> f32[4] : "
      "3f800000400000004040000040800000 : 00000000";
  executor_t *executor = fake_executor_open(FAKE_refuses, false);
  case_runner_t walk = make_walk();
  walk.audit_one_in = 1;
  walk.audit_distance = 0;
  for (int i = 0; i < 5; i++) walk_line(line, executor, &walk);
  g_assert_cmpuint(walk.audited, ==, 20);
  walk.audit_one_in = 10;
  walk.audited = 0;
  for (int i = 0; i < 500; i++) walk_line(line, executor, &walk);
  g_assert_cmpuint(walk.audited, >, 150);
  g_assert_cmpuint(walk.audited, <, 250);
  walk.audit_one_in = 0;
  walk.audited = 0;
  walk_line(line, executor, &walk);
  g_assert_cmpuint(walk.audited, ==, 0);
  executor_close(executor);
}

/* Components of one row are audited together, and as much more rarely. */
static void test_audit_rate_of_rows(void) {
  static const char line[] =
      "byteir.softmax axis=0 f32[16,2] -> f32[16,2] : "
      "3f800000400000003f800000400000003f800000400000003f800000400000003f80000040000000"
      "3f800000400000003f800000400000003f800000400000003f800000400000003f80000040000000"
      "3f800000400000003f800000400000003f800000400000003f800000400000003f80000040000000"
      "3f80000040000000";
  enum { WALKS = 500, ONE_IN = 10, EXPECTED = WALKS * 32 / ONE_IN };
  executor_t *executor = fake_executor_open(FAKE_refuses, false);
  case_runner_t walk = make_walk();
  walk.audit_one_in = ONE_IN;
  walk.audit_distance = 0;
  int walks_with_some = 0;
  for (int i = 0; i < WALKS; i++) {
    uint64_t before = walk.audited;
    walk_line(line, executor, &walk);
    walks_with_some += walk.audited > before;
  }
  /* Ten at once, 160 times, with a deviation of 12. */
  g_assert_cmpuint(walk.audited, >, EXPECTED - EXPECTED / 3);
  g_assert_cmpuint(walk.audited, <, EXPECTED + EXPECTED / 3);
  g_assert_cmpint(walks_with_some, <, EXPECTED / ONE_IN + 50);
  walk.audit_one_in = 1;
  walk.audit_distance = 0;
  walk.audited = 0;
  walk_line(line, executor, &walk);
  g_assert_cmpuint(walk.audited, ==, 32);
  executor_close(executor);
}

/* Sets of several steps, and of the last one alone, whose operands are known. */
static const char *const module_lines[] = {
    "module steps={v0=stablehlo.multiply(a0,a1) f32[6] f32[6] -> f32[6];"
    "v1=stablehlo.add(v0,a1) f32[6] f32[6] -> f32[6];return(v1)} f32[6] f32[6] -> f32[6] : "
    "3f8ccccd400000003f8000003f8ccccd4000000040400000 : "
    "3e99999a3e99999a3e99999a3e99999a3e99999a40400000",
    "module steps={v0=stablehlo.negate(a0) f32[2,16] -> f32[2,16];"
    "v1=stablehlo.dot_general(v0,a1) batch=[]x[] contract=[1]x[0] f32[2,16] f32[16,3] -> f32[2,3];"
    "return(v1)} f32[2,16] f32[16,3] -> f32[2,3] : "
    "3f33988b3fe2b5103fd2a50d3f61f24e3f9f1fa03f964d633fbd1b193fd76f553f240ac63f0ae2ac"
    "3fe077873f93175e3fd25b973f00cf093f9583ac3fca89233f57d83e3ff57df23fed12f63f0bbf1e"
    "3f09c56e3fa7f3823ff4510f3f8930f33f532c963f910be03f0b26d33f55212d3f94130d3f9f322a"
    "3f5981223f58a71b"
    " : "
    "3f54030d3f983e6e3f6f46b13f0840863fe0d0a23faad6d83fbb520d3f4763543ffe917e3fe51c17"
    "3f2e6bf73f7fc1443fca86673fc88c7f3ff3cbed3f910b673fdf5dea3fc0b2dc3f747e573fb0d0c3"
    "3fe96f9c3fe2784c3fa103b63fb116a43f0d42073f5d364f3fd91a033f8f8c5d3f426f523fa95e8f"
    "3fc6fbdc3fc180543f87f1673f9447d83fa19e2e3fd576033fa4052a3f8b81463f9e056a3f0b5b56"
    "3f10b2f93fc70ca33ffcc5a53fb1e42b3f8b92363f416a023fa06e083ffc8f08",
};

/* Audits the case with its fast set widened at a component, by half of the number there. */
static status_t audit_widened(case_runner_t *walk, const char *line, size_t component) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error;
  expectation_t expectation;
  const char *broken;
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, &broken, &error), ==, STATUS_OK);
  const uint32_t one_in = walk->audit_one_in;
  walk->audit_one_in = 0;
  g_assert_cmpint(case_runner_expect(walk, &instance, NULL, &arena, &expectation, &error), ==,
                  STATUS_OK);
  walk->audit_one_in = one_in;
  accept_t *accept = &expectation.accepts[0];
  g_assert_nonnull(accept->low);
  double *high = ARENA_NEW_ARRAY(&arena, double, accept->count);
  memcpy(high, accept->high, accept->count * sizeof *high);
  if (component < accept->count) high[component] += fabs(high[component]) / 2;
  accept->high = high;
  status_t status = audit_sample(walk, &expectation, 0, &error);
  arena_deinit(&arena);
  return status;
}

/* So are components of a program of several steps; each is held against what it may be itself. */
static void test_audit_of_modules(gconstpointer data) {
  enum { COUNT = 6, WALKS = 1000, ONE_IN = 10 };
  const char *line = (const char *)data;
  case_runner_t walk = make_walk();
  walk.audit_one_in = 1;
  walk.audit_distance = 0;
  g_assert_cmpint(audit_widened(&walk, line, COUNT), ==, STATUS_OK); /* None. */
  g_assert_cmpuint(walk.audited, ==, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    walk.audit_distance = 0;
    g_assert_cmpint(audit_widened(&walk, line, i), ==, STATUS_INVALID);
  }
  walk.audit_one_in = ONE_IN;
  walk.audited = 0;
  int caught = 0;
  for (int i = 0; i < WALKS; i++) caught += audit_widened(&walk, line, 2) != STATUS_OK;
  /* Six at once, 100 times, until one is wrong. */
  g_assert_cmpint(caught, >, 50);
  g_assert_cmpint(caught, <, 150);
}

/* Which formula explains a module is dear to find: of what conforms it is told of the first cases
 * and of some, of what diverges always.  The executor answers with zeros. */
static void test_dear_formula(void) {
  static const char line[] =
      "module steps={v0=stablehlo.add(a0,a0) f32[1] f32[1] -> f32[1];"
      "v1=stablehlo.abs(v0) f32[1] -> f32[1];return(v1)} f32[1] -> f32[1] : ";
  static const char *const operands[] = {"00000000", "3f800000"};
  const unsigned cases = CASE_RUNNER_FORMULA_SOME + 10 * CASE_RUNNER_FORMULA_ONE_IN;
  for (size_t i = 0; i < G_N_ELEMENTS(operands); i++) {
    g_autofree char *text = g_strconcat(line, operands[i], NULL);
    executor_t *executor = fake_executor_open(FAKE_accepts_everything, false);
    case_runner_t walk = make_walk();
    unsigned told = 0;
    for (unsigned k = 0; k < cases; k++) {
      const verdict_t verdict = walk_line(text, executor, &walk);
      g_assert_cmpint(verdict.outcome, ==, i == 0 ? OUTCOME_conforms : OUTCOME_diverges);
      told += verdict.formula != NULL;
    }
    g_assert_cmpuint(told, ==, i == 0 ? CASE_RUNNER_FORMULA_SOME + 10 : cases);
    executor_close(executor);
  }
}

/* Where a sum begins with NaN, other orders of its numbers may give anything, and explain nothing.
 */
static void test_vacuous_permission(void) {
  static const char line[] =
      "module steps={v0=constant(f32[],00000000);v1=stablehlo.negate(a0) f32[] -> f32[];"
      "v2=stablehlo.subtract(v1,v0) f32[] f32[] -> f32[];"
      "v3=stablehlo.subtract(v2,v0) f32[] f32[] -> f32[];return(v3)} f32[] -> f32[] : 7fc00000";
  executor_t *executor = fake_executor_open(FAKE_accepts_everything, false);
  case_runner_t walk = make_walk();
  const verdict_t verdict = walk_line(line, executor, &walk);
  g_assert_cmpint(verdict.class_, ==, CLASS_nan);
  g_assert_cmpstr(verdict.observed, ==, "");
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const row_t *row = &rows[i];
    char *path = g_strdup_printf("/case_runner/%zu/%s/%s%s", i, fake_names[row->fake],
                                 row->line == broken_line ? "invalid" : "valid",
                                 row->isolate ? "/isolated" : "");
    g_test_add_data_func(path, row, test_outcome);
    g_free(path);
  }
  g_test_add_func("/case_runner/described", test_described);
  g_test_add_func("/case_runner/crash_costs_one_case", test_crash_costs_one_case);
  g_test_add_func("/case_runner/audit_rate", test_audit_rate);
  g_test_add_func("/case_runner/audit_rate_of_rows", test_audit_rate_of_rows);
  g_test_add_func("/case_runner/dear_formula", test_dear_formula);
  g_test_add_func("/case_runner/vacuous_permission", test_vacuous_permission);
  for (size_t i = 0; i < G_N_ELEMENTS(module_lines); i++) {
    g_autofree char *path = g_strdup_printf("/case_runner/audit_of_modules/%zu", i);
    g_test_add_data_func(path, module_lines[i], test_audit_of_modules);
  }
  return g_test_run();
}
