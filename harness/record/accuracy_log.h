/* SPDX-License-Identifier: Apache-2.0 */
/* Writes how accurate results were into the store. */
#ifndef ASSAY_RECORD_ACCURACY_LOG_H
#define ASSAY_RECORD_ACCURACY_LOG_H

#include "harness/record/accuracy_tally.h"
#include "harness/record/run_log.h"

/* Adds what was counted since the last call; written with the next commit. */
void accuracy_log_write(const ledger_t *ledger, accuracy_tally_t *accuracy);

#endif
