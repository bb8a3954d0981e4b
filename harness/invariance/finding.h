/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of an invariance campaign: made from a broken check, kept in the store.  Private to
 * harness/run. */
#ifndef ASSAY_INVARIANCE_FINDING_H
#define ASSAY_INVARIANCE_FINDING_H

#include "harness/invariance/invariance.h"
#include "harness/record/run_log.h"

/* Makes `instance`, which `check` found broken, small; the finding, and all that it points to but
 * its label, lives in the arena. */
invariance_finding_t *invariance_finding_make(const invariance_shrink_options_t *options,
                                              const invariance_instance_t *instance,
                                              const invariance_check_t *check,
                                              const tally_label_t *label, arena_t *arena);

/* Counts one more sighting of the row's finding in the store; does nothing without one. */
void invariance_finding_store(const invariance_count_t *row, const ledger_t *ledger);

#endif
