/* SPDX-License-Identifier: Apache-2.0 */
/* Summary section that counts, per executor and op, the cases each formula explains, the strictest
 * first, and marks formulas that the contract does not permit. */
#include "reports/run/summary_formulas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/model/op.h"

static bool is_formula(const observation_row_t *row, size_t executor, const op_t *op) {
  return row->kind == OBSERVATION_FORMULA && row->executor == executor &&
         strcmp(row->label.op, op->name) == 0;
}

/* Cases of an executor and op whose tightest formula this is; "" for none. */
static uint64_t count_cases(observation_tally_t *observations, size_t executor, const op_t *op,
                            const char *formula) {
  uint64_t cases = 0;
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    bool is_it = is_formula(row, executor, op) && strcmp(row->observed, formula) == 0;
    cases += is_it ? row->cases : 0;
  }
  return cases;
}

static bool is_permitted(const run_report_t *report, const op_t *op, uint8_t formula) {
  return formula <= contract_value(&session_options(report->session)->contract, op->formulas);
}

/* "two-pass 320, welford 40, one-pass 2 (not permitted), none 1", the tightest first. */
static bool describe_op(const run_report_t *report, size_t executor, const op_t *op,
                        GString *out_text) {
  observation_tally_t *observations = session_observations(report->session);
  size_t before = out_text->len;
  for (uint8_t i = 0; i < contract_value_count(op->formulas); i++) {
    const char *formula = contract_spelling(op->formulas, i);
    uint64_t cases = count_cases(observations, executor, op, formula);
    if (cases == 0) continue;
    g_string_append_printf(out_text, "%s%s %" PRIu64 "%s", out_text->len == before ? "" : ", ",
                           formula, cases, is_permitted(report, op, i) ? "" : " (not permitted)");
  }
  uint64_t others = count_cases(observations, executor, op, "");
  if (others > 0) {
    g_string_append_printf(out_text, "%snone %" PRIu64, out_text->len == before ? "" : ", ",
                           others);
  }
  return out_text->len > before;
}

static void print_ops(const run_report_t *report, size_t executor, const op_t *const *ops,
                      bool *inout_has_head) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (const op_t *const *op = ops; *op != NULL; op++) {
    g_string_truncate(text, 0);
    if ((*op)->formulas == NULL || !describe_op(report, executor, *op, text)) continue;
    if (!*inout_has_head)
      printf("\nFormulas, identified by the bits: cases by the tightest that explains them\n");
    *inout_has_head = true;
    printf("  %s %s: %s\n", run_report_executor(report, executor), (*op)->name, text->str);
  }
}

void summary_print_formulas(const run_report_t *report) {
  bool has_head = false;
  for (size_t e = 0; e < run_report_executor_count(report); e++) {
    print_ops(report, e, op_all(), &has_head);
    print_ops(report, e, op_compound(), &has_head);
  }
}

json_t *summary_json_formulas(const run_report_t *report) {
  json_t *array = json_array();
  observation_tally_t *observations = session_observations(report->session);
  for (size_t i = 0; i < observation_tally_count(observations); i++) {
    const observation_row_t *row = observation_tally_at(observations, i);
    if (row->kind != OBSERVATION_FORMULA) continue;
    const char *executor = run_report_executor(report, row->executor);
    json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "executor", executor,
                                           "op", row->label.op, "algorithm", row->label.algorithm,
                                           "types", row->label.types, "formula", row->observed,
                                           "cases", (json_int_t)row->cases));
  }
  return array;
}
