/* What has happened since the last commit, summed up in memory: the write lock is then held for
 * milliseconds, and a case that is like the last one costs a hash lookup. */
#ifndef ASSAY_STORE_STORE_PENDING_H
#define ASSAY_STORE_STORE_PENDING_H

#include "harness/store/store.h"

/* The sightings of one finding by one run, and which of their cases to keep. */
typedef struct pending_divergence {
  uint64_t sightings;
  int64_t run_id;
  int64_t first_seen; /* Seconds since 1970, UTC. */
  int64_t last_seen;
  store_divergence_t first; /* Owned copies. */
  store_divergence_t worst;
  store_divergence_t shortest;
} pending_divergence_t;

typedef struct pending {
  GHashTable *counters;     /* Key text -> store_counter_t, owned. */
  GHashTable *pairs;        /* Key text -> store_pair_t, owned. */
  GHashTable *observations; /* Key text -> store_observation_t, owned. */
  GPtrArray *divergences;   /* pending_divergence_t, owned, in order of their first sighting. */
  GHashTable *findings;     /* Key text -> entry of `divergences`. */
  GPtrArray *shrunk;        /* store_divergence_t, owned. */
  GHashTable *histograms;   /* Key text -> store_histogram_t, owned. */
  GHashTable *constraints;  /* Key text -> store_constraint_t, owned. */
  GHashTable *times;        /* Run id -> store_run_times_t, owned. */
  GString *key;             /* Scratch, to look up without allocating. */
} pending_t;

void pending_init(pending_t *pending);
void pending_deinit(pending_t *pending);

/* Forgets everything; it has been written. */
void pending_clear(pending_t *pending);
bool pending_is_empty(const pending_t *pending);

void pending_count(pending_t *pending, const store_counter_t *counter);

void pending_add_pair(pending_t *pending, const store_pair_t *pair);

void pending_add_observation(pending_t *pending, const store_observation_t *observation);

void pending_add_divergence(pending_t *pending, const store_divergence_t *divergence, int64_t now);

void pending_add_shrunk(pending_t *pending, const store_divergence_t *divergence);

void pending_add_histogram(pending_t *pending, const store_histogram_t *histogram);

void pending_count_constraint(pending_t *pending, const store_constraint_t *constraint);

void pending_set_run_times(pending_t *pending, int64_t run_id, const store_run_times_t *times);

/* Whether `a` is a worse case than `b`: by slack, then by ulp error; what is not measured (NaN) is
 * least.  The SQL that merges with the database orders in the same way. */
bool pending_is_worse(const store_divergence_t *a, const store_divergence_t *b);

#endif
