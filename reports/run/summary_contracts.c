/* SPDX-License-Identifier: Apache-2.0 */
/* Summary section on results that conform to the contract of the run but not to `wide`: 16-bit and
 * 8-bit floats computed in f32 or wider, and rounded once. */
#include "reports/run/summary_contracts.h"

#include <inttypes.h>
#include <string.h>

#include "harness/judge/verdict.h"

/* Cases that were held against `wide`, and those that did not keep it. */
typedef struct held {
  uint64_t cases;
  uint64_t broken;
} held_t;

static bool is_about(const observation_row_t *row, size_t executor, const tally_label_t *label) {
  if (row->kind != OBSERVATION_CONTRACT || row->executor != executor) return false;
  return label == NULL || (row->label.op == label->op && row->label.types == label->types &&
                           row->label.algorithm == label->algorithm);
}

/* Of an executor; of one label, or of all. */
static held_t count_held(const run_report_t *report, size_t executor, const tally_label_t *label) {
  observation_tally_t *observations = session_observations(report->session);
  held_t held = {0};
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    if (!is_about(row, executor, label)) continue;
    held.cases += row->cases;
    held.broken += strcmp(row->observed, VERDICT_WIDE) == 0 ? 0 : row->cases;
  }
  return held;
}

static void describe_executor(const run_report_t *report, size_t executor, GString *out_text) {
  held_t all = count_held(report, executor, NULL);
  if (all.broken == 0) return;
  g_string_append_printf(
      out_text,
      "%s: %" PRIu64 " of %" PRIu64
      " conforming cases of 16-bit and 8-bit floats held against contract `wide` need more\n",
      run_report_executor(report, executor), all.broken, all.cases);
  observation_tally_t *observations = session_observations(report->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    bool is_broken = strcmp(row->observed, VERDICT_NOT_WIDE) == 0;
    if (!is_broken || !is_about(row, executor, &row->label)) continue;
    held_t held = count_held(report, executor, &row->label);
    g_string_append_printf(out_text, "  %s %s %s: %" PRIu64 " of %" PRIu64 "\n", row->label.op,
                           row->label.algorithm, row->label.types, held.broken, held.cases);
  }
}

void describe_contracts(const run_report_t *report, GString *out_text) {
  for (size_t e = 0; e < run_report_executor_count(report); e++) {
    describe_executor(report, e, out_text);
  }
}

json_t *summary_json_contracts(const run_report_t *report) {
  json_t *array = json_array();
  observation_tally_t *observations = session_observations(report->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    if (row->kind != OBSERVATION_CONTRACT) continue;
    const char *executor = run_report_executor(report, row->executor);
    json_array_append_new(
        array, json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "executor", executor, "op",
                         row->label.op, "algorithm", row->label.algorithm, "types",
                         row->label.types, "kept", row->observed, "cases", (json_int_t)row->cases));
  }
  return array;
}
