/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the page, for profile_report.c. */
#ifndef ASSAY_REPORTS_PROFILE_PROFILE_GRIDS_H
#define ASSAY_REPORTS_PROFILE_PROFILE_GRIDS_H

#include "reports/profile/profile_source.h"
#include "reports/report_grid.h"

/* Each fills an empty grid, which may stay without rows.  Cases whose programs break a constraint
 * are in that table alone; pairs that were refused when asked are in those of ops, of element types
 * and of what was refused. */
void profile_grid_ops(const profile_report_t *report, report_grid_t *grid);
void profile_grid_elements(const profile_report_t *report, report_grid_t *grid);
void profile_grid_types(const profile_report_t *report, report_grid_t *grid);
void profile_grid_constraints(const profile_report_t *report, report_grid_t *grid);
void profile_grid_algorithms(const profile_report_t *report, report_grid_t *grid);
void profile_grid_classes(const profile_report_t *report, report_grid_t *grid);
void profile_grid_findings(const profile_report_t *report, report_grid_t *grid);
void profile_grid_refused(const profile_report_t *report, report_grid_t *grid);
void profile_grid_unproven(const profile_report_t *report, report_grid_t *grid);

#endif
