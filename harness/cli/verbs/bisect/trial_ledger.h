/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay bisect` has learned, kept from call to call: a line for each case and release in
 * ${XDG_DATA_HOME:-~/.local/share}/assay/bisect/BACKEND.tsv. */
#ifndef ASSAY_CLI_VERBS_BISECT_TRIAL_LEDGER_H
#define ASSAY_CLI_VERBS_BISECT_TRIAL_LEDGER_H

#include <glib.h>

#include "harness/base/status.h"
#include "harness/cli/verbs/bisect/bisection.h"

typedef struct trial_ledger {
  char *path;
  GHashTable *lines; /* "KEY\tRELEASE": "OUTCOME\tDETAIL" */
} trial_ledger_t;

/* Reads what is there; none is an empty one.  Lines that cannot be read, as a crash leaves them,
 * are passed over. */
status_t trial_ledger_open(const char *backend, trial_ledger_t *out_ledger, failure_t *error);
void trial_ledger_close(trial_ledger_t *ledger);

/* False if nothing is known; else out_trial->detail is owned by the caller.  `key` stands for the
 * case and what it is judged by. */
bool trial_ledger_find(const trial_ledger_t *ledger, const char *key, const char *release,
                       trial_t *out_trial);

/* Appends a line, at once. */
status_t trial_ledger_add(trial_ledger_t *ledger, const char *key, const char *release,
                          const trial_t *trial, failure_t *error);

#endif
