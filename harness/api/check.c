/* SPDX-License-Identifier: Apache-2.0 */
/* assay_check(): holds the caller's results against his operands, by the walk of any other case. */
#include "harness/api/handles.h"
#include "harness/diagnose/cause.h"

/* Of wrong elements so many are decided one by one; beyond that the rest count as wrong. */
enum { DECIDED_MAX = 1024 };

/* Everything that one check is about. */
typedef struct check {
  call_t *call;
  assay_context_t *context;
  question_t question;
  tensor_t results[CASE_RESULTS_MAX];
  progress_t progress;
} check_t;

static case_runner_t *set_up_walk(check_t *check) {
  case_runner_t *walk = &check->context->walk;
  const bool is_whole = (check->question.asked.flags & ASSAY_ALL_ELEMENTS) != 0;
  walk->contract = check->question.contract;
  walk->decide_wrong_max = is_whole ? 0 : DECIDED_MAX;
  walk->judges_all = is_whole;
  walk->precision_due = 1; /* What no verdict tells is not asked. */
  walk->interrupt = (case_runner_interrupt_t){progress_is_cancelled, &check->progress};
  return walk;
}

/* What failed in a walk is not the caller's: Assay found itself wrong, or he wanted an end. */
static status_t walk_failed(check_t *check, status_t status) {
  if (status == STATUS_OK) return status;
  if (check->progress.is_cancelled)
    check->call->answer = ASSAY_CANCELLED;
  else if (status == STATUS_INVALID)
    check->call->answer = ASSAY_DEFECT;
  return status;
}

static status_t cancel(check_t *check) {
  check->call->answer = ASSAY_CANCELLED;
  return status_fail(&check->call->failure, STATUS_IO, "interrupted, as the caller asked");
}

static status_t judge(check_t *check, expectation_t *expectation, assay_verdict_t *verdict) {
  case_runner_t *walk = set_up_walk(check);
  failure_t *error = &check->call->failure;
  if (!progress_tell(&check->progress, 0)) return cancel(check);
  STATUS_TRY(case_runner_expect(walk, &check->question.instance, NULL, &check->context->arena,
                                expectation, error));
  if (!progress_tell(&check->progress, 0.5)) return cancel(check);
  STATUS_TRY(case_runner_judge(walk, expectation, check->results, &verdict->verdict, error));
  if (!progress_tell(&check->progress, 0.9)) return cancel(check);
  bool seeks_cause =
      (check->question.asked.flags & ASSAY_NO_CAUSE) == 0 && cause_is_sought(&verdict->verdict);
  if (!seeks_cause) return STATUS_OK;
  const cause_question_t question = cause_decide(walk, &check->question.instance, expectation);
  return cause_find(&question, &check->context->arena, &verdict->verdict, error);
}

static status_t check_all(check_t *check, assay_verdict_t *verdict) {
  case_runner_t *walk = &check->context->walk;
  walk->evidence = (evidence_t){.is_judged = false};
  expectation_t expectation;
  STATUS_TRY(walk_failed(check, judge(check, &expectation, verdict)));
  const judged_t judged = {.expectation = &expectation,
                           .contract = &check->question.contract,
                           .evidence = &walk->evidence,
                           .results = check->results};
  STATUS_TRY(verdict_tell(check->call, &judged, verdict));
  return progress_tell(&check->progress, 1) ? STATUS_OK : cancel(check);
}

static status_t run(check_t *check, const assay_question_t *asked, assay_verdict_t **out_verdict) {
  STATUS_TRY(question_read(check->call, check->context, asked, &check->question));
  const program_t *program = &check->question.instance.program;
  STATUS_TRY(tensors_borrow(check->call, &check->question.results, program->results,
                            program->result_count, &check->context->arena, check->results));
  check->progress = (progress_t){.call = check->call, .asked = &check->question.asked};
  assay_verdict_t *verdict = g_new0(assay_verdict_t, 1);
  arena_init(&verdict->arena);
  status_t status = check_all(check, verdict);
  if (status != STATUS_OK) {
    assay_verdict_free(verdict);
    return status;
  }
  *out_verdict = verdict;
  return STATUS_OK;
}

int32_t assay_check(assay_context_t *context, const assay_question_t *question,
                    assay_verdict_t **out_verdict, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  if (out_verdict == NULL) {
    return call_end(&call, fail_null(&call, "out_verdict", "give where the verdict goes"));
  }
  status_t status = context_take(&call, context);
  if (status != STATUS_OK) return call_end(&call, status);
  check_t check = {.call = &call, .context = context};
  status = run(&check, question, out_verdict);
  context_give_back(context);
  return call_end(&call, status);
}
