/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of libassay share: calls that must succeed, and tensors. */
#ifndef ASSAY_TESTS_API_API_TEST_H
#define ASSAY_TESTS_API_API_TEST_H

#include <glib.h>
#include <string.h>

#include "harness/api/assay/assay.h"

#define ERROR_INIT {.struct_size = sizeof(assay_error_t)}
#define QUESTION_INIT .struct_size = sizeof(assay_question_t)

/* A call that must succeed; its last argument is &error. */
#define MUST(call)                                                        \
  do {                                                                    \
    int32_t answer_ = (call);                                             \
    if (answer_ != ASSAY_OK) g_test_message("%s: %s", #call, error.text); \
    g_assert_cmpint(answer_, ==, ASSAY_OK);                               \
  } while (0)

/* One that must fail so. */
#define MUST_FAIL(call, answer)                  \
  do {                                           \
    g_assert_cmpint((call), ==, (answer));       \
    g_assert_cmpint(error.status, ==, (answer)); \
    g_assert_cmpuint(strlen(error.text), >, 10); \
    g_test_message("%s", error.text);            \
  } while (0)

static inline assay_context_t *context_make(void) {
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = NULL;
  MUST(assay_context_new(&context, &error));
  return context;
}

static inline assay_program_handle_t *program_make(const char *line) {
  assay_error_t error = ERROR_INIT;
  assay_program_handle_t *program = NULL;
  MUST(assay_program_parse(line, &program, &error));
  return program;
}

static inline assay_tensor_t dense(const char *element, uint32_t rank, const int64_t *dims,
                                   void *data) {
  return (assay_tensor_t){.struct_size = sizeof(assay_tensor_t),
                          .rank = rank,
                          .element = element,
                          .dims = dims,
                          .data = data};
}

/* About a program with so many operands and one result. */
static inline assay_question_t ask(const assay_program_handle_t *program,
                                   const assay_tensor_t *operands, uint32_t operand_count,
                                   const assay_tensor_t *result) {
  return (assay_question_t){QUESTION_INIT,
                            .program = program,
                            .operands = operands,
                            .results = result,
                            .operand_count = operand_count,
                            .result_count = 1};
}

/* The outcome of a check that must not fail. */
static inline int32_t outcome_of(assay_context_t *context, const assay_question_t *question) {
  assay_error_t error = ERROR_INIT;
  assay_verdict_t *verdict = NULL;
  MUST(assay_check(context, question, &verdict, &error));
  assay_verdict_info_t info = {.struct_size = sizeof info};
  MUST(assay_verdict_info(verdict, &info, &error));
  assay_verdict_free(verdict);
  return info.outcome;
}

static inline assay_verdict_info_t info_of(const assay_verdict_t *verdict) {
  assay_error_t error = ERROR_INIT;
  assay_verdict_info_t info = {.struct_size = sizeof info};
  MUST(assay_verdict_info(verdict, &info, &error));
  return info;
}

/* Components of a type, and bytes of one. */
static inline size_t count_of(const assay_tensor_t *type) {
  size_t count = g_str_has_prefix(type->element, "complex") ? 2 : 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= (size_t)type->dims[i];
  return count;
}

/* The operands of a case. */
enum { OPERANDS_MAX = 8, RESULTS_MAX = 4 };
static inline uint32_t operands_of(const assay_case_t *instance,
                                   assay_tensor_t out_operands[OPERANDS_MAX]) {
  assay_error_t error = ERROR_INIT;
  uint32_t count = assay_program_operand_count(assay_case_program(instance));
  for (uint32_t i = 0; i < count; i++) {
    out_operands[i] = (assay_tensor_t){.struct_size = sizeof(assay_tensor_t)};
    MUST(assay_case_operand(instance, i, &out_operands[i], &error));
  }
  return count;
}

/* Results of a program in memory of their own, dense, to be freed by results_free(). */
static inline uint32_t results_make(const assay_program_handle_t *program,
                                    assay_tensor_t out_results[RESULTS_MAX]) {
  assay_error_t error = ERROR_INIT;
  uint32_t count = assay_program_result_count(program);
  for (uint32_t i = 0; i < count; i++) {
    out_results[i] = (assay_tensor_t){.struct_size = sizeof(assay_tensor_t)};
    MUST(assay_program_result_type(program, i, &out_results[i], &error));
    out_results[i].data = g_malloc0(8 * count_of(&out_results[i]) + 8);
  }
  return count;
}

static inline void results_free(assay_tensor_t *results, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) g_free(results[i].data);
}

#endif
