/* SPDX-License-Identifier: Apache-2.0 */
/* The states of findings, for overview/read_overview.c. */
#ifndef ASSAY_REPORTS_OVERVIEW_OVERVIEW_STATES_H
#define ASSAY_REPORTS_OVERVIEW_OVERVIEW_STATES_H

#include "reports/overview/overview.h"

/* Reads those of the findings with these numbers (int64_t; NULL: all), whatever campaign is
 * reported on: what is new is so among all. */
status_t overview_read_states(const char *path, const GArray *ids, GHashTable **out_states,
                              failure_t *error);

#endif
