#include "harness/run/one_case.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/log.h"
#include "harness/run/clock.h"
#include "harness/run/observed_algorithms.h"
#include "harness/run/observed_formula.h"
#include "harness/run/repeat.h"
#include "harness/run/unlike_runs.h"

void one_case_init(one_case_t *walk, const contract_t *contract, uint64_t seed) {
  *walk = (one_case_t){.contract = *contract,
                       .audit_one_in = ONE_CASE_AUDIT_ONE_IN,
                       .ask_wrong_max = ONE_CASE_ASK_WRONG_MAX,
                       .audit_rng = rng_make(seed)};
  /* Any component may be the first, else short runs would never audit. */
  walk->audit_distance = rng_below(&walk->audit_rng, ONE_CASE_AUDIT_ONE_IN);
}

/* Audits the components that are due, on average one in audit_one_in: distances are uniform in
 * 1 .. 2 * audit_one_in - 1, which costs one random number an audit instead of one a component. */
static status_t audit(one_case_t *walk, const case_t *instance, const expectation_t *expectation,
                      uint32_t result, arena_t *arena, failure_t *error) {
  if (walk->audit_one_in == 0) return STATUS_OK;
  size_t count = expectation->accepts[result].count;
  size_t component = 0;
  while (walk->audit_distance < count - component) {
    component += walk->audit_distance;
    arena_mark_t mark = arena_mark(arena);
    status_t status = expectation->oracle->audit(instance, &walk->contract, expectation->accepts,
                                                 result, component, arena, error);
    arena_rewind(arena, mark);
    STATUS_TRY(status);
    walk->audited++;
    walk->audit_distance = 1 + rng_below(&walk->audit_rng, 2 * (uint64_t)walk->audit_one_in - 1);
  }
  walk->audit_distance -= count - component;
  return STATUS_OK;
}

static status_t expect_valid(one_case_t *walk, const case_t *instance, arena_t *arena,
                             expectation_t *expectation, failure_t *error) {
  failure_t reason = {0};
  expectation->oracle_status =
      expectation->oracle->accept(instance, &walk->contract, arena, expectation->accepts, &reason);
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
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    STATUS_TRY(audit(walk, instance, expectation, i, arena, error));
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

status_t one_case_expect(one_case_t *walk, const case_t *instance, const op_constraint_t *broken,
                         arena_t *arena, expectation_t *out_expectation, failure_t *error) {
  out_expectation->oracle_status = STATUS_OK;
  out_expectation->oracle = oracle_find(instance->program.op);
  out_expectation->broken = broken;
  out_expectation->reason[0] = '\0';
  if (op_constraint_is_forbidden(broken)) return STATUS_OK;
  if (broken != NULL || out_expectation->oracle == NULL) {
    expect_nothing(&instance->program, broken, out_expectation);
    return STATUS_OK;
  }
  uint64_t begin = clock_nanoseconds();
  status_t status = expect_valid(walk, instance, arena, out_expectation, error);
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}

void one_case_prepare(one_case_t *walk, const program_t *program, const op_constraint_t *broken,
                      executor_t *executor, preparation_t *out_preparation) {
  uint64_t begin = clock_nanoseconds();
  *out_preparation = (preparation_t){.promise = EXECUTOR_PROMISE_NONE};
  out_preparation->outcome =
      executor_compile(executor, program, &out_preparation->program, out_preparation->reason,
                       sizeof out_preparation->reason);
  if (out_preparation->outcome == EXECUTOR_OK) {
    snprintf(out_preparation->implementation, sizeof out_preparation->implementation, "%s",
             executor_implementation(executor, out_preparation->program));
  }
  if (broken == NULL) out_preparation->promise = executor_promises(executor, program);
  walk->times.compile += clock_nanoseconds() - begin;
}

bool one_case_is_settled(const preparation_t *preparation, const op_constraint_t *broken) {
  return op_constraint_is_forbidden(broken) || preparation->outcome != EXECUTOR_OK ||
         preparation->promise == EXECUTOR_PROMISE_NO;
}

static bool is_outside_target(const preparation_t *preparation, const op_constraint_t *broken) {
  return broken == NULL && preparation->outcome == EXECUTOR_OK &&
         preparation->promise == EXECUTOR_PROMISE_NO;
}

bool one_case_is_executed(const preparation_t *preparation, const program_t *program,
                          const op_constraint_t *broken) {
  if (!one_case_is_settled(preparation, broken)) return true;
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

void one_case_judge_absence(executor_outcome_t outcome, executor_promise_t promise,
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
        g_autofree char *said =
            g_strdup_printf("Assay does not model it (%s), and was told: %s", broken->id, reason);
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

void one_case_judge_accepted(const op_constraint_t *broken, verdict_t *out_verdict) {
  start_verdict(out_verdict, broken);
  if (op_constraint_is_forbidden(broken)) {
    set_verdict(out_verdict, OUTCOME_diverges, CLASS_invalid_accepted,
                "accepted a program that breaks a constraint");
  } else {
    set_verdict(out_verdict, OUTCOME_diverges, CLASS_unsupported_accepted,
                "accepted a program outside its declared target");
  }
}

/* What the judge needs to ask the oracle; its time is the oracle's, not the judge's. */
typedef struct ask_context {
  const oracle_t *oracle;
  ask_memo_t memo;
  arena_t *arena;
  one_case_times_t *times;
  evidence_t evidence;
} ask_context_t;

static void note_wrong(void *context, uint32_t result, size_t component) {
  ask_context_t *asked = (ask_context_t *)context;
  evidence_t *evidence = &asked->evidence;
  if (evidence->wrong[result] == NULL) {
    size_t count = type_component_count(&evidence->results[result].type);
    evidence->wrong[result] = (uint8_t *)arena_alloc_zeroed(asked->arena, count);
  }
  evidence->wrong[result][component] = 1;
}

static status_t ask_oracle(void *context, const case_t *instance, const contract_t *contract,
                           uint32_t result, size_t component, const tensor_t *results,
                           answer_t *out_answer, failure_t *error) {
  ask_context_t *asked = (ask_context_t *)context;
  uint64_t begin = clock_nanoseconds();
  arena_mark_t mark = arena_mark(asked->arena);
  const oracle_t *oracle = asked->oracle;
  status_t status = oracle->ask_remembering != NULL
                        ? oracle->ask_remembering(instance, contract, result, component, results,
                                                  &asked->memo, asked->arena, out_answer, error)
                        : oracle->ask(instance, contract, result, component, results, asked->arena,
                                      out_answer, error);
  arena_rewind(asked->arena, mark);
  uint64_t spent = clock_nanoseconds() - begin;
  asked->times->oracle += spent;
  asked->times->judge -= spent;
  log_debug(LOG_ORACLE, "decided component %zu of result %u exactly, %.1f us", component, result,
            (double)spent / 1000);
  return status;
}

status_t one_case_judge(one_case_t *walk, const case_t *instance, const expectation_t *expectation,
                        const tensor_t *results, arena_t *arena, verdict_t *out_verdict,
                        failure_t *error) {
  if (expectation->oracle_status != STATUS_OK) {
    *out_verdict = (verdict_t){0};
    set_verdict(out_verdict, OUTCOME_no_oracle, CLASS_none, expectation->reason);
    return STATUS_OK;
  }
  uint64_t begin = clock_nanoseconds();
  ask_context_t context = {.oracle = expectation->oracle,
                           .arena = arena,
                           .times = &walk->times,
                           .evidence = {.is_judged = true}};
  memcpy(context.evidence.results, results, instance->program.result_count * sizeof *results);
  ask_memo_init(&context.memo);
  judge_t judge = {.ask = ask_oracle,
                   .ask_context = &context,
                   .contract = walk->contract,
                   .ask_wrong_max = walk->ask_wrong_max,
                   .on_wrong = note_wrong};
  status_t status =
      judge_results(&judge, instance, expectation->accepts, results, out_verdict, error);
  ask_memo_deinit(&context.memo);
  walk->evidence = context.evidence;
  walk->times.judge += clock_nanoseconds() - begin;
  STATUS_TRY(status);
  begin = clock_nanoseconds();
  status = observe_algorithms(expectation->oracle, &walk->contract, instance, results, arena,
                              out_verdict, error);
  if (status == STATUS_OK) {
    status = observe_formula(expectation->oracle, &walk->contract, instance, expectation->accepts,
                             results, arena, out_verdict, error);
  }
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}

/* What executions showed beside their values.  A call that wrote outside its results, or never
 * wrote them, has no values to speak of, and one that cannot be repeated is first of all that; a
 * changed environment is only told where nothing else is wrong, since some backends change it
 * always. */
static status_t judge_executions(one_case_t *walk, const case_t *instance,
                                 const expectation_t *expectation, const executions_t *executions,
                                 arena_t *arena, verdict_t *verdict, response_t *out_response,
                                 failure_t *error) {
  const repeat_t *repeat = &executions->repeat;
  if (executions->wrote_out_of_bounds) {
    set_verdict(verdict, OUTCOME_diverges, CLASS_out_of_bounds, "wrote beside its results");
    verdict->result = executions->bad_result;
    return STATUS_OK;
  }
  if (repeat->kind == REPEAT_UNWRITTEN) {
    set_verdict(verdict, OUTCOME_diverges, CLASS_unwritten, "a result was never written");
  } else if (repeat->kind == REPEAT_PADDING) {
    set_verdict(verdict, OUTCOME_failed, CLASS_protocol, "unused high bits of an element are set");
  } else {
    STATUS_TRY(
        one_case_judge(walk, instance, expectation, executions->results, arena, verdict, error));
    if (out_response != NULL) {
      *out_response =
          response_make(&instance->program, executions->results, verdict->outcome, arena);
    }
    if (repeat->kind == REPEAT_DIFFERS) {
      return judge_unlike_runs(walk, instance, expectation, executions, arena, verdict,
                               out_response, error);
    }
    if (executions->changed_environment && verdict->outcome != OUTCOME_diverges) {
      set_verdict(verdict, OUTCOME_diverges, CLASS_environment,
                  "changed the rounding mode or flush-to-zero");
    }
  }
  if (repeat->kind != REPEAT_SAME) repeat_describe(&instance->program, repeat, verdict);
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
static status_t judge_outside(one_case_t *walk, const case_t *instance,
                              const expectation_t *expectation, const execution_t *last,
                              const executions_t *executions, arena_t *arena,
                              verdict_t *out_verdict, failure_t *error) {
  one_case_judge_accepted(NULL, out_verdict);
  const char *lack = lacks_results(last, executions);
  if (lack != NULL) {
    size_t size = strlen(out_verdict->reason);
    snprintf(out_verdict->reason + size, sizeof out_verdict->reason - size, ", and ran it: %.120s",
             lack);
  }
  if (lack != NULL || expectation->oracle_status != STATUS_OK) return STATUS_OK;
  uint64_t begin = clock_nanoseconds();
  status_t status = observe_algorithms(expectation->oracle, &walk->contract, instance,
                                       executions->results, arena, out_verdict, error);
  walk->times.oracle += clock_nanoseconds() - begin;
  return status;
}

status_t one_case_run_prepared(one_case_t *walk, const case_t *instance,
                               const expectation_t *expectation, executor_t *executor,
                               const preparation_t *preparation, arena_t *arena,
                               verdict_t *out_verdict, response_t *out_response, failure_t *error) {
  const op_constraint_t *broken = expectation->broken;
  walk->evidence = (evidence_t){.is_judged = false};
  if (out_response != NULL) *out_response = (response_t){.has_results = false};
  if (preparation->outcome != EXECUTOR_OK) {
    one_case_judge_absence(preparation->outcome, preparation->promise, broken, preparation->reason,
                           out_verdict);
    return STATUS_OK;
  }
  if (!one_case_is_executed(preparation, &instance->program, broken)) {
    one_case_judge_accepted(broken, out_verdict);
    return STATUS_OK;
  }
  uint64_t begin = clock_nanoseconds();
  executions_t executions;
  execution_t last = execute_twice(executor, preparation->program, instance, arena, &executions);
  walk->times.executor += clock_nanoseconds() - begin;
  if (is_outside_target(preparation, broken) && last.outcome != EXECUTOR_REFUSED) {
    return judge_outside(walk, instance, expectation, &last, &executions, arena, out_verdict,
                         error);
  }
  if (last.outcome != EXECUTOR_OK) {
    one_case_judge_absence(last.outcome, preparation->promise, broken, last.reason, out_verdict);
    return STATUS_OK;
  }
  *out_verdict = (verdict_t){0};
  STATUS_TRY(judge_executions(walk, instance, expectation, &executions, arena, out_verdict,
                              out_response, error));
  bool has_results = !executions.wrote_out_of_bounds && executions.repeat.kind == REPEAT_SAME;
  if (walk->predictor.check == NULL || !has_results || broken != NULL) return STATUS_OK;
  return walk->predictor.check(walk->predictor.context, executor, instance, executions.results,
                               arena, out_verdict, error);
}

status_t one_case_run(one_case_t *walk, const case_t *instance, const expectation_t *expectation,
                      executor_t *executor, arena_t *arena, verdict_t *out_verdict,
                      failure_t *error) {
  preparation_t preparation;
  one_case_prepare(walk, &instance->program, expectation->broken, executor, &preparation);
  return one_case_run_prepared(walk, instance, expectation, executor, &preparation, arena,
                               out_verdict, NULL, error);
}
