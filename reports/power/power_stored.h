/* SPDX-License-Identifier: Apache-2.0 */
/* The line of power_line.h from what a database has. */
#ifndef ASSAY_REPORTS_POWER_POWER_STORED_H
#define ASSAY_REPORTS_POWER_POWER_STORED_H

#include "harness/store/reader.h"
#include "reports/power/power_line.h"
#include "reports/report_grid.h"

/* A query: a row for each kind, and one with an empty op for all elements.  Its columns are those
 * that power_stored_summary() reads. */
extern const char power_stored_sql[];

/* What its rows tell; no elements if nothing was measured. */
power_summary_t power_stored_summary(const report_grid_t *grid);

/* Asks a database, or one campaign in it (NULL: all); appends the line, or nothing. */
status_t power_stored_print(const char *path, const char *campaign, GString *out_text,
                            failure_t *error);

#endif
