/* SPDX-License-Identifier: Apache-2.0 */
/* What the page is made of. */
#ifndef ASSAY_REPORTS_PROFILE_PROFILE_SOURCE_H
#define ASSAY_REPORTS_PROFILE_PROFILE_SOURCE_H

#include "harness/run/capability/capability.h"
#include "reports/run/run_report.h"

/* Everything is borrowed. */
typedef struct profile_report {
  const run_report_t *run;
  const char *profile;         /* As it was named. */
  capability_t *const *tables; /* What the executors said, by executor. */
} profile_report_t;

#endif
