/* SPDX-License-Identifier: Apache-2.0 */
/* The database: one SQLite file that any reader can open.  Schema: schema.sql, column by column.
 *
 * Counts and divergences are gathered in memory and written in one short transaction about once a
 * second (store_tick()), at the end of a run and on store_close(): a kill -9 loses at most what
 * came since, and leaves a database that opens.  Several processes may write one database at a
 * time: none holds the lock for longer than it writes.  Databases of other processes and machines
 * are added with store_merge() (store/merge.h).  Times never go back within a database: where the
 * clock has been set back, what happens is recorded as happening at the latest time there is. */
#ifndef ASSAY_STORE_STORE_H
#define ASSAY_STORE_STORE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"
#include "harness/store/rows/rows.h"

typedef struct store store_t;

/* Opens or creates a database for writing; migrates an older one.  STATUS_INVALID if the file is
 * not an Assay database, is from a newer Assay, or cannot be made there; STATUS_IO if the system
 * does not let us open it; each with what to do. */
status_t store_open(const char *path, store_t **out_store, failure_t *error);

/* STATUS_INVALID, with what to do, if there is no file that could be a database to read. */
status_t store_require(const char *path, failure_t *error);

/* Whether two paths lead to one file that is there; neither is opened. */
bool store_is_same_file(const char *path, const char *other);

/* Commits and closes; NULL is ignored. */
status_t store_close(store_t *store, failure_t *error);

/* Adds a run and its contract; *out_run_id names it. */
status_t store_begin_run(store_t *store, const store_run_t *run, int64_t *out_run_id,
                         failure_t *error);

/* Replaces what the store knows of where the time of the run went; written with the next commit. */
void store_set_run_times(store_t *store, const store_run_times_t *times);

/* Marks the run as ended with an exit code. */
status_t store_end_run(store_t *store, int64_t run_id, int exit_code, failure_t *error);

/* Finds or adds an executor with this name, version and hardware. */
status_t store_add_executor(store_t *store, const store_executor_t *executor,
                            int64_t *out_executor_id, failure_t *error);

/* Counts: cases by op, algorithm, types, executor and verdict, with extremes; cases that two
 * executors both answered with results; cases by the algorithm that was asked for and those, or the
 * formula, that could have given the results; cases by their largest error, and by what they are
 * like; elements by how wrong
 * they could have been; and cases whose program breaks a constraint on purpose.  Added to what is
 * there for the run with the next commit: whoever counts much sums up first.  Rows without cases
 * are nothing. */
void store_count(store_t *store, const store_counter_t *counter);
void store_add_pair(store_t *store, const store_pair_t *pair);
void store_add_observation(store_t *store, const store_observation_t *observation);
void store_add_histogram(store_t *store, const store_histogram_t *histogram);
void store_add_accuracy(store_t *store, const store_accuracy_t *accuracy);
void store_add_tolerance(store_t *store, const store_tolerance_t *tolerance);
void store_count_constraint(store_t *store, const store_constraint_t *constraint);

/* One divergence: added, or counted if its signature is known for this executor; the worst case (by
 * slack, then ulp error) and the shortest case line are kept. */
void store_add_divergence(store_t *store, const store_divergence_t *divergence);

/* Offers a case of a finding that is in the database or pending, as small as it stays wrong in the
 * same way: the reproducer with the role "shrunk", if its line is shorter than the one there. */
void store_add_shrunk(store_t *store, const store_divergence_t *divergence);

/* The cause of a finding that is in the database or pending, and had none when it came.  Written at
 * once. */
status_t store_explain(store_t *store, const store_divergence_t *divergence, failure_t *error);

/* A constraint of an op, and what it says.  Written at once, unless it is known. */
status_t store_describe_constraints(store_t *store, const store_constraint_text_t *texts,
                                    size_t count, failure_t *error);

/* How an executor forms the sums of one shape, over a range of their lengths.
 * Written at once.  *out_is_new: this executor has not been seen to add so before. */
status_t store_add_profile(store_t *store, const store_profile_t *profile, bool *out_is_new,
                           failure_t *error);

/* Commits if about a second has passed since the last commit. */
status_t store_tick(store_t *store, failure_t *error);

/* Commits now.  What was added before survives even a power failure. */
status_t store_flush(store_t *store, failure_t *error);

/* Runs one query read-only and hands each row to `row` as text (NULL for SQL NULL).  `names` are
 * the column names.  Opens the file read-only: a query can change nothing. */
typedef enum store_value_kind {
  STORE_NULL,
  STORE_INTEGER,
  STORE_REAL,
  STORE_TEXT
} store_value_kind_t;
typedef struct store_value {
  store_value_kind_t kind;
  const char *text; /* The value as text; NULL for STORE_NULL. */
  double real;      /* For STORE_INTEGER and STORE_REAL. */
  int64_t integer;  /* For STORE_INTEGER. */
} store_value_t;
typedef status_t (*store_row_t)(void *context, int column_count, const char *const *names,
                                const store_value_t *values, failure_t *error);
/* `row` is called once with values == NULL before the first row, for the header. */
status_t store_query(const char *path, const char *sql, store_row_t row, void *context,
                     failure_t *error);

#endif
