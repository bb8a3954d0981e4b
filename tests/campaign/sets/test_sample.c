/* SPDX-License-Identifier: Apache-2.0 */
/* Large results of which only a sample is judged exactly (oracles/sample.h): what is stated of a
 * miss, that the sample is the same each time, and that a fault in one of 500 elements is found. */
#include <math.h>
#include <string.h>

#include "harness/run/case_runner.h"
#include "harness/run/stream.h"

typedef struct large {
  arena_t arena;
  case_t instance;
  case_runner_t walk;
  expectation_t expectation;
  tensor_t results[CASE_RESULTS_MAX];
} large_t;

/* A program, and by how much its ordinary operand is multiplied. */
typedef struct large_row {
  const char *line;
  double factor;
} large_row_t;

static void scale_operand(case_t *instance, double factor) {
  double *values = (double *)(void *)instance->operands[0].data;
  size_t count = type_component_count(&instance->operands[0].type);
  for (size_t i = 0; i < count; i++) values[i] *= factor;
}

/* A case, and what a sequential implementation returns. */
static large_t *large_new(const large_row_t *row, bool judges_all) {
  const char *line = row->line;
  large_t *large = g_new0(large_t, 1);
  arena_init(&large->arena);
  failure_t error = {0};
  stream_program_t given;
  g_assert_cmpint(stream_program_parse(str_from(line), &large->arena, &given, &error), ==,
                  STATUS_OK);
  large->instance = case_make(&large->arena, &given.program);
  stream_draw_data(stratum_mark_seed(STRATUM_deployment, 1), &large->instance);
  if (row->factor != 1) scale_operand(&large->instance, row->factor);
  contract_t contract = contract_backend();
  case_runner_init(&large->walk, &contract, 1);
  large->walk.judges_all = judges_all;
  if (case_runner_expect(&large->walk, &large->instance, NULL, &large->arena, &large->expectation,
                         &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  large->results[0] = tensor_make(&large->arena, &given.program.results[0]);
  const implementation_model_t schedule = {.fault = FAULT_NONE};
  const oracle_call_t call = {.instance = &large->instance,
                              .contract = &large->walk.contract,
                              .arena = &large->arena,
                              .error = &error};
  g_assert_cmpint(large->expectation.oracle->simulate(&call, &schedule, large->results), ==,
                  STATUS_OK);
  return large;
}

static void large_free(large_t *large) {
  arena_deinit(&large->arena);
  g_free(large);
}

static verdict_t judge(large_t *large) {
  verdict_t verdict;
  failure_t error = {0};
  if (case_runner_judge(&large->walk, &large->expectation, large->results, &verdict, &error) !=
      STATUS_OK) {
    g_error("%s", error.text);
  }
  return verdict;
}

/* Every 500th element is off by 2^-20 of itself, where that is another number. */
static size_t plant(tensor_t *result) {
  size_t count = type_component_count(&result->type), planted = 0;
  double *values = (double *)(void *)result->data;
  for (size_t i = 499; i < count; i += 500) {
    double right = values[i];
    values[i] *= 1 + 0x1p-20;
    planted += values[i] != right;
  }
  return planted;
}

static void test_fault(gconstpointer data) {
  const large_row_t *row = data;
  large_t *large = large_new(row, false);
  verdict_t verdict = judge(large);
  g_assert_cmpint(verdict.outcome, ==, OUTCOME_conforms);
  g_test_message("%s: %zu of %zu elements left out, oracle %.2f s", row->line,
                 verdict.left_out_count, verdict.component_count,
                 (double)large->walk.times.oracle * 1e-9);
  g_assert_cmpuint(verdict.left_out_count, >, verdict.component_count / 4);
  g_assert_cmpuint(verdict.untested_count, >=, verdict.left_out_count);
  g_assert_cmpuint(verdict.sample_draws, >=, SAMPLE_DRAWS_MIN);
  size_t planted = plant(&large->results[0]);
  verdict = judge(large);
  g_assert_cmpint(verdict.outcome, ==, OUTCOME_diverges);
  g_assert_cmpuint(verdict.wrong_count, >, 0);
  g_assert_cmpuint(verdict.wrong_count, <, planted);
  large_free(large);
}

/* Whoever asks for all elements gets all. */
static void test_all(gconstpointer data) {
  const large_row_t *row = data;
  large_t *large = large_new(row, true);
  size_t planted = plant(&large->results[0]);
  large->walk.decide_wrong_max = 0;
  verdict_t verdict = judge(large);
  g_test_message("%s: all, oracle %.2f s", row->line, (double)large->walk.times.oracle * 1e-9);
  g_assert_cmpint(verdict.outcome, ==, OUTCOME_diverges);
  g_assert_cmpuint(verdict.left_out_count, ==, 0);
  g_assert_cmpuint(verdict.wrong_count, ==, planted);
  large_free(large);
}

static void test_statement(void) {
  g_assert_cmpuint(sample_missed_one_in(SAMPLE_DRAWS_MAX), ==, 1000);
  g_assert_cmpuint(sample_missed_one_in(SAMPLE_DRAWS_MIN), ==, 10);
  for (uint64_t draws = 1; draws <= SAMPLE_DRAWS_MAX; draws += 7) {
    double n = (double)sample_missed_one_in(draws);
    g_assert_cmpfloat(exp((double)draws * log1p(-1 / n)), <=, 1e-6);
  }
}

/* The same line has the same sample, and other data another one; corners are in all. */
static void test_repeats(void) {
  static const large_row_t row = {"stablehlo.cosine f64[70000] -> f64[70000]", 1};
  const size_t count = 70000;
  large_t *large = large_new(&row, false), *again = large_new(&row, false);
  const uint8_t *chosen = large->expectation.sample.chosen[0];
  g_assert_nonnull(chosen);
  g_assert_true(memcmp(chosen, again->expectation.sample.chosen[0], count) == 0);
  g_assert_cmpint(chosen[0] + chosen[count - 1], ==, 2);
  large->instance.operands[0].data[0] ^= 1;
  const oracle_call_t call = {
      .instance = &large->instance, .contract = &large->walk.contract, .arena = &large->arena};
  sample_t other = sample_make(large->expectation.oracle, &call);
  g_assert_true(memcmp(other.chosen[0], chosen, count) != 0);
  large_free(large);
  large_free(again);
}

/* Quick sets know all: nothing is left out, whatever the sample. */
static void test_quick(void) {
  static const large_row_t row = {"byteir.erf f32[70000] -> f32[70000]", 1};
  large_t *large = large_new(&row, false);
  verdict_t verdict = judge(large);
  g_assert_cmpint(verdict.outcome, ==, OUTCOME_conforms);
  g_assert_cmpuint(verdict.left_out_count, ==, 0);
  large_free(large);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  /* Many exponentials of differences are below 2^-900, of which fast sets know nothing. */
  static const large_row_t softmax = {"byteir.softmax axis=1 f64[2048,32] -> f64[2048,32]", 400};
  static const large_row_t cosine = {"stablehlo.cosine f64[65536] -> f64[65536]", 1};
  g_test_add_func("/sample/statement", test_statement);
  g_test_add_func("/sample/repeats", test_repeats);
  g_test_add_func("/sample/quick", test_quick);
  g_test_add_data_func("/sample/fault/softmax", &softmax, test_fault);
  g_test_add_data_func("/sample/fault/cosine", &cosine, test_fault);
  g_test_add_data_func("/sample/all/softmax", &softmax, test_all);
  return g_test_run();
}
