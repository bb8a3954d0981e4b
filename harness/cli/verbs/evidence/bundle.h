/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles of evidence: a case, what an executor returned, and the claim that one element of it is
 * none that a conforming implementation returns, as a JSON file that reports/check_evidence.py
 * decides by itself (harness/docs/evidence.md). */
#ifndef ASSAY_CLI_VERBS_EVIDENCE_BUNDLE_H
#define ASSAY_CLI_VERBS_EVIDENCE_BUNDLE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/status.h"

/* Texts are borrowed. */
typedef struct bundle {
  const char *case_line;
  const char *contract; /* All permissions, as contract_print() has them. */
  const char *results;  /* Data of all results, as in a result field; NULL: not known. */
  const char *executor; /* NULL: not known; then neither are the next two. */
  const char *version;
  const char *hardware;
  const char *class_;
  uint32_t result; /* The claim is about this component of this result. */
  size_t component;
  const char *got;       /* Its pattern in hex. */
  const char *permitted; /* The accept set, in words. */
} bundle_t;

/* Writes the file, without what the script completes.  STATUS_IO if it cannot be written. */
status_t bundle_write(const bundle_t *bundle, const char *path, failure_t *error);

/* Has the script complete the files (of which there is one at least) and tell of each, on a line,
 * whether the claim is proven: on standard output, or in *out_text, owned by the caller, if that is
 * not NULL.  *out_exit_code is the script's; STATUS_IO if it cannot be run. */
status_t bundle_complete(const GPtrArray *paths, char **out_text, int *out_exit_code,
                         failure_t *error);

#endif
