/* SPDX-License-Identifier: Apache-2.0 */
/* The page: it holds its style and its script, loads nothing and may load nothing. */
#include <string.h>

#include "reports/html/html.h"
#include "reports/overview/report_overview.h"

static const struct {
  const char *id;
  const char *title;
  const char *note; /* Markup. */
  void (*append)(const overview_t *overview, GString *out);
} SECTIONS[] = {
    {"unjudged", "Vacuous: nothing could have failed here",
     "Cases that the executor refused, that no oracle decides, or in which nothing could have gone "
     "wrong. They are no passes.",
     html_unjudged},
    {"totals", "In numbers", NULL, html_totals},
    {"causes", "Root causes",
     "Findings of one executor that one hypothesis explains are shown together, with the smallest "
     "case that shows it; the gravest come first.",
     html_causes},
    {"heat", "Where it is wrong",
     "Share of wrong cases among those that were judged, in percent, by op, algorithm and "
     "executor. "
     "Striped: nothing was judged. Empty: nothing was tried.",
     html_heat_map},
    {"errors", "How large errors are",
     "Cases by their largest error in units in the last place, and by slack: the error as a share "
     "of "
     "the permitted one, which the dashed line marks. Heights are logarithmic.",
     html_histograms},
    {"slack", "Slack used",
     "Error / permitted error of cases that conform: how close an executor comes to its bound. The "
     "bar goes from the median to the 99th percentile, the tick is the largest.",
     html_slack_used},
    {"trend", "Trend", "Campaign by campaign; a run outside campaigns counts as one.", html_trend},
    {"constraints", "Constraints of the specifications",
     "Programs that break a constraint on purpose must be rejected.", html_constraints},
    {"time", "Where the time went", NULL, html_time},
    {"versions", "Executors and versions", NULL, html_versions},
    {"runs", "Runs", "The same seed and command give the same cases.", html_runs},
};

static void append_head(const overview_t *overview, GString *out) {
  const report_grid_t *totals = &overview->sections[OVERVIEW_TOTALS];
  const char *campaign = overview->campaign;
  markup_printf(out, "<header>\n<h1>Assay report: %s</h1>\n<p class=\"lead\">", overview->database);
  if (campaign != NULL) markup_printf(out, "Campaign %s. ", campaign);
  html_number(out, overview_total(overview, "cases"));
  g_string_append(out, " cases on ");
  html_number(out, overview_total(overview, "executors"));
  g_string_append(out, " executors and ");
  html_number(out, overview_total(overview, "ops"));
  g_string_append(out, " ops");
  if (overview_total(overview, "runs") > 0) {
    g_string_append(out, ", from ");
    html_time_of_day(out, overview_text(totals, 0, "started"));
    g_string_append(out, " to ");
    html_time_of_day(out, overview_text(totals, 0, "ended"));
    g_string_append(out, " UTC");
  }
  g_string_append(out, ".</p>\n<nav>");
  for (size_t i = 0; i < G_N_ELEMENTS(SECTIONS); i++) {
    markup_printf(out, "<a href=\"#%s\">%s</a>\n", SECTIONS[i].id, SECTIONS[i].title);
  }
  g_string_append(out, "</nav>\n</header>\n");
}

static size_t count_of(const GString *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text->str, part); at != NULL; at = strstr(at + 1, part)) count++;
  return count;
}

/* What the page's own script must find in it; text that became markup would change the counts. */
static char *promise(const GString *body) {
  return g_strdup_printf("section=%zu table=%zu tr=%zu article=%zu svg=%zu chip=%zu",
                         count_of(body, "<section"), count_of(body, "<table"),
                         count_of(body, "<tr>"), count_of(body, "<article>"),
                         count_of(body, "<svg"), count_of(body, "class=\"chip "));
}

void html_write_page(const char *title, const GString *body, FILE *out) {
  g_autofree char *promised = promise(body);
  GString *page = g_string_new("<!DOCTYPE html>\n");
  markup_printf(page, "<html lang=\"en\" data-promised=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
                promised);
  g_string_append(page,
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n");
  markup_printf(page, "<title>%s</title>\n", title);
  g_string_append_printf(page, "<style>\n%s</style>\n<script>\n%s</script>\n</head>\n<body>\n",
                         html_style(), html_script());
  g_string_append_len(page, body->str, (gssize)body->len);
  g_string_append(page, "</body>\n</html>\n");
  fwrite(page->str, 1, page->len, out);
  g_string_free(page, TRUE);
}

void report_print_html(const overview_t *overview, FILE *out) {
  GString *body = g_string_new(NULL);
  append_head(overview, body);
  g_string_append(body, "<main>\n");
  for (size_t i = 0; i < G_N_ELEMENTS(SECTIONS); i++) {
    markup_printf(body, "<section id=\"%s\">\n<h2>%s</h2>\n", SECTIONS[i].id, SECTIONS[i].title);
    if (SECTIONS[i].note != NULL)
      markup_printf(body, "<p class=\"note\">%s</p>\n", SECTIONS[i].note);
    SECTIONS[i].append(overview, body);
    g_string_append(body, "</section>\n");
  }
  markup_printf(body,
                "</main>\n<footer>Made by assay report from %s. All of it, and more, answers "
                "<code>assay query --list</code>.</footer>\n",
                overview->database);
  g_autofree char *title = g_strdup_printf("Assay report: %s", overview->database);
  html_write_page(title, body, out);
  g_string_free(body, TRUE);
}
