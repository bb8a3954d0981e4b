/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that a model computes, of the ops of common_factor.h, and what the oracle says of them as a
 * whole; one element may be moved. */
#ifndef ASSAY_TESTS_FORMULA_ROW_CASE_H
#define ASSAY_TESTS_FORMULA_ROW_CASE_H

#include "oracles/formula/model.h"
#include "tests/formula/common_factor.h"

typedef struct row_case {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  contract_t contract;
} row_case_t;

static inline contract_t read_contract(const char *text) {
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static inline void row_case_make(row_case_t *row, const common_factor_op_t *op, const char *type,
                                 size_t count, const char *contract,
                                 const implementation_model_t *schedule) {
  arena_init(&row->arena);
  row->contract = read_contract(contract);
  row->instance = common_factor_case(op, type, count, &row->arena);
  const program_t *program = &row->instance.program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    row->results[r] = tensor_make(&row->arena, &program->results[r]);
  }
  failure_t error = {0};
  const oracle_call_t call = {.instance = &row->instance, .arena = &row->arena, .error = &error};
  const oracle_t *oracle = oracle_find(program->op);
  g_assert_cmpint(oracle->simulate(&call, schedule, row->results), ==, STATUS_OK);
}

static inline row_answer_t explain(row_case_t *row) {
  failure_t error = {0};
  const oracle_call_t call = {.instance = &row->instance,
                              .contract = &row->contract,
                              .results = row->results,
                              .arena = &row->arena,
                              .error = &error};
  row_answer_t answer;
  arena_mark_t mark = arena_mark(&row->arena);
  const oracle_t *oracle = oracle_find(row->instance.program.op);
  g_assert_cmpint(oracle->explain_rows(&call, &answer), ==, STATUS_OK);
  arena_rewind(&row->arena, mark);
  return answer;
}

static inline size_t largest_element(const row_case_t *row) {
  const tensor_t *result = &row->results[0];
  const element_t *element = result->type.element;
  size_t largest = 0;
  double magnitude = 0;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    double value = fabs(format_to_double(element->format, element_load(element, result->data, i)));
    if (value <= magnitude) continue;
    magnitude = value;
    largest = i;
  }
  return largest;
}

/* With element `index` of the first result off by some ulps, that is, patterns. */
static inline row_answer_t explain_moved(row_case_t *row, size_t index, int ulps) {
  const tensor_t *result = &row->results[0];
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, index);
  element_store(element, result->data, index, (uint64_t)((int64_t)bits + ulps));
  row_answer_t answer = explain(row);
  element_store(element, result->data, index, bits);
  return answer;
}

/* Whether the element conforms by itself under the row's contract. */
static inline bool conforms_alone(row_case_t *row, size_t index, int ulps) {
  const tensor_t *result = &row->results[0];
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, index);
  element_store(element, result->data, index, (uint64_t)((int64_t)bits + ulps));
  failure_t error = {0};
  const oracle_call_t call = {.instance = &row->instance,
                              .contract = &row->contract,
                              .results = row->results,
                              .arena = &row->arena,
                              .error = &error};
  answer_t answer;
  const oracle_t *oracle = oracle_find(row->instance.program.op);
  g_assert_cmpint(oracle->decide(&call, 0, index, &answer), ==, STATUS_OK);
  element_store(element, result->data, index, bits);
  return answer.conforms;
}

#endif
