/* What tests ask of an oracle row: does it hold these results for conforming? */
#ifndef ASSAY_TESTS_ORACLE_CHECKS_H
#define ASSAY_TESTS_ORACLE_CHECKS_H

#include <math.h>

#include "oracles/oracle.h"

/* The quick side's word on one pattern, straight from the promises in accept.h. */
static inline bool quick_holds(const accept_t *accept, const element_t *element, size_t component,
                               uint64_t bits) {
  if (accept->ask != NULL && accept->ask[component] != 0) return false;
  if (accept->bits != NULL && accept->bits[component] == bits) return true;
  if (accept->low == NULL || element->format == NULL) return false;
  double value = format_to_double(element->format, bits);
  bool is_negative_zero = value == 0 && signbit(value) != 0;
  if (!isfinite(value) || is_negative_zero) return false;
  if (accept->grid != NULL && format_round_double(accept->grid, value) != value) return false;
  if (accept->low[component] <= value && value <= accept->high[component]) return true;
  return accept->other_low != NULL && accept->other_low[component] <= value &&
         value <= accept->other_high[component];
}

/* A case under a contract, with its quick sets. */
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
  status_t status =
      out_question->oracle->accept(instance, contract, arena, out_question->accepts, &error);
  if (status != STATUS_OK && status != STATUS_UNSUPPORTED) g_error("accept: %s", error.text);
  return status;
}

/* The last word on one component. */
static inline answer_t question_ask(const question_t *question, uint32_t result, size_t component,
                                    const tensor_t *results) {
  answer_t answer = {0};
  failure_t error = {.text = ""};
  arena_mark_t mark = arena_mark(question->arena);
  status_t status = question->oracle->ask(question->instance, question->contract, result, component,
                                          results, question->arena, &answer, &error);
  if (status != STATUS_OK) {
    GString *line = g_string_new(NULL);
    case_print(question->instance, line);
    g_error("ask: %s\n%s", error.text, line->str);
  }
  arena_rewind(question->arena, mark);
  return answer;
}

/* Whether all components of all results conform; where the quick set holds one, the last word must
 * not deny it.  The first that does not is described in `out_reason` (may be NULL). */
static inline bool question_conforms(const question_t *question, const tensor_t *results,
                                     GString *out_reason) {
  const program_t *program = &question->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const element_t *element = program->results[r].element;
    size_t count = type_component_count(&program->results[r]);
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = element_load(element, results[r].data, i);
      bool is_held = quick_holds(&question->accepts[r], element, i, bits);
      answer_t answer = question_ask(question, r, i, results);
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
