/* SPDX-License-Identifier: Apache-2.0 */
/* assay_check(): holds the caller's results against his operands, by the walk of any other case. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"
#include "harness/diagnose/cause.h"
#include "harness/model/op.h"

/* Of wrong elements so many are decided one by one; beyond that the rest count as wrong. */
enum { DECIDED_MAX = 1024 };

case_runner_t *check_walk(check_t *check) {
  case_runner_t *walk = &check->context->walk;
  const bool is_whole = (check->question.asked.flags & ASSAY_ALL_ELEMENTS) != 0;
  walk->contract = check->question.contract;
  walk->decide_wrong_max = is_whole ? 0 : DECIDED_MAX;
  walk->judges_all = is_whole;
  walk->precision_due = 1; /* What no verdict tells is not asked. */
  walk->whole_count = check->whole_count;
  memcpy(walk->margins, check->margins, sizeof walk->margins);
  walk->is_brief = false;
  walk->interrupt = (case_runner_interrupt_t){progress_is_cancelled, &check->progress};
  return walk;
}

void check_margins(check_t *check, const cut_t *cut, size_t unit, const case_t *part) {
  const cut_block_t block = cut_unit_block(cut, unit);
  for (uint32_t i = 0; i < part->program.result_count; i++) {
    check->margins[i] =
        cut_margin(cut, &block, &part->program.results[i], i, &check->context->arena);
  }
}

status_t check_failed(check_t *check, status_t status) {
  if (status == STATUS_OK) return status;
  if (check->progress.is_cancelled)
    check->call->answer = ASSAY_CANCELLED;
  else if (status == STATUS_INVALID)
    check->call->answer = ASSAY_DEFECT;
  return status;
}

status_t check_cancelled(check_t *check) {
  check->call->answer = ASSAY_CANCELLED;
  return status_fail(&check->call->failure, STATUS_IO, "interrupted, as the caller asked");
}

static status_t judge(check_t *check, const case_t *instance, const tensor_t *results,
                      bool is_brief, checked_t *out) {
  case_runner_t *walk = check_walk(check);
  walk->is_brief = is_brief;
  failure_t *error = &check->call->failure;
  expectation_t expectation;
  walk->evidence = (evidence_t){.is_judged = false};
  STATUS_TRY(case_runner_expect(walk, instance, NULL, &check->context->arena, &expectation, error));
  if (!progress_tell(&check->progress, check->progress.done)) return check_cancelled(check);
  STATUS_TRY(case_runner_judge(walk, &expectation, results, &out->verdict, error));
  out->evidence = walk->evidence;
  out->worst = (worst_t){.exact = NAN};
  if (is_brief) return STATUS_OK;
  if ((check->question.asked.flags & ASSAY_NO_CAUSE) == 0) {
    STATUS_TRY(cause_explain(walk, &expectation, &check->context->arena, &out->verdict, error));
  }
  return worst_find(&expectation, &check->question.contract, &out->verdict, &out->worst, error);
}

status_t check_case(check_t *check, const case_t *instance, const tensor_t *results, bool is_brief,
                    checked_t *out_checked) {
  return check_failed(check, judge(check, instance, results, is_brief, out_checked));
}

static status_t check_whole(check_t *check, assay_verdict_t *verdict) {
  const case_t *instance = &check->question.instance;
  checked_t checked;
  STATUS_TRY(check_case(check, instance, check->results, false, &checked));
  const uint8_t *wrong[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    wrong[i] = checked.evidence.is_judged ? checked.evidence.wrong[i] : NULL;
  }
  verdict->verdict = checked.verdict;
  const judged_t judged = {.instance = instance,
                           .contract = &check->question.contract,
                           .results = check->results,
                           .wrong = wrong,
                           .worst = checked.worst};
  verdict_tell(&judged, verdict);
  return STATUS_OK;
}

static status_t check_all(check_t *check, assay_verdict_t *verdict) {
  if (!progress_tell(&check->progress, 0)) return check_cancelled(check);
  cut_t cut;
  bool is_done = false;
  if (check_cut(check, &cut)) {
    STATUS_TRY(check_sampled(check, &cut, verdict, &is_done));
    if (!is_done && cut.block_count > 1) STATUS_TRY(check_blocks(check, &cut, verdict, &is_done));
  }
  if (!is_done && program_is_large(&check->question.instance.program)) {
    return status_fail(&check->call->failure, STATUS_UNSUPPORTED,
                       "a tensor has more than %d elements or %d bytes, and a %s of these types "
                       "cannot be cut into smaller parts",
                       (int)TYPE_ELEMENTS_MAX, (int)TYPE_BYTES_MAX,
                       check->question.instance.program.op->name);
  }
  if (!is_done) STATUS_TRY(check_whole(check, verdict));
  STATUS_TRY(smallest_tell(check, verdict));
  return progress_tell(&check->progress, 1) ? STATUS_OK : check_cancelled(check);
}

static status_t run(check_t *check, const assay_question_t *asked, assay_verdict_t **out_verdict) {
  STATUS_TRY(question_read_large(check->call, check->context, asked, &check->question));
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
