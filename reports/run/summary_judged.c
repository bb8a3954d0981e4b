/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of judged cases per executor, and shortfalls, for text and JSON summaries. */
#include "reports/run/summary_judged.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/session/shortfall.h"
#include "reports/verdict/describe.h"

GArray *run_report_shortfalls(const run_report_t *report) {
  return shortfall_find(report->session, report->names_ops);
}

uint64_t run_report_judged(const run_report_t *report, size_t executor) {
  uint64_t judged = 0;
  tally_t *tally = session_tally(report->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    bool counts = row->executor == executor && outcome_is_judged(row->outcome);
    if (counts) judged += row->cases;
  }
  return judged;
}

void summary_print_judged(const run_report_t *report) {
  uint64_t asked = session_options(report->session)->cases_max;
  for (size_t i = 0; i < run_report_executor_count(report); i++) {
    printf("%s%s %" PRIu64, i == 0 ? "judged: " : ", ", run_report_executor(report, i),
           run_report_judged(report, i));
    if (asked > 0 && !session_follows(report->session, i)) printf(" of %" PRIu64, asked);
  }
  printf("\n");
}

void summary_describe_untested(const run_report_t *report, GString *out_text) {
  tally_elements_t elements = tally_elements(session_tally(report->session));
  uint64_t untested = elements.untested - elements.left_out;
  if (untested == 0) return;
  g_string_append_printf(
      out_text, "untested: %" PRIu64 " of %" PRIu64 " elements, which nothing could have failed",
      untested, elements.judged);
}

void summary_describe_samples(const run_report_t *report, GString *out_text) {
  tally_elements_t elements = tally_elements(session_tally(report->session));
  if (elements.left_out == 0) return;
  g_string_append_printf(out_text, "sampled: %" PRIu64 " large case%s, of which ", elements.sampled,
                         elements.sampled == 1 ? "" : "s");
  describe_sample(elements.left_out, elements.sample_draws, out_text);
}

void summary_print_shortfalls(const run_report_t *report) {
  GArray *shortfalls = run_report_shortfalls(report);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < shortfalls->len; i++) {
    shortfall_print(report->session, &g_array_index(shortfalls, shortfall_t, i), text);
    g_string_append_c(text, '\n');
  }
  fputs(text->str, stdout);
  g_string_free(text, TRUE);
  g_array_unref(shortfalls);
}

json_t *summary_json_shortfalls(const run_report_t *report) {
  json_t *array = json_array();
  GArray *shortfalls = run_report_shortfalls(report);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < shortfalls->len; i++) {
    const shortfall_t *shortfall = &g_array_index(shortfalls, shortfall_t, i);
    g_string_truncate(text, 0);
    shortfall_print(report->session, shortfall, text);
    json_array_append_new(array, json_pack("{s:s, s:s?, s:I, s:I, s:s}", "executor",
                                           run_report_executor(report, shortfall->executor), "op",
                                           shortfall->op, "judged", (json_int_t)shortfall->judged,
                                           "of", (json_int_t)shortfall->of, "text", text->str));
  }
  g_string_free(text, TRUE);
  g_array_unref(shortfalls);
  return array;
}
