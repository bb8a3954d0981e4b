/* SPDX-License-Identifier: Apache-2.0 */
/* Medians of all that the runs of a database have measured, by kind and together. */
#include "reports/power/power_stored.h"

#include <math.h>

const char power_stored_sql[] =
    "WITH kinds AS ("
    " SELECT op, algorithm, types, terms_low, terms_high, bucket, high, cases FROM tolerance"
    " UNION ALL SELECT '', '', '', 0, 0, bucket, high, cases FROM tolerance"
    "), bucketed AS ("
    " SELECT op, algorithm, types, terms_low, max(terms_high) AS terms_high, bucket,"
    "  max(high) AS high, sum(cases) AS elements"
    " FROM kinds GROUP BY op, algorithm, types, terms_low, bucket"
    "), running AS ("
    " SELECT *, sum(elements) OVER (same ORDER BY bucket) AS so_far,"
    "  sum(elements) OVER same AS total"
    " FROM bucketed WINDOW same AS (PARTITION BY op, algorithm, types, terms_low)"
    ") SELECT op, algorithm, types, terms_low, max(terms_high) AS terms_high,"
    "   max(total) AS elements, min(high) FILTER (WHERE so_far >= 0.5 * total) AS median"
    " FROM running GROUP BY op, algorithm, types, terms_low"
    " ORDER BY op, algorithm, types, terms_low";

enum {
  COLUMN_OP,
  COLUMN_ALGORITHM,
  COLUMN_TYPES,
  COLUMN_LOW,
  COLUMN_HIGH,
  COLUMN_ELEMENTS,
  COLUMN_MEDIAN
};

power_summary_t power_stored_summary(const report_grid_t *grid) {
  power_summary_t summary = {0};
  double median = NAN;
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    const char *op = report_grid_cell(grid, row, COLUMN_OP)->text;
    double its_median = report_grid_cell(grid, row, COLUMN_MEDIAN)->real;
    if (op[0] == '\0') {
      median = its_median;
      continue;
    }
    int64_t low = report_grid_cell(grid, row, COLUMN_LOW)->integer;
    const power_kind_t kind = {
        .op = op,
        .types = report_grid_cell(grid, row, COLUMN_TYPES)->text,
        .terms_least = (uint64_t)MAX(low, 1),
        .terms_most = (uint64_t)report_grid_cell(grid, row, COLUMN_HIGH)->integer,
        .elements = (uint64_t)report_grid_cell(grid, row, COLUMN_ELEMENTS)->integer,
        .median = its_median};
    power_summary_add(&summary, &kind);
  }
  summary.median = median;
  return summary;
}

status_t power_stored_print(const char *path, const char *campaign, GString *out_text,
                            failure_t *error) {
  store_reader_t *reader = NULL;
  STATUS_TRY(store_reader_open(path, campaign, &reader, error));
  report_grid_t grid;
  report_grid_init(&grid);
  status_t status = store_reader_query(reader, power_stored_sql, report_grid_add, &grid, error);
  store_reader_close(reader);
  if (status == STATUS_OK) {
    power_summary_t summary = power_stored_summary(&grid);
    power_line_print(&summary, out_text);
  }
  report_grid_deinit(&grid);
  return status;
}
