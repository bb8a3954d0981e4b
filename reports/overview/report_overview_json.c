/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a report as one JSON object: its source, then each section as an array of rows. */
#include "reports/overview/report_overview.h"

/* A section is a key of the document; what rows look like is report_json.c's. */
void report_print_json(const overview_t *overview, FILE *out) {
  report_grid_t head;
  report_grid_init(&head);
  static const char *const names[] = {"database", "campaign"};
  const store_value_t values[] = {
      {.kind = STORE_TEXT, .text = overview->database},
      {.kind = overview->campaign == NULL ? STORE_NULL : STORE_TEXT, .text = overview->campaign}};
  report_grid_add(&head, 2, names, NULL, NULL);
  report_grid_add(&head, 2, names, values, NULL);
  fputs("{\"source\": ", out);
  report_write_json(&head, out);
  report_grid_deinit(&head);
  for (int i = 0; i < OVERVIEW_SECTION_COUNT; i++) {
    fprintf(out, ",\n\"%s\": ", overview_section_name((overview_section_t)i));
    report_write_json(&overview->sections[i], out);
  }
  fputs("}\n", out);
}
