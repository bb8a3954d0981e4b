/* SPDX-License-Identifier: Apache-2.0 */
/* What nobody could explain when it was found may be explained by what was established since: the
 * first cases of a fault, before there were enough of them.  Their findings are asked again when
 * all is drawn. */
#include <string.h>

#include "harness/model/op.h"
#include "harness/session/state.h"

/* So many of a session: each is run once more.  Some backends compile for seconds: of a session
 * whose time is limited, as many as a tenth of it takes; of others, as many as take no longer than
 * all that was drawn. */
enum { AGAIN_MAX = 512, AGAIN_ONE_IN = 10 };

/* A case that is run once more.  Nothing is drawn from the walk's random numbers, and nothing is
 * counted. */
typedef struct rerun {
  case_runner_t walk;
  case_t instance;
  expectation_t expectation;
  verdict_t verdict;
} rerun_t;

static status_t run_again(session_t *session, const finding_t *finding, rerun_t *out,
                          failure_t *error) {
  arena_t *arena = &session->arena;
  const char *violation = NULL;
  out->walk = session->walk;
  out->walk.takes_rough = false;
  out->walk.audit_one_in = 0;
  STATUS_TRY(case_parse(str_from(finding->case_line), arena, &out->instance, &violation, error));
  const program_t *program = &out->instance.program;
  const op_constraint_t *broken =
      program_broken_under(program, program_broken(program), &out->walk.contract);
  executor_t *executor = session->contenders[finding->executor].executor;
  STATUS_TRY(
      case_runner_expect(&out->walk, &out->instance, broken, arena, &out->expectation, error));
  return case_runner_run(&out->walk, &out->expectation, executor, &out->verdict, error);
}

static bool diverges_alike(const verdict_t *a, const verdict_t *b) {
  return a->outcome == b->outcome && a->class_ == b->class_ && a->wrong_count == b->wrong_count;
}

/* An executor that is not there any more leaves the finding as it is. */
static status_t explain_again(session_t *session, finding_t *finding, bool *out_is_there,
                              failure_t *error) {
  rerun_t again;
  failure_t ignored;
  *out_is_there = run_again(session, finding, &again, &ignored) == STATUS_OK;
  if (!*out_is_there) return STATUS_OK;
  if (!diverges_alike(&again.verdict, &finding->verdict)) return STATUS_OK;
  const cause_question_t cause = cause_decide(&again.walk, &again.instance, &again.expectation);
  const diagnosis_question_t question = {.executor = finding->executor,
                                         .label = &finding->label,
                                         .cause = &cause,
                                         .walk = &again.walk,
                                         .expectation = &again.expectation};
  STATUS_TRY(diagnosis_budget_explain_again(session->causes, &question, &session->arena,
                                            &again.verdict, error));
  if (!again.verdict.is_cause_sure) return STATUS_OK;
  verdict_t *verdict = &finding->verdict;
  verdict->is_cause_sure = true;
  g_strlcpy(verdict->cause, again.verdict.cause, sizeof verdict->cause);
  g_strlcpy(verdict->cause_words, again.verdict.cause_words, sizeof verdict->cause_words);
  return ledger_explain(&session->ledger, finding, error);
}

static bool may_go_on(const session_t *session, size_t asked, double begin) {
  const session_options_t *options = &session->options;
  if (asked == AGAIN_MAX || (options->stop != NULL && *options->stop != 0)) return false;
  return options->seconds_max <= 0 ||
         session_seconds(session) - begin < begin / (double)AGAIN_ONE_IN;
}

/* The signature stays: it is what the finding is known by, in other nights too. */
status_t session_explain_again(session_t *session, failure_t *error) {
  const double begin = session_seconds(session);
  bool is_there = true;
  size_t asked = 0;
  for (size_t i = 0; i < finding_set_count(session->findings) && is_there; i++) {
    const finding_t *found = finding_set_at(session->findings, i);
    if (!diagnosis_budget_may_explain(session->causes, found)) continue;
    if (!may_go_on(session, asked, begin)) break;
    finding_t *finding = finding_set_find(session->findings, found->executor, &found->signature);
    arena_mark_t mark = arena_mark(&session->arena);
    status_t status = explain_again(session, finding, &is_there, error);
    arena_rewind(&session->arena, mark);
    STATUS_TRY(status);
    session->contenders[finding->executor].is_prepared = false;
    asked++;
  }
  return STATUS_OK;
}
