/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a query in memory, and the writers of them. */
#ifndef ASSAY_REPORTS_REPORT_GRID_H
#define ASSAY_REPORTS_REPORT_GRID_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/store/store.h"

typedef struct report_grid {
  int column_count;
  GPtrArray *names; /* char *, valid UTF-8, one per column. */
  GArray *cells;    /* store_value_t, row by row; texts are valid UTF-8. */
  GStringChunk *texts;
  size_t bytes;     /* That cells and texts take, about, ... */
  size_t bytes_max; /* ... and may take: report_grid_add() fails beyond, with STATUS_INVALID. */
} report_grid_t;

void report_grid_init(report_grid_t *grid);
void report_grid_deinit(report_grid_t *grid);

/* A store_row_t whose context is the grid: adds the header or a row. */
status_t report_grid_add(void *grid, int column_count, const char *const *names,
                         const store_value_t *values, failure_t *error);

size_t report_grid_row_count(const report_grid_t *grid);
const char *report_grid_name(const report_grid_t *grid, int column);
const store_value_t *report_grid_cell(const report_grid_t *grid, size_t row, int column);

/* Whether a column holds numbers only, and at least one. */
bool report_grid_is_numeric(const report_grid_t *grid, int column);

/* A number that reads back as the same: 17 digits for reals, "Infinity", "-Infinity". */
void report_print_exact(const store_value_t *value, GString *out_text);

/* A line of text for the terminal, which no control character in it can harm; newlines stay. */
void report_print_line(const char *text, FILE *out);

/* A table as wide as the terminal, if `out` is one. */
void report_print_table(const report_grid_t *grid, FILE *out);

/* `terminal_width` columns are not exceeded where cutting long texts can help; 0: cut nothing. */
void report_write_table(const report_grid_t *grid, int terminal_width, FILE *out);
void report_write_markdown(const report_grid_t *grid, FILE *out);
void report_write_json(const report_grid_t *grid, FILE *out);
void report_write_csv(const report_grid_t *grid, FILE *out);

#endif
