/* SPDX-License-Identifier: Apache-2.0 */
/* Determines through the oracle which formula explains the whole result, and notes it in the
 * verdict. */
#include "harness/run/observed_formula.h"

status_t observe_formula(const oracle_t *oracle, const oracle_call_t *call, const accept_t *accepts,
                         verdict_t *inout_verdict) {
  const char *permission = call->instance->program.op->formulas;
  verdict_t *verdict = inout_verdict;
  bool is_judged = verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_diverges;
  if (oracle->find_formula == NULL || permission == NULL || !is_judged) return STATUS_OK;
  uint8_t formula = 0;
  bool found = false;
  arena_mark_t mark = arena_mark(call->arena);
  status_t status = oracle->find_formula(call, accepts, &formula, &found);
  arena_rewind(call->arena, mark);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  STATUS_TRY(status);
  verdict->formula = found ? contract_spelling(permission, formula) : "";
  return STATUS_OK;
}
