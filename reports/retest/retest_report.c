/* SPDX-License-Identifier: Apache-2.0 */
/* Report of a retest as table, JSON or TAP, its stale waivers (read by SQL from the database) and
 * its exit code. */
#include "reports/retest/retest_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/store/store.h"
#include "harness/tap/tap.h"
#include "reports/verdict/describe.h"

/* ---- Waivers --------------------------------------------------------------------------------- */

static void free_waiver(gpointer data) {
  stale_waiver_t *waiver = data;
  g_free(waiver->executor);
  g_free(waiver->signature);
  g_free(waiver->state);
  g_free(waiver->owner);
  g_free(waiver->expires);
  g_free(waiver->words);
  g_free(waiver);
}

typedef struct reader {
  const retest_options_t *options;
  GPtrArray *waivers;
} reader_t;

static status_t read_waiver(void *context, int column_count, const char *const *names,
                            const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  const reader_t *reader = context;
  if (values == NULL) return STATUS_OK;
  bool is_ours = false;
  for (size_t i = 0; i < reader->options->executor_count; i++) {
    is_ours |= strcmp(executor_name(reader->options->executors[i]), values[0].text) == 0;
  }
  if (!is_ours) return STATUS_OK;
  stale_waiver_t *waiver = g_new(stale_waiver_t, 1);
  *waiver = (stale_waiver_t){.executor = g_strdup(values[0].text),
                             .signature = g_strdup(values[1].text),
                             .state = g_strdup(values[2].text),
                             .owner = g_strdup(values[3].text),
                             .expires = g_strdup(values[4].text),
                             .words = g_strdup(values[5].text)};
  g_ptr_array_add(reader->waivers, waiver);
  return STATUS_OK;
}

status_t retest_report_open(const retest_t *retest, const retest_options_t *options,
                            const char *database, const char *replay_options,
                            retest_report_t *out_report, failure_t *error) {
  static const char sql[] =
      "SELECT executor, signature, state, owner, expires, "
      "op || ' ' || algorithm || ' ' || types || ' ' || class FROM waiver_state "
      "WHERE state NOT IN ('holds', 'unseen') ORDER BY executor, op, algorithm, types, signature";
  reader_t reader = {options, g_ptr_array_new_with_free_func(free_waiver)};
  status_t status = store_query(database, sql, read_waiver, &reader, error);
  if (status != STATUS_OK) {
    g_ptr_array_unref(reader.waivers);
    return status;
  }
  *out_report = (retest_report_t){.retest = retest,
                                  .options = options,
                                  .replay_options = replay_options,
                                  .stale_waivers = reader.waivers};
  return STATUS_OK;
}

void retest_report_close(retest_report_t *report) {
  g_ptr_array_unref(report->stale_waivers);
  *report = (retest_report_t){0};
}

/* What is the matter with it, and what to do. */
static const char *describe_stale(const stale_waiver_t *waiver) {
  if (strcmp(waiver->state, "expired") == 0) return "has expired: fix it, or waive it again";
  if (strcmp(waiver->state, "vanished") == 0)
    return "is not needed: the finding is gone; withdraw it";
  if (strcmp(waiver->state, "changed") == 0) {
    return "does not fit: its cases diverge in another way now; withdraw it";
  }
  return "is outlived: the finding was fixed and came back; fix it, or waive it again";
}

/* ---- Findings -------------------------------------------------------------------------------- */

static bool is_state(const char *state, const char *wanted) { return strcmp(state, wanted) == 0; }

/* Whether a finding is open, and nobody has said that this is all right. */
static bool is_pressing_state(const char *state) {
  return !is_state(state, "fixed") && !is_state(state, "changed") && !is_state(state, "waived");
}

static bool is_pressing(const retest_row_t *row) { return is_pressing_state(row->state_after); }

/* Whether a finding was closed before the retest, and is not now. */
static bool is_reopened(const retest_row_t *row) {
  return is_state(row->state_after, "regressed") && !is_state(row->state, "regressed");
}

static bool counts(const retest_report_t *report, const retest_row_t *row) {
  bool is_news = is_reopened(row) || is_state(row->state_after, "waiver-expired");
  return fail_on_counts(report->fail_on, row->state_after, is_news);
}

/* What its cases show in its stead is a finding too. */
static bool replacement_counts(const retest_report_t *report, const retest_row_t *row) {
  if (!row->is_done || row->result != RETEST_CHANGED) return false;
  return fail_on_counts(report->fail_on, row->seen_state, is_state(row->seen_state, "new"));
}

/* Of a stale waiver only that it does not hold any more is news; its finding is counted above. */
static bool waiver_counts(const retest_report_t *report, const stale_waiver_t *waiver) {
  if (report->fail_on == FAIL_ON_NEVER) return false;
  return report->fail_on != FAIL_ON_NEW || is_state(waiver->state, "expired");
}

int retest_report_exit_code(const retest_report_t *report) {
  if (report->is_interrupted) return EXIT_CODE_FAILED;
  for (guint i = 0; i < report->stale_waivers->len; i++) {
    const stale_waiver_t *waiver = g_ptr_array_index(report->stale_waivers, i);
    if (waiver_counts(report, waiver)) return EXIT_CODE_DIVERGES;
  }
  for (size_t i = 0; i < retest_count(report->retest); i++) {
    const retest_row_t *row = retest_row(report->retest, i);
    if (counts(report, row) || replacement_counts(report, row)) return EXIT_CODE_DIVERGES;
  }
  return EXIT_CODE_CLEAN;
}

/* The option that gives the contract, unless it is the default one. */
static void print_contract(const retest_row_t *row, GString *text) {
  contract_t contract;
  if (contract_parse(str_from(row->contract), &contract, NULL) != STATUS_OK) return;
  const contract_t usual = contract_backend();
  g_autoptr(GString) words = g_string_new(NULL);
  g_autoptr(GString) usual_words = g_string_new(NULL);
  contract_print_short(&contract, words);
  contract_print_short(&usual, usual_words);
  if (g_string_equal(words, usual_words)) return;
  g_autofree char *quoted = g_shell_quote(words->str);
  g_string_append_printf(text, " --contract %s", quoted);
}

static char *print_replay(const retest_report_t *report, const retest_row_t *row) {
  GString *text = g_string_new(NULL);
  g_autofree char *line = g_shell_quote(row->case_line);
  g_autofree char *name = g_shell_quote(executor_name(report->options->executors[row->executor]));
  g_string_append_printf(text, "assay replay %s --executor %s", line, name);
  print_contract(row, text);
  g_string_append(text, report->replay_options);
  return g_string_free(text, FALSE);
}

/* "nothing diverges in 3 cases, 6 executions" */
static char *describe_row(const retest_row_t *row) {
  if (!row->is_done) return g_strdup("not retested: interrupted");
  switch (row->result) {
    case RETEST_STILL:
      return g_strdup_printf("diverges as before%s%s", row->reason[0] == '\0' ? "" : ": ",
                             row->reason);
    case RETEST_CHANGED:
      return g_strdup_printf("%s %s instead, signature %.12s", outcome_spelling(row->seen_outcome),
                             class_spelling(row->seen_class), row->seen_signature);
    case RETEST_GONE:
      return g_strdup_printf("nothing diverges in %" PRIu64 " cases, %" PRIu64 " executions",
                             row->cases, row->executions);
    case RETEST_NOT_RUN:
    default:
      return g_strdup_printf("%s%s%s", row->cases == 0 ? "" : outcome_spelling(row->seen_outcome),
                             row->cases == 0 || row->reason[0] == '\0' ? "" : ": ", row->reason);
  }
}

static void print_row(const retest_report_t *report, const retest_row_t *row) {
  g_autofree char *words = describe_row(row);
  printf("  %-8s %-14s #%-5" PRId64 " %s %s %s %s%s%s: %s\n",
         row->is_done ? retest_result_spelling(row->result) : "-", row->state_after, row->id,
         row->op, row->algorithm, row->types, row->outcome, row->class_[0] == '\0' ? "" : " ",
         row->class_, words);
  bool is_shown = row->is_done && row->case_line[0] != '\0' &&
                  (row->result == RETEST_STILL || row->result == RETEST_CHANGED) &&
                  !is_state(row->state_after, "waived");
  if (!is_shown) return;
  g_autofree char *replay = print_replay(report, row);
  printf("    %s\n", replay);
}

typedef struct totals {
  size_t results[RETEST_NOT_RUN + 1];
  size_t fixed;
  size_t regressed;
  size_t waived;
  size_t pressing;
} totals_t;

static totals_t count_rows(const retest_report_t *report) {
  totals_t totals = {.fixed = 0};
  for (size_t i = 0; i < retest_count(report->retest); i++) {
    const retest_row_t *row = retest_row(report->retest, i);
    if (row->is_done) totals.results[row->result]++;
    totals.fixed += is_state(row->state_after, "fixed");
    totals.regressed += is_state(row->state_after, "regressed");
    totals.waived += is_state(row->state_after, "waived");
    totals.pressing += is_pressing(row);
  }
  return totals;
}

static void print_totals(const retest_report_t *report) {
  const retest_t *retest = report->retest;
  const totals_t totals = count_rows(report);
  printf("\n%zu of %zu findings retested: %zu gone, %zu still, %zu changed, %zu not run\n",
         retest_done(retest), retest_count(retest), totals.results[RETEST_GONE],
         totals.results[RETEST_STILL], totals.results[RETEST_CHANGED],
         totals.results[RETEST_NOT_RUN]);
  printf("now: %zu fixed, %zu regressed, %zu waived, %zu open and not waived; %u stale waivers\n",
         totals.fixed, totals.regressed, totals.waived, totals.pressing,
         report->stale_waivers->len);
  if (retest_skipped(retest) > 0) {
    printf("%zu findings were done by a retest that did not finish\n", retest_skipped(retest));
  }
  if (report->is_interrupted) {
    printf("interrupted: resume with the same command and --resume\n");
  }
}

void retest_report_print(const retest_report_t *report) {
  const retest_t *retest = report->retest;
  size_t executor = SIZE_MAX;
  for (size_t i = 0; i < retest_count(retest); i++) {
    const retest_row_t *row = retest_row(retest, i);
    if (row->executor != executor) {
      executor = row->executor;
      printf("%s, %s (%s)\n", executor_name(report->options->executors[executor]),
             executor_version(report->options->executors[executor]),
             executor_hardware(report->options->executors[executor]));
    }
    print_row(report, row);
  }
  for (guint i = 0; i < report->stale_waivers->len; i++) {
    const stale_waiver_t *waiver = g_ptr_array_index(report->stale_waivers, i);
    printf("waiver of %.12s (%s; %s, until %s) %s\n", waiver->signature, waiver->words,
           waiver->owner, waiver->expires, describe_stale(waiver));
  }
  print_totals(report);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_row(const retest_report_t *report, const retest_row_t *row) {
  g_autofree char *replay = print_replay(report, row);
  const executor_t *executor = report->options->executors[row->executor];
  json_t *object = json_pack(
      "{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id", (json_int_t)row->id,
      "executor", executor_name(executor), "version", executor_version(executor), "signature",
      row->signature, "op", row->op, "algorithm", row->algorithm, "types", row->types, "outcome",
      row->outcome, "class", row->class_, "state_before", row->state, "state", row->state_after);
  json_t *result = row->is_done ? json_string(retest_result_spelling(row->result)) : json_null();
  json_object_set_new(object, "result", result);
  json_object_set_new(object, "cases", json_integer((json_int_t)row->cases));
  json_object_set_new(object, "executions", json_integer((json_int_t)row->executions));
  json_object_set_new(object, "reason", json_string(row->reason));
  if (row->cases == 0) return object;
  json_object_set_new(object, "seen_outcome", json_string(outcome_spelling(row->seen_outcome)));
  json_object_set_new(object, "seen_class", json_string(class_spelling(row->seen_class)));
  json_object_set_new(object, "seen_signature", json_string(row->seen_signature));
  json_object_set_new(object, "seen_state", json_string(row->seen_state));
  json_object_set_new(object, "replay", json_string(replay));
  return object;
}

void retest_report_print_json(const retest_report_t *report) {
  json_t *findings = json_array();
  for (size_t i = 0; i < retest_count(report->retest); i++) {
    json_array_append_new(findings, json_row(report, retest_row(report->retest, i)));
  }
  json_t *waivers = json_array();
  for (guint i = 0; i < report->stale_waivers->len; i++) {
    const stale_waiver_t *waiver = g_ptr_array_index(report->stale_waivers, i);
    json_array_append_new(
        waivers, json_pack("{s:s, s:s, s:s, s:s, s:s}", "executor", waiver->executor, "signature",
                           waiver->signature, "state", waiver->state, "owner", waiver->owner,
                           "expires", waiver->expires));
  }
  json_print(json_pack("{s:s, s:b, s:I, s:o, s:o}", "assay_version", report->options->assay_version,
                       "interrupted", (int)report->is_interrupted, "skipped",
                       (json_int_t)retest_skipped(report->retest), "findings", findings,
                       "stale_waivers", waivers),
             false);
}

/* ---- TAP ------------------------------------------------------------------------------------- */

static void print_point(tap_t *tap, const retest_report_t *report, const retest_row_t *row) {
  g_autofree char *description = g_strdup_printf(
      "%s %s %s %s %s %.12s", executor_name(report->options->executors[row->executor]), row->op,
      row->algorithm, row->types, row->class_, row->signature);
  g_autofree char *words = describe_row(row);
  g_autofree char *replay = print_replay(report, row);
  if (!row->is_done || row->result == RETEST_NOT_RUN) {
    tap_point_skip(tap, description, words);
    return;
  }
  bool is_ok = row->result == RETEST_GONE;
  if (!is_ok && !counts(report, row) && !replacement_counts(report, row)) {
    tap_point_todo(tap, false, description, row->state_after);
  } else {
    tap_point(tap, is_ok, description);
  }
  const tap_detail_t details[] = {
      {"result", words}, {"state", row->state_after}, {"repro", replay}};
  tap_details(tap, details, G_N_ELEMENTS(details));
}

void retest_report_print_tap(const retest_report_t *report) {
  tap_t tap;
  tap_begin(&tap, stdout);
  size_t count = retest_count(report->retest) + report->stale_waivers->len;
  if (count == 0) {
    tap_skip_all(&tap, "no finding to retest");
    return;
  }
  tap_plan(&tap, count);
  for (size_t i = 0; i < retest_count(report->retest); i++) {
    print_point(&tap, report, retest_row(report->retest, i));
  }
  for (guint i = 0; i < report->stale_waivers->len; i++) {
    const stale_waiver_t *waiver = g_ptr_array_index(report->stale_waivers, i);
    g_autofree char *description = g_strdup_printf(
        "the waiver of %.12s by %s %s", waiver->signature, waiver->owner, describe_stale(waiver));
    if (waiver_counts(report, waiver)) {
      tap_point(&tap, false, description);
    } else {
      tap_point_todo(&tap, false, description, waiver->state);
    }
  }
  tap_end(&tap);
}
