/* SPDX-License-Identifier: Apache-2.0 */
/* Any PJRT plugin as a backend: a shared object that exports GetPjrtApi(), as every accelerator
 * that speaks StableHLO ships.
 *
 *   pjrt:PATH?key=value,...
 *
 * Programs are handed over as the text of their StableHLO modules.  Options: options.h.  A plugin
 * starts threads when it is loaded, and never lets go of them: it stays in the process that opened
 * it, which is a child of ours as it is for every shared object of others, and was forked before.
 */
#ifndef ASSAY_EXEC_PJRT_PJRT_H
#define ASSAY_EXEC_PJRT_PJRT_H

#include "harness/exec/assay_executor.h"

/* Its open() takes "PATH?key=value,...". */
const assay_executor_t *pjrt_executor(void);

/* "0.81": the version of the header that this was built with; owned by the caller. */
char *pjrt_header_version(void);

#endif
