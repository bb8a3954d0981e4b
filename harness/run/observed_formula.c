#include "harness/run/observed_formula.h"

status_t observe_formula(const oracle_t *oracle, const contract_t *contract, const case_t *instance,
                         const accept_t *accepts, const tensor_t *results, arena_t *arena,
                         verdict_t *inout_verdict, failure_t *error) {
  const char *permission = instance->program.op->formulas;
  verdict_t *verdict = inout_verdict;
  bool is_judged = verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_diverges;
  if (oracle->find_formula == NULL || permission == NULL || !is_judged) return STATUS_OK;
  uint8_t formula = 0;
  bool found = false;
  arena_mark_t mark = arena_mark(arena);
  const oracle_call_t call = {.instance = instance,
                              .contract = contract,
                              .results = results,
                              .arena = arena,
                              .error = error};
  status_t status = oracle->find_formula(&call, accepts, &formula, &found);
  arena_rewind(arena, mark);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  STATUS_TRY(status);
  verdict->formula = found ? contract_spelling(permission, formula) : "";
  return STATUS_OK;
}
