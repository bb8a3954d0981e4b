/* SPDX-License-Identifier: Apache-2.0 */
/* The page: a head, and a section for each table, in Markdown or HTML. */
#include "reports/profile/profile_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "reports/html/html.h"
#include "reports/profile/profile_grids.h"
#include "reports/run/summary_judged.h"

typedef struct section {
  const char *id;
  const char *title;
  const char *note;
  void (*fill)(const profile_report_t *report, report_grid_t *grid);
} section_t;

static const section_t SECTIONS[] = {
    {"ops", "By op",
     "How many of the lists of element types that the profile has are taken, and what came of the "
     "cases. Refused, vacuous and undecided ones are no passes.",
     profile_grid_ops},
    {"elements", "By element type",
     "A program counts for each element type that its operands and results have.",
     profile_grid_elements},
    {"classes", "By class", "How results are wrong.", profile_grid_classes},
    {"findings", "Findings", "Cases that are wrong in one way are one finding.",
     profile_grid_findings},
    {"algorithms", "By algorithm", "Bodies of reductions, and algorithms of dot products.",
     profile_grid_algorithms},
    {"constraints", "By constraint",
     "Programs that break a constraint of the op's document must be rejected; an executor that "
     "does "
     "not declare that it checks them is not asked.",
     profile_grid_constraints},
    {"refused", "Refused", "What was asked for and is not supported, with what was said.",
     profile_grid_refused},
    {"unproven", "Proved nothing",
     "Ops and types that were taken, and of which no case was judged: vacuous cases would have "
     "conformed as zeros, NaN or twice the exact values, too.",
     profile_grid_unproven},
    {"types", "By op and types", "All that was drawn.", profile_grid_types},
};

static bool is_html(const char *path) { return g_str_has_suffix(path, ".html"); }

status_t profile_report_check_path(const char *path, failure_t *error) {
  if (is_html(path) || g_str_has_suffix(path, ".md")) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "bad value \"%s\" (--page): write a file that ends in .html or .md", path);
}

/* Lines of the head: who was asked what. */
static GPtrArray *describe(const profile_report_t *report) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  const session_t *session = report->run->session;
  const session_options_t *options = session_options(session);
  for (size_t i = 0; i < options->executor_count; i++) {
    const executor_t *executor = options->executors[i];
    g_ptr_array_add(lines,
                    g_strdup_printf("%s: %s, %s; %" PRIu64 " cases judged", executor_name(executor),
                                    executor_version(executor), executor_hardware(executor),
                                    run_report_judged(report->run, i)));
  }
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print_short(&options->contract, contract);
  g_ptr_array_add(
      lines, g_strdup_printf("profile %s, contract %s, seed %" PRIu64 ", Assay %s", report->profile,
                             contract->str, options->stream.seed, options->assay_version));
  g_ptr_array_add(lines, g_strdup(options->command));
  return lines;
}

static void write_markdown(const profile_report_t *report, FILE *out) {
  GPtrArray *lines = describe(report);
  fprintf(out, "# Conformance to %s\n\n", report->profile);
  for (guint i = 0; i < lines->len; i++) {
    fprintf(out, "- `%s`\n", (const char *)g_ptr_array_index(lines, i));
  }
  g_ptr_array_unref(lines);
  for (size_t i = 0; i < G_N_ELEMENTS(SECTIONS); i++) {
    report_grid_t grid;
    report_grid_init(&grid);
    SECTIONS[i].fill(report, &grid);
    fprintf(out, "\n## %s\n\n%s\n\n", SECTIONS[i].title, SECTIONS[i].note);
    if (report_grid_row_count(&grid) == 0) {
      fputs("None.\n", out);
    } else {
      report_write_markdown(&grid, out);
    }
    report_grid_deinit(&grid);
  }
}

static html_kind_t kind_of(const report_grid_t *grid, int column) {
  if (report_grid_is_numeric(grid, column)) return HTML_NUMBER;
  const char *name = report_grid_name(grid, column);
  static const char *const wide[] = {"finding", "reason",  "such as", "why",
                                     "says",    "classes", NULL};
  if (strcmp(name, "shown again by") == 0 || strcmp(name, "types") == 0) return HTML_CODE;
  return g_strv_contains(wide, name) ? HTML_WIDE : HTML_TEXT;
}

static void append_grid(const report_grid_t *grid, GString *out) {
  enum { COLUMNS_MAX = 16 };
  html_column_t columns[COLUMNS_MAX + 1] = {0};
  for (int i = 0; i < MIN(grid->column_count, COLUMNS_MAX); i++) {
    const char *name = report_grid_name(grid, i);
    columns[i] = (html_column_t){name, name, kind_of(grid, i)};
  }
  html_table(out, grid, columns, SIZE_MAX);
}

static void write_html(const profile_report_t *report, FILE *out) {
  GString *body = g_string_new(NULL);
  markup_printf(body, "<header>\n<h1>Conformance to %s</h1>\n", report->profile);
  GPtrArray *lines = describe(report);
  for (guint i = 0; i < lines->len; i++) {
    markup_printf(body, "<p class=\"lead\">%s</p>\n", (const char *)g_ptr_array_index(lines, i));
  }
  g_ptr_array_unref(lines);
  g_string_append(body, "<nav>");
  for (size_t i = 0; i < G_N_ELEMENTS(SECTIONS); i++) {
    markup_printf(body, "<a href=\"#%s\">%s</a>\n", SECTIONS[i].id, SECTIONS[i].title);
  }
  g_string_append(body, "</nav>\n</header>\n<main>\n");
  for (size_t i = 0; i < G_N_ELEMENTS(SECTIONS); i++) {
    report_grid_t grid;
    report_grid_init(&grid);
    SECTIONS[i].fill(report, &grid);
    markup_printf(body, "<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"note\">%s</p>\n",
                  SECTIONS[i].id, SECTIONS[i].title, SECTIONS[i].note);
    if (report_grid_row_count(&grid) == 0) {
      g_string_append(body, "<p>None.</p>\n");
    } else {
      append_grid(&grid, body);
    }
    g_string_append(body, "</section>\n");
    report_grid_deinit(&grid);
  }
  g_string_append(body, "</main>\n<footer>Made by assay vet --profile.</footer>\n");
  g_autofree char *title = g_strdup_printf("Conformance to %s", report->profile);
  html_write_page(title, body, out);
  g_string_free(body, TRUE);
}

status_t profile_report_write(const profile_report_t *report, const char *path, failure_t *error) {
  STATUS_TRY(profile_report_check_path(path, error));
  FILE *out = fopen(path, "we");
  if (out == NULL) {
    return status_fail(error, STATUS_IO, "cannot write \"%s\" (--page): %s", path, strerror(errno));
  }
  if (is_html(path)) {
    write_html(report, out);
  } else {
    write_markdown(report, out);
  }
  bool is_good = ferror(out) == 0;
  is_good = fclose(out) == 0 && is_good;
  if (is_good) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write \"%s\" (--page): %s", path, strerror(errno));
}
