/* SPDX-License-Identifier: Apache-2.0 */
/* Rough accept sets of large products (theory.md, T296): they lie within the others, and the
 * verdict is the same with them, also where results lie outside of them, and where it proves
 * nothing. */
#include <math.h>
#include <string.h>

#include "harness/run/case_runner.h"
#include "harness/run/stream.h"
#include "oracles/exact/matmul/matmul.h"

static const char *const LINES[] = {
    /* Of more terms than trees are looked for. */
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[50,72] f32[72,40] -> "
    "f32[50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[17,300] f32[300,33] -> "
    "f32[17,33]",
    "stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] f32[2,50,72] f32[2,72,40] -> "
    "f32[2,50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[50,72] bf16[72,40] -> "
    "bf16[50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[32,256] bf16[256,32] -> "
    "bf16[32,32]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[50,72] bf16[72,40] -> "
    "f32[50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f16[50,72] f16[72,40] -> "
    "f16[50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f64[50,72] f64[72,40] -> f64[50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f64[17,300] f64[300,33] -> f64[17,33]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f8E4M3FN[50,72] f8E4M3FN[72,40] -> "
    "f32[50,40]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] complex<f32>[50,72] complex<f32>[72,40] -> "
    "complex<f32>[50,40]",
};

static const stratum_t STRATA[] = {STRATUM_tiles, STRATUM_deployment};

static const char *const CONTRACTS[] = {"wide", "backend", "backend,accum_wider=no,fma=no"};

/* A case with both kinds of sets, and what an implementation returns. */
typedef struct subject {
  arena_t arena;
  case_t instance;
  case_runner_t walk[2]; /* Of which the second takes rough sets. */
  expectation_t expectation[2];
  tensor_t results[CASE_RESULTS_MAX];
} subject_t;

static bool subject_expect(subject_t *subject, const contract_t *contract) {
  failure_t error = {0};
  for (int i = 0; i < 2; i++) {
    case_runner_init(&subject->walk[i], contract, 1);
    subject->walk[i].takes_rough = i == 1;
    subject->walk[i].audit_one_in = 997;
    if (case_runner_expect(&subject->walk[i], &subject->instance, NULL, &subject->arena,
                           &subject->expectation[i], &error) != STATUS_OK) {
      g_error("%s", error.text);
    }
  }
  if (subject->expectation[0].oracle_status != STATUS_OK) return false;
  subject->results[0] = tensor_make(&subject->arena, &subject->instance.program.results[0]);
  const implementation_model_t schedule = {.fault = FAULT_NONE};
  const oracle_call_t call = {.instance = &subject->instance,
                              .contract = contract,
                              .arena = &subject->arena,
                              .error = &error};
  return subject->expectation[0].oracle->simulate(&call, &schedule, subject->results) == STATUS_OK;
}

static bool subject_init(subject_t *subject, const char *line, const char *contract_text,
                         stratum_t stratum, uint64_t seed) {
  failure_t error = {0};
  stream_program_t given;
  contract_t contract;
  arena_init(&subject->arena);
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, &error), ==, STATUS_OK);
  g_assert_cmpint(stream_program_parse(str_from(line), &subject->arena, &given, &error), ==,
                  STATUS_OK);
  subject->instance = case_make(&subject->arena, &given.program);
  stream_draw_data(stratum_mark_seed(stratum, seed), &subject->instance);
  return subject_expect(subject, &contract);
}

/* Whether the second set is rough, and then it lies within the first. */
static bool check_inside(const subject_t *subject) {
  const accept_t *whole = &subject->expectation[0].accepts[0];
  const accept_t *rough = &subject->expectation[1].accepts[0];
  g_assert_false(whole->is_rough);
  if (!rough->is_rough) return false;
  for (size_t i = 0; i < whole->count; i++) {
    g_assert_true(whole->decide == NULL || whole->decide[i] == 0 || rough->decide[i] != 0);
    if (whole->low == NULL || rough->low[i] > rough->high[i]) continue;
    g_assert_cmpfloat(rough->low[i], >=, whole->low[i]);
    g_assert_cmpfloat(rough->high[i], <=, whole->high[i]);
  }
  return true;
}

static void check_verdicts(subject_t *subject, outcome_t *out_outcome) {
  verdict_t verdict[2];
  failure_t error = {0};
  for (int i = 0; i < 2; i++) {
    if (case_runner_judge(&subject->walk[i], &subject->expectation[i], subject->results,
                          &verdict[i], &error) != STATUS_OK) {
      g_error("%s", error.text);
    }
  }
  g_assert_cmpstr(outcome_spelling(verdict[0].outcome), ==, outcome_spelling(verdict[1].outcome));
  g_assert_cmpuint(verdict[0].wrong_count, ==, verdict[1].wrong_count);
  g_assert_cmpuint(verdict[0].component, ==, verdict[1].component);
  g_assert_cmpuint(verdict[0].untested_count, ==, verdict[1].untested_count);
  g_assert_cmpstr(verdict[0].expected, ==, verdict[1].expected);
  g_assert_cmpstr(verdict[0].reason, ==, verdict[1].reason);
  *out_outcome = verdict[0].outcome;
}

/* Moves one component of `from` by a factor of the error that the set permits there. */
static void move(subject_t *subject, size_t component, double factor) {
  const accept_t *whole = &subject->expectation[0].accepts[0];
  const element_t *element = subject->results[0].type.element;
  if (whole->low == NULL || !(whole->low[component] < whole->high[component])) return;
  double half = (whole->high[component] - whole->low[component]) / 2;
  double middle = whole->low[component] + half;
  element_store(element, subject->results[0].data, component,
                format_from_double(element->format, middle + factor * half));
}

typedef struct counts {
  size_t rough;
  size_t outcomes[OUTCOME_COUNT];
} counts_t;

static void count_subject(subject_t *subject, counts_t *counts) {
  static const double factors[] = {0.5, -0.9, 1.5, -3}; /* Of which two conform. */
  outcome_t outcome;
  bool is_rough = check_inside(subject);
  counts->rough += is_rough;
  check_verdicts(subject, &outcome);
  counts->outcomes[outcome] += is_rough;
  size_t count = subject->expectation[0].accepts[0].count;
  for (size_t i = 0; i < G_N_ELEMENTS(factors); i++) {
    move(subject, (i + 1) * count / 7, factors[i]);
    check_verdicts(subject, &outcome);
    counts->outcomes[outcome] += is_rough;
  }
}

static void test_contract(gconstpointer data) {
  const char *contract = data;
  counts_t counts = {0};
  for (size_t line = 0; line < G_N_ELEMENTS(LINES); line++) {
    for (size_t i = 0; i < G_N_ELEMENTS(STRATA); i++) {
      subject_t subject;
      if (subject_init(&subject, LINES[line], contract, STRATA[i], line + 1)) {
        count_subject(&subject, &counts);
      }
      arena_deinit(&subject.arena);
    }
  }
  g_test_message("%s: %zu rough, %zu conforming, %zu diverging, %zu weak verdicts of these",
                 contract, counts.rough, counts.outcomes[OUTCOME_conforms],
                 counts.outcomes[OUTCOME_diverges], counts.outcomes[OUTCOME_weak]);
  g_assert_cmpuint(counts.rough, >, 6);
  g_assert_cmpuint(counts.outcomes[OUTCOME_conforms], >, 6);
  g_assert_cmpuint(counts.outcomes[OUTCOME_diverges], >, 6);
}

/* Terms of a row cancel but for those of the first two, so that zero conforms there: of the rows
 * that are measured, and of those from `first` on. */
static void fill_cancelling(case_t *instance, size_t first) {
  const element_t *element = instance->operands[0].type.element;
  for (size_t i = 0; i < (size_t)50 * 72; i++) {
    bool cancels = exact_matmul_is_measured(i / 72) || i / 72 >= first;
    double value = (cancels && i % 2 == 0 ? -1 : 1) / (1.3 + (double)(i % 72 / 2));
    element_store(element, instance->operands[0].data, i,
                  format_from_double(element->format, value));
  }
  for (size_t i = 0; i < (size_t)72 * 40; i++) {
    double value = 1 / (1.7 + (double)(i / 80)) + (i / 40 == 1 ? 0x1p-23 : 0);
    element_store(element, instance->operands[1].data, i,
                  format_from_double(element->format, value));
  }
}

/* That zeros everywhere would have conformed is not said where it is true of what rough sets tell
 * alone: of the rows that are measured; and, where a component lies outside of these sets, of those
 * that come after it. */
static void test_some_rows_prove_nothing(void) {
  for (int has_outside = 0; has_outside < 2; has_outside++) {
    subject_t subject;
    g_assert_true(subject_init(&subject, LINES[0], "backend", STRATUM_deployment, 1));
    fill_cancelling(&subject.instance, has_outside == 1 ? 30 : 50);
    const contract_t contract = contract_backend();
    g_assert_true(subject_expect(&subject, &contract));
    g_assert_true(check_inside(&subject));
    const accept_t *whole = &subject.expectation[0].accepts[0];
    const accept_t *rough = &subject.expectation[1].accepts[0];
    g_assert_true(whole->low[0] < 0 && whole->high[0] > 0 && whole->low[20 * 40] > 0);
    for (size_t i = 0; i < whole->count; i++) move(&subject, i, 0);
    if (has_outside == 1) {
      const size_t last = 49 * 40 + 31; /* The last column that is rough. */
      move(&subject, last, 0.95);
      uint64_t bits = element_load(subject.results[0].type.element, subject.results[0].data, last);
      g_assert_true(accept_holds(whole, subject.results[0].type.element, last, bits));
      g_assert_false(accept_holds(rough, subject.results[0].type.element, last, bits));
    }
    outcome_t outcome;
    check_verdicts(&subject, &outcome);
    g_assert_cmpstr(outcome_spelling(outcome), ==, "conforms");
    arena_deinit(&subject.arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(CONTRACTS); i++) {
    g_autofree char *path = g_strdup_printf("/rough-sets/%s", CONTRACTS[i]);
    g_test_add_data_func(path, CONTRACTS[i], test_contract);
  }
  g_test_add_func("/rough-sets/some-rows-prove-nothing", test_some_rows_prove_nothing);
  return g_test_run();
}
