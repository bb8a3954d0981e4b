/* SPDX-License-Identifier: Apache-2.0 */
/* Collects query rows into one array of cells with text made plain, up to a size limit, because
 * tables need the widest cell before printing. */
#include "reports/report_grid.h"

#include <math.h>
#include <string.h>

/* An answer is kept as a whole: a table is as wide as its widest cell. */
static const size_t BYTES_PER_MIB = (size_t)1 << 20;
static const size_t BYTES_MAX = (size_t)512 << 20;

#include "harness/base/plain_text.h"

void report_grid_init(report_grid_t *grid) {
  *grid = (report_grid_t){.bytes_max = BYTES_MAX,
                          .names = g_ptr_array_new(),
                          .cells = g_array_new(FALSE, FALSE, sizeof(store_value_t)),
                          .texts = g_string_chunk_new(4096)};
}

void report_grid_deinit(report_grid_t *grid) {
  g_ptr_array_unref(grid->names);
  g_array_unref(grid->cells);
  g_string_chunk_free(grid->texts);
}

/* Whoever named columns or wrote cells: what we print is plain, but for lines and tabs. */
static char *keep_text(report_grid_t *grid, const char *text) {
  g_autofree char *plain = plain_text_except(text, "\n\t");
  return g_string_chunk_insert(grid->texts, plain);
}

status_t report_grid_add(void *context, int column_count, const char *const *names,
                         const store_value_t *values, failure_t *error) {
  report_grid_t *grid = context;
  grid->column_count = column_count;
  for (int i = 0; i < column_count; i++) {
    if (values == NULL) {
      g_ptr_array_add(grid->names, keep_text(grid, names[i]));
      continue;
    }
    store_value_t value = values[i];
    if (value.text != NULL) value.text = keep_text(grid, value.text);
    g_array_append_val(grid->cells, value);
    grid->bytes += sizeof value + (value.text == NULL ? 0 : strlen(value.text) + 1);
  }
  if (grid->bytes <= grid->bytes_max) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "query: the answer is larger than %zu MiB; return less, with LIMIT",
                     grid->bytes_max / BYTES_PER_MIB);
}

size_t report_grid_row_count(const report_grid_t *grid) {
  return grid->column_count == 0 ? 0 : grid->cells->len / (size_t)grid->column_count;
}

const char *report_grid_name(const report_grid_t *grid, int column) {
  return g_ptr_array_index(grid->names, column);
}

const store_value_t *report_grid_cell(const report_grid_t *grid, size_t row, int column) {
  size_t index = row * (size_t)grid->column_count + (size_t)column;
  return &g_array_index(grid->cells, store_value_t, index);
}

bool report_grid_is_numeric(const report_grid_t *grid, int column) {
  bool has_number = false;
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    store_value_kind_t kind = report_grid_cell(grid, row, column)->kind;
    if (kind == STORE_TEXT) return false;
    if (kind != STORE_NULL) has_number = true;
  }
  return has_number;
}

void report_print_exact(const store_value_t *value, GString *out_text) {
  if (value->kind == STORE_REAL && isinf(value->real)) {
    g_string_append(out_text, value->real < 0 ? "-Infinity" : "Infinity");
  } else if (value->kind == STORE_REAL) {
    g_string_append_printf(out_text, "%.17g", value->real);
  } else if (value->text != NULL) {
    g_string_append(out_text, value->text);
  }
}
