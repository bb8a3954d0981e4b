/* SPDX-License-Identifier: Apache-2.0 */
/* The predicate for shrinking a divergence: runs the candidate and compares outcome, class and
 * constraint. Compiled programs are reused, and nondeterministic divergences get several runs. */
#include "harness/shrink/divergence.h"

#include <string.h>

#include "harness/model/dynamic/dynamic.h"

enum { REPETITIONS = 3 /* Of what is nondeterministic. */ };

typedef struct divergence {
  const shrink_divergence_options_t *options;
  case_runner_t walk; /* A copy. */
  const verdict_t *like;
  arena_t arena; /* Of one run. */
  bool is_prepared;
  hash_text_t prepared; /* The program's. */
  preparation_t preparation;
  verdict_t verdict; /* Of the last run. */
  verdict_t held;    /* Of the last candidate that held, and how it was prepared. */
  preparation_t held_prepared;
} divergence_t;

static void prepare(divergence_t *divergence, const program_t *program,
                    const op_constraint_t *broken) {
  hash_text_t hash = program_hash(program);
  /* A program with unknown sizes may keep something of those that it ran at before: each candidate
   * is to be wrong by itself. */
  bool is_dynamic = program_is_dynamic(program);
  bool is_same = divergence->is_prepared && strcmp(hash.text, divergence->prepared.text) == 0;
  if (is_same && !is_dynamic) return;
  if (is_dynamic) executor_forget_programs(divergence->options->executor);
  case_runner_prepare(&divergence->walk, program, broken, divergence->options->executor,
                      &divergence->preparation);
  divergence->prepared = hash;
  divergence->is_prepared = true;
}

/* Compiling may fail too; then it is tried anew the next time. */
static void forget_failed(divergence_t *divergence) {
  if (divergence->verdict.outcome == OUTCOME_failed) divergence->is_prepared = false;
}

static status_t run(divergence_t *divergence, const case_t *candidate, failure_t *error) {
  arena_reset(&divergence->arena);
  const program_t *program = &candidate->program;
  const op_constraint_t *broken =
      program_broken_under(program, program_broken(program), &divergence->walk.contract);
  prepare(divergence, program, broken);
  expectation_t expectation = {
      .instance = candidate, .arena = &divergence->arena, .broken = broken};
  if (case_runner_is_executed(&divergence->preparation, program, broken)) {
    STATUS_TRY(case_runner_expect(&divergence->walk, candidate, broken, &divergence->arena,
                                  &expectation, error));
  }
  STATUS_TRY(case_runner_run_prepared(&divergence->walk, &expectation, &divergence->preparation,
                                      &divergence->verdict, NULL, error));
  forget_failed(divergence);
  return STATUS_OK;
}

static bool is_same(const divergence_t *divergence, const case_t *candidate) {
  const verdict_t *verdict = &divergence->verdict;
  const verdict_t *like = divergence->like;
  if (verdict->outcome != like->outcome || verdict->class_ != like->class_) return false;
  if (strcmp(verdict->constraint, like->constraint) != 0) return false;
  const shrink_keeps_t *keeps = &divergence->options->keeps;
  return keeps->is_same == NULL || keeps->is_same(keeps->context, candidate, verdict);
}

static status_t still(void *context, const case_t *candidate, bool *out_holds, failure_t *error) {
  divergence_t *divergence = (divergence_t *)context;
  int repetitions = divergence->like->class_ == CLASS_nondeterministic ? REPETITIONS : 1;
  *out_holds = true;
  for (int i = 0; i < repetitions && *out_holds; i++) {
    STATUS_TRY(run(divergence, candidate, error));
    *out_holds = is_same(divergence, candidate);
  }
  if (*out_holds) {
    divergence->held = divergence->verdict;
    divergence->held_prepared = divergence->preparation;
  }
  return STATUS_OK;
}

static uint32_t default_calls(const divergence_t *divergence) {
  if (divergence->like->class_ == CLASS_hang) return SHRINK_HANG_CALLS;
  bool is_crash =
      divergence->like->class_ == CLASS_crash || divergence->like->class_ == CLASS_ended;
  return is_crash && executor_is_process(divergence->options->executor) ? SHRINK_CRASH_CALLS
                                                                        : SHRINK_CALLS;
}

static shrink_options_t make_options(divergence_t *divergence) {
  const shrink_divergence_options_t *options = divergence->options;
  uint32_t calls = options->calls_max;
  if (calls == 0) calls = default_calls(divergence);
  uint32_t programs = options->program_changes_max;
  if (programs == 0) {
    programs = executor_is_process(options->executor) ? SHRINK_PROCESS_PROGRAMS : UINT32_MAX;
  }
  return (shrink_options_t){.still = still,
                            .context = divergence,
                            .calls_max = calls,
                            .program_changes_max = programs,
                            .seed = options->seed,
                            .stop = options->stop,
                            .on_accepted = options->on_accepted,
                            .hook_context = options->hook_context};
}

status_t shrink_divergence(const shrink_divergence_options_t *options, const case_t *instance,
                           const verdict_t *verdict, arena_t *arena, shrink_divergence_t *out,
                           failure_t *error) {
  divergence_t divergence = {
      .options = options, .walk = *options->walk, .like = verdict, .held = *verdict};
  arena_init(&divergence.arena);
  const shrink_options_t shrinking = make_options(&divergence);
  status_t status = shrink_case(&shrinking, instance, arena, &out->instance, &out->report, error);
  out->verdict = divergence.held;
  out->preparation = divergence.held_prepared;
  out->preparation.program = NULL;
  options->walk->times = divergence.walk.times;
  options->walk->audited = divergence.walk.audited;
  arena_deinit(&divergence.arena);
  return status;
}
