/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one case: builds the accept sets and has a random sample of components audited, compiles,
 * executes twice, judges, and adds diagnosis and observations. Forbidden programs take the same
 * way. */
#include "harness/run/case_runner.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/run/audit_sample.h"
#include "harness/run/execute_twice.h"
#include "harness/run/judge_case.h"
#include "harness/run/judge_unlike_runs.h"
#include "harness/run/observed_algorithms.h"

void case_runner_init(case_runner_t *walk, const contract_t *contract, uint64_t seed) {
  *walk = (case_runner_t){.contract = *contract,
                          .audit_one_in = CASE_RUNNER_AUDIT_ONE_IN,
                          .decide_wrong_max = CASE_RUNNER_ASK_WRONG_MAX,
                          .audit_rng = rng_make(seed)};
  /* Any component may be the first, else short runs would never audit. */
  walk->audit_distance = rng_below(&walk->audit_rng, CASE_RUNNER_AUDIT_ONE_IN);
}

status_t expectation_accept(const expectation_t *expectation, const contract_t *contract,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  const oracle_call_t call = {.instance = expectation->instance,
                              .contract = contract,
                              .whole_count = expectation->whole_count,
                              .sample = &expectation->sample,
                              .arena = expectation->arena,
                              .error = error};
  STATUS_TRY(expectation->oracle->accept(&call, out_accepts));
  sample_attach(&expectation->sample, expectation->instance->program.result_count, out_accepts);
  return STATUS_OK;
}

status_t expectation_refine(expectation_t *inout_expectation, const contract_t *contract,
                            failure_t *error) {
  bool has_accepts =
      inout_expectation->oracle_status == STATUS_OK && inout_expectation->broken == NULL;
  if (!has_accepts) return STATUS_OK;
  bool is_rough = false;
  for (uint32_t i = 0; i < inout_expectation->instance->program.result_count; i++) {
    is_rough |= inout_expectation->accepts[i].is_rough;
  }
  if (!is_rough) return STATUS_OK;
  return expectation_accept(inout_expectation, contract, inout_expectation->accepts, error);
}

static status_t expect_valid(case_runner_t *walk, expectation_t *expectation, failure_t *error) {
  failure_t reason = {0};
  const oracle_call_t call = case_runner_call(walk, expectation, NULL, &reason);
  if (walk->sample != NULL) {
    expectation->sample = *walk->sample;
  } else if (!walk->judges_all) {
    expectation->sample = sample_make(expectation->oracle, &call);
  }
  expectation->oracle_status = expectation->oracle->accept(&call, expectation->accepts);
  switch (expectation->oracle_status) {
    case STATUS_OK:
      break;
    case STATUS_UNSUPPORTED:
    case STATUS_UNDECIDED:
      snprintf(expectation->reason, sizeof expectation->reason, "%.191s", reason.text);
      return STATUS_OK;
    case STATUS_INVALID:
    case STATUS_IO:
    default:
      *error = reason;
      return expectation->oracle_status;
  }
  const uint32_t result_count = expectation->instance->program.result_count;
  sample_attach(&expectation->sample, result_count, expectation->accepts);
  for (uint32_t i = 0; i < result_count; i++) {
    STATUS_TRY(audit_sample(walk, expectation, i, error));
  }
  return STATUS_OK;
}

/* Nobody can say what is right: why, in words. */
static void expect_nothing(const program_t *program, const op_constraint_t *broken,
                           expectation_t *expectation) {
  expectation->oracle_status = STATUS_UNSUPPORTED;
  g_autoptr(GString) text = g_string_new(NULL);
  if (broken != NULL) {
    op_constraint_explain(program->op, broken, text);
  } else {
    g_string_printf(text, "no oracle for %s", program->op->name);
  }
  snprintf(expectation->reason, sizeof expectation->reason, "%.191s", text->str);
}

status_t case_runner_expect(case_runner_t *walk, const case_t *instance,
                            const op_constraint_t *broken, arena_t *arena,
                            expectation_t *out_expectation, failure_t *error) {
  out_expectation->instance = instance;
  out_expectation->arena = arena;
  out_expectation->oracle_status = STATUS_OK;
  out_expectation->oracle = oracle_find(instance->program.op);
  out_expectation->broken = broken;
  out_expectation->kept = arena_alloc(arena, sizeof *out_expectation->kept);
  *out_expectation->kept = NULL;
  out_expectation->sample = (sample_t){{NULL}, {0}, {0}};
  out_expectation->whole_count = walk->whole_count;
  out_expectation->reason[0] = '\0';
  if (op_constraint_is_forbidden(broken)) return STATUS_OK;
  if (broken != NULL || out_expectation->oracle == NULL) {
    expect_nothing(&instance->program, broken, out_expectation);
    return STATUS_OK;
  }
  uint64_t begin = clock_nanoseconds();
  status_t status = expect_valid(walk, out_expectation, error);
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}

/* Whether a valid program is one that no version of its specification knows, but a proposal whose
 * rules the contract permits: nobody owes it to anybody. */
static bool is_proposed(const program_t *program, const contract_t *contract) {
  contract_t specified = *contract;
  specified.values[PERMISSION_reduce_types] = REDUCE_TYPES_SPEC;
  return program_broken_under(program, program_broken(program), &specified) != NULL;
}

void case_runner_prepare(case_runner_t *walk, const program_t *program,
                         const op_constraint_t *broken, executor_t *executor,
                         preparation_t *out_preparation) {
  uint64_t begin = clock_nanoseconds();
  *out_preparation = (preparation_t){.executor = executor, .promise = EXECUTOR_PROMISE_NONE};
  out_preparation->outcome =
      executor_compile(executor, program, &out_preparation->program, out_preparation->reason,
                       sizeof out_preparation->reason);
  if (out_preparation->outcome == EXECUTOR_OK) {
    snprintf(out_preparation->implementation, sizeof out_preparation->implementation, "%s",
             executor_implementation(executor, out_preparation->program));
  }
  /* Of what failed nothing depends on the promise, and asking for it may fail again. */
  bool was_answered =
      out_preparation->outcome == EXECUTOR_OK || out_preparation->outcome == EXECUTOR_REFUSED;
  if (broken == NULL && was_answered) {
    out_preparation->promise = executor_promises(executor, program);
  }
  bool is_declined =
      out_preparation->outcome == EXECUTOR_REFUSED || out_preparation->outcome == EXECUTOR_REJECTED;
  if (is_declined && broken == NULL && is_proposed(program, &walk->contract)) {
    out_preparation->outcome = EXECUTOR_REFUSED;
    out_preparation->promise = EXECUTOR_PROMISE_NONE;
  }
  walk->times.compile += clock_nanoseconds() - begin;
}

bool case_runner_is_settled(const preparation_t *preparation, const op_constraint_t *broken) {
  return op_constraint_is_forbidden(broken) || preparation->outcome != EXECUTOR_OK ||
         preparation->promise == EXECUTOR_PROMISE_NO;
}

static bool is_outside_target(const preparation_t *preparation, const op_constraint_t *broken) {
  return broken == NULL && preparation->outcome == EXECUTOR_OK &&
         preparation->promise == EXECUTOR_PROMISE_NO;
}

bool case_runner_is_executed(const preparation_t *preparation, const program_t *program,
                             const op_constraint_t *broken) {
  if (!case_runner_is_settled(preparation, broken)) return true;
  const oracle_t *oracle = oracle_find(program->op);
  return is_outside_target(preparation, broken) && oracle != NULL &&
         oracle->names_algorithm != NULL && oracle->names_algorithm(program);
}

/* Keeps what else the verdict says. */
static void set_verdict(verdict_t *verdict, outcome_t outcome, divergence_class_t class_,
                        const char *reason) {
  verdict->outcome = outcome;
  verdict->class_ = class_;
  snprintf(verdict->reason, sizeof verdict->reason, "%.191s", reason);
}

static void start_verdict(verdict_t *verdict, const op_constraint_t *broken) {
  *verdict = (verdict_t){0};
  bool is_invalid = op_constraint_is_forbidden(broken);
  g_strlcpy(verdict->constraint, is_invalid ? broken->id : "", sizeof verdict->constraint);
}

void case_runner_judge_absence(executor_outcome_t outcome, executor_promise_t promise,
                               const op_constraint_t *broken, const char *reason,
                               verdict_t *out_verdict) {
  verdict_t *verdict = out_verdict;
  start_verdict(verdict, broken);
  switch (outcome) {
    case EXECUTOR_REFUSED:
      if (broken == NULL && promise == EXECUTOR_PROMISE_YES) {
        set_verdict(verdict, OUTCOME_diverges, CLASS_supported_refused, reason);
      } else {
        set_verdict(verdict, OUTCOME_refused, CLASS_none, reason);
      }
      break;
    case EXECUTOR_REJECTED:
      if (broken == NULL) {
        set_verdict(verdict, OUTCOME_diverges, CLASS_supported_refused, reason);
      } else if (op_constraint_is_forbidden(broken)) {
        set_verdict(verdict, OUTCOME_conforms, CLASS_none, reason);
      } else {
        g_autofree char *said = g_strdup_printf(
            "Assay does not model it (%s); the executor says: %s", broken->id, reason);
        set_verdict(verdict, OUTCOME_no_oracle, CLASS_none, said);
      }
      break;
    case EXECUTOR_CRASHED:
      set_verdict(verdict, OUTCOME_failed, CLASS_crash, reason);
      break;
    case EXECUTOR_ENDED:
      set_verdict(verdict, OUTCOME_failed, CLASS_ended, reason);
      break;
    case EXECUTOR_TIMED_OUT:
      set_verdict(verdict, OUTCOME_failed, CLASS_hang, reason);
      break;
    case EXECUTOR_GARBAGE:
      set_verdict(verdict, OUTCOME_failed, CLASS_protocol, reason);
      break;
    case EXECUTOR_OK:
    case EXECUTOR_FAILED:
    default:
      set_verdict(verdict, OUTCOME_failed, CLASS_none, reason);
      break;
  }
}

void case_runner_judge_accepted(const op_constraint_t *broken, verdict_t *out_verdict) {
  start_verdict(out_verdict, broken);
  if (op_constraint_is_forbidden(broken)) {
    set_verdict(out_verdict, OUTCOME_diverges, CLASS_invalid_accepted,
                "accepted a program that breaks a constraint");
  } else {
    set_verdict(out_verdict, OUTCOME_diverges, CLASS_unsupported_accepted,
                "accepted a program outside its declared target");
  }
}

/* What executions showed beside their values.  A call that wrote outside its results, or never
 * wrote them, has no values to speak of, and one that cannot be repeated is first of all that; a
 * changed environment is only told where nothing else is wrong, since some backends change it
 * always. */
static status_t judge_executions(case_runner_t *walk, const expectation_t *expectation,
                                 const executions_t *executions, verdict_t *verdict,
                                 result_digest_t *out_digest, failure_t *error) {
  const program_t *program = &expectation->instance->program;
  const repeat_t *repeat = &executions->repeat;
  if (executions->wrote_out_of_bounds) {
    set_verdict(verdict, OUTCOME_diverges, CLASS_out_of_bounds, "wrote beside its results");
    verdict->result = executions->bad_result;
    return STATUS_OK;
  }
  if (repeat->kind == REPEAT_UNWRITTEN) {
    set_verdict(verdict, OUTCOME_diverges, CLASS_unwritten, "a result was never written");
    walk->evidence.unwritten = repeat_mark(executions, repeat->result, expectation->arena);
  } else if (repeat->kind == REPEAT_PADDING) {
    set_verdict(verdict, OUTCOME_failed, CLASS_protocol, "unused high bits of an element are set");
  } else {
    STATUS_TRY(case_runner_judge(walk, expectation, executions->results, verdict, error));
    if (out_digest != NULL) {
      *out_digest =
          result_digest_make(program, executions->results, verdict->outcome, expectation->arena);
    }
    if (repeat->kind == REPEAT_DIFFERS) {
      return judge_unlike_runs(walk, expectation, executions, verdict, out_digest, error);
    }
    if (executions->changed_environment && verdict->outcome != OUTCOME_diverges) {
      set_verdict(verdict, OUTCOME_diverges, CLASS_environment,
                  "changed the rounding mode or flush-to-zero");
    }
  }
  if (repeat->kind != REPEAT_SAME) repeat_describe(program, repeat, verdict);
  return STATUS_OK;
}

/* Why executions gave no results to speak of; NULL if they did. */
static const char *lacks_results(const execution_t *last, const executions_t *executions) {
  if (last->outcome != EXECUTOR_OK) return last->reason;
  if (executions->wrote_out_of_bounds) return "wrote beside its results";
  if (executions->repeat.kind == REPEAT_SAME) return NULL;
  return executions->repeat.kind == REPEAT_DIFFERS ? "two runs of the case differ"
                                                   : "a result was not written as it should be";
}

/* That an executor accepted a program outside its target is the verdict, whatever came of it; the
 * results tell which algorithms it may have run. */
static status_t judge_outside(case_runner_t *walk, const expectation_t *expectation,
                              const execution_t *last, const executions_t *executions,
                              verdict_t *out_verdict, failure_t *error) {
  case_runner_judge_accepted(NULL, out_verdict);
  const char *lack = lacks_results(last, executions);
  if (lack != NULL) {
    size_t size = strlen(out_verdict->reason);
    snprintf(out_verdict->reason + size, sizeof out_verdict->reason - size, ", and ran it: %.120s",
             lack);
  }
  if (lack != NULL || expectation->oracle_status != STATUS_OK) return STATUS_OK;
  uint64_t begin = clock_nanoseconds();
  const oracle_call_t call = case_runner_call(walk, expectation, executions->results, error);
  status_t status = observe_algorithms(expectation->oracle, &call, out_verdict);
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}

status_t case_runner_run_prepared(case_runner_t *walk, const expectation_t *expectation,
                                  const preparation_t *preparation, verdict_t *out_verdict,
                                  result_digest_t *out_digest, failure_t *error) {
  const case_t *instance = expectation->instance;
  const op_constraint_t *broken = expectation->broken;
  walk->evidence = (evidence_t){.is_judged = false};
  if (out_digest != NULL) *out_digest = (result_digest_t){.has_results = false};
  if (preparation->outcome != EXECUTOR_OK) {
    case_runner_judge_absence(preparation->outcome, preparation->promise, broken,
                              preparation->reason, out_verdict);
    return STATUS_OK;
  }
  if (!case_runner_is_executed(preparation, &instance->program, broken)) {
    case_runner_judge_accepted(broken, out_verdict);
    return STATUS_OK;
  }
  uint64_t begin = clock_nanoseconds();
  executions_t executions;
  execution_t last = execute_twice(preparation->executor, preparation->program, instance,
                                   expectation->arena, &executions);
  walk->times.executor += clock_nanoseconds() - begin;
  if (is_outside_target(preparation, broken) && last.outcome != EXECUTOR_REFUSED) {
    return judge_outside(walk, expectation, &last, &executions, out_verdict, error);
  }
  if (last.outcome != EXECUTOR_OK) {
    /* Who compiles a program with unknown sizes promises it, and not every size. */
    executor_promise_t promise =
        program_is_dynamic(&instance->program) && last.outcome == EXECUTOR_REFUSED
            ? EXECUTOR_PROMISE_NONE
            : preparation->promise;
    case_runner_judge_absence(last.outcome, promise, broken, last.reason, out_verdict);
    return STATUS_OK;
  }
  *out_verdict = (verdict_t){0};
  STATUS_TRY(judge_executions(walk, expectation, &executions, out_verdict, out_digest, error));
  bool has_results = !executions.wrote_out_of_bounds && executions.repeat.kind == REPEAT_SAME;
  if (walk->predictor.check == NULL || !has_results || broken != NULL) return STATUS_OK;
  return walk->predictor.check(walk->predictor.context, preparation->executor, expectation,
                               executions.results, out_verdict, error);
}

status_t case_runner_run(case_runner_t *walk, const expectation_t *expectation,
                         executor_t *executor, verdict_t *out_verdict, failure_t *error) {
  preparation_t preparation;
  case_runner_prepare(walk, &expectation->instance->program, expectation->broken, executor,
                      &preparation);
  return case_runner_run_prepared(walk, expectation, &preparation, out_verdict, NULL, error);
}
