/* SPDX-License-Identifier: Apache-2.0 */
/* What the naive tests of the ByteIR ops that pick share: numbers as they are read, tensors that
 * hold every row over an alphabet, and the questions asked about them. */
#ifndef ASSAY_TESTS_OPS_BYTEIR_POSITIONS_NAIVE_BYTEIR_POSITIONS_H
#define ASSAY_TESTS_OPS_BYTEIR_POSITIONS_NAIVE_BYTEIR_POSITIONS_H

#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

/* A pattern of f16 and the number that it is. */
typedef struct letter {
  uint16_t bits;
  double number;
} letter_t;

enum { LETTERS_MAX = 8, ROW_MAX = 8 };

typedef struct alphabet {
  size_t count;
  letter_t letters[LETTERS_MAX];
} alphabet_t;

static inline contract_t picks_contract(const char *text) {
  contract_t contract;
  failure_t error = {.text = ""};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static inline case_t picks_case(const char *line, arena_t *arena) {
  program_t program;
  failure_t error = {.text = ""};
  status_t status = program_parse(str_from(line), arena, &program, NULL, &error);
  if (status != STATUS_OK) g_error("%s: %s", line, error.text);
  return case_make(arena, &program);
}

static inline void picks_make_results(const program_t *program, arena_t *arena,
                                      tensor_t out_results[CASE_RESULTS_MAX]) {
  for (uint32_t r = 0; r < program->result_count; r++) {
    out_results[r] = tensor_make(arena, &program->results[r]);
    memset(out_results[r].data, 0, type_bytes(&program->results[r]));
  }
}

static inline size_t picks_row_count(const alphabet_t *alphabet, size_t size) {
  size_t count = 1;
  for (size_t i = 0; i < size; i++) count *= alphabet->count;
  return count;
}

/* Row number `row` of all rows of that size over the alphabet. */
static inline void picks_row(const alphabet_t *alphabet, size_t row, size_t size,
                             letter_t out_row[ROW_MAX]) {
  for (size_t i = 0; i < size; i++, row /= alphabet->count) {
    out_row[i] = alphabet->letters[row % alphabet->count];
  }
}

/* Fills f16[rows,size] with all of them. */
static inline void picks_fill(const alphabet_t *alphabet, size_t size, case_t *instance) {
  const tensor_t *tensor = &instance->operands[0];
  for (size_t row = 0; row < picks_row_count(alphabet, size); row++) {
    letter_t letters[ROW_MAX];
    picks_row(alphabet, row, size, letters);
    for (size_t i = 0; i < size; i++) {
      element_store(tensor->type.element, tensor->data, row * size + i, letters[i].bits);
    }
  }
}

/* Whether component `component` of all results conforms; what the fast set holds must. */
static inline bool picks_conform(const question_t *question, const tensor_t *results,
                                 size_t component) {
  bool conform = true;
  for (uint32_t r = 0; r < question->instance->program.result_count; r++) {
    const element_t *element = results[r].type.element;
    uint64_t bits = element_load(element, results[r].data, component);
    bool is_held = accept_holds(&question->accepts[r], element, component, bits);
    bool conforms = question_decide(question, r, component, results).conforms;
    g_assert_true(conforms || !is_held);
    conform = conform && conforms;
  }
  return conform;
}

/* A number as a test reads it, with its subnormals flushed or not. */
static inline double picks_read(letter_t letter, bool flushes) {
  return flushes && fabs(letter.number) < 0x1p-14 ? copysign(0, letter.number) : letter.number;
}

/* Whether an implementation that picks `from` may return the pattern of `to`. */
static inline bool picks_same_value(const contract_t *contract, letter_t from, letter_t to) {
  if (isnan(from.number) || isnan(to.number)) return isnan(from.number) && isnan(to.number);
  bool has_same_sign = (signbit(from.number) != 0) == (signbit(to.number) != 0);
  if (PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY && to.number == 0) has_same_sign = true;
  if (from.number == to.number) return has_same_sign;
  bool is_flushed = to.number == 0 && fabs(from.number) < 0x1p-14;
  return is_flushed && PERMITTED(contract, ftz) != FTZ_NONE && has_same_sign;
}

#endif
