/* SPDX-License-Identifier: Apache-2.0 */
/* Large cases: several threads give the verdict that one gives, to the bit; with a budget samples
 * of rows find planted faults and say what they may have missed; and tensors beyond all bounds of
 * case lines are checked by what can be cut. */
#include <string.h>

#include "tests/api/api_test.h"

/* Each of several blocks. */
static const char *const PROGRAMS[] = {
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[300,40] f32[40,280] -> f32[300,280]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[bf16,bf16,f32,1,1,1,false] "
    "f32[300,24] f32[24,280] -> f32[300,280]",
    "stablehlo.dot_general batch=[1]x[0] contract=[2]x[1] bf16[90,5,20] bf16[5,20,100] -> "
    "f32[5,90,100]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] complex<f32>[160,6] complex<f32>[6,160] -> "
    "complex<f32>[160,160]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<i8:f32,0x1p-5>[200,16] "
    "!quant.uniform<i8:f32,0x1p-6>[16,200] -> !quant.uniform<i8:f32,0x1p-3:3>[200,200]",
    "byteir.softmax axis=1 f32[400,128] -> f32[400,128]",
    "byteir.softmax axis=0 bf16[64,30,30] -> bf16[64,30,30]",
    "byteir.layer_norm epsilon=0x1.4f8b58p-17 axis=[2] f32[20,20,128] f32[128] f32[128] -> "
    "f32[20,20,128] f32[20,20,1] f32[20,20,1]",
    "stablehlo.reduce body=add dims=[1] f32[40000,9] f32[] -> f32[40000]",
    "stablehlo.add f16[300,200] f16[300,200] -> f16[300,200]",
    "byteir.gelu approximate=none f32[40000] -> f32[40000]",
    "stablehlo.convert f32[250,160] -> bf16[250,160]",
    "byteir.top_k k=3 axis=[1] sorted=true f32[12000,8] -> f32[12000,3] i32[12000,3]",
    "byteir.quantize axis=1 f32[4000,10] f32[10] i8[10] -> i8[4000,10]",
    "stablehlo.reduce_window body=add window_dimensions=[1,3,1] window_strides=[1,1,1] "
    "base_dilations=[1,1,1] window_dilations=[1,1,1] padding=[[0,0],[1,1],[0,0]] f32[20,18,100] "
    "f32[] -> f32[20,18,100]",
    "stablehlo.convolution window_strides=[1] padding=[[1,1]] lhs_dilation=[1] rhs_dilation=[1] "
    "window_reversal=[false] dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f] feature_group_count=1 "
    "batch_group_count=1 f32[30,20,8] f32[3,8,64] -> f32[30,20,64]",
    /* One image: strides, dilation, padding on one side; a group for each feature; of the batch. */
    "stablehlo.convolution window_strides=[2,1] padding=[[1,1],[0,2]] lhs_dilation=[1,1] "
    "rhs_dilation=[1,2] window_reversal=[false,true] "
    "dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=1 batch_group_count=1 "
    "f32[1,180,80,3] f32[3,3,3,8] -> f32[1,90,78,8]",
    "stablehlo.convolution window_strides=[1,1] padding=[[1,1],[1,1]] lhs_dilation=[1,1] "
    "rhs_dilation=[1,1] window_reversal=[false,false] "
    "dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=12 batch_group_count=1 "
    "bf16[1,70,70,12] bf16[3,3,1,12] -> bf16[1,70,70,12]",
    "stablehlo.convolution window_strides=[1] padding=[[2,2]] lhs_dilation=[2] rhs_dilation=[1] "
    "window_reversal=[false] dimension_numbers=[b,f,0]x[o,i,0]->[b,f,0] feature_group_count=1 "
    "batch_group_count=4 f32[8,2,600] f32[16,2,5] -> f32[2,16,1199]",
    /* Pools, and what their gradients are made of. */
    "stablehlo.reduce_window body=maximum window_dimensions=[1,3,3,1] window_strides=[1,2,2,1] "
    "base_dilations=[1,1,1,1] window_dilations=[1,1,1,1] padding=[[0,0],[1,0],[1,0],[0,0]] "
    "f32[1,160,160,8] f32[] -> f32[1,80,80,8]",
    "stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[1,3,3,1] "
    "window_strides=[1,2,2,1] padding=[[0,0],[0,1],[0,1],[0,0]] f32[1,160,160,2] f32[1,80,80,2] "
    "f32[] -> f32[1,160,160,2]",
    "nn.bucket bits=8 i32[4,10000] i32[4] -> i32[4,10000]",
    "nn.rotary f32[300,128] f32[300,64] f32[300,64] -> f32[300,128]"};

typedef struct subject {
  assay_program_handle_t *program;
  assay_case_t *instance;
  assay_tensor_t operands[OPERANDS_MAX], results[RESULTS_MAX];
  assay_question_t question;
} subject_t;

static void subject_init(subject_t *subject, assay_context_t *context, const char *line,
                         const char *model) {
  assay_error_t error = ERROR_INIT;
  *subject = (subject_t){.program = program_make(line)};
  const assay_draw_t draw = {
      .struct_size = sizeof draw, .program = subject->program, .strata = "deployment=1", .seed = 3};
  MUST(assay_case_draw(context, &draw, &subject->instance, &error));
  const uint32_t count = operands_of(subject->instance, subject->operands);
  subject->question = ask(subject->program, subject->operands, count, subject->results);
  subject->question.result_count = results_make(subject->program, subject->results);
  MUST(assay_simulate(context, &subject->question, model, &error));
}

static void subject_clear(subject_t *subject) {
  results_free(subject->results, subject->question.result_count);
  assay_case_free(subject->instance);
  assay_program_free(subject->program);
}

/* Other numbers in one of so many elements of the first result. */
static size_t plant(subject_t *subject, size_t one_in) {
  const assay_tensor_t *result = &subject->results[0];
  size_t width = 4, planted = 0;
  if (strstr(result->element, "f16") != NULL) width = 2;
  if (strcmp(result->element, "i8") == 0 || strncmp(result->element, "!quant", 6) == 0) width = 1;
  uint8_t *data = result->data;
  for (size_t i = one_in / 2; i < count_of(result); i += one_in, planted++) {
    data[i * width + width - 1] ^= 0x10;
  }
  return planted;
}

static assay_verdict_t *check(assay_context_t *context, subject_t *subject, uint32_t threads) {
  assay_error_t error = ERROR_INIT;
  assay_verdict_t *verdict = NULL;
  subject->question.threads = threads;
  MUST(assay_check(context, &subject->question, &verdict, &error));
  return verdict;
}

static void assert_same_wrong(const assay_verdict_t *a, const assay_verdict_t *b,
                              uint32_t results) {
  assay_error_t error = ERROR_INIT;
  for (uint32_t i = 0; i < results; i++) {
    const uint8_t *wrong_a = NULL, *wrong_b = NULL;
    size_t count_a = 0, count_b = 0;
    MUST(assay_verdict_wrong(a, i, &wrong_a, &count_a, &error));
    MUST(assay_verdict_wrong(b, i, &wrong_b, &count_b, &error));
    g_assert_cmpuint(count_a, ==, count_b);
    g_assert_true((wrong_a == NULL) == (wrong_b == NULL));
    if (wrong_a != NULL) g_assert_true(memcmp(wrong_a, wrong_b, count_a) == 0);
  }
}

static void assert_same(const assay_verdict_t *a, const assay_verdict_t *b) {
  const assay_verdict_info_t x = info_of(a), y = info_of(b);
  g_assert_cmpstr(x.explanation, ==, y.explanation);
  g_assert_cmpint(x.outcome, ==, y.outcome);
  g_assert_cmpstr(x.class_name, ==, y.class_name);
  g_assert_cmpstr(x.reason, ==, y.reason);
  g_assert_cmpstr(x.cause_text, ==, y.cause_text);
  g_assert_cmpstr(x.pattern, ==, y.pattern);
  g_assert_cmpstr(x.algorithms, ==, y.algorithms);
  g_assert_cmpstr(x.observed, ==, y.observed);
  g_assert_cmpstr(x.formula, ==, y.formula);
  g_assert_cmpstr(x.reading, ==, y.reading);
  g_assert_cmpuint(x.component_count, ==, y.component_count);
  g_assert_cmpuint(x.wrong_count, ==, y.wrong_count);
  g_assert_cmpuint(x.untested_count, ==, y.untested_count);
  g_assert_cmpuint(x.left_out_count, ==, y.left_out_count);
  g_assert_true(x.ulp_error_max == y.ulp_error_max && x.slack_max == y.slack_max);
  g_assert_true(x.backward_error_max == y.backward_error_max);
  g_assert_true(memcmp(x.worst_index, y.worst_index, sizeof x.worst_index) == 0);
  g_assert_cmpstr(x.got.hex, ==, y.got.hex);
  g_assert_cmpstr(x.exact.hex, ==, y.exact.hex);
  g_assert_cmpstr(x.permitted_low.hex, ==, y.permitted_low.hex);
  g_assert_cmpstr(x.permitted_high.hex, ==, y.permitted_high.hex);
}

/* A context of its own for each, as memory that was used before must not matter either. */
static void test_threads(void) {
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(PROGRAMS); i++) {
    assay_context_t *context = context_make();
    const char *line = PROGRAMS[i / 2];
    subject_t subject;
    subject_init(&subject, context, line, "pairwise");
    const size_t planted = i % 2 == 0 ? 0 : plant(&subject, 997);
    assay_verdict_t *alone = check(context, &subject, 1);
    const assay_verdict_info_t info = info_of(alone);
    g_test_message("%s: %s", line, info.explanation);
    g_assert_cmpint(info.outcome, ==, planted == 0 ? ASSAY_CONFORMS : ASSAY_DIVERGES);
    g_assert_cmpuint(info.left_out_count, ==, 0);
    g_assert_cmpuint(info.wrong_count, <=, planted);
    for (uint32_t threads = 2; threads <= 3; threads++) {
      assay_context_t *other = context_make();
      assay_verdict_t *together = check(other, &subject, threads);
      assert_same(alone, together);
      assert_same_wrong(alone, together, subject.question.result_count);
      assay_verdict_free(together);
      assay_context_free(other);
    }
    assay_verdict_free(alone);
    subject_clear(&subject);
    assay_context_free(context);
  }
}

/* Samples of rows, and of elements of ops that are no products. */
static void test_budget(void) {
  assay_context_t *context = context_make();
  size_t sampled = 0;
  for (size_t i = 5; i < G_N_ELEMENTS(PROGRAMS); i++) {
    subject_t subject;
    subject_init(&subject, context, PROGRAMS[i], "pairwise");
    subject.question.budget_seconds = 1e-9;
    assay_verdict_t *verdict = check(context, &subject, 2);
    const assay_verdict_info_t info = info_of(verdict);
    g_test_message("%s: %s", PROGRAMS[i], info.explanation);
    g_assert_cmpint(info.outcome, ==, ASSAY_CONFORMS);
    sampled += info.left_out_count > 0;
    if (info.left_out_count > 0) g_assert_cmpuint(info.missed_one_in, >=, 10);
    const size_t planted = plant(&subject, info.missed_one_in >= 1000 ? 500 : 8);
    assay_verdict_t *found = check(context, &subject, 1);
    const assay_verdict_info_t wrong = info_of(found);
    g_test_message("%zu planted: %s", planted, wrong.explanation);
    g_assert_cmpint(wrong.outcome, ==, ASSAY_DIVERGES);
    assay_verdict_free(verdict);
    assay_verdict_free(found);
    subject_clear(&subject);
  }
  g_assert_cmpuint(sampled, >=, 6);
  assay_context_free(context);
}

/* A kernel that takes the larger of variance and epsilon, in each of many blocks: that is named by
 * any number of threads, of a sample too, and not where one element is otherwise. */
static void test_reading(void) {
  assay_context_t *context = context_make();
  subject_t subject;
  const char *line =
      "byteir.layer_norm epsilon=0x1.47ae147ae147bp-7 axis=[2] f32[20,20,128] f32[128] f32[128] -> "
      "f32[20,20,128]";
  subject_init(&subject, context, line, "pairwise+norm_epsilon=larger");
  for (uint32_t threads = 1; threads <= 4; threads++) {
    subject.question.budget_seconds = threads == 4 ? 1e-9 : 0;
    assay_verdict_t *verdict = check(context, &subject, threads);
    const assay_verdict_info_t info = info_of(verdict);
    g_test_message("%s", info.explanation);
    g_assert_cmpint(info.outcome, ==, ASSAY_DIVERGES);
    g_assert_true(g_str_has_prefix(info.reading, "norm_epsilon=larger"));
    g_assert_true((info.left_out_count > 0) == (threads == 4));
    assay_verdict_free(verdict);
  }
  subject.question.budget_seconds = 0;
  plant(&subject, 2 * count_of(&subject.results[0]) / 3); /* One, in the middle. */
  assay_verdict_t *verdict = check(context, &subject, 2);
  g_assert_cmpint(info_of(verdict).outcome, ==, ASSAY_DIVERGES);
  g_assert_cmpstr(info_of(verdict).reading, ==, "");
  assay_verdict_free(verdict);
  subject_clear(&subject);
  assay_context_free(context);
}

/* Moves the largest element of a row of 128 by so many units in the last place. */
static void move_largest(subject_t *subject, size_t row, uint32_t ulps) {
  float *values = (float *)subject->results[0].data + row * 128;
  size_t largest = 0;
  for (size_t i = 1; i < 128; i++) {
    if (values[i] > values[largest]) largest = i;
  }
  uint32_t bits;
  memcpy(&bits, &values[largest], sizeof bits);
  bits += ulps;
  memcpy(&values[largest], &bits, sizeof bits);
}

/* Rows none of whose elements is wrong by itself: the first of two in different blocks is told, by
 * the numbers that its elements have in the whole. */
static void test_rows(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  subject_t subject;
  subject_init(&subject, context, "byteir.softmax axis=1 f32[600,128] -> f32[600,128]", "pairwise");
  assay_contract_t *contract = NULL;
  MUST(assay_contract_new("wide", &contract, &error));
  subject.question.contract = contract;
  float *data = subject.operands[0].data;
  for (size_t i = 0; i < count_of(&subject.operands[0]); i++) {
    data[i] = (float)(i * 2654435761U % 1000003) / 250000;
  }
  memcpy(data + 290 * 128, data + 391 * 128, 128 * sizeof *data); /* So that both show at once. */
  MUST(assay_simulate(context, &subject.question, "pairwise", &error));
  assay_verdict_t *right = check(context, &subject, 1);
  g_assert_cmpint(info_of(right).outcome, ==, ASSAY_CONFORMS);
  assay_verdict_free(right);
  /* As far as it takes: not so far that the element is wrong by itself. */
  assay_verdict_t *alone = NULL;
  for (int ulps = 1; ulps < 40; ulps++) {
    move_largest(&subject, 290, 1);
    move_largest(&subject, 391, 1);
    alone = check(context, &subject, 1);
    if (info_of(alone).outcome == ASSAY_DIVERGES) break;
    assay_verdict_free(alone);
  }
  const assay_verdict_info_t info = info_of(alone);
  g_test_message("%s", info.explanation);
  g_assert_cmpint(info.outcome, ==, ASSAY_DIVERGES);
  g_assert_cmpstr(info.class_name, ==, "shared");
  g_assert_cmpint(info.worst_index[0], ==, 290);
  g_assert_true(info.has_interval);
  const char *others = strstr(info.permitted, "element");
  g_assert_nonnull(others);
  const uint64_t other = g_ascii_strtoull(others + strcspn(others, "0123456789"), NULL, 10);
  g_assert_cmpuint(other / 128, ==, 290);
  for (uint32_t threads = 2; threads <= 3; threads++) {
    assay_verdict_t *together = check(context, &subject, threads);
    assert_same(alone, together);
    assay_verdict_free(together);
  }
  assay_verdict_free(alone);
  assay_contract_free(contract);
  subject_clear(&subject);
  assay_context_free(context);
}

static const char LARGE[] = "stablehlo.maximum i8[4097,4099] i8[4097,4099] -> i8[4097,4099]";
static const char UNCUT[] = "stablehlo.reshape i8[4097,4099] -> i8[4099,4097]";

/* What is beyond the bounds of a case line: checked, and refused by all else. */
static void test_large(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  const int64_t dims[] = {4097, 4099}, turned[] = {4099, 4097};
  const size_t count = 4097 * 4099;
  uint8_t *a = g_malloc(count), *b = g_malloc(count), *c = g_malloc(count);
  for (size_t i = 0; i < count; i++) {
    a[i] = (uint8_t)(i * 7 % 128);
    b[i] = (uint8_t)(i * 11 % 128);
    c[i] = MAX(a[i], b[i]);
  }
  const assay_tensor_t operands[] = {dense("i8", 2, dims, a), dense("i8", 2, dims, b)};
  const assay_tensor_t result = dense("i8", 2, dims, c), other = dense("i8", 2, turned, a);
  assay_program_handle_t *program = program_make(LARGE), *uncut = program_make(UNCUT);
  assay_question_t question = ask(program, operands, 2, &result);
  question.threads = 2;
  g_assert_cmpint(outcome_of(context, &question), ==, ASSAY_CONFORMS);
  question.struct_size = offsetof(assay_question_t, threads); /* As it once was. */
  g_assert_cmpint(outcome_of(context, &question), ==, ASSAY_CONFORMS);
  question.struct_size = sizeof question;
  c[count - 5]++;
  assay_verdict_t *verdict = NULL;
  MUST(assay_check(context, &question, &verdict, &error));
  g_assert_cmpuint(info_of(verdict).wrong_count, ==, 1);
  g_assert_cmpint(info_of(verdict).worst_index[0], ==, 4096);
  g_assert_cmpint(info_of(verdict).worst_index[1], ==, 4094);
  assay_verdict_free(verdict);
  assay_accept_set_t *set = NULL;
  assay_case_t *instance = NULL;
  MUST_FAIL(assay_accept(context, &question, &set, &error), ASSAY_UNSUPPORTED);
  MUST_FAIL(assay_simulate(context, &question, "pairwise", &error), ASSAY_UNSUPPORTED);
  MUST_FAIL(assay_case_new(program, operands, 2, &instance, &error), ASSAY_UNSUPPORTED);
  question = ask(uncut, operands, 1, &other);
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_UNSUPPORTED);
  question = ask(program, operands, 2, &result);
  question.threads = 100000;
  MUST_FAIL(assay_check(context, &question, &verdict, &error), ASSAY_INVALID);
  assay_program_free(program);
  assay_program_free(uncut);
  g_free(a);
  g_free(b);
  g_free(c);
  assay_context_free(context);
}

static int32_t end_at_half(void *user, double done) {
  *(int *)user += 1;
  return done >= 0.4;
}

/* The caller's function ends the work of all threads. */
static void test_cancelled(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  subject_t subject;
  subject_init(&subject, context, PROGRAMS[0], "pairwise");
  int calls = 0;
  subject.question.progress = end_at_half;
  subject.question.user = &calls;
  subject.question.threads = 3;
  assay_verdict_t *verdict = NULL;
  MUST_FAIL(assay_check(context, &subject.question, &verdict, &error), ASSAY_CANCELLED);
  g_assert_cmpint(calls, >, 0);
  subject_clear(&subject);
  assay_context_free(context);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  assay_error_t error = ERROR_INIT;
  MUST(assay_ops_load(ASSAY_SOURCE_DIR "/corpus/ops", &error));
  g_test_add_func("/api/parts/threads", test_threads);
  g_test_add_func("/api/parts/budget", test_budget);
  g_test_add_func("/api/parts/rows", test_rows);
  g_test_add_func("/api/parts/reading", test_reading);
  g_test_add_func("/api/parts/large", test_large);
  g_test_add_func("/api/parts/cancelled", test_cancelled);
  return g_test_run();
}
