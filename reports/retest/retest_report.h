/* SPDX-License-Identifier: Apache-2.0 */
/* What a retest says at its end: as a table, as JSON, as TAP 13; and its exit code. */
#ifndef ASSAY_REPORTS_RETEST_RETEST_REPORT_H
#define ASSAY_REPORTS_RETEST_RETEST_REPORT_H

#include "harness/base/exit_code.h"
#include "harness/retest/retest.h"
#include "harness/store/fail_on.h"

/* A waiver that does not hold as it stands; see the view waiver_state.  Texts are owned. */
typedef struct stale_waiver {
  char *executor;
  char *signature;
  char *state; /* "expired", "vanished", "changed", "outlived" */
  char *owner;
  char *expires;
  char *words; /* "stablehlo.reduce add f32,f32->f32 value" */
} stale_waiver_t;

/* What is not owned is borrowed. */
typedef struct retest_report {
  const retest_t *retest;
  const retest_options_t *options;
  const char *replay_options; /* " --isolate": what `assay replay` needs besides. */
  GPtrArray *stale_waivers;   /* stale_waiver_t, owned. */
  bool is_interrupted;
  fail_on_t fail_on; /* What is open and counts. */
} retest_report_t;

/* Reads the stale waivers of the executors out of the database. */
status_t retest_report_open(const retest_t *retest, const retest_options_t *options,
                            const char *database, const char *replay_options,
                            retest_report_t *out_report, failure_t *error);
void retest_report_close(retest_report_t *report);

void retest_report_print(const retest_report_t *report);
void retest_report_print_json(const retest_report_t *report);
void retest_report_print_tap(const retest_report_t *report);

/* EXIT_CODE_FAILED if not all was retested; EXIT_CODE_DIVERGES if something is left open that
 * counts (fail_on), or a waiver is stale that does; else EXIT_CODE_CLEAN.  News are what this
 * retest has opened, and waivers that have expired. */
int retest_report_exit_code(const retest_report_t *report);

#endif
