/* SPDX-License-Identifier: Apache-2.0 */
/* A row whose halves were divided by two values of one sum, of which each element conforms: a
 * divergence of class `shared` where the contract says that it is computed once. */
#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "harness/run/case_runner.h"

enum { COUNT = 20000 };

typedef struct row_case {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
} row_case_t;

static void open_row(row_case_t *row, const char *line) {
  arena_init(&row->arena);
  row->instance = (case_t){0};
  failure_t error = {0};
  program_t *program = &row->instance.program;
  if (program_parse(str_from(line), &row->arena, program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    row->instance.operands[i] = tensor_make(&row->arena, &program->operands[i]);
  }
  row->results[0] = tensor_make(&row->arena, &program->results[0]);
}

/* Numbers from 1 to 2. */
static void make(row_case_t *row) {
  g_autofree char *line = g_strdup_printf(
      "byteir.l2_norm epsilon=0x1p-40 axis=[1] f32[1,%d] -> f32[1,%d]", COUNT, COUNT);
  open_row(row, line);
  const element_t *element = row->instance.program.operands[0].element;
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

/* ---- What a row would agree by --------------------------------------------------------------- */

static void store(const tensor_t *tensor, size_t index, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  element_store(tensor->type.element, tensor->data, index, bits);
}

static float difference(float a, float b) { return a - b; }
static float product(float a, float b) { return a * b; }

/* x (1 / s) + (-mean / s), in f32: each row has one mean and one deviation. */
static void test_folded_norm(void) {
  enum { TERMS = 16 };
  row_case_t row;
  open_row(&row,
           "byteir.layer_norm epsilon=0x1.4f8b58p-17 axis=[1] f32[1,16] f32[16] f32[16] -> "
           "f32[1,16]");
  float x[TERMS], mean = 0, squares = 0;
  for (size_t i = 0; i < TERMS; i++) {
    x[i] = 3 + (float)(i * 37 % TERMS) / 8;
    mean += x[i];
    store(&row.instance.operands[0], i, x[i]);
    store(&row.instance.operands[1], i, 1);
    store(&row.instance.operands[2], i, 0);
  }
  mean /= (float)TERMS;
  for (size_t i = 0; i < TERMS; i++) {
    float deviation = difference(x[i], mean);
    squares += product(deviation, deviation);
  }
  float inverse = 1 / sqrtf(squares / (float)TERMS + 0x1.4f8b58p-17F);
  float rest = product(-mean, inverse);
  for (size_t i = 0; i < TERMS; i++) store(&row.results[0], i, product(x[i], inverse) + rest);
  verdict_t verdict = judge(&row, "wide");
  g_assert_cmpstr(class_spelling(verdict.class_), ==, "shared");
  g_autofree char *formula = g_strdup_printf("%s=folded", row.instance.program.op->formulas);
  g_assert_cmpstr(verdict.observed, ==, formula);
  g_autofree char *folded = g_strdup_printf("wide,%s", formula);
  verdict = judge(&row, folded);
  g_assert_cmpstr(outcome_spelling(verdict.outcome), ==, "conforms");
  arena_deinit(&row.arena);
}

/* exp2 of rounded products with log2(e), of which a softmax takes one sum. */
static void test_softmax_by_exp2(void) {
  static const float x[] = {30, 0, 0x1.a0933ap+3F};
  row_case_t row;
  open_row(&row, "byteir.softmax axis=0 f32[3] -> f32[3]");
  float e[G_N_ELEMENTS(x)], sum = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(x); i++) {
    store(&row.instance.operands[0], i, x[i]);
    e[i] = exp2f(product(difference(x[i], x[0]), 0x1.715476p+0F));
    sum += e[i];
  }
  for (size_t i = 0; i < G_N_ELEMENTS(x); i++) store(&row.results[0], i, e[i] / sum);
  verdict_t verdict = judge(&row, "wide");
  g_assert_cmpstr(class_spelling(verdict.class_), ==, "shared");
  g_assert_cmpstr(verdict.observed, ==, "exp_by_exp2=yes");
  verdict = judge(&row, "wide,exp_by_exp2=yes");
  g_assert_cmpstr(outcome_spelling(verdict.outcome), ==, "conforms");
  arena_deinit(&row.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/judge_rows/two_sums", test_two_sums);
  g_test_add_func("/judge_rows/one_sum", test_one_sum);
  g_test_add_func("/judge_rows/folded_norm", test_folded_norm);
  g_test_add_func("/judge_rows/softmax_by_exp2", test_softmax_by_exp2);
  return g_test_run();
}
