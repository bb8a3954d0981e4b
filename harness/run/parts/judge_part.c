/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of case_runner_judge() that can be taken part by part. */
#include "harness/run/parts/judge_part.h"

#include "harness/model/op.h"
#include "harness/run/judge_case.h"

static status_t ask_rows(const expectation_t *expectation, const oracle_call_t *call,
                         part_finding_t *finding) {
  finding->rows = (row_answer_t){.agrees = true};
  const judge_tally_t *tally = &finding->tally;
  bool is_asked = PERMITTED(call->contract, shared) == SHARED_ONCE && !finding->skips_rows &&
                  tally->verdict.wrong_count == 0 && !tally->lacks_oracle &&
                  expectation->oracle->explain_rows != NULL;
  if (!is_asked) return STATUS_OK;
  arena_mark_t mark = arena_mark(call->arena);
  status_t status = expectation->oracle->explain_rows(call, &finding->rows);
  arena_rewind(call->arena, mark);
  if (status == STATUS_UNSUPPORTED) finding->rows = (row_answer_t){.agrees = true};
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Of a part that is wrong the search would evaluate every formula exactly. */
static status_t ask_formula(const expectation_t *expectation, const oracle_call_t *call,
                            part_finding_t *finding) {
  const oracle_t *oracle = expectation->oracle;
  bool is_asked = oracle->find_formula != NULL &&
                  expectation->instance->program.op->formulas != NULL &&
                  !finding->tally.lacks_oracle && finding->tally.verdict.wrong_count == 0;
  if (!is_asked) return STATUS_OK;
  arena_mark_t mark = arena_mark(call->arena);
  status_t status =
      oracle->find_formula(call, expectation->accepts, &finding->formula, &finding->has_formula);
  arena_rewind(call->arena, mark);
  finding->asks_formula = status == STATUS_OK;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

static status_t ask_algorithms(const expectation_t *expectation, const oracle_call_t *call,
                               part_finding_t *finding) {
  const oracle_t *oracle = expectation->oracle;
  bool is_asked = oracle->consistent != NULL && !finding->tally.lacks_oracle &&
                  oracle->names_algorithm(&expectation->instance->program);
  if (!is_asked) return STATUS_OK;
  g_autoptr(GString) names = g_string_new(NULL);
  arena_mark_t mark = arena_mark(call->arena);
  status_t status = oracle->consistent(call, names);
  arena_rewind(call->arena, mark);
  if (status == STATUS_OK) finding->algorithms = g_strdup(names->str);
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

status_t judge_part(case_runner_t *walk, const expectation_t *expectation, const tensor_t *results,
                    part_finding_t *inout_finding, failure_t *error) {
  part_finding_t *out_finding = inout_finding;
  *out_finding = (part_finding_t){.skips_rows = out_finding->skips_rows, .rows = {.agrees = true}};
  if (expectation->oracle_status != STATUS_OK) {
    verdict_t *verdict = &out_finding->tally.verdict;
    out_finding->tally.lacks_oracle = true;
    g_strlcpy(verdict->reason, expectation->reason, sizeof verdict->reason);
    return STATUS_OK;
  }
  decide_context_t context = decide_context_make(walk, expectation, results);
  judge_t judge = decide_context_judge(&context, &walk->contract);
  judge.decide_wrong_max = walk->decide_wrong_max;
  judge.takes_for_wrong = walk->takes_for_wrong;
  status_t status = judge_count(&judge, expectation->instance, expectation->accepts, results,
                                &out_finding->tally, error);
  decide_context_deinit(&context);
  out_finding->evidence = context.evidence;
  STATUS_TRY(status);
  const oracle_call_t call = case_runner_call(walk, expectation, results, error);
  STATUS_TRY(ask_rows(expectation, &call, out_finding));
  STATUS_TRY(ask_algorithms(expectation, &call, out_finding));
  return ask_formula(expectation, &call, out_finding);
}

status_t judge_part_conclude(case_runner_t *walk, const expectation_t *expectation,
                             const tensor_t *results, const judge_tally_t *total,
                             verdict_t *out_verdict, failure_t *error) {
  decide_context_t context = decide_context_make(walk, expectation, results);
  const judge_t judge = decide_context_judge(&context, &walk->contract);
  status_t status =
      judge_conclude(&judge, expectation->instance, results, total, out_verdict, error);
  decide_context_deinit(&context);
  return status;
}

status_t judge_parts_conclude_right(case_runner_t *walk, const case_t *instance,
                                    const tensor_t *results, const judge_tally_t *total,
                                    verdict_t *out_verdict, failure_t *error) {
  arena_t arena;
  arena_init(&arena);
  const expectation_t whole = {
      .instance = instance, .oracle = oracle_find(instance->program.op), .arena = &arena};
  status_t status = judge_part_conclude(walk, &whole, results, total, out_verdict, error);
  arena_deinit(&arena);
  return status;
}

char *parts_common_names(char *names, const char *others) {
  g_auto(GStrv) mine = g_strsplit(names, "|", -1);
  g_auto(GStrv) theirs = g_strsplit(others, "|", -1);
  GString *common = g_string_new(NULL);
  for (size_t i = 0; mine[i] != NULL; i++) {
    if (!g_strv_contains((const char *const *)theirs, mine[i])) continue;
    g_string_append_printf(common, "%s%s", common->len == 0 ? "" : "|", mine[i]);
  }
  g_free(names);
  return g_string_free(common, FALSE);
}
