/* SPDX-License-Identifier: Apache-2.0 */
/* A row whose halves were divided by two values of one sum, of which each element conforms: a
 * divergence of class `shared` where the contract says that it is computed once. */
#include <math.h>

#include "harness/run/case_runner.h"

enum { COUNT = 20000 };

typedef struct row_case {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
} row_case_t;

/* Numbers from 1 to 2. */
static void make(row_case_t *row) {
  arena_init(&row->arena);
  row->instance = (case_t){0};
  g_autofree char *line = g_strdup_printf(
      "byteir.l2_norm epsilon=0x1p-40 axis=[1] f32[1,%d] -> f32[1,%d]", COUNT, COUNT);
  failure_t error = {0};
  program_t *program = &row->instance.program;
  if (program_parse(str_from(line), &row->arena, program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  row->instance.operands[0] = tensor_make(&row->arena, &program->operands[0]);
  row->results[0] = tensor_make(&row->arena, &program->results[0]);
  const element_t *element = program->operands[0].element;
  rng_t rng = rng_make(1);
  for (size_t i = 0; i < COUNT; i++) {
    double value = 1 + (double)rng_below(&rng, 1 << 20) * 0x1p-20;
    element_store(element, row->instance.operands[0].data, i,
                  format_from_double(element->format, value));
  }
}

/* Divides each half by the root of the sum of squares, times a factor of its own. */
static void divide(row_case_t *row, double first_factor, double second_factor) {
  const element_t *element = row->results[0].type.element;
  double sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < COUNT; i++) {
      double x = format_to_double(element->format,
                                  element_load(element, row->instance.operands[0].data, i));
      if (pass == 0) sum += x * x;
      double norm = sqrt(sum) * (i < COUNT / 2 ? first_factor : second_factor);
      if (pass == 1) {
        element_store(element, row->results[0].data, i,
                      format_from_double(element->format, x / norm));
      }
    }
  }
}

static verdict_t judge(row_case_t *row, const char *contract_text) {
  contract_t contract;
  failure_t error = {0};
  expectation_t expectation;
  verdict_t verdict = {0};
  case_runner_t walk;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, &error), ==, STATUS_OK);
  case_runner_init(&walk, &contract, 1);
  if (case_runner_expect(&walk, &row->instance, NULL, &row->arena, &expectation, &error) !=
          STATUS_OK ||
      case_runner_judge(&walk, &expectation, row->results, &verdict, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return verdict;
}

static void test_two_sums(void) {
  row_case_t row;
  make(&row);
  divide(&row, 1, 1 + 0x1p-18);
  verdict_t each = judge(&row, "backend");
  g_assert_cmpstr(outcome_spelling(each.outcome), ==, "conforms");
  static const char *const contracts[] = {"backend,shared=once", "wide"};
  for (size_t i = 0; i < G_N_ELEMENTS(contracts); i++) {
    verdict_t once = judge(&row, contracts[i]);
    g_assert_cmpstr(outcome_spelling(once.outcome), ==, "diverges");
    g_assert_cmpstr(class_spelling(once.class_), ==, "shared");
    g_assert_cmpstr(once.observed, ==, "shared=each");
    g_test_message("got %s, expected %s", once.got, once.expected);
    g_assert_true(g_str_has_prefix(once.expected, "what agrees, by the numbers that a row shares"));
  }
  arena_deinit(&row.arena);
}

static void test_one_sum(void) {
  row_case_t row;
  make(&row);
  divide(&row, 1 + 0x1p-18, 1 + 0x1p-18);
  verdict_t once = judge(&row, "backend,shared=once");
  g_assert_cmpstr(outcome_spelling(once.outcome), ==, "conforms");
  arena_deinit(&row.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/judge_rows/two_sums", test_two_sums);
  g_test_add_func("/judge_rows/one_sum", test_one_sum);
  return g_test_run();
}
