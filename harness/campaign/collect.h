/* SPDX-License-Identifier: Apache-2.0 */
/* Adds what workers wrote to the database of the campaign. */
#ifndef ASSAY_CAMPAIGN_COLLECT_H
#define ASSAY_CAMPAIGN_COLLECT_H

#include <glib.h>

#include "harness/store/merge.h"

/* Adds the database of a worker.  One that is not there yet has nothing to add. */
status_t campaign_collect(store_t *store, const char *path, store_merge_report_t *out_report,
                          failure_t *error);

/* The same where its worker has ended: what it counted becomes part of the run that started it, and
 * the database is removed.  The campaign's file by itself then has all of it. */
status_t campaign_collect_last(store_t *store, const char *path, store_merge_report_t *out_report,
                               failure_t *error);

/* Adds and removes all databases in the folder of workers but those in `present` (paths, ended by
 * NULL): those whose workers are gone.  What cannot be added stays, and is told: the messages are
 * added to out_messages. */
void campaign_collect_leftovers(store_t *store, const char *folder, const char *const *present,
                                GPtrArray *out_messages);

/* The cases that a worker's database counts. */
uint64_t campaign_collect_cases(const char *path);

#endif
