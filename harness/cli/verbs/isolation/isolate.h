/* SPDX-License-Identifier: Apache-2.0 */
/* assay module --isolate-ops. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_ISOLATE_H
#define ASSAY_CLI_VERBS_ISOLATION_ISOLATE_H

#include "harness/cli/options/flags.h"

typedef struct isolate_flags {
  executor_flags_t executor;
  char *reference; /* Another executor, or NULL. */
  char *contract;
  char *seed;
  char **inputs; /* Files of numpy, one for each argument; NULL: data are drawn. */
  gboolean json;
} isolate_flags_t;

/* Runs the module in the file op by op on each executor, and prints what diverged.  Returns an exit
 * code: 1 if something did, 3 if an op failed or nothing was judged; what the reference does is
 * told, and changes nothing. */
int isolate_module(const isolate_flags_t *flags, const char *path);

#endif
