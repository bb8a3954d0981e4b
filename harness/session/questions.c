/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions about a session: executors and their standing, counters, findings, exit code.
 */
#include "harness/base/clock.h"
#include "harness/session/state.h"

const char *session_bug_case(const session_t *session) {
  return session->found_itself_wrong ? session->case_line->str : "";
}

const session_options_t *session_options(const session_t *session) { return &session->options; }

int64_t session_run_id(const session_t *session) { return session->ledger.run_id; }

int64_t session_executor_id(const session_t *session, size_t executor) {
  return session->ledger.store == NULL ? 0 : session->ledger.executor_ids[executor];
}

tally_t *session_tally(const session_t *session) { return session->tally; }

pair_tally_t *session_pairs(const session_t *session) { return session->pairs; }

observation_tally_t *session_observations(const session_t *session) {
  return session->observations;
}

size_t session_finding_count(const session_t *session) {
  return finding_set_count(session->findings);
}

const finding_t *session_finding(const session_t *session, size_t index) {
  return finding_set_at(session->findings, index);
}

uint64_t session_cases(const session_t *session) { return session->cases; }

uint64_t session_judged(const session_t *session, size_t executor) {
  return session->standings[executor].judged;
}

uint64_t session_given_up(const session_t *session, size_t executor) {
  return session->standings[executor].given_up;
}

session_end_t session_end(const session_t *session) { return session->end; }

double session_seconds(const session_t *session) {
  return (double)(clock_nanoseconds() - session->begin) * 1e-9;
}

uint64_t session_audited(const session_t *session) { return session->walk.audited; }

uint64_t session_treeless(const session_t *session) { return session->walk.treeless; }

uint64_t session_rows_left(const session_t *session) { return session->walk.rows_left; }

case_runner_times_t session_times(const session_t *session) { return session->walk.times; }

int session_exit_code(const session_t *session) {
  int exit_code = 0;
  for (size_t i = 0; i < session_finding_count(session); i++) {
    if (session_finding(session, i)->verdict.outcome == OUTCOME_diverges) return 1;
    exit_code = 3;
  }
  return exit_code;
}

const power_table_t *session_power(const session_t *session) { return &session->power.table; }

double session_power_seconds(const session_t *session) {
  return (double)session->power.nanoseconds * 1e-9;
}
