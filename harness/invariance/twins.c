/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a module on two executors, and holds both against what its steps must give. */
#include "harness/invariance/twins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/invariance/step_values.h"
#include "harness/judge/judge.h"
#include "harness/kinds/module/module.h"

static const char steps_prefix[] = "steps:";

char *twins_name(const char *name) {
  if (g_str_has_prefix(name, steps_prefix)) return g_strdup(name + strlen(steps_prefix));
  return g_strconcat(steps_prefix, name, NULL);
}

/* Runs a case twice; false unless both give the same results. */
static bool run(executor_t *executor, const case_t *instance, arena_t *arena,
                invariance_run_t *out_run) {
  invariance_run_t again;
  invariance_difference_t ignored;
  invariance_run(executor, instance, arena, out_run);
  if (out_run->outcome != EXECUTOR_OK) return false;
  invariance_run(executor, instance, arena, &again);
  if (again.outcome != EXECUTOR_OK) return false;
  return invariance_compare(&instance->program, out_run->results, again.results, NULL, &ignored);
}

static twins_relation_t run_both(const twins_question_t *question, invariance_run_t out_runs[2],
                                 invariance_difference_t *out_difference) {
  executor_t *const executors[2] = {question->executor, question->twin};
  for (size_t i = 0; i < 2; i++) {
    if (!run(executors[i], question->instance, question->arena, &out_runs[i])) {
      return TWINS_UNKNOWN;
    }
  }
  bool is_same = invariance_compare(&question->instance->program, out_runs[0].results,
                                    out_runs[1].results, NULL, out_difference);
  return is_same ? TWINS_SAME : TWINS_DIFFER;
}

twins_relation_t twins_compare(const twins_question_t *question,
                               invariance_difference_t *out_difference) {
  arena_mark_t mark = arena_mark(question->arena);
  invariance_run_t runs[2];
  twins_relation_t relation = run_both(question, runs, out_difference);
  arena_rewind(question->arena, mark);
  return relation;
}

static void set_verdict(const twins_question_t *question, const tensor_t *results,
                        const invariance_run_t *twin, const invariance_difference_t *difference,
                        verdict_t *verdict) {
  const uint32_t result = difference->result;
  const size_t component = difference->base_component;
  const element_t *element = results[result].type.element;
  const uint64_t got = difference->other_bits;
  char twins[sizeof verdict->got];
  verdict->outcome = OUTCOME_diverges;
  verdict->class_ = CLASS_twins;
  verdict->result = result;
  verdict->component = component;
  verdict->wrong_count = difference->count;
  verdict->component_count = difference->compared;
  verdict->got_bits = got;
  judge_print_component(element, got, verdict->got, sizeof verdict->got);
  judge_print_component(element, difference->base_bits, verdict->expected,
                        sizeof verdict->expected);
  judge_print_component(element, element_load(element, twin->results[result].data, component),
                        twins, sizeof twins);
  snprintf(verdict->observed, sizeof verdict->observed, "twin %s: %s",
           executor_name(question->twin), twins);
  snprintf(verdict->reason, sizeof verdict->reason,
           "weaker than a proof: the oracle of the module cannot tell, but on these data each step "
           "alone has one conforming result");
}

void twins_judge(const twins_question_t *question, verdict_t *inout_verdict) {
  bool is_open =
      inout_verdict->outcome == OUTCOME_weak || inout_verdict->outcome == OUTCOME_no_oracle;
  if (!is_open || !program_is_module(&question->instance->program)) return;
  arena_mark_t mark = arena_mark(question->arena);
  invariance_run_t runs[2];
  invariance_difference_t difference;
  tensor_t results[CASE_RESULTS_MAX];
  if (run_both(question, runs, &difference) == TWINS_DIFFER && !difference.is_sign_of_zero &&
      step_values_find(question->instance, question->contract, question->arena, results) &&
      !invariance_compare(&question->instance->program, results, runs[0].results, NULL,
                          &difference) &&
      !difference.is_sign_of_zero) {
    set_verdict(question, results, &runs[1], &difference, inout_verdict);
  }
  arena_rewind(question->arena, mark);
}
