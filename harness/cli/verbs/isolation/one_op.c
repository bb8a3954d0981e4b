/* SPDX-License-Identifier: Apache-2.0 */
/* One op on the executor: judged by its oracle, and held against what a reference makes of the same
 * operands. */
#include <string.h>

#include "harness/cli/verbs/isolation/walk.h"
#include "harness/diagnose/cause.h"
#include "harness/run/execute_twice.h"
#include "reports/verdict/describe.h"

/* A longer case line is nothing to type again. */
enum { CASE_LINE_MAX = 8192, SILENT_POISON = 0xa5 };

/* ---- Cases ----------------------------------------------------------------------------------- */

/* The case of a step; false, with the reason, if it has no oracle. */
static bool make_case(walk_t *walk, const json_t *said, case_t *out_case, isolated_step_t *step) {
  program_t program;
  g_autofree char *why = NULL;
  if (!step_has_oracle(said, &walk->runner.contract, &walk->arena, &program, &why)) {
    if (why != NULL) {
      g_free(step->why);
      step->why = g_steal_pointer(&why);
    }
    return false;
  }
  *out_case = case_make(&walk->arena, &program);
  if (!walk_read_operands(walk, json_object_get(said, "operands"), out_case)) {
    g_free(step->why);
    step->why = g_strdup("a case of it has the data of all processes, and a module those of one");
    return false;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(&program, text);
  step->line = g_strdup(text->str);
  return true;
}

/* The case of a step that no oracle knows; false if executors cannot be given it. */
static bool make_lone_case(walk_t *walk, const isolated_step_t *step, case_t *out_case) {
  const lone_op_t *lone = lone_ops_find(walk->lone_ops, step->index);
  program_t program;
  failure_t reason;
  if (lone == NULL ||
      program_parse(str_from(lone->line), &walk->arena, &program, NULL, &reason) != STATUS_OK) {
    return false;
  }
  *out_case = case_make(&walk->arena, &program);
  return walk_read_operands(walk, lone->operands, out_case);
}

/* ---- In silence ------------------------------------------------------------------------------ */

static bool is_failure(executor_outcome_t outcome) {
  return outcome != EXECUTOR_OK && outcome != EXECUTOR_REFUSED && outcome != EXECUTOR_REJECTED;
}

/* Once, for its results alone; whether there are some.  `out_has_failed`: it did not refuse. */
static bool run_once(walk_t *walk, executor_t *executor, const case_t *instance,
                     const json_t *results, bool *out_has_failed) {
  const program_t *program = &instance->program;
  executor_program_t *compiled = NULL;
  char reason[VERDICT_TEXT_BYTES];
  executor_outcome_t outcome =
      executor_compile(executor, program, &compiled, reason, sizeof reason);
  execution_t execution = {.outcome = outcome};
  tensor_t tensors[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    tensors[i] = tensor_make(&walk->arena, &program->results[i]);
  }
  if (outcome == EXECUTOR_OK) {
    execution = executor_execute(executor, compiled, instance->operands, SILENT_POISON, tensors);
  }
  *out_has_failed = is_failure(execution.outcome) || execution.wrote_out_of_bounds;
  if (execution.outcome != EXECUTOR_OK) return false;
  walk_set_results(walk, results, program, tensors);
  return true;
}

/* ---- By an oracle ---------------------------------------------------------------------------- */

static void describe(const case_t *instance, isolated_step_t *step) {
  if (step->verdict.outcome == OUTCOME_conforms) return;
  g_autoptr(GString) words = g_string_new(NULL);
  describe_verdict(&instance->program, &step->verdict, words);
  step->description = g_strdup(words->str);
  if (step->verdict.outcome != OUTCOME_diverges) return;
  g_string_truncate(words, 0);
  case_print(instance, words);
  if (words->len <= CASE_LINE_MAX) step->case_line = g_strdup(words->str);
}

static char *words_of(const program_t *program, const verdict_t *verdict) {
  g_autoptr(GString) words = g_string_new(NULL);
  describe_verdict(program, verdict, words);
  return g_strdup(words->str);
}

/* The same case on the reference; `results` are the executor's. */
static status_t hold_judged(walk_t *walk, const expectation_t *expectation, const tensor_t *results,
                            isolated_step_t *step, failure_t *error) {
  if (walk->reference == NULL) return STATUS_OK;
  isolated_against_t *against = step->against = g_new0(isolated_against_t, 1);
  STATUS_TRY(
      case_runner_run(&walk->runner, expectation, walk->reference, &against->verdict, error));
  const program_t *program = &expectation->instance->program;
  const evidence_t *evidence = &walk->runner.evidence;
  against->is_judged = evidence->is_judged;
  against->has_results = evidence->is_judged;
  if (evidence->is_judged) {
    against->difference = difference_find(program, results, evidence->results);
  }
  if (!evidence->is_judged || against->verdict.outcome == OUTCOME_diverges) {
    against->said = words_of(program, &against->verdict);
  }
  return STATUS_OK;
}

static status_t judge(walk_t *walk, const case_t *instance, const json_t *results,
                      isolated_step_t *step, failure_t *error) {
  expectation_t expectation;
  STATUS_TRY(case_runner_expect(&walk->runner, instance, NULL, &walk->arena, &expectation, error));
  STATUS_TRY(case_runner_run(&walk->runner, &expectation, walk->executor, &step->verdict, error));
  STATUS_TRY(cause_explain(&walk->runner, &expectation, &walk->arena, &step->verdict, error));
  describe(instance, step);
  step->is_asked = true;
  const evidence_t evidence = walk->runner.evidence; /* Asking the reference makes another one. */
  step->kind = evidence.is_judged ? ISOLATED_JUDGED : ISOLATED_UNJUDGED;
  if (!evidence.is_judged) return STATUS_OK;
  walk_set_results(walk, results, &instance->program, evidence.results);
  return hold_judged(walk, &expectation, evidence.results, step, error);
}

/* ---- By nobody but the reference ------------------------------------------------------------- */

/* Twice, without a verdict; false, with the reason, if there are no results to speak of. */
static bool run_unjudged(walk_t *walk, executor_t *executor, const case_t *instance,
                         executions_t *out_executions, char **out_why) {
  executor_program_t *compiled = NULL;
  char reason[VERDICT_TEXT_BYTES];
  executor_outcome_t outcome =
      executor_compile(executor, &instance->program, &compiled, reason, sizeof reason);
  if (outcome != EXECUTOR_OK) {
    *out_why = g_strdup(reason);
    return false;
  }
  execution_t last = execute_twice(executor, compiled, instance, &walk->arena, out_executions);
  if (last.outcome != EXECUTOR_OK) {
    *out_why = g_strdup(last.reason);
  } else if (out_executions->wrote_out_of_bounds) {
    *out_why = g_strdup("wrote beside its results");
  } else if (out_executions->repeat.kind != REPEAT_SAME) {
    *out_why = g_strdup(out_executions->repeat.kind == REPEAT_DIFFERS
                            ? "two runs of it differ"
                            : "a result was not written as it should be");
  }
  return *out_why == NULL;
}

static void hold_unjudged(walk_t *walk, const case_t *instance, const tensor_t *results,
                          isolated_step_t *step) {
  isolated_against_t *against = step->against = g_new0(isolated_against_t, 1);
  executions_t others;
  against->has_results = run_unjudged(walk, walk->reference, instance, &others, &against->said);
  if (!against->has_results) return;
  against->difference = difference_find(&instance->program, results, others.results);
}

/* False if the executor gave no results. */
static bool hold(walk_t *walk, const case_t *instance, const json_t *results,
                 isolated_step_t *step) {
  executions_t executions;
  g_autofree char *why = NULL;
  if (!run_unjudged(walk, walk->executor, instance, &executions, &why)) {
    g_autofree char *before = step->why;
    step->why = g_strdup_printf("%s%sthe executor gave no results: %s",
                                before == NULL ? "" : before, before == NULL ? "" : "; ", why);
    return false;
  }
  step->kind = ISOLATED_HELD;
  walk_set_results(walk, results, &instance->program, executions.results);
  hold_unjudged(walk, instance, executions.results, step);
  return true;
}

/* ---- The op ---------------------------------------------------------------------------------- */

static bool run_silently(walk_t *walk, const case_t *instance, const json_t *results) {
  bool has_failed;
  bool has_results = run_once(walk, walk->executor, instance, results, &has_failed);
  walk->has_failed |= has_failed;
  return has_results;
}

/* Results for what follows, where the executor gave none: the interpreter's, or, of a case that it
 * does not run (an op of ByteIR's), those of a model, which conform. */
static status_t stand_in(walk_t *walk, const json_t *said, const case_t *instance,
                         isolated_step_t *step, failure_t *error) {
  isolated_kind_t kind = step->kind;
  STATUS_TRY(walk_interpret(walk, said, step, error));
  if (step->kind != ISOLATED_NOT_RUN || instance == NULL) return STATUS_OK;
  bool has_failed;
  const json_t *results = json_object_get(said, "results");
  if (run_once(walk, walk->model, instance, results, &has_failed)) step->kind = kind;
  return STATUS_OK;
}

status_t walk_op(walk_t *walk, const json_t *said, isolated_step_t *step, failure_t *error) {
  const json_t *results = json_object_get(said, "results");
  step->kind = ISOLATED_NO_ORACLE;
  arena_reset(&walk->arena);
  case_t instance;
  bool has_oracle = make_case(walk, said, &instance, step);
  bool is_case = has_oracle || make_lone_case(walk, step, &instance);
  if (is_case && walk->is_silent) {
    if (run_silently(walk, &instance, results)) return STATUS_OK;
  } else if (has_oracle) {
    if (judge(walk, &instance, results, step, error) != STATUS_OK) return STATUS_IO;
    if (step->kind == ISOLATED_JUDGED) return STATUS_OK;
  } else if (is_case && hold(walk, &instance, results, step)) {
    return STATUS_OK;
  }
  return stand_in(walk, said, has_oracle ? &instance : NULL, step, error);
}
