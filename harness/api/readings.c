/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a reading of the program explains what was judged in parts: all blocks, or the units of a
 * sample. */
#include "harness/api/handles.h"
#include "harness/diagnose/reading.h"
#include "harness/model/op.h"
#include "harness/run/row_leave.h"

/* What was judged, and the verdict that it got. */
typedef struct parted {
  check_t *check;
  const parts_question_t *question;
  const verdict_t *verdict;
} parted_t;

/* That somebody wants an end is heard; how much is done was told before. */
static bool tell(void *context, double done) {
  (void)done;
  progress_t *progress = (progress_t *)context;
  return progress_tell(progress, progress->done);
}

static status_t explains_all(void *context, const reading_t *reading, bool *out_explains) {
  const parted_t *parted = (const parted_t *)context;
  *out_explains = false;
  check_t *check = parted->check;
  case_t instance = check->question.instance;
  instance.program = reading->program;
  cut_t cut;
  if (!cut_init(&instance.program, &cut)) return STATUS_OK;
  parts_question_t question = *parted->question;
  question.subject = (cut_subject_t){&instance, check->results};
  question.cut = &cut;
  question.contract = &reading->contract;
  question.judges_all = true;
  question.decides_all = false;
  question.stops_at_wrong = true;
  question.tell = tell;
  parts_finding_t finding;
  status_t status = parts_judge(&question, &finding, &check->call->failure);
  const judge_t judge = {.contract = reading->contract};
  const judge_tally_t *tally = &finding.tally;
  verdict_t verdict = {.outcome = OUTCOME_no_oracle};
  if (status == STATUS_OK && finding.is_cut && tally->verdict.wrong_count == 0 &&
      finding.rows.agrees) {
    status =
        judge_conclude(&judge, &instance, check->results, tally, &verdict, &check->call->failure);
  }
  parts_finding_clear(&finding);
  *out_explains = status == STATUS_OK && verdict.outcome == OUTCOME_conforms;
  return status;
}

/* The unit of the worst element alone. */
static status_t explains_worst(void *context, const reading_t *reading, bool *out_explains) {
  const parted_t *parted = (const parted_t *)context;
  const verdict_t *verdict = parted->verdict;
  *out_explains = false;
  check_t *check = parted->check;
  case_t whole = check->question.instance, part;
  whole.program = reading->program;
  const cut_t *cut = parted->question->cut;
  const uint32_t result = verdict->result;
  const element_t *element = whole.program.results[result].element;
  const size_t unit = cut_unit_of(cut, result, verdict->component / element->components);
  const cut_units_t units = {&unit, 1};
  const cut_subject_t subject = {&whole, check->results};
  tensor_t results[CASE_RESULTS_MAX];
  arena_t *arena = &check->context->arena;
  if (!cut_take_units(cut, &subject, &units, arena, &part, results)) return STATUS_OK;
  const oracle_call_t call = {.instance = &part,
                              .contract = &reading->contract,
                              .results = results,
                              .whole_count = type_component_count(&whole.program.results[0]),
                              .arena = arena,
                              .error = &check->call->failure};
  const size_t count = type_component_count(&results[result].type);
  size_t place = 0;
  while (place < count &&
         cut_units_to_whole(cut, &units, &whole.program, result, place) != verdict->component) {
    place++;
  }
  if (place == count) return STATUS_OK;
  answer_t answer = {0};
  status_t status =
      oracle_decide_with_memo(oracle_find(part.program.op)->decide, &call, result, place, &answer);
  *out_explains = status == STATUS_OK && reading_tells(&answer, element);
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED ? STATUS_OK : status;
}

static status_t conforms_under(void *context, const contract_t *contract, bool *out_conforms) {
  const parted_t *parted = (const parted_t *)context;
  const reading_t relaxed = {parted->check->question.instance.program, *contract};
  return explains_all(context, &relaxed, out_conforms);
}

static status_t name_row_leave(parted_t *parted, verdict_t *verdict) {
  if (verdict->outcome != OUTCOME_diverges || verdict->class_ != CLASS_shared) return STATUS_OK;
  const case_t *instance = &parted->check->question.instance;
  const row_leave_question_t question = {&instance->program, &parted->check->question.contract,
                                         conforms_under, parted};
  return row_leave_find(&question, verdict->observed, sizeof verdict->observed);
}

status_t check_readings(check_t *check, const parts_question_t *question,
                        verdict_t *inout_verdict) {
  parted_t parted = {check, question, inout_verdict};
  const reading_judge_t asked = {explains_worst, explains_all, &parted};
  const reading_t present = {.program = check->question.instance.program,
                             .contract = check->question.contract};
  if (inout_verdict->blame.is_of_functions) {
    bool explains = false;
    const reading_t relaxed = {present.program, inout_verdict->blame.contract};
    STATUS_TRY(explains_all(&parted, &relaxed, &explains));
    if (!explains) verdict_withdraw_blame(inout_verdict);
  }
  if ((check->question.asked.flags & ASSAY_NO_CAUSE) != 0) return STATUS_OK;
  STATUS_TRY(name_row_leave(&parted, inout_verdict));
  STATUS_TRY(reading_hold_blame(&asked, &present, inout_verdict));
  return reading_find(&asked, &present, &check->context->arena, inout_verdict);
}
