/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of one's own: files that declare them (harness/docs/ops/op-files.md). */
#ifndef ASSAY_ORACLES_OPS_DECLARED_LOAD_H
#define ASSAY_ORACLES_OPS_DECLARED_LOAD_H

#include "harness/base/status.h"

/* Adds the ops of files to those that there are, for good: `paths` has files and folders, of which
 * all *.op are read, with ':' between them.  To be called once, before anything asks for an op. */
status_t declared_load(const char *paths, failure_t *error);

#endif
