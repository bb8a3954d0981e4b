/* SPDX-License-Identifier: Apache-2.0 */
/* Searches a canary in cases of one stratum until one diverges: after how many that is, and in
 * sums of how many terms. */
#ifndef ASSAY_TESTS_CAMPAIGN_CANARIES_CANARY_SEARCH_H
#define ASSAY_TESTS_CAMPAIGN_CANARIES_CANARY_SEARCH_H

#include <time.h>

#include "harness/power/table.h"
#include "tests/campaign/canaries/canary_list.h"

/* Of one search. */
typedef struct canary_limits {
  uint64_t cases;   /* Judged ones. */
  double seconds;   /* Of this process's processor; 0: no limit.  A case is never cut short. */
  bool small_sizes; /* At most 64 elements and 24 terms, whatever the stratum. */
} canary_limits_t;

typedef struct canary_search {
  const canary_limits_t *limits;
  double begun;   /* By canary_seconds(). */
  uint64_t cases; /* Judged, with the one that diverged. */
  bool is_found;
  size_t terms; /* The bucket (term_bucket()) of the case that diverged. */
  volatile sig_atomic_t stop;
} canary_search_t;

/* Of this process's processor, so that what else a machine does changes nothing. */
static inline double canary_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline status_t canary_search_note(void *context, const session_t *session,
                                          const session_answer_t *answer, failure_t *error) {
  (void)session;
  (void)error;
  canary_search_t *search = (canary_search_t *)context;
  const canary_limits_t *limits = search->limits;
  const verdict_t *verdict = answer->verdict;
  bool is_judged = verdict->outcome != OUTCOME_refused && verdict->constraint[0] == '\0';
  bool is_late = limits->seconds > 0 && canary_seconds() - search->begun >= limits->seconds;
  if (is_judged && !search->is_found && search->cases < limits->cases) {
    search->cases++;
    search->is_found = verdict->outcome == OUTCOME_diverges;
    search->terms = term_bucket(program_terms(&answer->instance->program));
  }
  if (search->is_found || search->cases >= limits->cases || is_late) search->stop = 1;
  return STATUS_OK;
}

static inline canary_search_t canary_search(const canary_t *canary, stratum_t stratum,
                                            uint64_t seed, const canary_limits_t *limits) {
  enum { DRAWN_PER_JUDGED = 4 }; /* Cases, at most. */
  executor_t *executor = canary_open(canary->name);
  const op_t *ops[CANARY_OPS_MAX];
  canary_search_t search = {.limits = limits, .begun = canary_seconds()};
  session_options_t options = {.stream = {.ops = ops,
                                          .gen = gen_options_default(),
                                          .leaves_out_invalid = true,
                                          .seed = seed},
                               .executors = &executor,
                               .executor_count = 1,
                               .draws_max = DRAWN_PER_JUDGED * limits->cases,
                               .command = "test",
                               .assay_version = "test",
                               .on_answer = canary_search_note,
                               .hook_context = &search,
                               .stop = &search.stop};
  options.stream.op_count = canary_find_ops(canary->ops, ops);
  options.stream.gen.strata.shares[stratum] = 1;
  if (limits->small_sizes) {
    options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  }
  failure_t error = {0};
  session_t *session = NULL;
  if (contract_parse(str_from(canary->contract), &options.contract, &error) != STATUS_OK) {
    g_error("%s: %s", canary->contract, error.text);
  }
  options.stream.gen.contract = &options.contract;
  if (session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s: %s", canary->name, error.text,
            session == NULL ? "" : session_bug_case(session));
  }
  session_close(session, 0, NULL);
  executor_close(executor);
  return search;
}

#endif
