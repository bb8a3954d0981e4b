/* SPDX-License-Identifier: Apache-2.0 */
/* Declared ops in tests: read from text, and asked about single results. */
#ifndef ASSAY_TESTS_OPS_DECLARED_DECLARED_FILE_H
#define ASSAY_TESTS_OPS_DECLARED_DECLARED_FILE_H

#include "oracles/ops/declared/oracle.h"
#include "oracles/oracle.h"
#include "tests/gen/valid_case.h"

static inline declaration_t *declare(const char *text) {
  failure_t error = {.text = ""};
  declaration_t *declaration = NULL;
  status_t status = declared_parse(str_from(text), "x.op", &declaration, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  declared_make_oracle(declaration);
  return declaration;
}

/* The text of a file in corpus/ops; the caller frees it. */
static inline char *read_op_file(const char *name) {
  g_autofree char *path = g_strdup_printf(ASSAY_SOURCE_DIR "/corpus/ops/%s.op", name);
  char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

static inline void release(declaration_t *declaration) { declared_free(declaration); }

static inline contract_t parse_contract(const char *text) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
  return contract;
}

/* A case of lists of so many elements, `types` by operand and then by result. */
static inline case_t make_lists(const declaration_t *declaration, const char *const types[],
                                int64_t count, arena_t *arena) {
  program_t program = {.op = &declaration->op,
                       .operand_count = declaration->operand_count,
                       .result_count = declaration->result_count};
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = type_make(element_named(types[i]), 1, &count);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    const char *name = types[program.operand_count + i];
    program.results[i] = type_make(element_named(name), 1, &count);
  }
  g_assert_cmpstr(program_broken_id(&program), ==, NULL);
  return case_make(arena, &program);
}

/* What the oracle says of patterns of all results of a case. */
typedef struct question {
  const case_t *instance;
  contract_t contract;
  tensor_t results[CASE_RESULTS_MAX];
  decision_memo_t memo;
  arena_t *arena;
} question_t;

static inline question_t ask(const case_t *instance, const char *contract, arena_t *arena) {
  question_t question = {
      .instance = instance, .contract = parse_contract(contract), .arena = arena};
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    question.results[r] = tensor_make(arena, &instance->program.results[r]);
    memset(question.results[r].data, 0, type_bytes(&instance->program.results[r]));
  }
  decision_memo_init(&question.memo);
  return question;
}

static inline void end(question_t *question) { decision_memo_deinit(&question->memo); }

static inline bool is_taken(question_t *question, uint32_t result, size_t component,
                            uint64_t bits) {
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = question->instance,
                              .contract = &question->contract,
                              .results = question->results,
                              .memo = &question->memo,
                              .arena = question->arena,
                              .error = &error};
  const element_t *element = question->instance->program.results[result].element;
  element_store(element, question->results[result].data, component, bits);
  answer_t answer;
  const oracle_t *oracle = oracle_find(question->instance->program.op);
  g_assert_cmpint(oracle->decide(&call, result, component, &answer), ==, STATUS_OK);
  return answer.conforms;
}

#endif
