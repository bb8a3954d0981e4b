/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C that runs one primitive, and needs oneDNN alone. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_SOURCE_SOURCE_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_SOURCE_SOURCE_H

#include "harness/exec/plugins/onednn/source/written.h"

/* Not of plans that have attributes of their own, or another plan before them; nor of a path that
 * would have to be quoted for a shell. */
int32_t onednn_source_write(const onednn_source_t *source, FILE *out, assay_reason_t *reason);

/* "add", "multiply", "maximum" or "minimum": the body that `combine` applies; NULL for none. */
const char *plan_spell_combine(const plan_t *plan);

#endif
