/* SPDX-License-Identifier: Apache-2.0 */
/* Checks through the library: what is right is not blamed, in whatever layout it lies, and what is
 * wrong is described. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/api/api_test.h"

enum { M = 4, K = 24, N = 5 };

static assay_program_handle_t *matmul_typed(const char *from, const char *to) {
  assay_error_t error = ERROR_INIT;
  assay_program_handle_t *program = NULL;
  const int64_t one = 1, zero = 0;
  MUST(assay_program_new("stablehlo.dot_general", &program, &error));
  MUST(assay_program_set_dimension_pair(program, "batch", NULL, NULL, 0, &error));
  MUST(assay_program_set_dimension_pair(program, "contract", &one, &zero, 1, &error));
  MUST(assay_program_add_operand(program, from, 2, (const int64_t[]){M, K}, &error));
  MUST(assay_program_add_operand(program, from, 2, (const int64_t[]){K, N}, &error));
  MUST(assay_program_add_result(program, to, 2, (const int64_t[]){M, N}, &error));
  MUST(assay_program_finish(program, &error));
  return program;
}

static void fill(float *a, float *b) {
  for (int i = 0; i < M * K; i++) a[i] = (float)sin(i * 0.7 + 1);
  for (int i = 0; i < K * N; i++) b[i] = (float)cos(i * 0.3 + 2);
}

static void multiply(const float *a, const float *b, int terms, float *out) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int k = 0; k < terms; k++) sum += a[i * K + k] * b[k * N + j];
      out[i * N + j] = sum;
    }
  }
}

static const int64_t shape_a[] = {M, K}, shape_b[] = {K, N}, shape_c[] = {M, N};

static void test_conforms(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = matmul_typed("f32", "f32");
  float a[M * K], b[K * N], c[M * N];
  fill(a, b);
  multiply(a, b, K, c);
  const assay_tensor_t operands[] = {dense("f32", 2, shape_a, a), dense("f32", 2, shape_b, b)};
  const assay_tensor_t result = dense("f32", 2, shape_c, c);
  const assay_question_t question = ask(program, operands, 2, &result);
  assay_verdict_t *verdict = NULL;
  MUST(assay_check(context, &question, &verdict, &error));
  assay_verdict_info_t info = info_of(verdict);
  g_assert_cmpint(info.outcome, ==, ASSAY_CONFORMS);
  g_assert_cmpuint(info.component_count, ==, M * N);
  g_assert_cmpuint(info.wrong_count, ==, 0);
  g_assert_cmpstr(info.class_name, ==, "");
  g_assert_cmpstr(assay_verdict_replay(verdict), ==, "");
  g_assert_cmpstr(assay_verdict_smallest(verdict), ==, "");
  const uint8_t *wrong = (const uint8_t *)"";
  size_t count = 0;
  MUST(assay_verdict_wrong(verdict, 0, &wrong, &count, &error));
  g_assert_null(wrong);
  g_assert_cmpuint(count, ==, M * N);
  assay_verdict_free(verdict);
  assay_program_free(program);
  assay_context_free(context);
}

/* The worst element alone is a row by a column, and the result that came. */
static void check_smallest(assay_context_t *context, const assay_verdict_t *verdict, int terms) {
  assay_error_t error = ERROR_INIT;
  g_auto(GStrv) parts = g_strsplit(assay_verdict_smallest(verdict), "\t", 2);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  assay_case_t *smallest = NULL;
  MUST(assay_case_parse(parts[0], &smallest, &error));
  const char *line = assay_program_line(assay_case_program(smallest));
  g_assert_true(g_str_has_suffix(line, " f32[1,24] f32[24,1] -> f32[1,1]"));
  assay_tensor_t operands[OPERANDS_MAX];
  g_assert_cmpuint(operands_of(smallest, operands), ==, 2);
  const float *a = operands[0].data, *b = operands[1].data;
  float sum = 0;
  for (int k = 0; k < terms; k++) sum += a[k] * b[k];
  g_autofree char *hex = g_strdup_printf("%08x", ((union {
                                                   float value;
                                                   uint32_t bits;
                                                 }){sum})
                                                     .bits);
  g_assert_cmpstr(parts[1], ==, hex);
  const assay_tensor_t result = dense("f32", 2, (const int64_t[]){1, 1}, &sum);
  const assay_question_t question = ask(assay_case_program(smallest), operands, 2, &result);
  g_assert_cmpint(outcome_of(context, &question), ==, ASSAY_DIVERGES);
  assay_case_free(smallest);
}

/* A tail left out: the cause, the worst element, what is permitted there, and a line that replays
 * it. */
static void test_diverges(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = matmul_typed("f32", "f32");
  float a[M * K], b[K * N], c[M * N], kept[M * K];
  fill(a, b);
  memcpy(kept, a, sizeof a);
  multiply(a, b, K - 1, c);
  const assay_tensor_t operands[] = {dense("f32", 2, shape_a, a), dense("f32", 2, shape_b, b)};
  const assay_tensor_t result = dense("f32", 2, shape_c, c);
  const assay_question_t question = ask(program, operands, 2, &result);
  assay_verdict_t *verdict = NULL;
  MUST(assay_check(context, &question, &verdict, &error));
  assay_verdict_info_t info = info_of(verdict);
  g_test_message("%s", info.explanation);
  g_assert_cmpint(info.outcome, ==, ASSAY_DIVERGES);
  g_assert_cmpstr(info.class_name, ==, "value");
  g_assert_cmpuint(info.wrong_count, ==, M * N);
  g_assert_cmpstr(info.cause, !=, "");
  g_assert_true(strstr(info.cause_text, "23") != NULL);
  g_assert_cmpuint(info.worst_rank, ==, 2);
  int64_t i = info.worst_index[0], j = info.worst_index[1];
  g_assert_cmpfloat(info.got.number, ==, (double)c[i * N + j]);
  double exact = 0;
  for (int k = 0; k < K; k++) exact += (double)a[i * K + k] * (double)b[k * N + j];
  g_assert_cmpfloat(fabs(info.exact.number - exact), <, 1e-14);
  g_assert_cmpfloat(g_ascii_strtod(info.exact.decimal, NULL), ==, info.exact.number);
  g_assert_cmpfloat(g_ascii_strtod(info.exact.hex, NULL), ==, info.exact.number);
  g_assert_true(info.has_interval);
  g_assert_cmpfloat(info.permitted_low.number, <, exact);
  g_assert_cmpfloat(info.permitted_high.number, >, exact);
  bool is_outside =
      info.got.number < info.permitted_low.number || info.got.number > info.permitted_high.number;
  g_assert_true(is_outside);
  g_assert_true(g_str_has_prefix(assay_verdict_replay(verdict), "printf '%s\\t%s\\n' 'stablehlo."));
  check_smallest(context, verdict, K - 1);
  const uint8_t *wrong = NULL;
  size_t count = 0;
  MUST(assay_verdict_wrong(verdict, 0, &wrong, &count, &error));
  for (size_t e = 0; e < count; e++) g_assert_cmpuint(wrong[e], ==, 1);
  g_assert_true(memcmp(a, kept, sizeof a) == 0);
  assay_verdict_free(verdict);
  assay_program_free(program);
  assay_context_free(context);
}

/* The ends are exact: each conforms, and the next float beyond does not. */
static void test_ends(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = matmul_typed("f32", "f32");
  float a[M * K], b[K * N], c[M * N];
  fill(a, b);
  multiply(a, b, K, c);
  const assay_tensor_t operands[] = {dense("f32", 2, shape_a, a), dense("f32", 2, shape_b, b)};
  const assay_tensor_t result = dense("f32", 2, shape_c, c);
  assay_accept_set_t *set = NULL;
  assay_question_t question = ask(program, operands, 2, &result);
  MUST(assay_accept(context, &question, &set, &error));
  assay_accept_info_t info = {.struct_size = sizeof info};
  MUST(assay_accept_info(set, 0, &info, &error));
  g_assert_cmpuint(info.count, ==, M * N);
  for (size_t i = 0; i < info.count; i++) {
    g_assert_cmpuint(info.unknown[i], ==, 0);
    g_assert_cmpuint(info.specials[i], ==, 0);
    const float right = c[i];
    const struct {
      float value;
      int32_t outcome;
    } probes[] = {{(float)info.low[i], ASSAY_CONFORMS},
                  {(float)info.high[i], ASSAY_CONFORMS},
                  {nextafterf((float)info.low[i], -INFINITY), ASSAY_DIVERGES},
                  {nextafterf((float)info.high[i], INFINITY), ASSAY_DIVERGES}};
    for (size_t k = 0; k < G_N_ELEMENTS(probes); k++) {
      assay_verdict_t *verdict = NULL;
      c[i] = probes[k].value;
      MUST(assay_check(context, &question, &verdict, &error));
      assay_verdict_info_t found = info_of(verdict);
      g_assert_cmpint(found.outcome, ==, probes[k].outcome);
      if (found.outcome == ASSAY_DIVERGES) {
        g_assert_cmpfloat(found.permitted_low.number, ==, info.low[i]);
        g_assert_cmpfloat(found.permitted_high.number, ==, info.high[i]);
      }
      assay_verdict_free(verdict);
    }
    c[i] = right;
  }
  assay_accept_set_t *sure = NULL;
  question.flags = ASSAY_SURE_ONLY;
  MUST(assay_accept(context, &question, &sure, &error));
  assay_accept_info_t inner = {.struct_size = sizeof inner};
  MUST(assay_accept_info(sure, 0, &inner, &error));
  for (size_t i = 0; i < info.count; i++) {
    g_assert_cmpfloat(inner.low[i], >=, info.low[i]);
    g_assert_cmpfloat(inner.high[i], <=, info.high[i]);
    g_assert_cmpfloat(inner.low[i], <=, inner.high[i]);
  }
  assay_accept_set_free(sure);
  assay_accept_set_free(set);
  assay_program_free(program);
  assay_context_free(context);
}

/* The same numbers in other layouts: transposed, backwards, every second, and badly aligned. */
static void test_strides(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  assay_program_handle_t *program = matmul_typed("f32", "f32");
  float a[M * K], b[K * N], c[M * N];
  fill(a, b);
  multiply(a, b, K, c);
  float transposed[K * M], backwards[K * N], sparse[M * N * 2];
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < K; k++) transposed[k * M + i] = a[i * K + k];
  }
  for (int i = 0; i < K * N; i++) backwards[K * N - 1 - i] = b[i];
  for (int i = 0; i < M * N; i++) sparse[2 * i] = c[i];
  const int64_t by_column[] = {4, 4 * M}, back[] = {-4 * N, -4}, second[] = {8 * N, 8};
  assay_tensor_t operands[] = {dense("f32", 2, shape_a, transposed),
                               dense("f32", 2, shape_b, &backwards[K * N - 1])};
  operands[0].strides = by_column;
  operands[1].strides = back;
  assay_tensor_t result = dense("f32", 2, shape_c, sparse);
  result.strides = second;
  uint8_t shifted[sizeof a + 1];
  memcpy(shifted + 1, a, sizeof a);
  const assay_question_t question = ask(program, operands, 2, &result);
  g_assert_cmpint(outcome_of(context, &question), ==, ASSAY_CONFORMS);
  operands[0] = dense("f32", 2, shape_a, shifted + 1);
  g_assert_cmpint(outcome_of(context, &question), ==, ASSAY_CONFORMS);
  /* The wrong strides are the transposed matrix: seen. */
  operands[0] = dense("f32", 2, shape_a, transposed);
  g_assert_cmpint(outcome_of(context, &question), ==, ASSAY_DIVERGES);
  /* A model writes through strides too. */
  memset(sparse, 0, sizeof sparse);
  operands[0] = dense("f32", 2, shape_a, a);
  MUST(assay_simulate(context, &question, "sequential", &error));
  for (int i = 0; i < M * N; i++) {
    g_assert_cmpfloat(sparse[2 * i], ==, c[i]);
    g_assert_cmpfloat(sparse[2 * i + 1], ==, 0);
  }
  assay_program_free(program);
  assay_context_free(context);
}

/* What an environment changes: all that is told of cases whose numbers are tiny. */
static char *describe_cases(assay_context_t *context) {
  enum { CASES = 24 };
  static const char *const types[] = {"f64", "f32", "bf16"};
  static const char *const ops[] = {"stablehlo.dot_general", "stablehlo.reduce", "byteir.softmax",
                                    "stablehlo.multiply"};
  assay_error_t error = ERROR_INIT;
  GString *text = g_string_new(NULL);
  for (uint64_t i = 0; i < CASES; i++) {
    const assay_draw_t draw = {.struct_size = sizeof draw,
                               .op = ops[i % G_N_ELEMENTS(ops)],
                               .types = types[i % G_N_ELEMENTS(types)],
                               .strata = "extremes=1",
                               .seed = i};
    assay_case_t *instance = NULL;
    MUST(assay_case_draw(context, &draw, &instance, &error));
    assay_tensor_t operands[OPERANDS_MAX], results[RESULTS_MAX];
    assay_question_t question = ask(assay_case_program(instance), operands, 0, results);
    question.operand_count = operands_of(instance, operands);
    question.result_count = results_make(question.program, results);
    question.flags = ASSAY_SURE_ONLY;
    MUST(assay_simulate(context, &question, "pairwise", &error));
    assay_accept_set_t *set = NULL;
    MUST(assay_accept(context, &question, &set, &error));
    assay_accept_info_t info = {.struct_size = sizeof info};
    MUST(assay_accept_info(set, 0, &info, &error));
    for (size_t k = 0; k < info.count; k++) {
      g_string_append_printf(text, "%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x ",
                             info.low_bits[k], info.high_bits[k]);
    }
    question.flags = 0;
    assay_verdict_t *verdict = NULL;
    MUST(assay_check(context, &question, &verdict, &error));
    g_string_append_printf(text, "%s %s\n", assay_case_line(instance),
                           info_of(verdict).explanation);
    assay_verdict_free(verdict);
    assay_accept_set_free(set);
    results_free(results, question.result_count);
    assay_case_free(instance);
  }
  return g_string_free(text, FALSE);
}

/* A caller's own rounding mode and flush-to-zero change no verdict, and stay. */
static void test_environment(void) {
  assay_context_t *context = context_make();
  g_autofree char *plain = describe_cases(context);
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < G_N_ELEMENTS(modes); i++) {
    fesetround(modes[i]);
    g_autofree char *rounded = describe_cases(context);
    g_assert_cmpint(fegetround(), ==, modes[i]);
    fesetround(FE_TONEAREST);
    g_assert_cmpstr(rounded, ==, plain);
  }
#ifdef __SSE__
  enum { FLUSHING = 0x8040 };
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | FLUSHING);
  g_autofree char *flushed = describe_cases(context);
  g_assert_cmphex(__builtin_ia32_stmxcsr() & FLUSHING, ==, FLUSHING);
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~(unsigned)FLUSHING);
  g_assert_cmpstr(flushed, ==, plain);
#endif
  assay_context_free(context);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/check/conforms", test_conforms);
  g_test_add_func("/api/check/diverges", test_diverges);
  g_test_add_func("/api/check/ends", test_ends);
  g_test_add_func("/api/check/strides", test_strides);
  g_test_add_func("/api/check/environment", test_environment);
  return g_test_run();
}
