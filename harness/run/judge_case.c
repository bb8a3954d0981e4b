/* SPDX-License-Identifier: Apache-2.0 */
/* Judges results of a case under the runner's contract; and under others where the question is what
 * else they keep: a tighter one, or what was promised beside what was inferred. */
#include "harness/run/judge_case.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/run/judge_rows.h"
#include "harness/run/observed_algorithms.h"
#include "harness/run/observed_formula.h"
#include "harness/run/row_leave.h"

static void note_wrong(void *context, uint32_t result, size_t component) {
  decide_context_t *asked = (decide_context_t *)context;
  evidence_t *evidence = &asked->evidence;
  if (evidence->wrong[result] == NULL) {
    size_t count = type_component_count(&evidence->results[result].type);
    evidence->wrong[result] = (uint8_t *)arena_alloc_zeroed(asked->arena, count);
  }
  evidence->wrong[result][component] = 1;
}

static decision_memo_t *memo_for(decide_context_t *asked, const oracle_call_t *call) {
  bool are_judged = call->results[0].data == asked->evidence.results[0].data;
  return asked->oracle->remembers_results && !are_judged ? &asked->memo_of_others : &asked->memo;
}

static status_t decide_oracle(void *context, const oracle_call_t *call, uint32_t result,
                              size_t component, answer_t *out_answer) {
  decide_context_t *asked = (decide_context_t *)context;
  const case_runner_interrupt_t *interrupt = asked->interrupt;
  if (interrupt->is_wanted != NULL && interrupt->is_wanted(interrupt->context)) {
    return status_fail(call->error, STATUS_IO, "interrupted, as the caller asked");
  }
  uint64_t begin = clock_nanoseconds();
  arena_mark_t mark = arena_mark(asked->arena);
  oracle_call_t remembering = *call;
  remembering.whole_count = asked->whole_count;
  if (remembering.memo == NULL) remembering.memo = memo_for(asked, call);
  remembering.kept = asked->kept;
  remembering.arena = asked->arena;
  remembering.is_brief = true; /* Words are told of what is wrong. */
  status_t status = asked->oracle->decide(&remembering, result, component, out_answer);
  arena_rewind(asked->arena, mark);
  uint64_t spent = clock_nanoseconds() - begin;
  asked->times->oracle += spent;
  asked->times->judge -= spent;
  log_debug(LOG_ORACLE, "decided component %zu of result %u exactly, %.1f us", component, result,
            (double)spent / 1000);
  return status;
}

static status_t refine_accepts(void *context, const contract_t *contract,
                               accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  decide_context_t *asked = (decide_context_t *)context;
  uint64_t begin = clock_nanoseconds();
  status_t status = expectation_accept(asked->expectation, contract, out_accepts, error);
  uint64_t spent = clock_nanoseconds() - begin;
  asked->times->oracle += spent;
  asked->times->judge -= spent;
  return status;
}

decide_context_t decide_context_make(case_runner_t *walk, const expectation_t *expectation,
                                     const tensor_t *results) {
  decide_context_t context = {.expectation = expectation,
                              .oracle = expectation->oracle,
                              .whole_count = expectation->whole_count,
                              .kept = expectation->kept,
                              .arena = expectation->arena,
                              .times = &walk->times,
                              .interrupt = &walk->interrupt,
                              .evidence = {.is_judged = true}};
  memcpy(context.evidence.results, results,
         expectation->instance->program.result_count * sizeof *results);
  memcpy(context.margins, walk->margins, sizeof context.margins);
  decision_memo_init(&context.memo);
  decision_memo_init(&context.memo_of_others);
  return context;
}

void decide_context_deinit(decide_context_t *context) {
  decision_memo_deinit(&context->memo);
  decision_memo_deinit(&context->memo_of_others);
}

judge_t decide_context_judge(decide_context_t *context, const contract_t *contract) {
  judge_t judge = {.decide = decide_oracle,
                   .refine = refine_accepts,
                   .decide_context = context,
                   .contract = *contract,
                   .on_wrong = note_wrong};
  memcpy(judge.margins, context->margins, sizeof judge.margins);
  return judge;
}

/* ---- One contract ---------------------------------------------------------------------------- */

/* Results of a case, which may be judged under several contracts. */
typedef struct judging {
  case_runner_t *walk;
  const expectation_t *expectation;
  const tensor_t *results;
  failure_t *error;
} judging_t;

/* A contract with its fast sets; of all that can be asked maybe only whether the results conform.
 */
typedef struct question {
  const contract_t *contract;
  const accept_t *accepts;
  bool is_brief;
} question_t;

static status_t judge_under(const judging_t *judging, const question_t *question,
                            evidence_t *out_evidence, verdict_t *out_verdict) {
  case_runner_t *walk = judging->walk;
  const case_t *instance = judging->expectation->instance;
  uint64_t begin = clock_nanoseconds();
  decide_context_t context = decide_context_make(walk, judging->expectation, judging->results);
  judge_t judge = decide_context_judge(&context, question->contract);
  judge.decide_wrong_max = question->is_brief ? 1 : walk->decide_wrong_max;
  judge.unjudged = walk->unjudged;
  judge.skips_class = question->is_brief;
  status_t status = judge_results(&judge, instance, question->accepts, judging->results,
                                  out_verdict, judging->error);
  decide_context_deinit(&context);
  *out_evidence = context.evidence;
  walk->times.judge += clock_nanoseconds() - begin;
  STATUS_TRY(status);
  if (walk->unjudged != 0) return STATUS_OK; /* Of rows all results are asked about. */
  begin = clock_nanoseconds();
  oracle_call_t call =
      case_runner_call(walk, judging->expectation, judging->results, judging->error);
  call.contract = question->contract;
  call.is_brief = question->is_brief || walk->is_brief;
  status = judge_rows(judging->expectation->oracle, &call, out_verdict);
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}

/* Under another contract than the expectation's.  Where that has no oracle the outcome is
 * OUTCOME_no_oracle. */
static status_t judge_elsewhere(const judging_t *judging, const contract_t *contract, bool is_brief,
                                evidence_t *out_evidence, verdict_t *out_verdict) {
  const expectation_t *expectation = judging->expectation;
  accept_t accepts[CASE_RESULTS_MAX];
  oracle_call_t call = case_runner_call(judging->walk, expectation, NULL, judging->error);
  call.contract = contract;
  call.kept = NULL; /* That is of the expectation's contract. */
  uint64_t begin = clock_nanoseconds();
  status_t status = expectation->oracle->accept(&call, accepts);
  judging->walk->times.oracle += clock_nanoseconds() - begin;
  if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) {
    *out_verdict = (verdict_t){.outcome = OUTCOME_no_oracle};
    return STATUS_OK;
  }
  STATUS_TRY(status);
  sample_attach(&expectation->sample, expectation->instance->program.result_count, accepts);
  const question_t question = {contract, accepts, is_brief};
  return judge_under(judging, &question, out_evidence, out_verdict);
}

/* ---- What was promised, and what was inferred ------------------------------------------------ */

/* Of the permissions that the contract withdraws, the first that would permit the worst component:
 * "accumulation=either". */
static status_t name_withdrawn(const judging_t *judging, const contract_t *promised,
                               verdict_t *verdict) {
  const expectation_t *expectation = judging->expectation;
  const contract_t *inferred = &judging->walk->contract;
  g_strlcpy(verdict->observed, "several permissions", sizeof verdict->observed);
  verdict->blame = (verdict_blame_t){.is_there = false};
  for (size_t i = 0; i < contract_permission_count(); i++) {
    if (promised->values[i] == inferred->values[i]) continue;
    contract_t contract = *inferred;
    contract.values[i] = promised->values[i];
    oracle_call_t call =
        case_runner_call(judging->walk, expectation, judging->results, judging->error);
    call.contract = &contract;
    answer_t answer = {0};
    arena_mark_t mark = arena_mark(expectation->arena);
    status_t status = oracle_decide_with_memo(expectation->oracle->decide, &call, verdict->result,
                                              verdict->component, &answer);
    arena_rewind(expectation->arena, mark);
    if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) continue;
    STATUS_TRY(status);
    if (!answer.conforms) continue;
    const char *name = contract_permission_name(i);
    snprintf(verdict->observed, sizeof verdict->observed, "%s=%s", name,
             contract_spelling(name, promised->values[i]));
    verdict->blame = (verdict_blame_t){.is_there = true, .contract = contract};
    break;
  }
  return STATUS_OK;
}

/* A divergence from an inferred contract: from what was promised too, and then that is the verdict;
 * or only from what earlier results kept, class `looser` (theory.md, T116). */
static status_t hold_promised(const judging_t *judging, verdict_t *verdict) {
  const contract_t backend = contract_backend();
  const contract_t promised = contract_loosened(&judging->walk->contract, &backend);
  evidence_t evidence;
  verdict_t other;
  STATUS_TRY(judge_elsewhere(judging, &promised, false, &evidence, &other));
  if (other.outcome == OUTCOME_diverges) {
    *verdict = other;
    judging->walk->evidence = evidence;
    return STATUS_OK;
  }
  if (other.outcome == OUTCOME_no_oracle) return STATUS_OK;
  if (verdict->class_ == CLASS_shared) { /* Of the row, no component of which is wrong. */
    verdict->class_ = CLASS_looser;
    g_strlcpy(verdict->observed, "shared=each", sizeof verdict->observed);
    return STATUS_OK;
  }
  verdict->class_ = CLASS_looser;
  return name_withdrawn(judging, &promised, verdict);
}

/* ---- What the class rests on ----------------------------------------------------------------- */

/* That elementary functions err by more than anybody promises explains much: it is said only where
 * it explains the whole. */
static status_t hold_blame(const judging_t *judging, verdict_t *verdict) {
  if (!verdict->blame.is_there || !verdict->blame.is_of_functions) return STATUS_OK;
  evidence_t evidence;
  verdict_t other;
  arena_mark_t mark = arena_mark(judging->expectation->arena);
  status_t status = judge_elsewhere(judging, &verdict->blame.contract, true, &evidence, &other);
  arena_rewind(judging->expectation->arena, mark);
  STATUS_TRY(status);
  if (other.wrong_count > 0 || other.outcome == OUTCOME_no_oracle) verdict_withdraw_blame(verdict);
  return STATUS_OK;
}

/* ---- What would make rows agree -------------------------------------------------------------- */

static status_t conforms_elsewhere(void *context, const contract_t *contract, bool *out_conforms) {
  const judging_t *judging = (const judging_t *)context;
  evidence_t evidence;
  verdict_t other;
  arena_mark_t mark = arena_mark(judging->expectation->arena);
  status_t status = judge_elsewhere(judging, contract, true, &evidence, &other);
  arena_rewind(judging->expectation->arena, mark);
  *out_conforms = status == STATUS_OK && other.outcome == OUTCOME_conforms;
  return status;
}

static status_t name_row_leave(judging_t *judging, verdict_t *verdict) {
  if (verdict->outcome != OUTCOME_diverges || verdict->class_ != CLASS_shared) return STATUS_OK;
  const row_leave_question_t question = {&judging->expectation->instance->program,
                                         &judging->walk->contract, conforms_elsewhere, judging};
  return row_leave_find(&question, verdict->observed, sizeof verdict->observed);
}

/* ---- A tighter contract ---------------------------------------------------------------------- */

void case_runner_hold_wide(case_runner_t *walk) {
  const contract_t wide = contract_wide();
  walk->tighter_contract = contract_tightened(&walk->contract, &wide);
  walk->has_tighter = !contract_equal(&walk->tighter_contract, &walk->contract);
}

static bool has_short_float(const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const quantization_t *quantization = types[i].quantization;
    const element_t *element = quantization != NULL ? quantization->expressed : types[i].element;
    if (element->format != NULL && element->bits <= 16) return true;
  }
  return false;
}

/* Of short floats, whose arithmetic it is about, expressed ones too: of others it asks for
 * `shared=once` alone. */
static status_t hold_tighter(const judging_t *judging, verdict_t *verdict) {
  case_runner_t *walk = judging->walk;
  const program_t *program = &judging->expectation->instance->program;
  if (!walk->has_tighter || verdict->outcome != OUTCOME_conforms) return STATUS_OK;
  if (!has_short_float(program->operands, program->operand_count) &&
      !has_short_float(program->results, program->result_count))
    return STATUS_OK;
  if (walk->tighter_due++ % CASE_RUNNER_TIGHTER_ONE_IN != 0) return STATUS_OK;
  evidence_t evidence;
  verdict_t tighter;
  arena_mark_t mark = arena_mark(judging->expectation->arena);
  status_t status = judge_elsewhere(judging, &walk->tighter_contract, true, &evidence, &tighter);
  arena_rewind(judging->expectation->arena, mark);
  STATUS_TRY(status);
  if (tighter.outcome == OUTCOME_no_oracle) return STATUS_OK;
  verdict->contract = tighter.outcome == OUTCOME_diverges ? VERDICT_NOT_WIDE : VERDICT_WIDE;
  return STATUS_OK;
}

/* Whether the case that has so many before it is asked: by their number alone, so that the same
 * seed asks the same. */
static bool is_precision_due(const program_t *program, uint64_t before) {
  uint64_t one_in = CASE_RUNNER_PRECISION_ONE_IN;
  size_t components = type_component_count(&program->results[0]);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    components += type_component_count(&program->operands[i]);
  }
  if (components >= CASE_RUNNER_PRECISION_LARGE) one_in *= CASE_RUNNER_PRECISION_MORE;
  if (before >= CASE_RUNNER_PRECISION_SOME) one_in *= CASE_RUNNER_PRECISION_MORE;
  if (before >= 4 * CASE_RUNNER_PRECISION_SOME) one_in *= CASE_RUNNER_PRECISION_MORE;
  return before % one_in == 0;
}

/* Likewise, of what is dear; of what diverges always. */
static bool is_formula_due(case_runner_t *walk, const oracle_t *oracle, const verdict_t *verdict) {
  if (!oracle->has_dear_formula || verdict->outcome != OUTCOME_conforms) return true;
  uint64_t before = walk->formula_due++;
  return before < CASE_RUNNER_FORMULA_SOME || before % CASE_RUNNER_FORMULA_ONE_IN == 0;
}

/* ---- All ------------------------------------------------------------------------------------- */

status_t case_runner_judge(case_runner_t *walk, const expectation_t *expectation,
                           const tensor_t *results, verdict_t *out_verdict, failure_t *error) {
  if (expectation->oracle_status != STATUS_OK) {
    *out_verdict = (verdict_t){.outcome = OUTCOME_no_oracle};
    g_strlcpy(out_verdict->reason, expectation->reason, sizeof out_verdict->reason);
    return STATUS_OK;
  }
  if (walk->unjudged != 0 && expectation->oracle->has_joint_results) {
    *out_verdict = (verdict_t){.outcome = OUTCOME_no_oracle};
    g_strlcpy(out_verdict->reason, "the results of this op are judged together: give all of them",
              sizeof out_verdict->reason);
    return STATUS_OK;
  }
  judging_t judging = {walk, expectation, results, error};
  const question_t question = {&walk->contract, expectation->accepts, false};
  STATUS_TRY(judge_under(&judging, &question, &walk->evidence, out_verdict));
  walk->treeless += out_verdict->treeless_count;
  walk->rows_left += out_verdict->rows_left_count;
  if (walk->is_brief || walk->unjudged != 0) return STATUS_OK;
  bool is_inferred = PERMITTED(&walk->contract, inferred) == INFERRED_YES;
  if (out_verdict->outcome == OUTCOME_diverges && is_inferred) {
    STATUS_TRY(hold_promised(&judging, out_verdict));
  }
  STATUS_TRY(hold_blame(&judging, out_verdict));
  STATUS_TRY(name_row_leave(&judging, out_verdict));
  STATUS_TRY(hold_tighter(&judging, out_verdict));
  uint64_t begin = clock_nanoseconds();
  const oracle_call_t call = case_runner_call(walk, expectation, results, error);
  status_t status = observe_algorithms(expectation->oracle, &call, out_verdict);
  bool is_due = takes_precision(expectation->oracle, &call, out_verdict) &&
                is_precision_due(&expectation->instance->program, walk->precision_due++);
  if (status == STATUS_OK && is_due) {
    status = observe_precision(expectation->oracle, &call, out_verdict);
  }
  if (status == STATUS_OK && is_formula_due(walk, expectation->oracle, out_verdict)) {
    status = observe_formula(expectation->oracle, &call, expectation->accepts, out_verdict);
  }
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}
