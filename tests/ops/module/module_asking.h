/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the exact side about one case of a module, given as text. */
#ifndef ASSAY_TESTS_OPS_MODULE_MODULE_ASKING_H
#define ASSAY_TESTS_OPS_MODULE_MODULE_ASKING_H

#include <string.h>

#include "harness/kinds/module/module.h"
#include "oracles/oracle.h"

typedef struct asking {
  arena_t arena;
  case_t instance;
  contract_t contract;
  decision_memo_t memo;
} asking_t;

static inline void ask_begin(asking_t *asking, const char *line, const char *contract) {
  arena_init(&asking->arena);
  decision_memo_init(&asking->memo);
  failure_t error = {0};
  program_t program;
  if (program_parse(str_from(line), &asking->arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  asking->instance = case_make(&asking->arena, &program);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const tensor_t *operand = &asking->instance.operands[i];
    memset(operand->data, 0, type_bytes(&operand->type));
  }
  if (contract_parse(str_from(contract), &asking->contract, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
}

static inline void ask_end(asking_t *asking) {
  decision_memo_deinit(&asking->memo);
  arena_deinit(&asking->arena);
}

static inline void set_operand(asking_t *asking, uint32_t operand, size_t element, uint64_t bits) {
  const tensor_t *tensor = &asking->instance.operands[operand];
  element_store(tensor->type.element, tensor->data, element, bits);
}

static inline answer_t ask(asking_t *asking, size_t element, uint64_t bits) {
  const program_t *program = &asking->instance.program;
  tensor_t result = tensor_make(&asking->arena, &program->results[0]);
  memset(result.data, 0, type_bytes(&result.type));
  element_store(result.type.element, result.data, element, bits);
  failure_t error = {0};
  const oracle_call_t call = {.instance = &asking->instance,
                              .contract = &asking->contract,
                              .results = &result,
                              .memo = &asking->memo,
                              .arena = &asking->arena,
                              .error = &error};
  answer_t answer;
  status_t status = oracle_find(program->op)->decide(&call, 0, element, &answer);
  if (status != STATUS_OK) g_error("%s", error.text);
  return answer;
}

#endif
