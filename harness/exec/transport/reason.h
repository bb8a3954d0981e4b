/* SPDX-License-Identifier: Apache-2.0 */
/* The one line in which somebody else explains himself: it may hold anything. */
#ifndef ASSAY_EXEC_TRANSPORT_REASON_H
#define ASSAY_EXEC_TRANSPORT_REASON_H

#include <stdio.h>

#include "harness/base/plain_text.h"
#include "harness/exec/assay_executor.h"

/* Ends it, and makes it plain text: whatever was written there. */
static inline void reason_clean(assay_reason_t *reason) {
  plain_text_in_place(reason->text, reason->text_bytes);
}

/* Says `text` where nothing was said. */
static inline void reason_default(assay_reason_t *reason, const char *text) {
  if (reason->text[0] == '\0') snprintf(reason->text, reason->text_bytes, "%s", text);
}

#endif
