/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of an invariance campaign: verdicts per executor, op and property, counts by type, and the
 * smallest instance of each broken property. */
#include <inttypes.h>
#include <stdio.h>

#include "reports/invariance/invariance_report.h"
#include "reports/verdict/describe.h"

static json_t *json_bits(uint64_t bits) {
  char text[19];
  snprintf(text, sizeof text, "0x%" PRIx64, bits);
  return json_string(text);
}

static json_t *json_steps(const invariance_finding_t *finding) {
  json_t *steps = json_array();
  for (size_t i = 0; i < finding->step_count; i++) {
    json_t *step = json_pack("{s:I}", "value", (json_int_t)finding->steps[i].value);
    json_object_set_new(step, "bits", json_bits(finding->steps[i].bits));
    json_array_append_new(steps, step);
  }
  return steps;
}

static json_t *json_small(const invariance_finding_t *finding) {
  const invariance_difference_t *difference = &finding->difference;
  GString *sizes = g_string_new(NULL);
  invariance_print_sizes(finding, sizes);
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "sizes", sizes->str, "algorithm",
      finding->label.algorithm, "base", finding->base_line, "other", finding->other_line,
      "base_implementation", finding->base_implementation, "other_implementation",
      finding->other_implementation, "result", (json_int_t)difference->result, "base_component",
      (json_int_t)difference->base_component, "other_component",
      (json_int_t)difference->other_component, "differing", (json_int_t)difference->count);
  json_object_set_new(object, "base_bits", json_bits(difference->base_bits));
  json_object_set_new(object, "other_bits", json_bits(difference->other_bits));
  json_object_set_new(object, "steps", json_steps(finding));
  g_string_free(sizes, TRUE);
  return object;
}

static json_t *json_types(const invariance_report_t *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < invariance_count_rows(report->invariance); i++) {
    const invariance_count_t *row = invariance_row_at(report->invariance, i);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s%}", "executor",
                  executor_name(report->options->executors[row->executor]), "op", row->op,
                  "property", invariance_table[row->property].spelling, "types", row->types,
                  "reason", row->reason, strnlen(row->reason, sizeof row->reason));
    for (int j = 0; j < INVARIANCE_OUTCOME_COUNT; j++) {
      json_object_set_new(object, invariance_outcome_spelling((invariance_outcome_t)j),
                          json_integer((json_int_t)row->cases[j]));
    }
    if (row->finding != NULL) json_object_set_new(object, "smallest", json_small(row->finding));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *json_verdicts(const invariance_report_t *report) {
  json_t *array = json_array();
  GArray *lines = invariance_report_lines(report);
  for (guint i = 0; i < lines->len; i++) {
    const invariance_line_t *line = &g_array_index(lines, invariance_line_t, i);
    json_array_append_new(
        array, json_pack("{s:s, s:s, s:s, s:s}", "executor",
                         executor_name(report->options->executors[line->executor]), "op",
                         line->op->name, "property", invariance_table[line->property].spelling,
                         "verdict", invariance_report_verdict(line)));
  }
  g_array_unref(lines);
  return array;
}

void invariance_report_print_json(const invariance_report_t *report) {
  char seed[21];
  snprintf(seed, sizeof seed, "%" PRIu64, report->options->seed);
  json_t *document =
      json_pack("{s:s, s:s, s:I}", "assay_version", report->options->assay_version, "seed", seed,
                "cases", (json_int_t)invariance_cases(report->invariance));
  json_object_set_new(document, "verdicts", json_verdicts(report));
  json_object_set_new(document, "types", json_types(report));
  const invariance_untold_t *untold = invariance_untold(report->invariance);
  json_object_set_new(document, "modules",
                      json_pack("{s:I, s:I, s:s}", "drawn", (json_int_t)untold->modules,
                                "without_axes", (json_int_t)untold->untold, "why", untold->why));
  json_print(document, false);
}
