/* SPDX-License-Identifier: Apache-2.0 */
/* Summary section on bit-exact prediction from stored profiles: cases predicted, lengths at which
 * bits changed, and programs no profile covers. */
#include "reports/run/summary_prediction.h"

#include <inttypes.h>

static void describe_row(const prediction_row_t *row, GString *text) {
  const stored_profile_t *stored = row->stored;
  const prediction_sizes_t *sizes = &row->sizes;
  g_string_append_printf(text, "  %s\n    ", stored->shape);
  if (stored->terms_low == stored->terms_high) {
    g_string_append_printf(text, "n = %" PRIu64, stored->terms_low);
  } else {
    g_string_append_printf(text, "n = %" PRIu64 " .. %" PRIu64, stored->terms_low,
                           stored->terms_high);
  }
  if (row->is_own) {
    g_string_append_printf(text, ": %s\n", stored->words);
  } else {
    g_string_append_printf(text, ", as version %s: %s\n", stored->version, stored->words);
  }
  g_string_append_printf(text,
                         "    %" PRIu64 " of %" PRIu64 " cases predicted to the bit, %u lengths\n",
                         sizes->cases - sizes->changed, sizes->cases, sizes->sizes->len);
  prediction_change_t change;
  if (!prediction_sizes_change(sizes, &change)) return;
  g_string_append(text, "    order: ");
  prediction_change_print(&change, text);
  g_string_append_c(text, '\n');
}

static void describe_executor(const run_report_t *report, size_t executor, GString *text) {
  const prediction_t *prediction = report->prediction;
  uint64_t cases = 0;
  uint64_t predicted = 0;
  for (size_t i = 0; i < prediction_row_count(prediction); i++) {
    const prediction_row_t *row = prediction_row(prediction, i);
    if (row->executor != executor) continue;
    cases += row->sizes.cases;
    predicted += row->sizes.cases - row->sizes.changed;
  }
  g_string_append_printf(text, "%s: %" PRIu64 " of %" PRIu64 " cases predicted to the bit",
                         run_report_executor(report, executor), predicted, cases);
  if (cases > 0) {
    g_string_append_printf(text, " (%.4g %%)", 100 * (double)predicted / (double)cases);
  }
  g_string_append_printf(text, "; %" PRIu64 " not predicted: no profile covers them\n",
                         prediction_uncovered(prediction, executor));
  for (size_t i = 0; i < prediction_row_count(prediction); i++) {
    const prediction_row_t *row = prediction_row(prediction, i);
    if (row->executor == executor) describe_row(row, text);
  }
}

void describe_predictions(const run_report_t *report, GString *out_text) {
  if (report->prediction == NULL) return;
  for (size_t i = 0; i < run_report_executor_count(report); i++) {
    describe_executor(report, i, out_text);
  }
}

static json_t *json_change(const prediction_sizes_t *sizes) {
  prediction_change_t change;
  if (!prediction_sizes_change(sizes, &change)) return json_null();
  json_t *object =
      json_pack("{s:I, s:I, s:I, s:I}", "low", (json_int_t)change.low, "high",
                (json_int_t)change.high, "lengths_changed", (json_int_t)change.sizes_changed,
                "lengths_drawn", (json_int_t)change.sizes_drawn);
  if (change.has_before) {
    json_object_set_new(object, "predicted_up_to", json_integer((json_int_t)change.before));
  }
  if (change.has_after) {
    json_object_set_new(object, "predicted_from", json_integer((json_int_t)change.after));
  }
  return object;
}

static json_t *json_row(const run_report_t *report, const prediction_row_t *row) {
  const stored_profile_t *stored = row->stored;
  const prediction_sizes_t *sizes = &row->sizes;
  json_t *object =
      json_pack("{s:s, s:s, s:b, s:s, s:I, s:I, s:s, s:I, s:I, s:i}", "executor",
                run_report_executor(report, row->executor), "version", stored->version, "own",
                (int)row->is_own, "shape", stored->shape, "terms_low",
                (json_int_t)stored->terms_low, "terms_high", (json_int_t)stored->terms_high,
                "words", stored->words, "cases", (json_int_t)sizes->cases, "predicted",
                (json_int_t)(sizes->cases - sizes->changed), "lengths", (int)sizes->sizes->len);
  json_object_set_new(object, "changed", json_change(sizes));
  return object;
}

json_t *json_predictions(const run_report_t *report) {
  if (report->prediction == NULL) return json_null();
  json_t *profiles = json_array();
  for (size_t i = 0; i < prediction_row_count(report->prediction); i++) {
    json_array_append_new(profiles, json_row(report, prediction_row(report->prediction, i)));
  }
  json_t *uncovered = json_object();
  for (size_t i = 0; i < run_report_executor_count(report); i++) {
    json_object_set_new(uncovered, run_report_executor(report, i),
                        json_integer((json_int_t)prediction_uncovered(report->prediction, i)));
  }
  return json_pack("{s:o, s:o}", "profiles", profiles, "not_predicted", uncovered);
}
