/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a report as one JSON object: its source, its headline, then each section as an array of
 * rows. */
#include "reports/overview/report_overview.h"
#include "reports/power/power_stored.h"

static void print_source(const overview_t *overview, FILE *out) {
  report_grid_t head;
  report_grid_init(&head);
  g_autoptr(GString) headline = g_string_new(NULL);
  overview_print_headline(overview, headline);
  g_autoptr(GString) words = g_string_new(NULL);
  overview_print_summary(overview, words);
  g_autoptr(GString) power = g_string_new(NULL);
  power_summary_t summary = power_stored_summary(&overview->sections[OVERVIEW_POWER]);
  power_line_print(&summary, power);
  static const char *const names[] = {"database", "campaign", "headline", "summary", "power"};
  const store_value_t values[] = {
      {.kind = STORE_TEXT, .text = overview->database},
      {.kind = overview->campaign == NULL ? STORE_NULL : STORE_TEXT, .text = overview->campaign},
      {.kind = STORE_TEXT, .text = headline->str},
      {.kind = STORE_TEXT, .text = words->str},
      {.kind = STORE_TEXT, .text = power->str}};
  report_grid_add(&head, G_N_ELEMENTS(names), names, NULL, NULL);
  report_grid_add(&head, G_N_ELEMENTS(names), names, values, NULL);
  fputs("{\"source\": ", out);
  report_write_json(&head, out);
  report_grid_deinit(&head);
}

/* Of findings what a page shows; of all others there is a line in "causes". */
static void print_page_findings(const overview_t *overview, FILE *out) {
  static const char *const columns[] = {
      "id", "op", "types", "first_campaign", "small_got", "small_expected", "small_case_line"};
  const report_grid_t *all = &overview->sections[OVERVIEW_FINDINGS];
  report_grid_t part;
  report_grid_init(&part);
  part.bytes_max = SIZE_MAX;
  report_grid_add(&part, G_N_ELEMENTS(columns), columns, NULL, NULL);
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    for (size_t k = 0; k < group->shown_count; k++) {
      size_t index = overview_find_id(overview, group->shown[k]);
      store_value_t values[G_N_ELEMENTS(columns)];
      for (size_t at = 0; at < G_N_ELEMENTS(columns); at++) {
        values[at] = *overview_cell(all, index, columns[at]);
      }
      report_grid_add(&part, G_N_ELEMENTS(columns), columns, values, NULL);
    }
  }
  report_write_json(&part, out);
  report_grid_deinit(&part);
}

/* A section is a key of the document; what rows look like is report_json.c's. */
static void print_document(const overview_t *overview, bool is_for_page, FILE *out) {
  print_source(overview, out);
  for (int i = 0; i < OVERVIEW_SECTION_COUNT; i++) {
    if (is_for_page && i == OVERVIEW_PERCENTILES) continue;
    fprintf(out, ",\n\"%s\": ", overview_section_name((overview_section_t)i));
    if (is_for_page && i == OVERVIEW_FINDINGS) {
      print_page_findings(overview, out);
    } else {
      report_write_json(&overview->sections[i], out);
    }
  }
  fputs("}\n", out);
}

void report_print_json(const overview_t *overview, FILE *out) {
  print_document(overview, false, out);
}

void report_print_page_json(const overview_t *overview, FILE *out) {
  print_document(overview, true, out);
}
