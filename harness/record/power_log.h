/* SPDX-License-Identifier: Apache-2.0 */
/* Writes measured tolerances into the store, as numbers of elements by bucket. */
#ifndef ASSAY_RECORD_POWER_LOG_H
#define ASSAY_RECORD_POWER_LOG_H

#include "harness/power/table.h"
#include "harness/record/run_log.h"

/* Adds the elements that were measured since the last call; written with the next commit. */
void power_log_write(const ledger_t *ledger, power_table_t *table);

#endif
