/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins of this tree share beside executor_helpers.h, which any backend may use;
 * README.md beside it shows a whole backend. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_H

#include "harness/exec/executor_helpers.h"

/* Whether the value of an option is a sensible number of threads. */
static inline int32_t plugin_check_threads(const char *value, assay_reason_t *reason) {
  char *end = NULL;
  long threads = strtol(value, &end, 10);
  if (*end == '\0' && threads >= 1 && threads <= 1024) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "threads=%s: write a number from 1 to 1024",
                       value);
}

#endif
