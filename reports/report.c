/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a named query or given SQL with a limit and writes the grid in the chosen format; tables
 * adapt to the terminal's width. */
#include "reports/report.h"

#include <errno.h>
#include <string.h>

#include "reports/known/known.h"
#include "reports/query_table.h"
#include "reports/report_grid.h"
#include "reports/terminal.h"

void report_print_table(const report_grid_t *grid, FILE *out) {
  report_write_table(grid, terminal_width(out), out);
}

static const struct {
  const char *spelling;
  void (*write)(const report_grid_t *grid, FILE *out);
} FORMATS[REPORT_FORMAT_COUNT] = {
    [REPORT_TABLE] = {"table", report_print_table},
    [REPORT_JSON] = {"json", report_write_json},
    [REPORT_CSV] = {"csv", report_write_csv},
    [REPORT_MARKDOWN] = {"markdown", report_write_markdown},
};

const char *report_format_spelling(report_format_t format) { return FORMATS[format].spelling; }

status_t report_format_parse(const char *spelling, report_format_t *out_format, failure_t *error) {
  for (int format = 0; format < REPORT_FORMAT_COUNT; format++) {
    if (strcmp(spelling, FORMATS[format].spelling) != 0) continue;
    *out_format = (report_format_t)format;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID, "no format \"%s\": write table, json, csv or markdown",
                     spelling);
}

const char *report_find_query(const char *name) {
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    if (strcmp(name, query->name) == 0) return query->sql;
  }
  return NULL;
}

void report_list_queries(GString *out_text) {
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    const char *comment = query->sql + strspn(query->sql, "- ");
    g_string_append_printf(out_text, "%-16s %.*s\n", query->name, (int)strcspn(comment, "\n"),
                           comment);
  }
}

static status_t show_known(store_reader_t *reader, const report_source_t *source,
                           failure_t *error) {
  g_autoptr(GPtrArray) known = known_new();
  for (const char *const *path = source->known; path != NULL && *path != NULL; path++) {
    STATUS_TRY(known_add_file(known, *path, error));
  }
  STATUS_TRY(known_add_builtin(known, error));
  return known_show(known, reader, error);
}

static status_t prepare(store_reader_t *reader, const report_source_t *source, failure_t *error) {
  STATUS_TRY(show_known(reader, source, error));
  STATUS_TRY(store_reader_keep(reader, "known_here", "executor_id, op, class", error));
  STATUS_TRY(store_reader_keep(reader, "op_family", "op", error));
  if (source->severity != NULL) {
    severity_order_t order;
    STATUS_TRY(severity_order_read(source->severity, &order, error));
    STATUS_TRY(store_reader_rank(reader, &order, error));
  }
  return store_reader_keep(reader, "severity", "severity", error);
}

status_t report_open(const report_source_t *source, store_reader_t **out_reader, failure_t *error) {
  store_reader_t *reader = NULL;
  STATUS_TRY(store_reader_open(source->path, source->campaign, &reader, error));
  status_t status = prepare(reader, source, error);
  if (status == STATUS_OK) {
    *out_reader = reader;
  } else {
    store_reader_close(reader);
  }
  return status;
}

status_t report_query(const report_source_t *source, const char *sql, report_format_t format,
                      const store_limit_t *limit, FILE *out, failure_t *error) {
  store_reader_t *reader = NULL;
  STATUS_TRY(report_open(source, &reader, error));
  if (limit != NULL) store_reader_limit(reader, limit);
  report_grid_t grid;
  report_grid_init(&grid);
  status_t status = store_reader_query(reader, sql, report_grid_add, &grid, error);
  store_reader_close(reader);
  if (status == STATUS_OK) {
    FORMATS[format].write(&grid, out);
    if (fflush(out) != 0 || ferror(out)) {
      status = status_fail(error, STATUS_IO, "cannot write the report: %s", strerror(errno));
    }
  }
  report_grid_deinit(&grid);
  return status;
}
