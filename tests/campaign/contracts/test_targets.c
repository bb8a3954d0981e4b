/* SPDX-License-Identifier: Apache-2.0 */
/* Declared targets that tell dot algorithms apart: a backend that promises one of them and runs
 * others, or refuses what it promises, is found, be it a process or a shared object. */
#include "harness/run/case_runner.h"

static const char *const backends[] = {
    "proc:sh " ASSAY_SOURCE_DIR "/tests/exec/workers/algorithms.sh",
    "dso:" ASSAY_BINARY_DIR "/tests/dso/algorithms.so",
};

typedef struct row {
  const char *attribute;
  outcome_t outcome;
  divergence_class_t class_;
} row_t;

static const row_t rows[] = {
    {"", OUTCOME_conforms, CLASS_none},
    {" algorithm=[bf16,bf16,f32,1,1,3,false]", OUTCOME_conforms, CLASS_none},
    {" algorithm=[bf16,bf16,f32,1,1,6,false]", OUTCOME_diverges, CLASS_unsupported_accepted},
    {" algorithm=[f32,f32,f32,1,1,1,false]", OUTCOME_diverges, CLASS_unsupported_accepted},
    {" algorithm=[bf16,bf16,f32,2,2,3,false]", OUTCOME_diverges, CLASS_supported_refused},
    {" algorithm=[tf32,tf32,f32,1,1,1,false]", OUTCOME_refused, CLASS_none},
};

/* The product of 1.5 and 1. */
static verdict_t walk(executor_t *executor, const char *attribute) {
  arena_t arena;
  arena_init(&arena);
  g_autofree char *line = g_strdup_printf(
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0]%s f32[1,1] f32[1,1] -> f32[1,1] : "
      "3fc00000 : 3f800000",
      attribute);
  const contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  case_t instance;
  const char *broken = NULL;
  failure_t error = {0};
  verdict_t verdict = {0};
  expectation_t expectation;
  if (case_parse(str_from(line), &arena, &instance, &broken, &error) != STATUS_OK ||
      case_runner_expect(&walk, &instance, program_broken(&instance.program), &arena, &expectation,
                         &error) != STATUS_OK ||
      case_runner_run(&walk, &expectation, executor, &verdict, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  arena_deinit(&arena);
  return verdict;
}

static void test_target(gconstpointer data) {
  const executor_options_t options = {0};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(data, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    verdict_t verdict = walk(executor, rows[i].attribute);
    g_assert_cmpstr(outcome_spelling(verdict.outcome), ==, outcome_spelling(rows[i].outcome));
    g_assert_cmpstr(class_spelling(verdict.class_), ==, class_spelling(rows[i].class_));
  }
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/targets/process", backends[0], test_target);
  g_test_add_data_func("/targets/dso", backends[1], test_target);
  return g_test_run();
}
