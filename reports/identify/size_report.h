/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay identify` says over a range of sizes: how the order of a sum depends on one. */
#ifndef ASSAY_REPORTS_IDENTIFY_SIZE_REPORT_H
#define ASSAY_REPORTS_IDENTIFY_SIZE_REPORT_H

#include "harness/exec/executor.h"
#include "harness/identify/order/order_by_size.h"

/* Everything is borrowed. */
typedef struct size_report {
  const order_by_size_t *map;
  const executor_t *executor;
  const char *program_line; /* With the largest size. */
  const char *mapped;       /* The option whose size varies, ... */
  int64_t first;            /* ... from ... */
  int64_t last;             /* ... to. */
} size_report_t;

void size_report_print(const size_report_t *report);
void size_report_print_json(const size_report_t *report);

#endif
