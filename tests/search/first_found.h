/* SPDX-License-Identifier: Apache-2.0 */
/* In which case a planted fault is first found: by random drawing, and by the search on its own. */
#ifndef ASSAY_TESTS_SEARCH_FIRST_FOUND_H
#define ASSAY_TESTS_SEARCH_FIRST_FOUND_H

#include "harness/builtin/builtin.h"
#include "harness/search/climber.h"
#include "harness/session/session.h"
#include "tests/campaign/canaries/canary_ops.h"

typedef struct trial {
  const char *executor;
  const char *contract;
  const char *ops; /* See canary_ops.h. */
  draw_limits_t limits;
  uint64_t seed;
  uint64_t cases_max;
  bool goes_on; /* Not until the first finding, but to the end. */
} trial_t;

typedef struct trial_result {
  uint64_t first;   /* Case of the first finding, from 1; cases_max + 1: none. */
  double slack_max; /* Of conforming cases. */
} trial_result_t;

/* A trial that is running. */
typedef struct trial_run {
  const trial_t *trial;
  const op_t *ops[64];
  size_t op_count;
  executor_t *executor;
  session_t *session;
  uint64_t first; /* 0: nothing found yet. */
  volatile sig_atomic_t stop;
} trial_run_t;

static inline void trial_note_finding(void *context, const session_t *session,
                                      const finding_t *finding) {
  trial_run_t *run = (trial_run_t *)context;
  (void)finding;
  if (run->first == 0) run->first = session_cases(session);
  run->stop = run->trial->goes_on ? 0 : 1;
}

static inline void trial_open(const trial_t *trial, trial_run_t *run) {
  *run = (trial_run_t){.trial = trial};
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (canary_concerns(trial->ops, (*op)->name)) run->ops[run->op_count++] = *op;
  }
  failure_t error = {0};
  const executor_options_t executor_options = {.find_builtin = builtin_find};
  if (executor_open(trial->executor, &executor_options, &run->executor, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  session_options_t options = {.stream = {.ops = run->ops,
                                          .op_count = run->op_count,
                                          .gen = gen_options_default(),
                                          .seed = trial->seed},
                               .executors = &run->executor,
                               .executor_count = 1,
                               .draws_max = trial->cases_max,
                               .stop = &run->stop,
                               .on_finding = trial_note_finding,
                               .hook_context = run};
  options.stream.gen.limits = trial->limits;
  if (contract_parse(str_from(trial->contract), &options.contract, &error) != STATUS_OK ||
      session_open(&options, &run->session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
}

static inline trial_result_t trial_close(trial_run_t *run) {
  trial_result_t result = {.first = run->first == 0 ? run->trial->cases_max + 1 : run->first};
  tally_t *tally = session_tally(run->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->outcome != OUTCOME_conforms) continue;
    result.slack_max = MAX(result.slack_max, row->slack_max);
  }
  session_close(run->session, 0, NULL);
  executor_close(run->executor);
  return result;
}

static inline trial_result_t trial_random(const trial_t *trial) {
  trial_run_t run;
  failure_t error = {0};
  trial_open(trial, &run);
  if (session_run(run.session, &error) != STATUS_OK) g_error("%s", error.text);
  return trial_close(&run);
}

/* `how` says what of the search is at work; its ops and limits are the trial's.  Each case costs 1,
 * so that the result is the same on every machine. */
static inline trial_result_t trial_search(const trial_t *trial, const search_options_t *how) {
  trial_run_t run;
  trial_open(trial, &run);
  search_options_t options = *how;
  options.ops = run.ops;
  options.op_count = run.op_count;
  options.gen = gen_options_default();
  options.gen.limits = trial->limits;
  search_t *search = search_new(&options);
  rng_t rng = rng_make(trial->seed);
  arena_t arena;
  arena_init(&arena);
  for (uint64_t i = 0; i < trial->cases_max && run.stop == 0; i++) {
    arena_reset(&arena);
    search_proposal_t proposal;
    search_propose(search, &rng, &arena, NULL, &proposal);
    verdict_t verdict = {0};
    failure_t error = {0};
    size_t findings = session_finding_count(run.session);
    if (session_walk(run.session, &proposal.instance, proposal.broken, &verdict, &error) !=
        STATUS_OK) {
      g_error("%s: %s", error.text, session_bug_case(run.session));
    }
    const search_outcome_t outcome = {
        .verdicts = &verdict,
        .verdict_count = 1,
        .cost = 1,
        .is_new_finding = session_finding_count(run.session) > findings};
    search_learn(search, &proposal, &outcome);
  }
  search_free(search);
  arena_deinit(&arena);
  return trial_close(&run);
}

/* The largest slack of a conforming case of one program after trial->cases_max cases: drawn, or
 * climbed to. */
static inline double trial_slack(const trial_t *trial, const program_t *program, bool climbs) {
  trial_run_t run;
  trial_open(trial, &run);
  climber_t *climber = climber_new(NULL);
  niche_t *niche = climber_niche(climber, 0, 0);
  rng_t rng = rng_make(trial->seed);
  arena_t arena;
  arena_init(&arena);
  for (uint64_t i = 0; i < trial->cases_max; i++) {
    arena_reset(&arena);
    search_proposal_t proposal = {0};
    if (climbs && niche->is_climbable) {
      if (!climber_is_climbing(climber)) climber_begin(climber, niche, UINT32_MAX);
      climber_propose(climber, &rng, &arena, &proposal);
    } else {
      proposal.instance = case_make(&arena, program);
      gen_data(&rng, &proposal.instance);
    }
    verdict_t verdict = {0};
    failure_t error = {0};
    if (session_walk(run.session, &proposal.instance, NULL, &verdict, &error) != STATUS_OK) {
      g_error("%s", error.text);
    }
    height_t height;
    bool conforms = climber_height(&verdict, 1, &height);
    climber_learn(climber, niche, &proposal, conforms ? &height : NULL);
  }
  climber_free(climber);
  arena_deinit(&arena);
  return trial_close(&run).slack_max;
}

#endif
