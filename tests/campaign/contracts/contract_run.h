/* SPDX-License-Identifier: Apache-2.0 */
/* A session of a builtin executor on one op under a contract, for tests. */
#ifndef ASSAY_TESTS_CAMPAIGN_CONTRACTS_CONTRACT_RUN_H
#define ASSAY_TESTS_CAMPAIGN_CONTRACTS_CONTRACT_RUN_H

#include <glib.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"

typedef struct contract_run {
  const op_t *op;
  const char *executor;
  const char *contract;
  uint64_t seed;
  uint64_t cases_max; /* Either of the two, as session_options_t has them. */
  uint64_t draws_max;
  void (*draw_program)(void *context, rng_t *rng, arena_t *arena, program_t *out_program);
  void *draw_context;
  status_t (*on_answer)(void *context, const session_t *session, const session_answer_t *answer,
                        failure_t *error);
  void *hook_context;
} contract_run_t;

/* Returns how many cases were run, and how many conform. */
static inline uint64_t contract_run(const contract_run_t *run, uint64_t *out_conforming) {
  const executor_options_t opening = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {.text = ""};
  if (executor_open(run->executor, &opening, &executor, &error) != STATUS_OK)
    g_error("%s", error.text);
  session_options_t options = {.stream = {.ops = &run->op,
                                          .op_count = 1,
                                          .draw_program = run->draw_program,
                                          .draw_context = run->draw_context,
                                          .gen = gen_options_default(),
                                          .seed = run->seed},
                               .executors = &executor,
                               .executor_count = 1,
                               .cases_max = run->cases_max,
                               .draws_max = run->draws_max,
                               .command = "test",
                               .assay_version = "test",
                               .on_answer = run->on_answer,
                               .hook_context = run->hook_context};
  g_assert_cmpint(contract_parse(str_from(run->contract), &options.contract, NULL), ==, STATUS_OK);
  session_t *session = NULL;
  if (session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  uint64_t cases = session_cases(session);
  *out_conforming = tally_cases(session_tally(session), OUTCOME_conforms);
  session_close(session, 0, NULL);
  executor_close(executor);
  return cases;
}

/* What is wrong with an answer, and its case: in a test's message about the first that is. */
static inline void contract_run_describe(const session_answer_t *answer, char *out_text,
                                         size_t size) {
  const verdict_t *verdict = answer->verdict;
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(answer->instance, line);
  g_snprintf(out_text, size, "%s (%s): got %s, expected %s: %.300s",
             class_spelling(verdict->class_), verdict->observed, verdict->got, verdict->expected,
             line->str);
}

#endif
