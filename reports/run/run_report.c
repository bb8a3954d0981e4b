/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings of a run count, and what follows for its exit code. */
#include "reports/run/run_report.h"

#include "harness/base/exit_code.h"

life_t run_report_life(const run_report_t *report, const finding_t *finding) {
  return finding_life(report->lives, run_report_executor(report, finding->executor),
                      &finding->signature);
}

bool run_report_counts(const run_report_t *report, const finding_t *finding) {
  if (!fail_on_needs_states(report->fail_on)) return report->fail_on != FAIL_ON_NEVER;
  life_t life = run_report_life(report, finding);
  return fail_on_counts(report->fail_on, life_spelling(life), life_is_news(life));
}

int run_report_exit_code(const run_report_t *report) {
  int exit_code = EXIT_CODE_CLEAN;
  for (size_t i = 0; i < session_finding_count(report->session); i++) {
    const finding_t *finding = session_finding(report->session, i);
    if (!run_report_counts(report, finding)) continue;
    if (finding->verdict.outcome == OUTCOME_diverges) return EXIT_CODE_DIVERGES;
    exit_code = EXIT_CODE_FAILED;
  }
  return exit_code;
}
