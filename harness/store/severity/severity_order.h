/* SPDX-License-Identifier: Apache-2.0 */
/* An order of severities of one's own: a file with one spelling of severities.def on each line, the
 * gravest first, "#" before comments.  Those that it does not name come behind, in the usual order:
 * nothing is left out. */
#ifndef ASSAY_STORE_SEVERITY_SEVERITY_ORDER_H
#define ASSAY_STORE_SEVERITY_SEVERITY_ORDER_H

#include "harness/base/status.h"
#include "harness/store/severity/severity.h"

typedef struct severity_order {
  severity_id_t order[SEVERITY_COUNT]; /* Each once. */
} severity_order_t;

/* STATUS_INVALID, with file and line, if the file names what is no severity, or one twice. */
status_t severity_order_read(const char *path, severity_order_t *out_order, failure_t *error);

#endif
