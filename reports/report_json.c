/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a grid as a JSON array, one object per row; infinities become strings, since JSON has
 * none. */
#include <jansson.h>
#include <math.h>

#include "reports/report_grid.h"

static json_t *make_value(const store_value_t *value) {
  switch (value->kind) {
    case STORE_NULL:
      return json_null();
    case STORE_INTEGER:
      return json_integer(value->integer);
    case STORE_REAL:
      /* JSON has no infinity; Python's float() and JavaScript's Number() read this text. */
      if (isinf(value->real)) return json_string(value->real < 0 ? "-Infinity" : "Infinity");
      return json_real(value->real);
    case STORE_TEXT:
      return json_string(value->text);
  }
  g_assert_not_reached();
}

static json_t *make_row(const report_grid_t *grid, size_t row) {
  json_t *object = json_object();
  for (int column = 0; column < grid->column_count; column++) {
    json_t *value = make_value(report_grid_cell(grid, row, column));
    int failed = json_object_set_new(object, report_grid_name(grid, column), value);
    g_assert(failed == 0);
  }
  return object;
}

void report_write_json(const report_grid_t *grid, FILE *out) {
  size_t row_count = report_grid_row_count(grid);
  fputs("[", out);
  for (size_t row = 0; row < row_count; row++) {
    json_t *object = make_row(grid, row);
    fputs(row == 0 ? "\n" : ",\n", out);
    json_dumpf(object, out, JSON_REAL_PRECISION(17));
    json_decref(object);
  }
  fputs(row_count == 0 ? "]\n" : "\n]\n", out);
}
