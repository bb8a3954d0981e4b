/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes, each with the case to look at. */
#include <string.h>

#include "harness/model/case.h"
#include "harness/model/op.h"
#include "reports/html/html.h"

enum { GROUPS_OPEN = 8, SPREAD_OPEN = 6, MODULE_BYTES_MAX = 8000 };

/* The program as a StableHLO module, if this Assay can read it. */
static void append_module(const overview_t *overview, size_t index, GString *out) {
  g_autofree char *line = overview_program_line(overview, index);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *broken = NULL;
  if (program_parse(str_from(line), &arena, &program, &broken, NULL) == STATUS_OK) {
    GString *module = g_string_new(NULL);
    program.op->print_mlir(&program, module);
    if (module->len <= MODULE_BYTES_MAX) {
      markup_printf(out, "<details><summary>StableHLO module</summary><pre>%s</pre></details>\n",
                    module->str);
    }
    g_string_free(module, TRUE);
  }
  arena_deinit(&arena);
}

static void append_numbers(const overview_group_t *group, const overview_finding_t *finding,
                           GString *out) {
  g_string_append(out, "<p class=\"note\">");
  html_number(out, (double)group->count);
  g_string_append(out, group->count == 1 ? " finding" : " findings");
  if (group->new_count > 0 && group->new_count < group->count) {
    g_string_append(out, ", ");
    html_number(out, (double)group->new_count);
    g_string_append(out, " new");
  }
  g_string_append(out, ", seen in ");
  html_number(out, group->sightings);
  g_string_append(out, group->sightings == 1 ? " case" : " cases");
  markup_printf(out, ". This one is number %" G_GINT64_FORMAT ", first seen ", finding->id);
  html_time_of_day(out, finding->first_seen);
  g_string_append(out, ", last seen ");
  html_time_of_day(out, finding->last_seen);
  g_string_append(out, ".</p>\n");
}

static void append_element(const overview_finding_t *finding, GString *out) {
  if (finding->broken_constraint[0] != '\0') {
    markup_printf(out, "<p>Accepts a program that breaks constraint %s.</p>\n",
                  finding->broken_constraint);
  }
  if (finding->got[0] != '\0' || finding->expected[0] != '\0') {
    markup_printf(out, "<p>Got <code>%s</code>, expected <code>%s</code>", finding->got,
                  finding->expected);
    g_string_append(out, "; ");
    html_number(out, finding->wrong_count);
    g_string_append(out, " of ");
    html_number(out, finding->component_count);
    g_string_append(out, " elements wrong.</p>\n");
  }
  if (finding->pattern[0] != '\0') markup_printf(out, "<p>Pattern: %s.</p>\n", finding->pattern);
  if (finding->reason[0] != '\0') {
    markup_printf(out, "<p>It says: <code>%s</code></p>\n", finding->reason);
  }
}

static void append_replay(const overview_t *overview, size_t index, GString *out) {
  GString *replay = g_string_new(NULL);
  overview_print_replay(overview, index, replay);
  g_string_append(out, "<div class=\"replay\">");
  markup_printf(out, "<code>%s</code><button type=\"button\">Copy</button></div>\n", replay->str);
  g_string_free(replay, TRUE);
}

/* Where the cause was seen, beyond the example. */
static void append_spread(const overview_group_t *group, GString *out) {
  guint count = group->spread->len;
  if (count < 2) return;
  bool folds = count > SPREAD_OPEN;
  if (folds) g_string_append_printf(out, "<details><summary>Seen in %u kinds</summary>\n", count);
  g_string_append(out, folds ? "<p>" : "<p>Seen in ");
  for (guint i = 0; i < count; i++) {
    markup_printf(out, "%s<code>%s</code>", i == 0 ? "" : ", ",
                  (const char *)g_ptr_array_index(group->spread, i));
  }
  g_string_append(out, folds ? ".</p></details>\n" : ".</p>\n");
}

static void append_group(const overview_t *overview, const overview_group_t *group, GString *out) {
  overview_finding_t finding = overview_finding(overview, group->example);
  const char *cause = finding.cause_words[0] != '\0' ? finding.cause_words : finding.cause;
  g_string_append(out, "<article>\n<h3>");
  if (group->new_count > 0) g_string_append(out, "<b class=\"badge new\">new</b>");
  markup_printf(out, "<b class=\"badge\">%s</b><b class=\"badge\">%s</b>", finding.severity,
                finding.class_);
  markup_printf(out, "%s <span>on</span> %s <span>%s %s</span></h3>\n", finding.op,
                finding.executor, finding.algorithm, finding.types);
  if (finding.known[0] != '\0') {
    markup_printf(out, "<p class=\"cause\">Known: %s.</p>\n", finding.known);
  }
  if (cause[0] != '\0') markup_printf(out, "<p class=\"cause\">Cause: %s.</p>\n", cause);
  append_element(&finding, out);
  append_replay(overview, group->example, out);
  append_module(overview, group->example, out);
  append_spread(group, out);
  append_numbers(group, &finding, out);
  g_string_append(out, "</article>\n");
}

void html_causes(const overview_t *overview, GString *out) {
  GArray *groups = overview_groups(overview);
  if (groups->len == 0) g_string_append(out, "<p>Nothing was found to be wrong.</p>\n");
  for (guint i = 0; i < groups->len; i++) {
    if (i == GROUPS_OPEN) {
      g_string_append_printf(out, "<details><summary>%u more root causes</summary>\n",
                             groups->len - i);
    }
    append_group(overview, &g_array_index(groups, overview_group_t, i), out);
  }
  if (groups->len > GROUPS_OPEN) g_string_append(out, "</details>\n");
  g_array_unref(groups);
}
