/* SPDX-License-Identifier: Apache-2.0 */
/* Adds one database to another: shards of a campaign, workers of one machine, colleagues.
 *
 * Merging is idempotent, and its order does not matter: a run is the same run wherever it is, and
 * all that it counted is in rows of its own, with what its parts counted that it has absorbed
 * (migrations/0005_campaigns.sql, 0007_parts.sql).  A database may be merged while its owner still
 * writes it, and again later. */
#ifndef ASSAY_STORE_MERGE_H
#define ASSAY_STORE_MERGE_H

#include "harness/store/store.h"

typedef struct store_merge_report {
  int64_t runs_new;
  int64_t findings_new; /* To the target, by executor and signature. */
  int64_t findings;     /* In the source. */
  int64_t counters_new; /* Of store_merge_ended(): combinations of executor, op, algorithm, types,
                         * outcome and class that the run had not counted before. */
} store_merge_report_t;

/* Adds the database at `source_path` to `target`, all or nothing.  An older source is first brought
 * to the newest schema, in its file.  STATUS_INVALID if it is no Assay database, of a newer Assay,
 * damaged, the target itself, or if a campaign went on in two copies of a folder; STATUS_IO if it
 * cannot be read or the target cannot be written. */
status_t store_merge(store_t *target, const char *source_path, store_merge_report_t *out_report,
                     failure_t *error);

/* The same for the database of a part whose process has ended, by the process that started it:
 * what the part counted is then added to the run that it is a part of (store_run_t.part_of), if the
 * target has that run.  Nobody else may do so: a run absorbs its parts in one place.  Findings are
 * new in the report if the part was the first to see them, also where it has been merged before. */
status_t store_merge_ended(store_t *target, const char *source_path,
                           store_merge_report_t *out_report, failure_t *error);

#endif
