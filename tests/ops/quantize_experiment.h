/* SPDX-License-Identifier: Apache-2.0 */
/* A case of byteir.quantize or byteir.dequantize that tests fill and ask about, component by
 * component. */
#ifndef ASSAY_TESTS_OPS_QUANTIZE_EXPERIMENT_H
#define ASSAY_TESTS_OPS_QUANTIZE_EXPERIMENT_H

#include "oracles/ops/byteir_quantize/byteir_quantize.h"
#include "tests/ops/naive_checks.h"

typedef struct experiment {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  question_t question;
} experiment_t;

static inline void experiment_init(experiment_t *experiment, const char *line) {
  arena_init(&experiment->arena);
  const char *violation = NULL;
  program_t program = check_parse(line, &experiment->arena, &violation);
  g_assert_cmpstr(violation, ==, NULL);
  experiment->instance = case_make(&experiment->arena, &program);
  naive_make_results(&program, &experiment->arena, experiment->results);
}

static inline void experiment_deinit(experiment_t *experiment) { arena_deinit(&experiment->arena); }

static inline void experiment_decide_under(experiment_t *experiment, const contract_t *contract) {
  status_t status =
      question_make(&experiment->instance, contract, &experiment->arena, &experiment->question);
  g_assert_cmpint(status, ==, STATUS_OK);
}

static inline contract_t contract_of(const char *text) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
  return contract;
}

static inline void store_float(const tensor_t *tensor, size_t index, double value) {
  const element_t *element = tensor->type.element;
  element_store(element, tensor->data, index, format_from_double(element->format, value));
}

static inline double load_float(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, index));
}

/* The answer about one component with that pattern, by the fast set where it holds it. */
static inline bool conforms(experiment_t *experiment, size_t component, uint64_t bits) {
  const element_t *element = experiment->results[0].type.element;
  element_store(element, experiment->results[0].data, component, bits);
  if (accept_holds(&experiment->question.accepts[0], element, component, bits)) return true;
  return question_decide(&experiment->question, 0, component, experiment->results).conforms;
}

#endif
