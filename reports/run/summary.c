/* SPDX-License-Identifier: Apache-2.0 */
/* Progress line and final report of a run: aggregates counters into a table per executor and op,
 * lists reasons of refusal, and assembles the same data as JSON. */
#include "reports/run/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/instruction_set.h"
#include "reports/power/power_line.h"
#include "reports/power/power_report.h"
#include "reports/run/describe_finding.h"
#include "reports/run/summary_contracts.h"
#include "reports/run/summary_formulas.h"
#include "reports/run/summary_judged.h"
#include "reports/run/summary_observations.h"
#include "reports/run/summary_pairs.h"
#include "reports/run/summary_prediction.h"
#include "reports/verdict/describe.h"

/* What stands for the types of programs that were drawn invalid on purpose. */
static const char invalid_programs[] = "(invalid programs)";

/* A line of the table: the tally over algorithms, classes and implementations. */
typedef struct line {
  size_t executor;
  const char *op;
  const char *types;
  uint64_t cases[OUTCOME_COUNT];
  double ulp_error_max;
  double slack_max;
} line_t;

void summary_end_progress(void) {
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

void summary_print_finding(const run_report_t *report, const finding_t *finding) {
  summary_end_progress();
  GString *text = g_string_new(NULL);
  describe_finding(finding, report, text);
  g_string_append(text, "\n  ");
  describe_replay(finding, report, text);
  puts(text->str);
  fflush(stdout);
  g_string_free(text, TRUE);
}

/* Of the executor that has the fewest. */
static uint64_t judged_least(const session_t *session) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < session_options(session)->executor_count; i++) {
    uint64_t judged = session_judged(session, i);
    if (judged < least) least = judged;
  }
  return least;
}

void summary_show_progress(const session_t *session) {
  if (!isatty(STDERR_FILENO)) return;
  const session_options_t *options = session_options(session);
  double seconds = session_seconds(session);
  double cases = (double)session_cases(session);
  double left = INFINITY;
  if (options->seconds_max > 0) left = options->seconds_max - seconds;
  double judged = (double)judged_least(session);
  if (options->cases_max > 0 && judged > 0) {
    left = fmin(left, ((double)options->cases_max - judged) * seconds / judged);
  }
  case_runner_times_t times = session_times(session);
  fprintf(stderr, "\r\033[K%.0f cases, %.0f/s, %zu findings, compiling %.0f%%, executors %.0f%%",
          cases, cases / seconds, session_finding_count(session),
          (double)times.compile * 1e-7 / seconds, (double)times.executor * 1e-7 / seconds);
  if (isfinite(left)) fprintf(stderr, ", %.0f s left", fmax(left, 0));
  fflush(stderr);
}

static gint compare_lines(gconstpointer a, gconstpointer b) {
  const line_t *left = (const line_t *)a;
  const line_t *right = (const line_t *)b;
  if (left->executor != right->executor) return left->executor < right->executor ? -1 : 1;
  int by_op = strcmp(left->op, right->op);
  return by_op != 0 ? by_op : strcmp(left->types, right->types);
}

static line_t *find_line(GArray *lines, const tally_row_t *row, const char *types) {
  for (guint i = 0; i < lines->len; i++) {
    line_t *line = &g_array_index(lines, line_t, i);
    if (line->executor == row->executor && line->op == row->label.op && line->types == types) {
      return line;
    }
  }
  const line_t line = {.executor = row->executor, .op = row->label.op, .types = types};
  g_array_append_val(lines, line);
  return &g_array_index(lines, line_t, lines->len - 1);
}

static GArray *gather_lines(const run_report_t *report) {
  GArray *lines = g_array_new(FALSE, TRUE, sizeof(line_t));
  tally_t *tally = session_tally(report->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    line_t *line = find_line(lines, row, row->is_invalid ? invalid_programs : row->label.types);
    line->cases[row->outcome] += row->cases;
    line->ulp_error_max = fmax(line->ulp_error_max, row->ulp_error_max);
    line->slack_max = fmax(line->slack_max, row->slack_max);
  }
  g_array_sort(lines, compare_lines);
  return lines;
}

static uint64_t count_cases(const uint64_t *cases) {
  uint64_t sum = 0;
  for (int i = 0; i < OUTCOME_COUNT; i++) sum += cases[i];
  return sum;
}

static bool is_refused(const line_t *line) {
  return line->types != invalid_programs &&
         line->cases[OUTCOME_refused] == count_cases(line->cases);
}

static void print_counts(const uint64_t *cases) {
  uint64_t sum = count_cases(cases);
  printf("%9" PRIu64 "%9" PRIu64 "%9" PRIu64 "%8" PRIu64 "%7" PRIu64 "%10" PRIu64 "%7" PRIu64, sum,
         cases[OUTCOME_conforms], cases[OUTCOME_diverges], cases[OUTCOME_refused],
         cases[OUTCOME_weak], cases[OUTCOME_no_oracle], cases[OUTCOME_failed]);
}

static void print_line(const line_t *line) {
  printf("  %-34s", line->types);
  print_counts(line->cases);
  printf("%11.4g%11.4g\n", line->ulp_error_max, line->slack_max);
}

static void print_head(const run_report_t *report, const line_t *line) {
  printf("\n%s %s\n", run_report_executor(report, line->executor), line->op);
  printf("  %-34s%9s%9s%9s%8s%7s%10s%7s%11s%11s\n", "types", "cases", "conforms", "diverges",
         "refused", "weak", "no-oracle", "failed", "max ulp", "max slack");
}

/* What an executor refuses altogether gets one line, not one for each combination of types. */
static void print_refused(guint combinations, uint64_t cases) {
  if (combinations == 0) return;
  printf("  %u combinations of types were refused, in %" PRIu64 " cases\n", combinations, cases);
}

static void print_table(const run_report_t *report) {
  GArray *lines = gather_lines(report);
  const line_t *previous = NULL;
  guint refused = 0;
  uint64_t refused_cases = 0;
  for (guint i = 0; i < lines->len; i++) {
    const line_t *line = &g_array_index(lines, line_t, i);
    if (previous == NULL || line->executor != previous->executor || line->op != previous->op) {
      print_refused(refused, refused_cases);
      refused = 0;
      refused_cases = 0;
      print_head(report, line);
    }
    if (is_refused(line)) {
      refused++;
      refused_cases += line->cases[OUTCOME_refused];
    } else {
      print_line(line);
    }
    previous = line;
  }
  print_refused(refused, refused_cases);
  g_array_unref(lines);
}

/* Why there was no oracle: each reason that an op and types had, with its cases. */
static void print_reasons(const run_report_t *report) {
  tally_t *tally = session_tally(report->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->outcome != OUTCOME_no_oracle || row->reason[0] == '\0') continue;
    printf("  no oracle for %s %s on %s (%" PRIu64 " cases): %s\n", row->label.op, row->label.types,
           run_report_executor(report, row->executor), row->cases, row->reason);
  }
}

typedef struct shares {
  double seconds;
  double oracle;
  double judge;
  double compile;
  double executor;
  double cause;
  double power; /* Knowing how wrong results could have been. */
  double rest;
} shares_t;

static shares_t measure_shares(const run_report_t *report) {
  case_runner_times_t times = session_times(report->session);
  double all = session_seconds(report->session);
  shares_t shares = {.seconds = all,
                     .oracle = (double)times.oracle * 1e-9 / all,
                     .judge = (double)times.judge * 1e-9 / all,
                     .compile = (double)times.compile * 1e-9 / all,
                     .executor = (double)times.executor * 1e-9 / all,
                     .cause = (double)times.cause * 1e-9 / all,
                     .power = session_power_seconds(report->session) / all};
  shares.rest = 1 - shares.oracle - shares.judge - shares.compile - shares.executor - shares.cause -
                shares.power;
  return shares;
}

static void print_contracts(const run_report_t *report) {
  g_autoptr(GString) text = g_string_new(NULL);
  describe_contracts(report, text);
  if (text->len > 0) printf("\n%s", text->str);
}

static void print_predictions(const run_report_t *report) {
  GString *text = g_string_new(NULL);
  describe_predictions(report, text);
  if (text->len > 0) printf("\n%s", text->str);
  g_string_free(text, TRUE);
}

static void print_power(const run_report_t *report) {
  g_autoptr(GString) text = g_string_new(NULL);
  const power_summary_t power = power_summary_of(session_power(report->session));
  power_line_print(&power, text);
  if (text->len > 0) printf("%s\n", text->str);
}

static void print_lives(const run_report_t *report) {
  g_autoptr(GString) text = g_string_new(NULL);
  describe_lives(report, text);
  fputs(text->str, stdout);
}

static void print_untested(const run_report_t *report) {
  g_autoptr(GString) text = g_string_new(NULL);
  summary_describe_untested(report, text);
  if (text->len > 0) printf("%s\n", text->str);
  g_string_truncate(text, 0);
  summary_describe_samples(report, text);
  if (text->len > 0) printf("%s\n", text->str);
}

void summary_print(const run_report_t *report) {
  summary_end_progress();
  print_table(report);
  print_reasons(report);
  summary_print_observations(report);
  summary_print_formulas(report);
  print_contracts(report);
  summary_print_pairs(report);
  print_predictions(report);
  const session_t *session = report->session;
  const shares_t shares = measure_shares(report);
  uint64_t cases = session_cases(session);
  uint64_t occurrences = 0;
  size_t findings = session_finding_count(session);
  for (size_t i = 0; i < findings; i++) occurrences += session_finding(session, i)->count;
  printf("\n%" PRIu64 " cases in %.2f s (%.0f/s), %zu findings in %" PRIu64 " occurrences\n", cases,
         shares.seconds, (double)cases / shares.seconds, findings, occurrences);
  summary_print_judged(report);
  print_untested(report);
  print_lives(report);
  printf(
      "time: oracle %.0f%%, judge %.0f%%, compiling %.0f%%, executors %.0f%%, causes %.0f%%, "
      "power %.0f%%, rest %.0f%%; "
      "%" PRIu64 " components audited with MPFR",
      100 * shares.oracle, 100 * shares.judge, 100 * shares.compile, 100 * shares.executor,
      100 * shares.cause, 100 * shares.power, 100 * shares.rest, session_audited(session));
  uint64_t treeless = session_treeless(session);
  if (treeless > 0) printf(", %" PRIu64 " sums of few terms judged by bounds alone", treeless);
  uint64_t rows_left = session_rows_left(session);
  if (rows_left > 0) printf(", %" PRIu64 " rows not judged as a whole", rows_left);
  printf("\n");
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print_short(&session_options(report->session)->contract, contract);
  printf("seed %" PRIu64 ", contract %s\n", session_options(report->session)->stream.seed,
         contract->str);
  print_power(report);
  summary_print_shortfalls(report);
}

static json_t *json_counters(const run_report_t *report) {
  json_t *array = json_array();
  tally_t *tally = session_tally(report->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:s, s:I}", "executor",
        run_report_executor(report, row->executor), "op", row->label.op, "algorithm",
        row->label.algorithm, "types", row->label.types, "invalid", (int)row->is_invalid, "outcome",
        outcome_spelling(row->outcome), "class", class_spelling(row->class_), "implementation",
        row->implementation, "reason", row->reason, "cases", (json_int_t)row->cases);
    json_object_set_new(object, "elements", json_integer((json_int_t)row->elements));
    json_object_set_new(object, "untested", json_integer((json_int_t)row->untested));
    json_object_set_new(object, "max_ulp", json_number(row->ulp_error_max));
    json_object_set_new(object, "max_slack", json_number(row->slack_max));
    json_object_set_new(object, "max_backward_error", json_number(row->backward_error_max));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *json_executors(const run_report_t *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < run_report_executor_count(report); i++) {
    const executor_t *executor = session_options(report->session)->executors[i];
    json_array_append_new(
        array, json_pack("{s:s, s:s, s:s, s:I}", "name", executor_name(executor), "version",
                         executor_version(executor), "hardware", executor_hardware(executor),
                         "judged", (json_int_t)run_report_judged(report, i)));
  }
  return array;
}

static json_t *json_totals(const run_report_t *report) {
  json_t *totals = json_object();
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    uint64_t cases = tally_cases(session_tally(report->session), (outcome_t)i);
    json_object_set_new(totals, outcome_spelling((outcome_t)i), json_integer((json_int_t)cases));
  }
  return totals;
}

void summary_print_json(const run_report_t *report) {
  const session_t *session = report->session;
  const shares_t shares = measure_shares(report);
  json_t *findings = json_array();
  g_autoptr(GPtrArray) ordered = findings_by_severity(session);
  for (guint i = 0; i < ordered->len; i++) {
    json_array_append_new(findings, json_finding(g_ptr_array_index(ordered, i), report));
  }
  const session_options_t *options = session_options(session);
  char seed[21];
  snprintf(seed, sizeof seed, "%" PRIu64, options->stream.seed);
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print(&options->contract, contract);
  json_t *document = json_pack("{s:s, s:s, s:s, s:I, s:f, s:I, s:I, s:I}", "assay_version",
                               options->assay_version, "seed", seed, "contract", contract->str,
                               "cases", (json_int_t)session_cases(session), "seconds",
                               shares.seconds, "audited", (json_int_t)session_audited(session),
                               "judged_by_bounds", (json_int_t)session_treeless(session),
                               "rows_not_judged_whole", (json_int_t)session_rows_left(session));
  json_object_set_new(document, "instruction_set",
                      json_string(instruction_set_name(instruction_set())));
  json_object_set_new(document, "executors", json_executors(report));
  json_object_set_new(document, "totals", json_totals(report));
  json_object_set_new(
      document, "time_shares",
      json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "oracle", shares.oracle, "judge",
                shares.judge, "compiling", shares.compile, "executors", shares.executor, "causes",
                shares.cause, "power", shares.power, "rest", shares.rest));
  json_object_set_new(document, "shortfalls", summary_json_shortfalls(report));
  json_object_set_new(document, "counters", json_counters(report));
  json_object_set_new(document, "observations", summary_json_observations(report));
  json_object_set_new(document, "formulas", summary_json_formulas(report));
  json_object_set_new(document, "contracts", summary_json_contracts(report));
  json_object_set_new(document, "pairs", summary_json_pairs(report));
  json_object_set_new(document, "predictions", json_predictions(report));
  json_object_set_new(document, "power", json_power(&options->contract, session_power(session)));
  json_object_set_new(document, "findings", findings);
  json_object_set_new(document, "finding_states", json_lives(report));
  json_print(document, false);
}
