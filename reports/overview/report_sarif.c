/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0, which code scanning services read: a result for each root cause, a rule for each
 * severity.  Findings have no source file: their place is the database that has them. */
#include <jansson.h>
#include <string.h>

#include "harness/store/severity/severity.h"
#include "reports/overview/report_overview.h"

static const char SCHEMA[] = "https://json.schemastore.org/sarif-2.1.0.json";

/* What may be by design is no error. */
static const char *level_of(severity_id_t severity) {
  return severity >= SEVERITY_flushing ? "warning" : "error";
}

static json_t *make_rules(void) {
  json_t *rules = json_array();
  for (int i = 0; i < SEVERITY_COUNT; i++) {
    severity_id_t severity = (severity_id_t)i;
    json_array_append_new(rules,
                          json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", severity_spelling(severity),
                                    "shortDescription", "text", severity_words(severity),
                                    "defaultConfiguration", "level", level_of(severity)));
  }
  return rules;
}

/* As the standard calls what is known, or not, since an earlier run. */
static const char *baseline_of(const char *state) {
  if (strcmp(state, "new") == 0 || strcmp(state, "regressed") == 0) return "new";
  bool is_gone = strcmp(state, "fixed") == 0 || strcmp(state, "changed") == 0;
  return is_gone ? "absent" : "unchanged";
}

static json_t *make_message(const report_grid_t *grid, size_t row) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "%s: %s in %s", overview_text(grid, row, "who"),
                         overview_text(grid, row, "diagnosis"), overview_text(grid, row, "op"));
  if (overview_text(grid, row, "got")[0] != '\0') {
    g_string_append_printf(text, ": got %s, permitted %s", overview_text(grid, row, "got"),
                           overview_text(grid, row, "permitted"));
  }
  g_string_append_printf(text, ". Shown by: %s", overview_text(grid, row, "replay"));
  return json_pack("{s:s}", "text", text->str);
}

static json_t *make_locations(const overview_t *overview, const report_grid_t *grid, size_t row) {
  g_autofree char *uri = g_uri_escape_string(overview->database, NULL, false);
  return json_pack("[{s:{s:{s:s}, s:{s:i}}, s:[{s:s, s:s}]}]", "physicalLocation",
                   "artifactLocation", "uri", uri, "region", "startLine", 1, "logicalLocations",
                   "name", overview_text(grid, row, "op"), "kind", "function");
}

static json_t *make_result(const overview_t *overview, size_t row) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_CAUSES];
  const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, row);
  severity_id_t severity = severity_find(overview_text(grid, row, "severity"));
  g_autofree char *state = g_strdup(overview_text(grid, row, "state"));
  state[strcspn(state, ",")] = '\0';
  g_autofree char *fingerprint =
      g_strjoin(" ", overview_text(grid, row, "executor"), group->hypothesis, group->family, NULL);
  json_t *result =
      json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:s}, s:{s:I, s:I, s:s}}", "ruleId",
                severity_spelling(severity), "level", level_of(severity), "baselineState",
                baseline_of(state), "message", make_message(grid, row), "locations",
                make_locations(overview, grid, row), "partialFingerprints", "rootCause/v1",
                fingerprint, "properties", "findings", (json_int_t)group->count, "occurrences",
                (json_int_t)group->sightings, "program", overview_text(grid, row, "program"));
  if (strcmp(state, "waived") == 0) {
    json_object_set_new(result, "suppressions", json_pack("[{s:s}]", "kind", "external"));
  }
  return result;
}

void report_print_sarif(const overview_t *overview, FILE *out) {
  json_t *results = json_array();
  for (guint i = 0; i < overview->groups->len; i++) {
    json_array_append_new(results, make_result(overview, i));
  }
  json_t *document = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:o}}, s:o}]}", "$schema", SCHEMA,
                               "version", "2.1.0", "runs", "tool", "driver", "name", "Assay",
                               "rules", make_rules(), "results", results);
  json_dumpf(document, out, JSON_INDENT(1));
  fputc('\n', out);
  json_decref(document);
}
