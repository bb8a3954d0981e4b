/* SPDX-License-Identifier: Apache-2.0 */
/* All findings put together by root cause in one pass over them, for overview/read_overview.c. */
#ifndef ASSAY_REPORTS_OVERVIEW_TRIAGE_H
#define ASSAY_REPORTS_OVERVIEW_TRIAGE_H

#include "reports/overview/overview.h"

/* Fills in groups, names and finding_count. */
status_t triage_read(store_reader_t *reader, overview_t *overview, failure_t *error);

/* Numbers of the findings that groups show: int64_t. */
GArray *triage_shown(const overview_t *overview);

/* Fills in OVERVIEW_CAUSES from the groups, once the findings that they show were read. */
void triage_add_rows(overview_t *overview);

#endif
