/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay quant run` says. */
#include "reports/quant/quant_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/verdict/describe.h"

static const char *executor_at(const quant_report_t *report, size_t index) {
  return executor_name(session_options(report->session)->executors[index]);
}

static void print_steps_table(const quant_report_t *report) {
  printf("%-28s %-8s %9s %9s %8s %7s %6s %10s %12s\n", "executor", "form", "conforms", "diverges",
         "refused", "failed", "weak", "no-oracle", "substituted");
  for (guint i = 0; i < report->rows->len; i++) {
    const quant_measurement_t *row = &g_array_index(report->rows, quant_measurement_t, i);
    const uint64_t *outcomes = row->outcomes;
    printf("%-28s %-8s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %6" PRIu64 " %10" PRIu64
           " %12" PRIu64 "\n",
           executor_at(report, row->executor), quant_lowering_spelling(row->lowering),
           outcomes[OUTCOME_conforms], outcomes[OUTCOME_diverges], outcomes[OUTCOME_refused],
           outcomes[OUTCOME_failed], outcomes[OUTCOME_weak], outcomes[OUTCOME_no_oracle],
           row->substituted);
    if (row->unfinished > 0) printf("  %" PRIu64 " runs could not be finished\n", row->unfinished);
  }
}

/* The regions that are no program of several steps, and why. */
static void print_unwhole(const quant_report_t *report, quant_lowering_t lowering) {
  for (uint32_t i = 0; i < report->graph->region_count; i++) {
    const quant_whole_t *whole = &report->wholes[lowering][i];
    if (whole->is_whole || whole->step_count < 2) continue;
    printf("  %s, %s: not run as one (%s)\n", quant_lowering_spelling(lowering),
           report->graph->regions[i].name, whole->reason);
  }
}

/* What came of regions that were run as one program. */
static void print_wholes_table(const quant_report_t *report) {
  bool has_wholes = false;
  for (guint i = 0; i < report->rows->len; i++) {
    const quant_measurement_t *row = &g_array_index(report->rows, quant_measurement_t, i);
    if (report->wholes[row->lowering] == NULL) continue;
    if (!has_wholes) {
      printf("\nregions as one program by verdict%s:\n%-28s %-8s %9s %9s %8s %7s %6s %10s",
             report->compares ? ", and held against their steps" : "", "executor", "form",
             "conforms", "diverges", "refused", "failed", "weak", "no-oracle");
      printf("%s\n", report->compares
                         ? "  same bits    differ: whole outside, steps outside, both inside"
                         : "");
    }
    has_wholes = true;
    const uint64_t *outcomes = row->whole.outcomes;
    printf("%-28s %-8s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %6" PRIu64 " %10" PRIu64,
           executor_at(report, row->executor), quant_lowering_spelling(row->lowering),
           outcomes[OUTCOME_conforms], outcomes[OUTCOME_diverges], outcomes[OUTCOME_refused],
           outcomes[OUTCOME_failed], outcomes[OUTCOME_weak], outcomes[OUTCOME_no_oracle]);
    if (report->compares) {
      printf(" %10" PRIu64 " %9" PRIu64 ": %13" PRIu64 " %14" PRIu64 " %12" PRIu64, row->whole.same,
             row->whole.differ, row->whole.whole_outside, row->whole.steps_outside,
             row->whole.both_inside);
    }
    putchar('\n');
  }
  for (int i = 0; has_wholes && i < QUANT_LOWERING_COUNT; i++) {
    if (report->wholes[i] != NULL) print_unwhole(report, (quant_lowering_t)i);
  }
}

/* Whether an earlier row of the tally has the same executor, algorithm and reason. */
static bool was_reported(tally_t *tally, size_t index) {
  const tally_row_t *row = tally_at(tally, index);
  for (size_t i = 0; i < index; i++) {
    const tally_row_t *other = tally_at(tally, i);
    if (other->executor == row->executor && other->outcome == row->outcome &&
        strcmp(other->label.algorithm, row->label.algorithm) == 0 &&
        strcmp(other->reason, row->reason) == 0) {
      return true;
    }
  }
  return false;
}

/* The kernels whose steps an executor would not run for one reason, and how many steps. */
static void print_reason(const quant_report_t *report, tally_t *tally, size_t index) {
  const tally_row_t *row = tally_at(tally, index);
  GString *kernels = g_string_new(NULL);
  uint64_t cases = 0;
  const char *last = "";
  for (size_t i = index; i < tally_count(tally); i++) {
    const tally_row_t *other = tally_at(tally, i);
    if (other->executor != row->executor || other->outcome != row->outcome) continue;
    if (strcmp(other->label.algorithm, row->label.algorithm) != 0) continue;
    if (strcmp(other->reason, row->reason) != 0) continue;
    cases += other->cases;
    if (strcmp(other->label.op, last) == 0) continue;
    g_string_append_printf(kernels, "%s%s", last[0] == '\0' ? "" : ", ", other->label.op);
    last = other->label.op;
  }
  bool are_whole = g_str_has_suffix(row->label.algorithm, "/whole");
  printf("  %s %s %" PRIu64 " %s of %s, %s: %s\n", executor_at(report, row->executor),
         outcome_spelling(row->outcome), cases, are_whole ? "regions" : "steps",
         row->label.algorithm, kernels->str, row->reason);
  g_string_free(kernels, TRUE);
}

/* What was not run, and why. */
static void print_reasons(const quant_report_t *report) {
  tally_t *tally = session_tally(report->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    outcome_t outcome = tally_at(tally, i)->outcome;
    bool is_absent = outcome == OUTCOME_refused || outcome == OUTCOME_failed;
    if (is_absent && !was_reported(tally, i)) print_reason(report, tally, i);
  }
}

static void print_error_row(const quant_report_t *report, const quant_measurement_t *row,
                            uint32_t value) {
  const quant_error_t *error = &row->errors[value];
  printf("%-28s %-8s %-28s %12.6g %12.6g%s\n", executor_at(report, row->executor),
         quant_lowering_spelling(row->lowering), report->graph->values[value].name,
         error->certified, error->observed,
         error->outside > 0 ? "  outside what conforming runs give" : "");
}

static const char *contract_name(const quant_report_t *report) {
  return report->contract == NULL ? "backend" : report->contract;
}

static void print_errors(const quant_report_t *report) {
  const quant_graph_t *graph = report->graph;
  printf("\n%-28s %-8s %-28s %12s %12s\n", "executor", "form", "value", "certified", "observed");
  for (guint i = 0; i < report->rows->len; i++) {
    const quant_measurement_t *row = &g_array_index(report->rows, quant_measurement_t, i);
    for (uint32_t value = 0; value < graph->value_count; value++) {
      bool is_wanted = graph->values[value].is_output || report->has_values;
      if (is_wanted && row->is_measured[value]) print_error_row(report, row, value);
    }
  }
  if (report->unknown[0] != '\0') {
    printf("Not certified (infinite): no enclosure is implemented for %s\n", report->unknown);
  }
  if (report->unbounded[0] != '\0') {
    printf(
        "Not certified (infinite): under contract %s nothing bounds what conforming "
        "implementations give in %s, though its operands are bounded\n",
        contract_name(report), report->unbounded);
  }
}

static void print_differences(const quant_report_t *report) {
  for (int a = 0; a < QUANT_LOWERING_COUNT; a++) {
    for (int b = a + 1; b < QUANT_LOWERING_COUNT; b++) {
      if (!report->wanted[a] || !report->wanted[b]) continue;
      printf("Outputs of %s and %s differ by at most %.6g on one executor.\n",
             quant_lowering_spelling((quant_lowering_t)a),
             quant_lowering_spelling((quant_lowering_t)b), report->differences[a][b]);
    }
  }
}

json_t *quant_report_wholes_json(const quant_whole_counts_t *counts) {
  json_t *outcomes = json_object();
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    json_object_set_new(outcomes, outcome_spelling((outcome_t)i),
                        json_integer((json_int_t)counts->outcomes[i]));
  }
  return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "whole", outcomes, "same",
                   (json_int_t)counts->same, "differ", (json_int_t)counts->differ, "whole_outside",
                   (json_int_t)counts->whole_outside, "steps_outside",
                   (json_int_t)counts->steps_outside, "both_inside",
                   (json_int_t)counts->both_inside);
}

static json_t *row_json(const quant_report_t *report, const quant_measurement_t *row) {
  const quant_graph_t *graph = report->graph;
  json_t *outcomes = json_object(), *values = json_object();
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    json_object_set_new(outcomes, outcome_spelling((outcome_t)i),
                        json_integer((json_int_t)row->outcomes[i]));
  }
  for (uint32_t i = 0; i < graph->value_count; i++) {
    if (!row->is_measured[i]) continue;
    const quant_error_t *error = &row->errors[i];
    json_t *certified = isfinite(error->certified) ? json_real(error->certified) : json_null();
    json_t *observed = isfinite(error->observed) ? json_real(error->observed) : json_null();
    json_object_set_new(values, graph->values[i].name,
                        json_pack("{s:o, s:o, s:I}", "certified", certified, "observed", observed,
                                  "outside", (json_int_t)error->outside));
  }
  json_t *json = json_pack(
      "{s:s, s:s, s:o, s:I, s:I, s:o}", "executor", executor_at(report, row->executor), "form",
      quant_lowering_spelling(row->lowering), "steps", outcomes, "substituted",
      (json_int_t)row->substituted, "unfinished", (json_int_t)row->unfinished, "values", values);
  if (report->wholes[row->lowering] != NULL) {
    json_object_set_new(json, "regions", quant_report_wholes_json(&row->whole));
  }
  return json;
}

void quant_report_print_json(const quant_report_t *report) {
  json_t *rows = json_array();
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print(&session_options(report->session)->contract, contract);
  for (guint i = 0; i < report->rows->len; i++) {
    json_array_append_new(rows,
                          row_json(report, &g_array_index(report->rows, quant_measurement_t, i)));
  }
  json_print(json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "graph", report->name, "table",
                       report->table, "contract", contract->str, "uncertified", report->unknown,
                       "unbounded", report->unbounded, "runs", rows),
             false);
}

void quant_report_print(const quant_report_t *report) {
  printf("%s, table %s, contract %s, %" G_GINT64_FORMAT " sets of inputs; steps by verdict:\n",
         report->name, report->table, contract_name(report), report->inputs);
  print_steps_table(report);
  print_wholes_table(report);
  print_reasons(report);
  print_errors(report);
  print_differences(report);
}
