/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a report as TAP: one point per executor, op and algorithm, with its counts, the first
 * finding and a replay command as details. */
#include "harness/tap/tap.h"
#include "reports/overview/report_overview.h"

enum { COUNT_DETAILS = 6 };

static void print_details(tap_t *tap, const overview_t *overview, size_t row) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  static const struct {
    const char *key;
    const char *column;
  } counts[COUNT_DETAILS] = {{"cases", "cases"},     {"divergences", "diverges"},
                             {"failures", "failed"}, {"refused", "refused"},
                             {"max_ulp", "max ulp"}, {"max_slack", "max slack"}};
  tap_detail_t details[COUNT_DETAILS + 2];
  for (size_t i = 0; i < COUNT_DETAILS; i++) {
    details[i] = (tap_detail_t){counts[i].key, overview_text(grid, row, counts[i].column)};
  }
  size_t count = COUNT_DETAILS;
  GString *found = g_string_new(NULL);
  GString *replay = g_string_new(NULL);
  size_t finding =
      overview_find(overview, overview_text(grid, row, "executor"), overview_text(grid, row, "op"),
                    overview_text(grid, row, "algorithm"));
  if (finding < overview_finding_count(overview)) {
    overview_print_finding(overview, finding, found);
    overview_print_replay(overview, finding, replay);
    details[count++] = (tap_detail_t){"found", found->str};
    details[count++] = (tap_detail_t){"repro", replay->str};
  }
  tap_details(tap, details, count);
  g_string_free(found, TRUE);
  g_string_free(replay, TRUE);
}

void report_print_tap(const overview_t *overview, FILE *out) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  tap_t tap;
  tap_begin(&tap, out);
  size_t count = report_grid_row_count(grid);
  if (count == 0) {
    tap_skip_all(&tap, "the database counts no cases");
    return;
  }
  tap_plan(&tap, count);
  for (size_t row = 0; row < count; row++) {
    g_autofree char *description =
        g_strjoin(" ", overview_text(grid, row, "executor"), overview_text(grid, row, "op"),
                  overview_text(grid, row, "algorithm"), NULL);
    const char *reason;
    overview_outcome_t outcome = overview_outcome(overview, row, &reason);
    if (outcome == OVERVIEW_SKIPPED) {
      tap_point_skip(&tap, description, reason);
      continue;
    }
    if (outcome == OVERVIEW_EXCUSED) {
      tap_point_todo(&tap, false, description, reason);
    } else {
      tap_point(&tap, outcome == OVERVIEW_PASSED, description);
    }
    print_details(&tap, overview, row);
  }
  tap_end(&tap);
}
