/* SPDX-License-Identifier: Apache-2.0 */
/* What tests ask of an oracle row: does it hold these results for conforming? */
#ifndef ASSAY_TESTS_OPS_ORACLE_CHECKS_H
#define ASSAY_TESTS_OPS_ORACLE_CHECKS_H

#include <math.h>

#include "oracles/oracle.h"

/* A case under a contract, with its fast sets. */
typedef struct question {
  const oracle_t *oracle;
  const case_t *instance;
  const contract_t *contract;
  arena_t *arena;
  accept_t accepts[CASE_RESULTS_MAX];
} question_t;

/* STATUS_UNSUPPORTED where the oracle does not know the program; anything else ends the test. */
static inline status_t question_make(const case_t *instance, const contract_t *contract,
                                     arena_t *arena, question_t *out_question) {
  failure_t error = {.text = ""};
  *out_question = (question_t){.oracle = oracle_find(instance->program.op),
                               .instance = instance,
                               .contract = contract,
                               .arena = arena};
  g_assert_nonnull(out_question->oracle);
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .arena = arena, .error = &error};
  status_t status = out_question->oracle->accept(&call, out_question->accepts);
  if (status != STATUS_OK && status != STATUS_UNSUPPORTED) g_error("accept: %s", error.text);
  return status;
}

/* The last word on one component. */
static inline answer_t question_decide(const question_t *question, uint32_t result,
                                       size_t component, const tensor_t *results) {
  answer_t answer = {0};
  failure_t error = {.text = ""};
  arena_mark_t mark = arena_mark(question->arena);
  const oracle_call_t call = {.instance = question->instance,
                              .contract = question->contract,
                              .results = results,
                              .arena = question->arena,
                              .error = &error};
  status_t status = question->oracle->decide(&call, result, component, &answer);
  if (status != STATUS_OK) {
    GString *line = g_string_new(NULL);
    case_print(question->instance, line);
    g_error("ask: %s\n%s", error.text, line->str);
  }
  arena_rewind(question->arena, mark);
  return answer;
}

/* Whether all components of all results conform; where the fast set holds one, the last word must
 * not deny it.  The first that does not is described in `out_reason` (may be NULL). */
static inline bool question_conforms(const question_t *question, const tensor_t *results,
                                     GString *out_reason) {
  const program_t *program = &question->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const element_t *element = program->results[r].element;
    size_t count = type_component_count(&program->results[r]);
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = element_load(element, results[r].data, i);
      bool is_held = accept_holds(&question->accepts[r], element, i, bits) &&
                     !accept_differs_from_twin(&question->accepts[r], &results[r], i);
      answer_t answer = question_decide(question, r, i, results);
      if (answer.conforms) continue;
      g_assert_false(is_held);
      if (out_reason != NULL) {
        g_string_printf(out_reason, "result %u component %zu: 0x%" G_GINT64_MODIFIER "x, not %s", r,
                        i, bits, answer.expected);
      }
      return false;
    }
  }
  return true;
}

#endif
