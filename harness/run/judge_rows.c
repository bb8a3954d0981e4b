/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the oracle about rows whose elements conform one by one. */
#include "harness/run/judge_rows.h"

#include <glib.h>
#include <stdio.h>

#include "harness/judge/judge.h"

static bool conforms(const verdict_t *verdict) {
  return verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_weak;
}

void judge_rows_note(const row_answer_t *answer, const tensor_t *results,
                     verdict_t *inout_verdict) {
  verdict_t *verdict = inout_verdict;
  if (!conforms(verdict)) return;
  verdict->rows_left_count = answer->rows_left;
  if (answer->agrees) return;
  verdict->outcome = OUTCOME_diverges;
  verdict->class_ = CLASS_shared;
  verdict->wrong_count = 1; /* At least: the others that contradict it may be. */
  verdict->result = answer->result;
  verdict->component = answer->component;
  const tensor_t *result = &results[answer->result];
  const element_t *element = result->type.element;
  verdict->got_bits = element_load(element, result->data, answer->component);
  judge_print_component(element, verdict->got_bits, verdict->got, sizeof verdict->got);
  g_strlcpy(verdict->expected, answer->expected, sizeof verdict->expected);
  g_strlcpy(verdict->observed, "shared=each", sizeof verdict->observed);
}

status_t judge_rows(const oracle_t *oracle, const oracle_call_t *call, verdict_t *inout_verdict) {
  bool is_asked = PERMITTED(call->contract, shared) == SHARED_ONCE;
  if (!conforms(inout_verdict) || !is_asked || oracle->explain_rows == NULL) return STATUS_OK;
  row_answer_t answer;
  arena_mark_t mark = arena_mark(call->arena);
  status_t status = oracle->explain_rows(call, &answer);
  arena_rewind(call->arena, mark);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  STATUS_TRY(status);
  judge_rows_note(&answer, call->results, inout_verdict);
  return STATUS_OK;
}
