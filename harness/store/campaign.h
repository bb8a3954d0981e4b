/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign keeps in its database besides what it finds.  All is written at once, and then
 * survives even a power failure. */
#ifndef ASSAY_STORE_CAMPAIGN_H
#define ASSAY_STORE_CAMPAIGN_H

#include "harness/store/store.h"

/* The uuid of a run: the same wherever it is merged.  The caller frees it. */
status_t store_run_uuid(store_t *store, int64_t run_id, char **out_uuid, failure_t *error);

/* Gives the number of the next slice, `least` or more, to the caller and never again. */
status_t store_take_slice_number(store_t *store, uint64_t least, uint64_t *out_number,
                                 failure_t *error);

/* The last finding (divergence_id) that was told, from the beginning of a campaign to its end: who
 * is killed in between leaves it to the next one, which tells the rest.  *out_found is false if
 * there is none: all was told. */
status_t store_read_reported(store_t *store, bool *out_found, int64_t *out_id, failure_t *error);
status_t store_write_reported(store_t *store, int64_t id, failure_t *error);
status_t store_clear_reported(store_t *store, failure_t *error);

/* Moves what is in the log into the database file, as far as nobody reads from it, and makes the
 * log small: who copies the file has what was committed.  Waits for nobody. */
status_t store_checkpoint(store_t *store, failure_t *error);

#endif
