/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of which a database has a small case already: they need not be made small again. */
#ifndef ASSAY_CLI_TASK_KNOWN_FINDINGS_H
#define ASSAY_CLI_TASK_KNOWN_FINDINGS_H

#include <glib.h>
#include <stdbool.h>

#include "harness/base/hash.h"
#include "harness/base/status.h"
#include "harness/session/finding_shrink.h"

typedef struct known_findings known_findings_t;

/* Reads them; a database that is not there knows none. */
status_t known_findings_open(const char *database, known_findings_t **out_known, failure_t *error);
void known_findings_close(known_findings_t *known); /* NULL is ignored. */

/* `context` is a known_findings_t; see finding_shrinker_t.is_known. */
bool known_findings_has(void *context, const char *executor, const hash_text_t *signature);

/* What makes findings small that `known` (or NULL) has not, while it has taken no more than 1 to
 * 100 percent of the time. */
finding_shrinker_t known_findings_shrinker(known_findings_t *known, bool is_on, uint32_t percent);

#endif
