#include "reports/report_overview.h"

#include <errno.h>
#include <string.h>

static const struct {
  const char *spelling;
  void (*print)(const overview_t *overview, FILE *out);
} FORMATS[OVERVIEW_FORMAT_COUNT] = {
    [OVERVIEW_TEXT] = {"text", report_print_text}, [OVERVIEW_JSON] = {"json", report_print_json},
    [OVERVIEW_TAP] = {"tap", report_print_tap},    [OVERVIEW_JUNIT] = {"junit", report_print_junit},
    [OVERVIEW_HTML] = {"html", report_print_html},
};

status_t overview_format_parse(const char *spelling, overview_format_t *out_format,
                               failure_t *error) {
  for (int format = 0; format < OVERVIEW_FORMAT_COUNT; format++) {
    if (strcmp(spelling, FORMATS[format].spelling) != 0) continue;
    *out_format = (overview_format_t)format;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "no format \"%s\": write text, json, tap, junit or html", spelling);
}

status_t report_write_overview(const char *path, const char *campaign, overview_format_t format,
                               FILE *out, failure_t *error) {
  overview_t overview;
  STATUS_TRY(overview_read(path, campaign, &overview, error));
  FORMATS[format].print(&overview, out);
  overview_free(&overview);
  if (fflush(out) == 0 && !ferror(out)) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write the report: %s", strerror(errno));
}

overview_outcome_t overview_outcome(const overview_t *overview, size_t row,
                                    const char **out_reason) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_ALGORITHMS];
  *out_reason = NULL;
  if (overview_number(grid, row, "diverges") + overview_number(grid, row, "failed") > 0) {
    return OVERVIEW_FAILED;
  }
  if (overview_number(grid, row, "conforms") > 0) return OVERVIEW_PASSED;
  *out_reason = overview_number(grid, row, "refused") > 0     ? "refused"
                : overview_number(grid, row, "no-oracle") > 0 ? "no oracle"
                                                              : "weak: nothing could have failed";
  return OVERVIEW_SKIPPED;
}
