/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile arguments to every call: an error with a text, never a crash, and nothing written.  Meant
 * for AddressSanitizer. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/api/api_test.h"

/* ---- Tensors --------------------------------------------------------------------------------- */

static const int64_t dims22[] = {2, 2}, dims23[] = {2, 3}, dims4[] = {4};
static const int64_t negative_dims[] = {-2, 2}, huge_dims[] = {INT64_MAX, 4};
static const int64_t far_strides[] = {INT64_MAX, 4}, low_strides[] = {INT64_MIN, 4};
static const int64_t under_strides[] = {INT64_MIN / 4, INT64_MIN / 4};
static float numbers[4] = {1, 2, 3, 4};

/* A first operand of an addition of f32[2,2] that is wrong, and what the error says. */
static const struct {
  const char *name;
  const char *says;
  assay_tensor_t tensor;
} TENSORS[] = {
    {"no size", "struct_size", {.rank = 2, .element = "f32", .dims = dims22, .data = numbers}},
    {"a small size",
     "struct_size",
     {.struct_size = 8, .rank = 2, .element = "f32", .dims = dims22, .data = numbers}},
    {"an odd size",
     "struct_size",
     {.struct_size = 41, .rank = 2, .element = "f32", .dims = dims22, .data = numbers}},
    {"a huge size",
     "struct_size",
     {.struct_size = UINT32_MAX - 7, .rank = 2, .element = "f32", .dims = dims22, .data = numbers}},
    {"no element",
     "element is NULL",
     {.struct_size = 40, .rank = 2, .dims = dims22, .data = numbers}},
    {"another element",
     "'f64'",
     {.struct_size = 40, .rank = 2, .element = "f64", .dims = dims22, .data = numbers}},
    {"no such element",
     "'float'",
     {.struct_size = 40, .rank = 2, .element = "float", .dims = dims22, .data = numbers}},
    {"rank 1",
     "rank 1",
     {.struct_size = 40, .rank = 1, .element = "f32", .dims = dims4, .data = numbers}},
    {"rank 2^32 - 1",
     "rank 4294967295",
     {.struct_size = 40, .rank = UINT32_MAX, .element = "f32", .dims = dims22, .data = numbers}},
    {"no dims", "dims is NULL", {.struct_size = 40, .rank = 2, .element = "f32", .data = numbers}},
    {"another shape",
     "[2,3]",
     {.struct_size = 40, .rank = 2, .element = "f32", .dims = dims23, .data = numbers}},
    {"a negative size",
     "[-2,2]",
     {.struct_size = 40, .rank = 2, .element = "f32", .dims = negative_dims, .data = numbers}},
    {"sizes that overflow",
     "[9223372036854775807,4]",
     {.struct_size = 40, .rank = 2, .element = "f32", .dims = huge_dims, .data = numbers}},
    {"no data", "data is NULL", {.struct_size = 40, .rank = 2, .element = "f32", .dims = dims22}},
    {"strides beyond all memory",
     "out of memory",
     {.struct_size = 40,
      .rank = 2,
      .element = "f32",
      .dims = dims22,
      .strides = far_strides,
      .data = numbers}},
    {"strides before all memory",
     "out of memory",
     {.struct_size = 40,
      .rank = 2,
      .element = "f32",
      .dims = dims22,
      .strides = low_strides,
      .data = numbers}},
    {"strides whose sum is before all memory",
     "out of memory",
     {.struct_size = 40,
      .rank = 2,
      .element = "f32",
      .dims = dims22,
      .strides = under_strides,
      .data = numbers}},
};

static const char ADDITION[] = "stablehlo.add f32[2,2] f32[2,2] -> f32[2,2]";

static int32_t never_run(void *user, const assay_question_t *question) {
  (void)user;
  (void)question;
  g_assert_not_reached();
}

static void test_tensors(void) {
  G_STATIC_ASSERT(sizeof(assay_tensor_t) == 40);
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = program_make(ADDITION);
  const assay_tensor_t good = dense("f32", 2, dims22, numbers);
  for (size_t i = 0; i < G_N_ELEMENTS(TENSORS); i++) {
    g_test_message("%s", TENSORS[i].name);
    const assay_tensor_t first[] = {TENSORS[i].tensor, good}, second[] = {good, TENSORS[i].tensor};
    const assay_tensor_t both[] = {good, good};
    const assay_question_t left = ask(program, first, 2, &good);
    const assay_question_t right = ask(program, second, 2, &good);
    const assay_question_t out = ask(program, both, 2, &TENSORS[i].tensor);
    assay_verdict_t *verdict = NULL;
    assay_accept_set_t *set = NULL;
    assay_case_t *instance = NULL;
    assay_power_info_t power = {.struct_size = sizeof power};
    const assay_tested_kernel_t kernel = {.struct_size = sizeof kernel, .run = never_run};
    MUST_FAIL(assay_check(context, &left, &verdict, &error), ASSAY_INVALID);
    g_assert_nonnull(strstr(error.text, TENSORS[i].says));
    g_assert_nonnull(strstr(error.text, "operand 0"));
    MUST_FAIL(assay_check(context, &right, &verdict, &error), ASSAY_INVALID);
    g_assert_nonnull(strstr(error.text, "operand 1"));
    MUST_FAIL(assay_check(context, &out, &verdict, &error), ASSAY_INVALID);
    g_assert_nonnull(strstr(error.text, "result 0"));
    MUST_FAIL(assay_accept(context, &left, &set, &error), ASSAY_INVALID);
    MUST_FAIL(assay_power(context, &left, 4, &power, &error), ASSAY_INVALID);
    MUST_FAIL(assay_case_new(program, first, 2, &instance, &error), ASSAY_INVALID);
    MUST_FAIL(assay_simulate(context, &left, "pairwise", &error), ASSAY_INVALID);
    MUST_FAIL(assay_simulate(context, &out, "pairwise", &error), ASSAY_INVALID);
    MUST_FAIL(assay_shrink(context, &left, &kernel, &instance, NULL, &error), ASSAY_INVALID);
    g_assert_null(verdict);
    g_assert_null(set);
    g_assert_null(instance);
  }
  assay_program_free(program);
  assay_context_free(context);
}

/* Counts that are not the program's, and arrays that are not there. */
static void test_counts(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = program_make(ADDITION);
  const assay_tensor_t good = dense("f32", 2, dims22, numbers);
  const assay_tensor_t both[] = {good, good};
  assay_verdict_t *verdict = NULL;
  const uint32_t counts[] = {0, 1, 2, 3, UINT32_MAX};
  for (size_t i = 0; i < G_N_ELEMENTS(counts) * G_N_ELEMENTS(counts) * 4; i++) {
    assay_question_t question =
        ask(program, i % 2 == 0 ? NULL : both, counts[i / 4 % 5], i / 2 % 2 == 0 ? NULL : &good);
    question.result_count = counts[i / 20];
    bool is_good = question.operands != NULL && question.results != NULL &&
                   question.operand_count == 2 && question.result_count == 1;
    if (is_good) continue;
    MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  }
  assay_program_free(program);
  assay_context_free(context);
}

/* Bits that a type has not, and storage integers outside of their range. */
static void test_bits(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  static const struct {
    const char *line, *element;
    uint8_t data[2];
    bool is_taken;
  } rows[] = {
      {"stablehlo.convert i1[2] -> f32[2]", "i1", {0, 1}, true},
      {"stablehlo.convert i1[2] -> f32[2]", "i1", {0, 2}, false},
      {"stablehlo.convert i1[2] -> f32[2]", "i1", {0, 255}, false},
      {"stablehlo.convert i4[2] -> f32[2]", "i4", {0x0f, 7}, true},
      {"stablehlo.convert i4[2] -> f32[2]", "i4", {0xff, 7}, true}, /* -1 with its sign copied. */
      {"stablehlo.convert i4[2] -> f32[2]", "i4", {0xf7, 7}, false},
      {"stablehlo.convert ui4[2] -> f32[2]", "ui4", {0xff, 7}, false},
      {"stablehlo.convert f4E2M1FN[2] -> f32[2]", "f4E2M1FN", {0x0f, 7}, true},
      {"stablehlo.convert f4E2M1FN[2] -> f32[2]", "f4E2M1FN", {0xff, 7}, false},
      {"stablehlo.uniform_dequantize !quant.uniform<i8<-3:3>:f32,0x1p-1>[2] -> f32[2]",
       "i8",
       {3, 0xfd},
       true},
      {"stablehlo.uniform_dequantize !quant.uniform<i8<-3:3>:f32,0x1p-1>[2] -> f32[2]",
       "i8",
       {3, 4},
       false},
  };
  const int64_t dims[] = {2};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s %02x %02x", rows[i].line, rows[i].data[0], rows[i].data[1]);
    assay_program_handle_t *program = program_make(rows[i].line);
    uint8_t data[2] = {rows[i].data[0], rows[i].data[1]};
    float results[2] = {0, 0};
    const assay_tensor_t operand = dense(rows[i].element, 1, dims, data);
    const assay_tensor_t result = dense("f32", 1, dims, results);
    const assay_question_t question = ask(program, &operand, 1, &result);
    int32_t answer = assay_simulate(context, &question, "sequential", &error);
    g_assert_cmpint(answer, ==, rows[i].is_taken ? ASSAY_OK : ASSAY_INVALID);
    g_assert_true(memcmp(data, rows[i].data, sizeof data) == 0);
    if (rows[i].is_taken) {
      g_assert_cmpint(outcome_of(context, &question), !=, ASSAY_DIVERGES);
      if (g_str_equal(rows[i].element, "i4")) g_assert_cmpfloat(results[0], ==, -1);
    } else {
      g_assert_nonnull(strstr(error.text, "operand 0: element "));
    }
    assay_program_free(program);
  }
  assay_context_free(context);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void test_programs(void) {
  assay_error_t error = ERROR_INIT;
  assay_program_handle_t *program = NULL;
  MUST_FAIL(assay_program_new(NULL, &program, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_new("stablehlo.add", NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_new("", &program, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_new("stablehlo.dot", &program, &error), ASSAY_INVALID);
  static const char *const lines[] = {"",
                                      "stablehlo.add",
                                      "stablehlo.add f32[2] f32[2] -> f32[3]",
                                      "stablehlo.add \n",
                                      "stablehlo.add f32[-1] f32[-1] -> f32[-1]",
                                      "stablehlo.add f32[9999999999999999999] f32[1] -> f32[1]",
                                      "stablehlo.add f32[65536,65536,65536,65536] f32[1] -> f32[1]",
                                      "\xff\xfe"};
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    MUST_FAIL(assay_program_parse(lines[i], &program, &error), ASSAY_INVALID);
    assay_case_t *instance = NULL;
    MUST_FAIL(assay_case_parse(lines[i], &instance, &error), ASSAY_INVALID);
  }
  MUST_FAIL(assay_program_parse(NULL, &program, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_parse(ADDITION, NULL, &error), ASSAY_INVALID);
  g_assert_null(program);
}

static void test_building(void) {
  assay_error_t error = ERROR_INIT;
  assay_program_handle_t *program = NULL;
  const int64_t one = 1;
  MUST(assay_program_new("stablehlo.dot_general", &program, &error));
  MUST_FAIL(assay_program_add_operand(NULL, "f32", 0, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, NULL, 0, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "f32[2] f32", 0, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "tf32", 0, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "f32", 2, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "f32", 9, dims22, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "f32", UINT32_MAX, dims22, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "f32", 2, negative_dims, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_add_operand(program, "f32", 2, huge_dims, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integers(program, NULL, &one, 1, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integers(program, "dims", &one, 1, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integers(program, "batch", NULL, 1, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integers(program, "batch", &one, SIZE_MAX, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_dimension_pair(program, "batch", NULL, &one, 1, &error),
            ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integer_rows(program, "batch", &one, SIZE_MAX / 2, 3, &error),
            ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integer_rows(program, "batch", NULL, 1, 1, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_text(program, "batch", NULL, &error), ASSAY_INVALID);
  MUST_FAIL(
      assay_program_set_texts(program, "precision", (const char *const[]){"HIGH", NULL}, 2, &error),
      ASSAY_INVALID);
  MUST_FAIL(assay_program_set_booleans(program, "batch", NULL, 3, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_finish(program, &error), ASSAY_INVALID);
  g_assert_nonnull(strstr(error.text, "'batch'"));
  MUST(assay_program_set_integer(program, "batch", 7, &error)); /* Is no pair of lists. */
  MUST(assay_program_set_number(program, "contract", NAN, &error));
  MUST_FAIL(assay_program_finish(program, &error), ASSAY_INVALID);
  for (int i = 0; i < 8; i++) MUST(assay_program_add_operand(program, "f32", 2, dims22, &error));
  MUST_FAIL(assay_program_add_operand(program, "f32", 2, dims22, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_finish(program, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_finish(NULL, &error), ASSAY_INVALID);

  /* Of an unfinished program nothing is told, and nothing is asked. */
  g_assert_null(assay_program_line(program));
  g_assert_null(assay_program_op(program));
  g_assert_null(assay_program_mlir(program));
  g_assert_cmpuint(assay_program_operand_count(program), ==, 0);
  g_assert_cmpuint(assay_program_result_count(program), ==, 0);
  assay_context_t *context = context_make();
  const assay_tensor_t good = dense("f32", 2, dims22, numbers);
  assay_verdict_t *verdict = NULL;
  assay_tensor_t type = {.struct_size = sizeof type};
  assay_question_t question = ask(program, &good, 1, &good);
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_operand_type(program, 0, &type, &error), ASSAY_INVALID);
  assay_program_free(program);
  question.program = NULL;
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  program = program_make(ADDITION);
  MUST_FAIL(assay_program_add_result(program, "f32", 0, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_set_integer(program, "x", 0, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_result_type(program, 1, &type, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_result_type(program, 0, NULL, &error), ASSAY_INVALID);
  type.struct_size = 4;
  MUST_FAIL(assay_program_result_type(program, 0, &type, &error), ASSAY_INVALID);
  size_t count;
  const char *text;
  MUST_FAIL(assay_program_integers(program, "x", NULL, 0, &count, &error), ASSAY_INVALID);
  MUST_FAIL(assay_program_attribute(program, 0, &text, &text, &error), ASSAY_INVALID);
  assay_program_free(program);
  assay_context_free(context);
}

/* ---- Everything else ------------------------------------------------------------------------- */

static void test_nulls(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = program_make(ADDITION);
  const assay_tensor_t good = dense("f32", 2, dims22, numbers);
  const assay_tensor_t both[] = {good, good};
  assay_verdict_t *verdict = NULL;
  const assay_question_t question = ask(program, both, 2, &good);
  assay_case_t *instance = NULL;
  MUST_FAIL(assay_context_new(NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_check(NULL, &question, &verdict, &error), ASSAY_INVALID);
  MUST_FAIL(assay_check(context, NULL, &verdict, &error), ASSAY_INVALID);
  MUST_FAIL(assay_check(context, &question, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_accept(context, &question, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_power(context, &question, 4, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_verdict_info(NULL, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_simulate(context, &question, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_simulate(context, &question, "no such order", &error), ASSAY_INVALID);
  assay_tested_kernel_t kernel = {.struct_size = sizeof kernel};
  MUST_FAIL(assay_shrink(context, &question, NULL, &instance, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_shrink(context, &question, &kernel, &instance, NULL, &error), ASSAY_INVALID);
  kernel.run = never_run;
  MUST_FAIL(assay_shrink(context, &question, &kernel, NULL, NULL, &error), ASSAY_INVALID);
  const assay_draw_t draws[] = {
      {.op = "stablehlo.add"},
      {.struct_size = sizeof(assay_draw_t)},
      {.struct_size = sizeof(assay_draw_t), .op = "x"},
      {.struct_size = sizeof(assay_draw_t), .op = "stablehlo.add", .types = "f33"},
      {.struct_size = sizeof(assay_draw_t), .op = "stablehlo.add", .strata = "x=1"},
      {.struct_size = sizeof(assay_draw_t), .op = "stablehlo.add", .program = program}};
  for (size_t i = 0; i < G_N_ELEMENTS(draws); i++) {
    MUST_FAIL(assay_case_draw(context, &draws[i], &instance, &error), ASSAY_INVALID);
  }
  MUST_FAIL(assay_case_draw(context, NULL, &instance, &error), ASSAY_INVALID);
  MUST_FAIL(assay_case_operand(NULL, 0, NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_accept_info(NULL, 0, NULL, &error), ASSAY_INVALID);
  g_assert_null(assay_case_line(NULL));
  g_assert_null(assay_case_program(NULL));
  g_assert_null(assay_contract_text(NULL));
  g_assert_cmpstr(assay_verdict_replay(NULL), ==, "");
  g_assert_cmpstr(assay_verdict_smallest(NULL), ==, "");
  g_assert_null(assay_op_name(SIZE_MAX));
  g_assert_null(assay_permission_name(SIZE_MAX));
  g_assert_null(instance);
  g_assert_null(verdict);
  assay_context_free(NULL);
  assay_contract_free(NULL);
  assay_program_free(NULL);
  assay_case_free(NULL);
  assay_verdict_free(NULL);
  assay_accept_set_free(NULL);

  /* No place for an error, or one that is too small, is no error. */
  g_assert_cmpint(assay_context_new(NULL, NULL), ==, ASSAY_INVALID);
  uint32_t small[2] = {8, 0xabcdabcd};
  g_assert_cmpint(assay_context_new(NULL, (assay_error_t *)(void *)small), ==, ASSAY_INVALID);
  g_assert_cmphex(small[1], ==, 0xabcdabcd);
  assay_program_free(program);
  assay_context_free(context);
}

static assay_context_t *inner_context;

/* From within a call, the context is in use. */
static int32_t calls_again(void *user, double done) {
  (void)done;
  const assay_question_t *question = user;
  assay_error_t error = ERROR_INIT;
  assay_verdict_t *verdict = NULL;
  MUST_FAIL(assay_check(inner_context, question, &verdict, &error), ASSAY_INVALID);
  g_assert_nonnull(strstr(error.text, "another call"));
  return 1;
}

static void test_options(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = inner_context = context_make();
  assay_program_handle_t *program = program_make(ADDITION);
  const assay_tensor_t good = dense("f32", 2, dims22, numbers);
  const assay_tensor_t both[] = {good, good};
  assay_question_t question = ask(program, both, 2, &good);
  assay_verdict_t *verdict = NULL;
  question.flags = 0x80;
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  question.flags = 0;
  question.struct_size = 8;
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  question.struct_size = sizeof question;
  const double budgets[] = {-1, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < G_N_ELEMENTS(budgets); i++) {
    question.budget_seconds = budgets[i];
    MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  }
  question.budget_seconds = 0;
  question.progress = calls_again;
  question.user = &question;
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_CANCELLED);
  g_assert_null(verdict);
  assay_contract_t *contract = NULL;
  static const char *const contracts[] = {"specs",     "ftz", "ftz=", "ftz=x", "backend,ftz=both,",
                                          "identified"};
  for (size_t i = 0; i < G_N_ELEMENTS(contracts); i++) {
    MUST_FAIL(assay_contract_new(contracts[i], &contract, &error), ASSAY_INVALID);
  }
  MUST_FAIL(assay_contract_new("spec", NULL, &error), ASSAY_INVALID);
  MUST(assay_contract_new("spec", &contract, &error));
  MUST_FAIL(assay_contract_set(contract, "x", "y", &error), ASSAY_INVALID);
  MUST_FAIL(assay_contract_set(contract, "ftz", "y", &error), ASSAY_INVALID);
  MUST_FAIL(assay_contract_set(contract, "ftz", NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_contract_set(contract, "bits", "identified", &error), ASSAY_INVALID);
  MUST_FAIL(assay_contract_set(NULL, "ftz", "both", &error), ASSAY_INVALID);
  const char *value = NULL;
  MUST(assay_contract_set(contract, "ftz", "both", &error));
  MUST(assay_contract_get(contract, "ftz", &value, &error));
  g_assert_cmpstr(value, ==, "both");
  g_assert_cmpstr(assay_contract_text(contract), ==, "spec,ftz=both");
  assay_contract_free(contract);
  assay_program_free(program);
  assay_context_free(context);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/hostile/tensors", test_tensors);
  g_test_add_func("/api/hostile/counts", test_counts);
  g_test_add_func("/api/hostile/bits", test_bits);
  g_test_add_func("/api/hostile/programs", test_programs);
  g_test_add_func("/api/hostile/building", test_building);
  g_test_add_func("/api/hostile/nulls", test_nulls);
  g_test_add_func("/api/hostile/options", test_options);
  return g_test_run();
}
