/* SPDX-License-Identifier: Apache-2.0 */
/* The conformance report of `assay vet --profile`: one page by op, types, element type, constraint,
 * algorithm and class, with what was refused and why, and what proved nothing. */
#ifndef ASSAY_REPORTS_PROFILE_PROFILE_REPORT_H
#define ASSAY_REPORTS_PROFILE_PROFILE_REPORT_H

#include "reports/profile/profile_source.h"

/* Writes the page, as HTML if the path ends in .html, as Markdown if in .md.  STATUS_INVALID for
 * another end, STATUS_IO if it cannot be written. */
status_t profile_report_write(const profile_report_t *report, const char *path, failure_t *error);

/* The same check of a path, before the work is begun. */
status_t profile_report_check_path(const char *path, failure_t *error);

#endif
