/* The database: one SQLite file that any reader can open.  Schema: schema.sql, column by column.
 *
 * Counts and divergences are gathered in memory and written in one short transaction about once a
 * second (store_tick()), at the end of a run and on store_close(): a kill -9 loses at most what
 * came since, and leaves a database that opens.  Several processes may write one database at a
 * time: none holds the lock for longer than it writes.  Databases of other processes and machines
 * are added with store_merge() (store_merge.h).  Times never go back within a database: where the
 * clock has been set back, what happens is recorded as happening at the latest time there is. */
#ifndef ASSAY_STORE_STORE_H
#define ASSAY_STORE_STORE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"

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

typedef struct store_run {
  const char *command; /* The command line. */
  uint64_t seed;
  const char *contract; /* contract_print(). */
  const char *assay_version;
  const char *campaign; /* What it belongs to; NULL or "" if it stands alone. */
  const char *part_of;  /* The uuid of the run that started it and will absorb it, NULL or "". */
} store_run_t;

/* Adds a run and its contract; *out_run_id names it. */
status_t store_begin_run(store_t *store, const store_run_t *run, int64_t *out_run_id,
                         failure_t *error);

/* Where the time of a run went so far, in seconds; the last four are parts of the first. */
typedef struct store_run_times {
  double seconds;
  double oracle;
  double compile;
  double executor;
  double judge;
} store_run_times_t;

/* Replaces what the store knows of the times of a run; written with the next commit. */
status_t store_set_run_times(store_t *store, int64_t run_id, const store_run_times_t *times,
                             failure_t *error);

/* Marks the run as ended with an exit code. */
status_t store_end_run(store_t *store, int64_t run_id, int exit_code, failure_t *error);

typedef struct store_executor {
  const char *name; /* As on the command line. */
  const char *version;
  const char *hardware;
} store_executor_t;

/* Finds or adds an executor with this name, version and hardware. */
status_t store_add_executor(store_t *store, const store_executor_t *executor,
                            int64_t *out_executor_id, failure_t *error);

/* A count of cases by op, algorithm, types, executor and verdict, with extremes.  Added to what is
 * there for the run. */
typedef struct store_counter {
  int64_t run_id;
  int64_t executor_id;
  const char *op;
  const char *algorithm;
  const char *types;
  const char *outcome;        /* outcome_spelling() */
  const char *class_;         /* class_spelling(), "" if none */
  const char *implementation; /* As the executor says, "" if it does not. */
  uint64_t cases;
  double ulp_error_max;
  double slack_max;
  double backward_error_max;
} store_counter_t;
status_t store_count(store_t *store, const store_counter_t *counter, failure_t *error);

/* Cases that two executors of a run both answered with results, by op, algorithm and types.  Added
 * to what is there for the run.  `cases` is all of them; `different` is the sum of the five below
 * it. */
typedef struct store_pair {
  int64_t run_id;
  int64_t first_executor_id;
  int64_t second_executor_id;
  const char *op;
  const char *algorithm;
  const char *types;
  uint64_t cases;
  uint64_t alike_wrong; /* The same bits, and the oracle blames both. */
  uint64_t different;   /* Not the same bits; all NaN patterns of a float count as the same. */
  uint64_t both_conform;
  uint64_t first_diverges; /* Only the first. */
  uint64_t second_diverges;
  uint64_t both_diverge;
  uint64_t undecided; /* The oracle blames neither, and does not vouch for both. */
} store_pair_t;
status_t store_add_pair(store_t *store, const store_pair_t *pair, failure_t *error);

/* Cases by the algorithm that was asked for and the algorithms that could have given the results,
 * or by the formula that could; the columns of `observation` in migrations/0003_observations.sql
 * and 0004_formulas.sql.  Added to what is there for the run. */
typedef struct store_observation {
  int64_t run_id;
  int64_t executor_id;
  const char *op;
  const char *algorithm; /* Asked for. */
  const char *types;
  const char *observed; /* "A|B"; "" if none could. */
  const char *kind;     /* Of `observed`: "algorithm", "formula". */
  uint64_t cases;
} store_observation_t;
status_t store_add_observation(store_t *store, const store_observation_t *observation,
                               failure_t *error);

/* One divergence: added, or counted if its signature is known for this executor; the worst case (by
 * slack, then ulp error) and the shortest case line are kept. */
typedef struct store_divergence {
  int64_t run_id;
  int64_t executor_id;
  const char *signature;
  const char *op;
  const char *algorithm;
  const char *types;
  const char *outcome;
  const char *class_;
  const char *constraint; /* "C7" for invalid-accepted, else "". */
  const char *regime;     /* Of the generator, or "". */
  const char *implementation;
  const char *program_line;
  const char *case_line;
  uint64_t case_seed;
  uint64_t result; /* Worst element. */
  uint64_t component;
  uint64_t wrong_count;
  uint64_t component_count;
  const char *got_bits; /* Hex. */
  const char *got;
  const char *expected;
  const char *observed;
  const char *reason;
  double ulp_error;
  double slack;
  double backward_error;
  const char *cause; /* What explains the wrong elements, "" or NULL if nothing is known ... */
  const char *cause_words; /* ... and in a sentence that names its index. */
  const char *pattern;     /* Which elements are wrong. */
} store_divergence_t;
/* *out_is_new tells whether the signature is new to this executor in this database. */
status_t store_add_divergence(store_t *store, const store_divergence_t *divergence,
                              bool *out_is_new, failure_t *error);

/* Offers a case of a finding that is in the database or pending, as small as it stays wrong in the
 * same way: the reproducer with the role "shrunk", if its line is shorter than the one there. */
status_t store_add_shrunk(store_t *store, const store_divergence_t *divergence, failure_t *error);

/* Cases by their largest error; the columns of `histogram` in migrations/0005_campaigns.sql.  Added
 * to what is there for the run. */
typedef struct store_histogram {
  int64_t run_id;
  int64_t executor_id;
  const char *op;
  const char *algorithm;
  const char *types;
  const char *outcome;
  const char *measure; /* "ulp", "slack". */
  int bucket;
  double low;
  double high;
  uint64_t cases;
} store_histogram_t;
status_t store_add_histogram(store_t *store, const store_histogram_t *histogram, failure_t *error);

/* Cases whose program breaks a constraint on purpose.  Added to what is there for the run. */
typedef struct store_constraint {
  int64_t run_id;
  int64_t executor_id;
  const char *op;
  const char *constraint; /* "C7" */
  const char *outcome;
  uint64_t cases;
} store_constraint_t;
status_t store_count_constraint(store_t *store, const store_constraint_t *constraint,
                                failure_t *error);

/* A constraint of an op, and what it says.  Written at once, unless it is known. */
typedef struct store_constraint_text {
  const char *op;
  const char *constraint;
  const char *text;
} store_constraint_text_t;
status_t store_describe_constraints(store_t *store, const store_constraint_text_t *texts,
                                    size_t count, failure_t *error);

/* How an executor forms the sums of one shape, over a range of their lengths; the columns of
 * `profile` in migrations/0002_profiles.sql. */
typedef struct store_profile {
  int64_t executor_id;
  const char *op;
  const char *algorithm;
  const char *types;
  const char *shape;
  uint64_t terms_low;
  uint64_t terms_high;
  const char *program_line; /* That it was found with. */
  const char *text;
  const char *rule; /* "" if the profile holds for one length alone. */
  const char *words;
} store_profile_t;

/* Written at once.  *out_is_new: this executor has not been seen to add so before. */
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
