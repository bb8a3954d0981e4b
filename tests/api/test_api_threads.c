/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads check at once, with a context each and programs shared: every thread sees the
 * verdicts that one thread alone sees. */
#include <sys/mman.h>

#include "tests/api/api_test.h"

enum { THREADS = 4, CASES = 25 };

static const char *const OPS[] = {"stablehlo.dot_general", "stablehlo.reduce", "byteir.softmax",
                                  "byteir.layer_norm", "stablehlo.convolution"};

/* What is the same for all: cases with results, some of them of a faulty model. */
typedef struct work {
  assay_case_t *cases[CASES];
  assay_tensor_t operands[CASES][OPERANDS_MAX];
  assay_tensor_t results[CASES][RESULTS_MAX];
  assay_question_t questions[CASES];
} work_t;

typedef struct thread_state {
  const work_t *work;
  size_t first; /* Where it begins, so that threads meet in different cases. */
  char *explanations[CASES];
} thread_state_t;

static size_t bytes_of(const assay_tensor_t *result) { return 8 * count_of(result) + 8; }

/* Results belong to the caller, whose threads share them: who writes there, and be it for a moment,
 * ends the test. */
static void make_read_only(assay_tensor_t *results, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    size_t bytes = bytes_of(&results[i]);
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(pages != MAP_FAILED);
    memcpy(pages, results[i].data, bytes);
    g_free(results[i].data);
    results[i].data = pages;
    g_assert_cmpint(mprotect(pages, bytes, PROT_READ), ==, 0);
  }
}

static void free_read_only(assay_tensor_t *results, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) munmap(results[i].data, bytes_of(&results[i]));
}

static work_t *make_work(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  work_t *work = g_new0(work_t, 1);
  for (size_t i = 0; i < CASES; i++) {
    const assay_draw_t draw = {.struct_size = sizeof draw,
                               .op = OPS[i % G_N_ELEMENTS(OPS)],
                               .strata = "corner=1",
                               .seed = i};
    MUST(assay_case_draw(context, &draw, &work->cases[i], &error));
    const assay_program_handle_t *program = assay_case_program(work->cases[i]);
    work->questions[i] = (assay_question_t){QUESTION_INIT, .program = program};
    work->questions[i].operands = work->operands[i];
    work->questions[i].results = work->results[i];
    work->questions[i].operand_count = operands_of(work->cases[i], work->operands[i]);
    work->questions[i].result_count = results_make(program, work->results[i]);
    const char *model = i % 3 == 0 ? "canary:drop_last_term" : "pairwise";
    assay_simulate(context, &work->questions[i], model, NULL); /* Else zeros are judged. */
    make_read_only(work->results[i], work->questions[i].result_count);
  }
  assay_context_free(context);
  return work;
}

static gpointer check_all(gpointer data) {
  thread_state_t *state = data;
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  for (size_t i = 0; i < CASES; i++) {
    size_t at = (state->first + i) % CASES;
    assay_verdict_t *verdict = NULL;
    MUST(assay_check(context, &state->work->questions[at], &verdict, &error));
    assay_verdict_info_t info = {.struct_size = sizeof info};
    MUST(assay_verdict_info(verdict, &info, &error));
    state->explanations[at] =
        g_strdup_printf("%s %s", info.explanation, assay_case_line(state->work->cases[at]));
    assay_verdict_free(verdict);
  }
  assay_context_free(context);
  return NULL;
}

static void test_threads(void) {
  work_t *work = make_work();
  thread_state_t alone = {.work = work};
  check_all(&alone);
  size_t diverging = 0;
  for (size_t i = 0; i < CASES; i++)
    diverging += strncmp(alone.explanations[i], "diverges", 8) == 0;
  g_test_message("%zu of %d diverge", diverging, (int)CASES);
  g_assert_cmpuint(diverging, >, 3);
  thread_state_t states[THREADS];
  GThread *threads[THREADS];
  for (size_t t = 0; t < THREADS; t++) {
    states[t] = (thread_state_t){.work = work, .first = t * CASES / THREADS};
    threads[t] = g_thread_new("check", check_all, &states[t]);
  }
  for (size_t t = 0; t < THREADS; t++) {
    g_thread_join(threads[t]);
    for (size_t i = 0; i < CASES; i++) {
      g_assert_cmpstr(states[t].explanations[i], ==, alone.explanations[i]);
      g_free(states[t].explanations[i]);
    }
  }
  for (size_t i = 0; i < CASES; i++) {
    g_free(alone.explanations[i]);
    free_read_only(work->results[i], work->questions[i].result_count);
    assay_case_free(work->cases[i]);
  }
  g_free(work);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/threads/check", test_threads);
  return g_test_run();
}
