/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a run in words, as lines to paste, and as JSON. */
#include "reports/run/describe_finding.h"

#include <inttypes.h>
#include <string.h>

#include "harness/invariance/twins.h"
#include "reports/verdict/describe.h"

/* Longer case lines are drawn anew in the command that replays them. */
enum { PASTED_LINE_BYTES_MAX = 2000 };

/* What only a comparison shows is shown by one. */
static void print_twin(const finding_t *finding, const run_report_t *report, GString *out_text) {
  const size_t *twins = session_options(report->session)->twins;
  if (finding->verdict.class_ != CLASS_twins || twins == NULL) return;
  const char *twin = run_report_executor(report, twins[finding->executor]);
  g_autofree char *steps = twins_name(run_report_executor(report, finding->executor));
  if (strcmp(steps, twin) == 0) {
    g_string_append(out_text, " --twins");
    return;
  }
  g_autofree char *name = g_shell_quote(twin);
  g_string_append_printf(out_text, " --twin %s", name);
}

void describe_replay(const finding_t *finding, const run_report_t *report, GString *out_text) {
  char *name = g_shell_quote(run_report_executor(report, finding->executor));
  const char *case_line = finding->shrunk_line == NULL ? finding->case_line : finding->shrunk_line;
  bool is_long = strlen(case_line) > PASTED_LINE_BYTES_MAX;
  if (is_long && finding->shrunk_line == NULL && finding->origin.has_case_seed) {
    char *program = g_shell_quote(finding->program_line);
    g_string_append_printf(out_text, "assay gen --program %s --case-seed 0x%" PRIx64, program,
                           finding->origin.case_seed);
    g_string_append_printf(out_text, "%s | assay replay - --executor %s", report->drawing_options,
                           name);
    g_free(program);
  } else {
    char *line = g_shell_quote(case_line);
    g_string_append_printf(out_text, "assay replay %s --executor %s", line, name);
    g_free(line);
  }
  g_free(name);
  g_string_append(out_text, report->replay_options);
  print_twin(finding, report, out_text);
}

void describe_finding(const finding_t *finding, const run_report_t *report, GString *out_text) {
  g_string_append_printf(out_text, "%s %s %s %s ", run_report_executor(report, finding->executor),
                         finding->label.op, finding->label.algorithm, finding->label.types);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *broken;
  if (program_parse(str_from(finding->program_line), &arena, &program, &broken, NULL) ==
      STATUS_OK) {
    describe_verdict(&program, &finding->verdict, out_text);
  }
  arena_deinit(&arena);
}

json_t *json_finding(const finding_t *finding, const run_report_t *report) {
  GString *replay = g_string_new(NULL);
  describe_replay(finding, report, replay);
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "executor",
      run_report_executor(report, finding->executor), "signature", finding->signature.text, "op",
      finding->label.op, "algorithm", finding->label.algorithm, "types", finding->label.types,
      "regime", finding->origin.regime, "stratum", finding->origin.stratum, "implementation",
      finding->implementation, "program", finding->program_line, "case", finding->case_line,
      "replay", replay->str, "count", (json_int_t)finding->count);
  const char *severity = severity_spelling(finding_severity(finding).id);
  json_object_set_new(object, "severity", json_string(severity));
  json_object_set_new(object, "verdict", json_verdict(&finding->verdict));
  if (report->lives != NULL) {
    json_object_set_new(object, "state",
                        json_string(life_spelling(run_report_life(report, finding))));
  }
  g_string_free(replay, TRUE);
  return object;
}

static void count_lives(const run_report_t *report, size_t out_counts[LIFE_COUNT]) {
  memset(out_counts, 0, LIFE_COUNT * sizeof *out_counts);
  for (size_t i = 0; i < session_finding_count(report->session); i++) {
    out_counts[run_report_life(report, session_finding(report->session, i))]++;
  }
}

void describe_lives(const run_report_t *report, GString *out_text) {
  size_t findings = session_finding_count(report->session);
  if (report->lives == NULL || findings == 0) return;
  size_t counts[LIFE_COUNT];
  count_lives(report, counts);
  g_string_append_printf(out_text, "%zu findings:", findings);
  const char *separator = " ";
  for (int life = 0; life < LIFE_COUNT; life++) {
    if (counts[life] == 0 && life != LIFE_NEW) continue;
    g_string_append_printf(out_text, "%s%zu %s", separator, counts[life],
                           life_spelling((life_t)life));
    separator = ", ";
  }
  g_string_append_c(out_text, '\n');
}

json_t *json_lives(const run_report_t *report) {
  if (report->lives == NULL) return json_null();
  size_t counts[LIFE_COUNT];
  count_lives(report, counts);
  json_t *object = json_object();
  for (int life = 0; life < LIFE_COUNT; life++) {
    json_object_set_new(object, life_spelling((life_t)life),
                        json_integer((json_int_t)counts[life]));
  }
  return object;
}

/* ---- The order of reports -------------------------------------------------------------------- */

severity_t finding_severity(const finding_t *finding) {
  const verdict_t *verdict = &finding->verdict;
  const severity_case_t instance = {.class_ = class_spelling(verdict->class_),
                                    .cause = verdict->is_cause_sure ? verdict->cause : "",
                                    .types = finding->label.types,
                                    .case_line = finding->case_line,
                                    .got = verdict->got,
                                    .expected = verdict->expected};
  return severity_of(&instance);
}

/* Less than 0: `a` comes first. */
static int compare(const finding_t *a, const finding_t *b) {
  severity_t left = finding_severity(a);
  severity_t right = finding_severity(b);
  if (left.id != right.id) return left.id < right.id ? -1 : 1;
  bool has_cause = a->verdict.cause[0] != '\0';
  if (has_cause != (b->verdict.cause[0] != '\0')) return has_cause ? -1 : 1;
  return left.weight > right.weight ? -1 : left.weight < right.weight;
}

bool finding_is_graver(const finding_t *a, const finding_t *b) { return compare(a, b) < 0; }

static gint compare_pointers(gconstpointer a, gconstpointer b) {
  return compare(*(const finding_t *const *)a, *(const finding_t *const *)b);
}

GPtrArray *findings_by_severity(const session_t *session) {
  GPtrArray *findings = g_ptr_array_new();
  for (size_t i = 0; i < session_finding_count(session); i++) {
    g_ptr_array_add(findings, (gpointer)(uintptr_t)session_finding(session, i));
  }
  g_ptr_array_sort(findings, compare_pointers); /* Stable. */
  return findings;
}
