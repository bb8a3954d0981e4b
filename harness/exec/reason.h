/* The one line in which somebody else explains himself: it may hold anything. */
#ifndef ASSAY_EXEC_REASON_H
#define ASSAY_EXEC_REASON_H

#include <stdio.h>

#include "harness/exec/assay_executor.h"

/* Ends it, and makes it one line of printable ASCII: whatever was written there. */
static inline void reason_clean(assay_reason_t *reason) {
  reason->text[reason->text_bytes - 1] = '\0';
  size_t end = 0;
  for (char *byte = reason->text; *byte != '\0'; byte++) {
    if (*byte < ' ' || *byte > '~') *byte = (unsigned char)*byte < 0x80 ? ' ' : '?';
    if (*byte != ' ') end = (size_t)(byte - reason->text) + 1;
  }
  reason->text[end] = '\0';
}

/* Says `text` where nothing was said. */
static inline void reason_default(assay_reason_t *reason, const char *text) {
  if (reason->text[0] == '\0') snprintf(reason->text, reason->text_bytes, "%s", text);
}

#endif
