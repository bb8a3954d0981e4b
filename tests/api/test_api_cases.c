/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that the library draws: models conform on all ops, planted faults are found, cases shrink,
 * what is told of power and accept sets agrees with checks, and files declare ops. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/api_test.h"

static assay_case_t *draw(assay_context_t *context, const char *op, const char *types,
                          uint64_t seed) {
  assay_error_t error = ERROR_INIT;
  assay_case_t *instance = NULL;
  const assay_draw_t options = {
      .struct_size = sizeof options, .op = op, .types = types, .strata = "corner=1", .seed = seed};
  MUST(assay_case_draw(context, &options, &instance, &error));
  return instance;
}

/* A case and room for its results. */
typedef struct subject {
  assay_case_t *instance;
  assay_tensor_t operands[OPERANDS_MAX];
  assay_tensor_t results[RESULTS_MAX];
  assay_question_t question;
} subject_t;

static void subject_init(subject_t *subject, assay_case_t *instance) {
  const assay_program_handle_t *program = assay_case_program(instance);
  *subject = (subject_t){.instance = instance};
  subject->question = (assay_question_t){QUESTION_INIT, .program = program};
  subject->question.operands = subject->operands;
  subject->question.results = subject->results;
  subject->question.operand_count = operands_of(instance, subject->operands);
  subject->question.result_count = results_make(program, subject->results);
}

static void subject_clear(subject_t *subject) {
  results_free(subject->results, subject->question.result_count);
  assay_case_free(subject->instance);
}

/* Whatever model runs whatever op: it is not blamed. */
static void test_models_conform(void) {
  enum { CASES = 6 };
  assay_context_t *context = context_make();
  size_t conforming = 0;
  for (size_t op = 0; assay_op_name(op) != NULL; op++) {
    for (uint64_t seed = 0; seed < CASES; seed++) {
      assay_error_t error = ERROR_INIT;
      subject_t subject;
      subject_init(&subject, draw(context, assay_op_name(op), NULL, seed));
      int32_t answer = assay_simulate(context, &subject.question, "pairwise", &error);
      if (answer == ASSAY_OK) {
        int32_t outcome = outcome_of(context, &subject.question);
        if (outcome == ASSAY_DIVERGES) g_test_message("%s", assay_case_line(subject.instance));
        g_assert_cmpint(outcome, !=, ASSAY_DIVERGES);
        conforming += outcome == ASSAY_CONFORMS;
      } else {
        g_assert_cmpint(answer, ==, ASSAY_UNSUPPORTED);
      }
      subject_clear(&subject);
    }
  }
  g_test_message("%zu conforming cases", conforming);
  g_assert_cmpuint(conforming, >, 100);
  assay_context_free(context);
}

/* The same seed gives the same case, and its line gives it back. */
static void test_draws(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_case_t *first = draw(context, "stablehlo.dot_general", "bf16,bf16->f32", 7);
  assay_case_t *again = draw(context, "stablehlo.dot_general", "bf16,bf16->f32", 7);
  assay_case_t *other = draw(context, "stablehlo.dot_general", "bf16,bf16->f32", 8);
  g_assert_cmpstr(assay_case_line(first), ==, assay_case_line(again));
  g_assert_cmpstr(assay_case_line(first), !=, assay_case_line(other));
  assay_case_t *parsed = NULL, *data = NULL;
  MUST(assay_case_parse(assay_case_line(first), &parsed, &error));
  g_assert_cmpstr(assay_case_line(first), ==, assay_case_line(parsed));
  const assay_program_handle_t *program = assay_case_program(first);
  const assay_draw_t options = {
      .struct_size = sizeof options, .program = program, .strata = "extremes=1", .seed = 3};
  MUST(assay_case_draw(context, &options, &data, &error));
  g_assert_cmpstr(assay_program_line(assay_case_program(data)), ==, assay_program_line(program));
  g_assert_cmpstr(assay_case_line(data), !=, assay_case_line(first));
  assay_tensor_t operand = {.struct_size = sizeof operand};
  MUST(assay_case_operand(first, 0, &operand, &error));
  g_assert_cmpstr(operand.element, ==, "bf16");
  MUST_FAIL(assay_case_operand(first, 2, &operand, &error), ASSAY_INVALID);
  assay_case_free(first);
  assay_case_free(again);
  assay_case_free(other);
  assay_case_free(parsed);
  assay_case_free(data);
  assay_context_free(context);
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

typedef struct kernel_state {
  assay_context_t *context;
  const char *model;
  uint32_t runs;
} kernel_state_t;

static int32_t run_model(void *user, const assay_question_t *question) {
  kernel_state_t *state = user;
  state->runs++;
  return assay_simulate(state->context, question, state->model, NULL);
}

static void test_shrinks(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  kernel_state_t state = {context_make(), "canary:drop_last_term", 0};
  const assay_tested_kernel_t kernel = {
      .struct_size = sizeof kernel, .run = run_model, .user = &state};
  subject_t subject;
  const char *line =
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[5,40] f32[40,7] -> "
      "f32[5,7]";
  assay_program_handle_t *program = program_make(line);
  assay_case_t *start = NULL, *smallest = NULL;
  const assay_draw_t options = {
      .struct_size = sizeof options, .program = program, .strata = "deployment=1", .seed = 1};
  MUST(assay_case_draw(context, &options, &start, &error));
  subject_init(&subject, start);
  assay_shrink_info_t info = {.struct_size = sizeof info};
  MUST(assay_shrink(context, &subject.question, &kernel, &smallest, &info, &error));
  g_test_message("%u calls: %s", info.calls, assay_case_line(smallest));
  g_assert_true(info.is_reproduced);
  g_assert_cmpuint(info.calls, ==, state.runs);
  g_assert_cmpuint(strlen(assay_case_line(smallest)), <, 160);
  subject_t small;
  subject_init(&small, smallest);
  g_assert_cmpint(run_model(&state, &small.question), ==, 0);
  g_assert_cmpint(outcome_of(context, &small.question), ==, ASSAY_DIVERGES);
  subject_clear(&small);

  /* One that is right shows nothing, and the case stays. */
  state.model = "pairwise";
  MUST(assay_shrink(context, &subject.question, &kernel, &smallest, &info, &error));
  g_assert_false(info.is_reproduced);
  g_assert_cmpstr(assay_case_line(smallest), ==, assay_case_line(start));
  assay_case_free(smallest);
  subject_clear(&subject);
  assay_program_free(program);
  assay_context_free(state.context);
  assay_context_free(context);
}

/* ---- Progress -------------------------------------------------------------------------------- */

typedef struct told {
  uint32_t count, stop_at;
  double last;
} told_t;

static int32_t note_progress(void *user, double done) {
  told_t *told = user;
  g_assert_cmpfloat(done, >=, told->last);
  g_assert_cmpfloat(done, <=, 1);
  told->last = done;
  return ++told->count == told->stop_at;
}

/* Each place where a check asks may be the end of it, and the context is as good as before.  Of the
 * cases some have elements that are decided exactly, at each of which it asks. */
static void test_cancels(void) {
  enum { SEEDS = 24, STOPS_MAX = 30, ASKED_ANYWAY = 3 };
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  size_t with_decisions = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    subject_t subject;
    subject_init(&subject, draw(context, "byteir.layer_norm", "f16", seed));
    MUST(assay_simulate(context, &subject.question, "shuffled", &error));
    told_t all = {0};
    subject.question.progress = note_progress;
    subject.question.user = &all;
    int32_t outcome = outcome_of(context, &subject.question);
    g_assert_cmpfloat(all.last, ==, 1);
    with_decisions += all.count > ASKED_ANYWAY;
    for (uint32_t stop = 1; stop <= MIN(all.count, STOPS_MAX); stop++) {
      told_t told = {.stop_at = stop};
      subject.question.user = &told;
      assay_verdict_t *verdict = NULL;
      g_assert_cmpint(assay_check(context, &subject.question, &verdict, &error), ==,
                      ASSAY_CANCELLED);
      g_assert_null(verdict);
      g_assert_cmpuint(told.count, ==, stop);
    }
    subject.question.progress = NULL;
    g_assert_cmpint(outcome_of(context, &subject.question), ==, outcome);
    subject_clear(&subject);
  }
  g_test_message("%zu of %d cases had elements decided exactly", with_decisions, (int)SEEDS);
  g_assert_cmpuint(with_decisions, >, 2);
  assay_context_free(context);
}

/* ---- Accept sets and power ------------------------------------------------------------------- */

/* What conforms by the arrays conforms by a check, of types of every kind. */
static void test_accepts(void) {
  static const char *const ops[] = {"stablehlo.reduce", "byteir.softmax", "stablehlo.convert",
                                    "stablehlo.maximum", "stablehlo.multiply"};
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  size_t probed = 0, with_special = 0;
  for (size_t i = 0; i < 20 * G_N_ELEMENTS(ops); i++) {
    subject_t subject;
    subject_init(&subject, draw(context, ops[i % G_N_ELEMENTS(ops)], NULL, i));
    bool is_small = subject.question.result_count == 1 && count_of(&subject.results[0]) <= 24 &&
                    strstr(subject.results[0].element, "quant") == NULL;
    assay_accept_set_t *set = NULL;
    int32_t answer = is_small ? assay_accept(context, &subject.question, &set, &error) : 1;
    if (answer == ASSAY_OK) {
      assay_accept_info_t info = {.struct_size = sizeof info};
      MUST(assay_accept_info(set, 0, &info, &error));
      MUST_FAIL(assay_accept_info(set, 1, &info, &error), ASSAY_INVALID);
      bool is_known = info.count > 0;
      for (size_t k = 0; k < info.count; k++) {
        bool has_value = info.unknown[k] == 0 && !isnan(info.low[k]);
        is_known &= has_value;
        with_special += info.specials[k] != 0;
        if (has_value) g_assert_cmpfloat(info.low[k], <=, info.high[k]);
      }
      /* All lowest values together conform, element by element. */
      if (is_known) {
        size_t width = g_str_has_suffix(subject.results[0].element, "64") ||
                               g_str_has_suffix(subject.results[0].element, "64>")
                           ? 8
                       : strstr(subject.results[0].element, "32") != NULL ? 4
                       : strstr(subject.results[0].element, "16") != NULL ? 2
                                                                          : 1;
        for (size_t k = 0; k < info.count; k++) {
          memcpy((char *)subject.results[0].data + k * width, &info.low_bits[k], width);
        }
        g_assert_cmpint(outcome_of(context, &subject.question), !=, ASSAY_DIVERGES);
        probed++;
      }
      assay_accept_set_free(set);
    }
    subject_clear(&subject);
  }
  g_test_message("%zu cases at their lowest, %zu elements with specials", probed, with_special);
  g_assert_cmpuint(probed, >, 15);
  g_assert_cmpuint(with_special, >, 5);
  assay_context_free(context);
}

static void test_power(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  subject_t subject;
  assay_program_handle_t *program = program_make(
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[4,64] f32[64,4] -> f32[4,4]");
  assay_case_t *instance = NULL;
  const assay_draw_t options = {
      .struct_size = sizeof options, .program = program, .strata = "deployment=1", .seed = 1};
  MUST(assay_case_draw(context, &options, &instance, &error));
  subject_init(&subject, instance);
  assay_power_info_t backend = {.struct_size = sizeof backend}, spec = backend;
  MUST(assay_power(context, &subject.question, 8, &backend, &error));
  g_test_message("%s", backend.text);
  g_assert_cmpuint(backend.element_count, ==, 8);
  g_assert_cmpfloat(backend.ulps_median, >, 0.5);
  assay_contract_t *contract = NULL;
  MUST(assay_contract_new("spec", &contract, &error));
  subject.question.contract = contract;
  MUST(assay_power(context, &subject.question, 8, &spec, &error));
  g_test_message("%s", spec.text);
  g_assert_cmpfloat(spec.ulps_max, <=, backend.ulps_max);
  MUST_FAIL(assay_power(context, &subject.question, 0, &spec, &error), ASSAY_INVALID);
  assay_contract_free(contract);
  subject_clear(&subject);
  assay_program_free(program);
  assay_context_free(context);
}

/* ---- Ops of files ---------------------------------------------------------------------------- */

static gpointer load_all(gpointer unused) {
  assay_error_t error = ERROR_INIT;
  MUST(assay_ops_load(ASSAY_SOURCE_DIR "/corpus/ops", &error));
  return unused;
}

static size_t count_ops(void) {
  size_t count = 0;
  while (assay_op_name(count) != NULL) count++;
  return count;
}

static void check_not_loaded(const char *text, const char *says) {
  assay_error_t error = ERROR_INIT;
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "assay_api_test.op", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  const size_t before = count_ops();
  MUST_FAIL(assay_ops_load(path, &error), ASSAY_INVALID);
  g_assert_nonnull(strstr(error.text, says));
  g_assert_cmpuint(count_ops(), ==, before);
  unlink(path);
}

/* Several threads add the same files while another draws; models of what is there conform. */
static void test_ops_of_files(void) {
  assay_error_t error = ERROR_INIT;
  assay_program_handle_t *none = NULL;
  MUST_FAIL(assay_program_new("nn.silu", &none, &error), ASSAY_INVALID);
  const size_t before = count_ops();
  GThread *threads[4];
  for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
    threads[i] = g_thread_new("load", load_all, NULL);
  }
  assay_context_t *context = context_make();
  for (uint64_t seed = 0; seed < 50; seed++) {
    assay_case_free(draw(context, "stablehlo.add", NULL, seed));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) g_thread_join(threads[i]);
  const size_t after = count_ops();
  g_assert_cmpuint(after, >=, before + 18);
  load_all(NULL);
  g_assert_cmpuint(count_ops(), ==, after);
  for (uint64_t seed = 0; seed < 50; seed++) {
    subject_t subject;
    subject_init(&subject, draw(context, "nn.rms_norm", "f32", seed));
    MUST(assay_simulate(context, &subject.question, "pairwise", &error));
    g_assert_cmpint(outcome_of(context, &subject.question), !=, ASSAY_DIVERGES);
    subject_clear(&subject);
  }
  assay_context_free(context);
  check_not_loaded("op nn.silu\nsummary s\noperand x[N]\nresult y[N]\ny = x * 2\n",
                   "declares nn.silu already");
  check_not_loaded("op my.op\nsummary s\noperand x[N]\nresult y[N]\ny = z\n", ".op:5:5: no value");
  MUST_FAIL(assay_ops_load(NULL, &error), ASSAY_INVALID);
  MUST_FAIL(assay_ops_load("", &error), ASSAY_INVALID);
  MUST_FAIL(assay_ops_load("/nowhere/x.op", &error), ASSAY_INVALID);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/cases/models-conform", test_models_conform);
  g_test_add_func("/api/cases/draws", test_draws);
  g_test_add_func("/api/cases/shrinks", test_shrinks);
  g_test_add_func("/api/cases/cancels", test_cancels);
  g_test_add_func("/api/cases/accepts", test_accepts);
  g_test_add_func("/api/cases/power", test_power);
  g_test_add_func("/api/cases/ops-of-files", test_ops_of_files);
  return g_test_run();
}
