/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates the rows of an invariance campaign by executor, op and property, chooses the smallest
 * finding of each, and prints a table or TAP with replay commands. */
#include "reports/invariance/invariance_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/tap/tap.h"
#include "reports/verdict/describe.h"

/* ---- Lines ----------------------------------------------------------------------------------- */

static invariance_line_t make_line(const invariance_report_t *report, size_t executor,
                                   const op_t *op, invariance_property_t property) {
  invariance_line_t line = {.executor = executor, .op = op, .property = property, .reason = ""};
  for (size_t i = 0; i < invariance_count_rows(report->invariance); i++) {
    const invariance_count_t *row = invariance_row_at(report->invariance, i);
    if (row->executor != executor || row->property != property) continue;
    if (strcmp(row->op, op->name) != 0) continue;
    for (int j = 0; j < INVARIANCE_OUTCOME_COUNT; j++) line.cases[j] += row->cases[j];
    if (line.reason[0] == '\0') line.reason = row->reason;
    const invariance_finding_t *finding = row->finding;
    if (finding == NULL) continue;
    if (line.finding == NULL || invariance_is_better(finding, line.finding)) {
      line.finding = finding;
    }
  }
  return line;
}

static bool is_empty(const invariance_line_t *line) {
  for (int i = 0; i < INVARIANCE_OUTCOME_COUNT; i++) {
    if (line->cases[i] > 0) return false;
  }
  return true;
}

GArray *invariance_report_lines(const invariance_report_t *report) {
  const invariance_options_t *options = report->options;
  GArray *lines = g_array_new(FALSE, TRUE, sizeof(invariance_line_t));
  for (size_t executor = 0; executor < options->executor_count; executor++) {
    for (size_t op = 0; op < options->op_count; op++) {
      for (int property = 0; property < INVARIANCE_COUNT; property++) {
        const invariance_line_t line =
            make_line(report, executor, options->ops[op], (invariance_property_t)property);
        /* Run-to-run is told about whenever it broke something else. */
        if (options->properties[property] || !is_empty(&line)) g_array_append_val(lines, line);
      }
    }
  }
  return lines;
}

static uint64_t checked(const invariance_line_t *line) {
  return line->cases[INVARIANCE_OUTCOME_holds] + line->cases[INVARIANCE_OUTCOME_broken];
}

const char *invariance_report_verdict(const invariance_line_t *line) {
  if (line->cases[INVARIANCE_OUTCOME_broken] > 0) return "BROKEN";
  if (line->cases[INVARIANCE_OUTCOME_failed] > 0) return "failed";
  return checked(line) > 0 ? "holds" : "unchecked";
}

const char *invariance_report_why_unchecked(const invariance_line_t *line) {
  if (line->op->axes == NULL) return "this op does not declare its axes";
  if (line->cases[INVARIANCE_OUTCOME_unrepeatable] > 0)
    return "differs when it is only run or compiled again";
  if (line->cases[INVARIANCE_OUTCOME_refused] > 0) {
    return line->reason[0] == '\0' ? "refused" : line->reason;
  }
  return "no case to which it applies";
}

void invariance_report_replay(const invariance_report_t *report, const invariance_line_t *line,
                              bool is_other, GString *out_text) {
  const invariance_finding_t *finding = line->finding;
  char *name = g_shell_quote(executor_name(report->options->executors[line->executor]));
  char *quoted = g_shell_quote(is_other ? finding->other_line : finding->base_line);
  g_string_append_printf(out_text, "assay replay %s --executor %s", quoted, name);
  g_string_append(out_text, report->replay_options);
  g_free(quoted);
  g_free(name);
}

/* ---- For people ------------------------------------------------------------------------------ */

static void print_table(const invariance_report_t *report, const GArray *lines) {
  const invariance_line_t *previous = NULL;
  for (guint i = 0; i < lines->len; i++) {
    const invariance_line_t *line = &g_array_index(lines, invariance_line_t, i);
    if (previous == NULL || previous->executor != line->executor || previous->op != line->op) {
      printf("%s%s %s\n", i == 0 ? "" : "\n",
             executor_name(report->options->executors[line->executor]), line->op->name);
      printf("  %-16s%9s%9s%9s%8s%14s  %s\n", "property", "cases", "broken", "refused", "failed",
             "unrepeatable", "verdict");
    }
    const char *verdict = invariance_report_verdict(line);
    bool is_unchecked = strcmp(verdict, "unchecked") == 0;
    printf("  %-16s%9" PRIu64 "%9" PRIu64 "%9" PRIu64 "%8" PRIu64 "%14" PRIu64 "  %s%s%s\n",
           invariance_table[line->property].spelling, checked(line),
           line->cases[INVARIANCE_OUTCOME_broken], line->cases[INVARIANCE_OUTCOME_refused],
           line->cases[INVARIANCE_OUTCOME_failed], line->cases[INVARIANCE_OUTCOME_unrepeatable],
           verdict, is_unchecked ? ": " : "",
           is_unchecked ? invariance_report_why_unchecked(line) : "");
    previous = line;
  }
}

/* "f32,f32->f32 12 of 40, f64,f64->f64 3 of 38": where it is broken. */
static void describe_types(const invariance_report_t *report, const invariance_line_t *line,
                           GString *out_text) {
  const char *separator = "";
  for (size_t i = 0; i < invariance_count_rows(report->invariance); i++) {
    const invariance_count_t *row = invariance_row_at(report->invariance, i);
    if (row->executor != line->executor || row->property != line->property) continue;
    if (strcmp(row->op, line->op->name) != 0 || row->finding == NULL) continue;
    uint64_t broken = row->cases[INVARIANCE_OUTCOME_broken];
    g_string_append_printf(out_text, "%s%s %" PRIu64 " of %" PRIu64, separator, row->types, broken,
                           broken + row->cases[INVARIANCE_OUTCOME_holds]);
    separator = ", ";
  }
}

/* "result 0 at [0,0] is 0x3f800000 (sgemm NN)". */
static void describe_side(const invariance_finding_t *finding, bool is_other, GString *out_text) {
  const invariance_difference_t *difference = &finding->difference;
  bool has_other = finding->other_line[0] != '\0';
  const program_t *program =
      is_other && has_other ? &finding->other.program : &finding->instance.base.program;
  uint64_t bits = is_other ? difference->other_bits : difference->base_bits;
  int digits = (program->results[difference->result].element->bits + 3) / 4;
  describe_component(program, difference->result,
                     is_other ? difference->other_component : difference->base_component, out_text);
  g_string_append_printf(out_text, " is 0x%0*" PRIx64, digits, bits);
  const char *implementation =
      is_other ? finding->other_implementation : finding->base_implementation;
  if (implementation[0] != '\0') g_string_append_printf(out_text, " (%s)", implementation);
}

static void print_side(const invariance_report_t *report, const invariance_line_t *line,
                       const char *name, bool is_other) {
  GString *text = g_string_new(NULL);
  describe_side(line->finding, is_other, text);
  printf("  %-9s %s\n", name, text->str);
  if (!is_other || line->finding->other_line[0] != '\0') {
    g_string_truncate(text, 0);
    invariance_report_replay(report, line, is_other, text);
    printf("            %s\n", text->str);
  }
  g_string_free(text, TRUE);
}

/* What the second bits are of, where there is one case only. */
static void name_repetition(const invariance_finding_t *finding, char out_text[32]) {
  if (finding->other_line[0] != '\0') {
    g_strlcpy(out_text, "other:", 32);
  } else if (finding->instance.property == INVARIANCE_run_to_run) {
    snprintf(out_text, 32, "run %" PRIu32 ":", finding->difference.execution);
  } else if (finding->instance.property == INVARIANCE_replica) {
    g_strlcpy(out_text, "replica:", 32);
  } else {
    g_strlcpy(out_text, "again:", 32);
  }
}

static void print_finding(const invariance_report_t *report, const invariance_line_t *line) {
  const invariance_finding_t *finding = line->finding;
  const invariance_row_t *row = &invariance_table[line->property];
  printf("\n%s %s: %s FAILED; the property: %s\n",
         executor_name(report->options->executors[line->executor]), line->op->name, row->spelling,
         row->summary);
  GString *text = g_string_new(NULL);
  describe_types(report, line, text);
  printf("  fails:    %s\n", text->str);
  g_string_truncate(text, 0);
  invariance_print_sizes(finding, text);
  printf("  smallest: %s, of %s (%s); %zu of %zu elements differ\n", text->str,
         finding->label.types, finding->label.algorithm, finding->difference.count,
         finding->difference.compared);
  g_string_truncate(text, 0);
  invariance_print_steps(finding, text);
  if (text->len > 0) printf("  begins:   %s\n", text->str);
  g_string_free(text, TRUE);
  char repetition[32];
  name_repetition(finding, repetition);
  print_side(report, line, "base:", false);
  print_side(report, line, repetition, true);
}

/* What is not asked of modules, and why. */
static void print_untold(const invariance_report_t *report) {
  const invariance_untold_t *untold = invariance_untold(report->invariance);
  if (untold->untold == 0) return;
  printf(
      "\nof %" PRIu64 " modules %" PRIu64
      " have no axis of a batch, rows or columns in their first result, and were run and compiled "
      "again alone; the first: %s\n",
      untold->modules, untold->untold, untold->why);
}

void invariance_report_print(const invariance_report_t *report) {
  GArray *lines = invariance_report_lines(report);
  print_table(report, lines);
  for (guint i = 0; i < lines->len; i++) {
    const invariance_line_t *line = &g_array_index(lines, invariance_line_t, i);
    if (line->finding != NULL) print_finding(report, line);
  }
  print_untold(report);
  printf("\n%" PRIu64 " cases drawn, seed %" PRIu64 "\n", invariance_cases(report->invariance),
         report->options->seed);
  g_array_unref(lines);
}

/* ---- TAP ------------------------------------------------------------------------------------- */

static void print_tap_details(tap_t *tap, const invariance_report_t *report,
                              const invariance_line_t *line) {
  char cases[24];
  char broken[24];
  char refused[24];
  snprintf(cases, sizeof cases, "%" PRIu64, checked(line));
  snprintf(broken, sizeof broken, "%" PRIu64, line->cases[INVARIANCE_OUTCOME_broken]);
  snprintf(refused, sizeof refused, "%" PRIu64, line->cases[INVARIANCE_OUTCOME_refused]);
  GString *texts[5];
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) texts[i] = g_string_new(NULL);
  size_t count = 4;
  if (line->finding != NULL) {
    describe_types(report, line, texts[0]);
    invariance_print_sizes(line->finding, texts[1]);
    invariance_print_steps(line->finding, texts[2]);
    invariance_report_replay(report, line, false, texts[3]);
    if (line->finding->other_line[0] != '\0') {
      invariance_report_replay(report, line, true, texts[4]);
    }
    count = texts[4]->len > 0 ? 9 : 8;
  }
  const tap_detail_t details[] = {
      {"cases", cases},          {"broken", broken},       {"refused", refused},
      {"reason", line->reason},  {"types", texts[0]->str}, {"smallest", texts[1]->str},
      {"begins", texts[2]->str}, {"repro", texts[3]->str}, {"other", texts[4]->str}};
  tap_details(tap, details, count);
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_string_free(texts[i], TRUE);
}

void invariance_report_print_tap(const invariance_report_t *report) {
  GArray *lines = invariance_report_lines(report);
  tap_t tap;
  tap_begin(&tap, stdout);
  tap_plan(&tap, lines->len);
  for (guint i = 0; i < lines->len; i++) {
    const invariance_line_t *line = &g_array_index(lines, invariance_line_t, i);
    const char *verdict = invariance_report_verdict(line);
    char *description =
        g_strdup_printf("%s %s %s", executor_name(report->options->executors[line->executor]),
                        line->op->name, invariance_table[line->property].spelling);
    if (strcmp(verdict, "unchecked") == 0 && line->cases[INVARIANCE_OUTCOME_unrepeatable] == 0) {
      tap_point_skip(&tap, description, invariance_report_why_unchecked(line));
    } else {
      tap_point(&tap, strcmp(verdict, "holds") == 0, description);
      print_tap_details(&tap, report, line);
    }
    g_free(description);
  }
  g_array_unref(lines);
  tap_end(&tap);
}
