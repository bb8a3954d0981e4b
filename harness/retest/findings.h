/* SPDX-License-Identifier: Apache-2.0 */
/* What a database says about the findings that are to run again; for retest.c. */
#ifndef ASSAY_RETEST_FINDINGS_H
#define ASSAY_RETEST_FINDINGS_H

#include "harness/retest/retest.h"

/* The findings of the executors in the states asked for, as retest_row_t with `state` set; the
 * array owns them.  *out_skipped: those left out because an unfinished retest has done them. */
status_t retest_read_findings(const retest_options_t *options, GPtrArray **out_rows,
                              size_t *out_skipped, failure_t *error);

/* Sets `state_after` and `seen_state` of all rows. */
status_t retest_read_states(const retest_options_t *options, GPtrArray *rows, failure_t *error);

/* A case that is kept of a finding. */
typedef struct retest_case {
  char *case_line; /* Owned, like the contract, as contract_print() gives it. */
  char *contract;
} retest_case_t;

/* The cases kept of a finding, of all versions: shrunk, shortest, worst; each once for a contract.
 * The array owns them. */
status_t retest_read_cases(const char *database, int64_t finding_id, GPtrArray **out_cases,
                           failure_t *error);

#endif
