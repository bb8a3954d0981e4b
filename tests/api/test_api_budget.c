/* SPDX-License-Identifier: Apache-2.0 */
/* Checks with a budget: a sample agrees with the whole on every element that it has, says what it
 * may have missed, and sees faults of the density that it promises. */
#include "tests/api/api_test.h"

static const struct {
  const char *line;
  size_t components;
} PROGRAMS[] = {
    {"stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[150,24] f32[24,140] -> f32[150,140]",
     21000},
    {"stablehlo.dot_general batch=[0]x[1] contract=[1]x[2] bf16[3,20,90] bf16[80,3,20] -> "
     "f32[3,90,80]",
     21600},
    {"stablehlo.dot_general batch=[]x[] contract=[2,0]x[0,1] f16[3,160,4] f16[4,3,130] -> "
     "f16[160,130]",
     20800},
    {"stablehlo.dot_general batch=[]x[] contract=[1]x[0] i8[150,8] i8[8,150] -> i32[150,150]",
     22500},
    {"stablehlo.dot_general batch=[]x[] contract=[1]x[0] complex<f32>[110,6] complex<f32>[6,120] "
     "-> "
     "complex<f32>[110,120]",
     26400}};

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
      .struct_size = sizeof draw, .program = subject->program, .strata = "deployment=1", .seed = 1};
  MUST(assay_case_draw(context, &draw, &subject->instance, &error));
  subject->question = ask(subject->program, subject->operands, 2, subject->results);
  operands_of(subject->instance, subject->operands);
  results_make(subject->program, subject->results);
  MUST(assay_simulate(context, &subject->question, model, &error));
}

static void subject_clear(subject_t *subject) {
  results_free(subject->results, 1);
  assay_case_free(subject->instance);
  assay_program_free(subject->program);
}

static assay_verdict_t *check(assay_context_t *context, subject_t *subject, double budget) {
  assay_error_t error = ERROR_INIT;
  assay_verdict_t *verdict = NULL;
  subject->question.budget_seconds = budget;
  MUST(assay_check(context, &subject->question, &verdict, &error));
  return verdict;
}

/* What is right conforms, and what was not looked at is said. */
static void test_conforms(void) {
  assay_context_t *context = context_make();
  for (size_t i = 0; i < G_N_ELEMENTS(PROGRAMS); i++) {
    g_test_message("%s", PROGRAMS[i].line);
    subject_t subject;
    subject_init(&subject, context, PROGRAMS[i].line, "pairwise");
    assay_verdict_t *sampled = check(context, &subject, 1e-9);
    assay_verdict_info_t info = info_of(sampled);
    g_test_message("%s", info.explanation);
    g_assert_cmpint(info.outcome, ==, ASSAY_CONFORMS);
    g_assert_cmpuint(info.left_out_count, >, 0);
    g_assert_cmpuint(info.left_out_count + info.component_count, ==, PROGRAMS[i].components);
    g_assert_cmpuint(info.missed_one_in, ==, 1000);
    assay_verdict_t *whole = check(context, &subject, 3600);
    assay_verdict_info_t all = info_of(whole);
    g_assert_cmpint(all.outcome, ==, ASSAY_CONFORMS);
    g_assert_cmpuint(all.left_out_count, ==, 0);
    g_assert_cmpuint(all.component_count, ==, PROGRAMS[i].components);
    g_assert_cmpfloat(info.ulp_error_max, <=, all.ulp_error_max);
    assay_verdict_free(sampled);
    assay_verdict_free(whole);
    subject.question.flags = ASSAY_ALL_ELEMENTS;
    whole = check(context, &subject, 1e-9);
    g_assert_cmpuint(info_of(whole).left_out_count, ==, 0);
    assay_verdict_free(whole);
    subject_clear(&subject);
  }
  assay_context_free(context);
}

/* One element in 300 is another number: the sample finds some of these and no others. */
static void test_finds(void) {
  assay_context_t *context = context_make();
  for (size_t i = 0; i < G_N_ELEMENTS(PROGRAMS); i++) {
    g_test_message("%s", PROGRAMS[i].line);
    subject_t subject;
    subject_init(&subject, context, PROGRAMS[i].line, "pairwise");
    size_t width = strstr(PROGRAMS[i].line, "-> f16") != NULL ? 2 : 4;
    uint8_t *data = subject.results[0].data;
    for (size_t k = 7; k < PROGRAMS[i].components; k += 300) data[k * width + width - 1] ^= 0x40;
    assay_verdict_t *sampled = check(context, &subject, 1e-9);
    assay_verdict_t *whole = check(context, &subject, 0);
    assay_verdict_info_t info = info_of(sampled);
    g_test_message("%s", info.explanation);
    g_assert_cmpint(info.outcome, ==, ASSAY_DIVERGES);
    g_assert_cmpint(info_of(whole).outcome, ==, ASSAY_DIVERGES);
    assay_error_t error = ERROR_INIT;
    const uint8_t *wrong = NULL, *all_wrong = NULL;
    size_t count = 0, found = 0, same = 0;
    MUST(assay_verdict_wrong(sampled, 0, &wrong, &count, &error));
    MUST(assay_verdict_wrong(whole, 0, &all_wrong, &count, &error));
    for (size_t k = 0; k < count; k++) {
      found += wrong[k];
      same += wrong[k] != 0 && all_wrong[k] != 0;
      if (wrong[k] != 0) g_assert_cmpuint(k % 300, ==, 7);
    }
    g_assert_cmpuint(found, >, 10);
    g_assert_cmpuint(same, ==, found);
    g_assert_cmpuint(found, ==, info.wrong_count);
    size_t place = 0;
    for (uint32_t d = 0; d < info.worst_rank; d++) {
      place = place * (size_t)subject.results[0].dims[d] + (size_t)info.worst_index[d];
    }
    if (strstr(PROGRAMS[i].line, "complex") != NULL) place = 2 * place + info.worst_part;
    g_assert_cmpuint(place % 300, ==, 7);
    assay_verdict_free(sampled);
    assay_verdict_free(whole);
    subject_clear(&subject);
  }
  assay_context_free(context);
}

/* The cause of a fault is named as it is without a budget. */
static void test_cause(void) {
  assay_context_t *context = context_make();
  subject_t subject;
  subject_init(&subject, context, PROGRAMS[0].line, "canary:drop_last_term");
  assay_verdict_t *sampled = check(context, &subject, 1e-9), *whole = check(context, &subject, 0);
  assay_verdict_info_t info = info_of(sampled), all = info_of(whole);
  g_test_message("%s", info.explanation);
  g_assert_cmpuint(info.left_out_count, >, 0);
  g_assert_cmpstr(info.cause, !=, "");
  g_assert_cmpstr(info.cause, ==, all.cause);
  g_assert_cmpstr(info.cause_text, ==, all.cause_text);
  g_assert_true(info.has_interval);
  assay_verdict_free(sampled);
  assay_verdict_free(whole);
  subject_clear(&subject);
  assay_context_free(context);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/budget/conforms", test_conforms);
  g_test_add_func("/api/budget/finds", test_finds);
  g_test_add_func("/api/budget/cause", test_cause);
  return g_test_run();
}
