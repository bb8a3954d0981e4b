/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinks what a campaign finds: a case on which an executor diverges or fails, while it still does
 * so in the same way. */
#ifndef ASSAY_SHRINK_DIVERGENCE_H
#define ASSAY_SHRINK_DIVERGENCE_H

#include "harness/run/case_runner.h"
#include "harness/shrink/shrink.h"

enum {
  SHRINK_CALLS = 400,      /* Cases run by default. */
  SHRINK_CRASH_CALLS = 48, /* The same, where a crash ends a worker process, which starts slowly. */
  SHRINK_HANG_CALLS = 16,  /* Where every one may cost the time limit. */
  SHRINK_PROCESS_PROGRAMS = 60, /* Programs compiled by default in a worker process. */
};

/* What must stay beside outcome, class, broken constraint and label. */
typedef struct shrink_keeps {
  /* Whether the verdict on the candidate tells of the same thing.  NULL: whatever agrees in all of
   * the above does. */
  bool (*is_same)(void *context, const case_t *candidate, const verdict_t *verdict);
  void *context;
} shrink_keeps_t;

typedef struct shrink_divergence_options {
  /* The contract, the predictor and how many elements are asked about.  Its random numbers stay as
   * they are, so that a session that shrinks audits what it would audit anyway; its times are added
   * to. */
  case_runner_t *walk;
  executor_t *executor; /* Open.  Prepare programs again afterwards: others were compiled. */
  shrink_keeps_t keeps;
  uint32_t calls_max;           /* Cases run; 0: a default that suits executor and verdict. */
  uint32_t program_changes_max; /* Programs compiled beside the first; 0: likewise. */
  uint64_t seed;
  const volatile sig_atomic_t *stop; /* As in shrink_options_t, and so are the hooks. */
  void (*on_accepted)(void *hook_context, const case_t *best, const shrink_report_t *report);
  void *hook_context;
} shrink_divergence_options_t;

typedef struct shrink_divergence {
  case_t instance;           /* The smallest case. */
  verdict_t verdict;         /* On it. */
  preparation_t preparation; /* Of its program, but for preparation.program. */
  shrink_report_t report;
} shrink_divergence_t;

/* Shrinks `instance`, on which the verdict was `verdict`, whose outcome is OUTCOME_diverges or
 * OUTCOME_failed.  Unless out->report.is_reproduced, that could not be shown again: then the case
 * and the verdict are those given.  What is nondeterministic counts only if it shows every time in
 * a few repetitions.  STATUS_INVALID: Assay found itself wrong on out->instance. */
status_t shrink_divergence(const shrink_divergence_options_t *options, const case_t *instance,
                           const verdict_t *verdict, arena_t *arena, shrink_divergence_t *out,
                           failure_t *error);

#endif
