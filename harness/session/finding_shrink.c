/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinks the first case of a finding and diagnoses the small case once more; keeps it only if the
 * original cause still explains it. */
#include "harness/session/finding_shrink.h"

#include <string.h>

#include "harness/diagnose/cause.h"

enum { CALLS_WITHIN_CAUSE = 100 };

bool finding_shrinker_wants(const finding_shrinker_t *shrinker, const finding_t *finding,
                            const executor_t *executor) {
  if (!shrinker->is_on || finding->verdict.class_ == CLASS_environment) return false;
  return shrinker->is_known == NULL ||
         !shrinker->is_known(shrinker->context, executor_name(executor), &finding->signature);
}

/* The cause of the finding counts as established: a small case seldom has the evidence for a name
 * of its own, but enough to say that this cause explains it. */
static void establish(const verdict_t *first, uint32_t established[CAUSE_COUNT]) {
  for (int i = 0; i < CAUSE_COUNT; i++) {
    bool is_it = first->is_cause_sure && strcmp(cause_spelling((cause_id_t)i), first->cause) == 0;
    established[i] = is_it ? 1 : 0;
  }
}

/* Runs the small case once more to learn its cause, which shrinking does not ask for: looking for
 * causes takes longer than running cases.  Nothing is drawn from the walk's random numbers. */
static status_t find_cause(const case_runner_t *walk, executor_t *executor, const verdict_t *first,
                           arena_t *arena, shrink_divergence_t *inout, failure_t *error) {
  case_runner_t quiet = *walk;
  quiet.takes_rough = false;
  quiet.audit_one_in = 0;
  const program_t *program = &inout->instance.program;
  const op_constraint_t *broken =
      program_broken_under(program, program_broken(program), &quiet.contract);
  expectation_t expectation;
  verdict_t verdict;
  STATUS_TRY(case_runner_expect(&quiet, &inout->instance, broken, arena, &expectation, error));
  STATUS_TRY(case_runner_run(&quiet, &expectation, executor, &verdict, error));
  if (verdict.outcome != inout->verdict.outcome || verdict.class_ != inout->verdict.class_) {
    return STATUS_OK;
  }
  inout->verdict = verdict;
  if (!cause_is_sought(&verdict)) return STATUS_OK;
  uint32_t established[CAUSE_COUNT];
  establish(first, established);
  cause_question_t question = cause_decide(&quiet, &inout->instance, &expectation);
  if (first->is_cause_sure) question.established = established;
  return cause_find(&question, arena, &inout->verdict, error);
}

/* A case that has another cause is another finding; it is enough that the cause explains it among
 * others, whose names stand in the words. */
static bool has_same_cause(const verdict_t *first, const verdict_t *small) {
  if (!first->is_cause_sure) return true;
  return strcmp(first->cause, small->cause) == 0 ||
         strstr(small->cause_words, first->cause) != NULL;
}

/* What steps are held to in a second search, where the first one lost the cause. */
typedef struct kept_cause {
  const shown_finding_t *shown;
  arena_t arena; /* Of one step. */
} kept_cause_t;

static bool keeps_cause(void *context, const case_t *candidate, const verdict_t *verdict) {
  kept_cause_t *kept = (kept_cause_t *)context;
  const verdict_t *first = &kept->shown->finding->verdict;
  arena_reset(&kept->arena);
  shrink_divergence_t step = {.instance = *candidate, .verdict = *verdict};
  failure_t ignored;
  status_t status =
      find_cause(kept->shown->walk, kept->shown->executor, first, &kept->arena, &step, &ignored);
  return status == STATUS_OK && has_same_cause(first, &step.verdict);
}

/* Looking for causes takes longer than running cases: so it is done at every step only where the
 * smallest case of the class has another cause. */
static status_t shrink_within_cause(shrink_divergence_options_t options,
                                    const shown_finding_t *shown, arena_t *arena,
                                    shrink_divergence_t *out, failure_t *error) {
  kept_cause_t kept = {.shown = shown};
  arena_init(&kept.arena);
  options.keeps = (shrink_keeps_t){.is_same = keeps_cause, .context = &kept};
  options.calls_max = CALLS_WITHIN_CAUSE;
  status_t status =
      shrink_divergence(&options, shown->instance, &shown->finding->verdict, arena, out, error);
  arena_deinit(&kept.arena);
  return status;
}

status_t finding_shrinker_run(const finding_shrinker_t *shrinker, const shown_finding_t *shown,
                              arena_t *arena, shrink_divergence_t *out, bool *out_is_smaller,
                              failure_t *error) {
  const verdict_t *first = &shown->finding->verdict;
  const shrink_divergence_options_t options = {.walk = shown->walk,
                                               .executor = shown->executor,
                                               .seed = shrinker->seed,
                                               .stop = shrinker->stop};
  *out_is_smaller = false;
  STATUS_TRY(shrink_divergence(&options, shown->instance, first, arena, out, error));
  if (!out->report.is_reproduced) return STATUS_OK;
  if (out->verdict.outcome == OUTCOME_diverges) {
    STATUS_TRY(find_cause(shown->walk, shown->executor, first, arena, out, error));
  }
  *out_is_smaller = has_same_cause(first, &out->verdict);
  if (*out_is_smaller) return STATUS_OK;
  STATUS_TRY(shrink_within_cause(options, shown, arena, out, error));
  if (!out->report.is_reproduced) return STATUS_OK;
  STATUS_TRY(find_cause(shown->walk, shown->executor, first, arena, out, error));
  *out_is_smaller = has_same_cause(first, &out->verdict);
  return STATUS_OK;
}
