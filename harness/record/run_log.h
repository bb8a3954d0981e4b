/* SPDX-License-Identifier: Apache-2.0 */
/* What a session writes into the store: its run, its executors, its counters and its findings. */
#ifndef ASSAY_RECORD_RUN_LOG_H
#define ASSAY_RECORD_RUN_LOG_H

#include "harness/exec/executor.h"
#include "harness/record/finding.h"
#include "harness/record/observation_tally.h"
#include "harness/record/pair_tally.h"
#include "harness/record/tally.h"
#include "harness/run/case_runner.h"
#include "harness/store/store.h"

typedef struct ledger {
  store_t *store; /* Borrowed; NULL: nothing is kept, and every call does nothing. */
  int64_t run_id;
  int64_t *executor_ids; /* Owned; by index of executor. */
  const size_t *twins; /* Likewise, which one is its twin, or itself; NULL: none has one.  Borrowed;
                        * set by who opened the ledger. */
} ledger_t;

status_t ledger_open(store_t *store, const store_run_t *run, executor_t *const *executors,
                     size_t executor_count, ledger_t *out_ledger, failure_t *error);

/* Tells the store what the constraints of all ops say. */
status_t ledger_describe_constraints(const ledger_t *ledger, failure_t *error);

void ledger_set_times(const ledger_t *ledger, double seconds, const case_runner_times_t *times);

/* Adds what was counted since the last call.  `observations` may be NULL: none are counted. */
status_t ledger_write(const ledger_t *ledger, tally_t *tally, pair_tally_t *pairs,
                      observation_tally_t *observations, failure_t *error);

/* One occurrence of a finding: `occurrence` is the case at hand, not the first one. */
void ledger_add_finding(const ledger_t *ledger, const finding_t *occurrence);

/* The case of a finding made small. */
void ledger_add_shrunk(const ledger_t *ledger, const finding_t *occurrence);

/* The cause of a finding that had none. */
status_t ledger_explain(const ledger_t *ledger, const finding_t *finding, failure_t *error);

/* Commits, so that nothing that is told can be lost. */
status_t ledger_flush(const ledger_t *ledger, failure_t *error);

/* Writes the rest of the tallies and ends the run. */
status_t ledger_close(ledger_t *ledger, tally_t *tally, pair_tally_t *pairs,
                      observation_tally_t *observations, int exit_code, failure_t *error);

#endif
