/* SPDX-License-Identifier: Apache-2.0 */
/* One identification for `assay identify`: of the sum, then of all result elements. */
#ifndef ASSAY_CLI_VERBS_IDENTIFY_RUN_H
#define ASSAY_CLI_VERBS_IDENTIFY_RUN_H

#include "reports/identify/identify_report.h"

/* Identifies how the executor adds in a program of that shape, and checks the profile on every
 * result element.  Statuses as executor_sum_open() and identify() have them. */
status_t identify_shape(executor_t *executor, const sum_shape_t *shape,
                        const identify_options_t *options, arena_t *arena,
                        identified_t *out_identified, failure_t *error);

#endif
