/* What has happened since the last commit, summed up in memory: the write lock is then held for
 * milliseconds, and a case that is like the last one costs a hash lookup. */
#ifndef ASSAY_STORE_STORE_PENDING_H
#define ASSAY_STORE_STORE_PENDING_H

#include "harness/store/store.h"

/* The sightings of one finding, and which of their cases to keep. */
typedef struct pending_divergence {
  uint64_t sightings;
  int64_t first_run_id;
  int64_t last_run_id;
  int64_t first_seen; /* Seconds since 1970, UTC. */
  int64_t last_seen;
  store_divergence_t worst; /* Owned copies. */
  store_divergence_t shortest;
} pending_divergence_t;

typedef struct pending {
  GHashTable *counters;     /* Key text -> store_counter_t, owned. */
  GHashTable *pairs;        /* Key text -> store_pair_t, owned. */
  GHashTable *observations; /* Key text -> store_observation_t, owned. */
  GPtrArray *divergences;   /* pending_divergence_t, owned, in order of their first sighting. */
  GHashTable *findings;     /* Key text -> entry of `divergences`. */
  GString *key;             /* Scratch, to look up without allocating. */
} pending_t;

void pending_init(pending_t *pending);
void pending_deinit(pending_t *pending);

/* Forgets everything; it has been written. */
void pending_clear(pending_t *pending);

void pending_count(pending_t *pending, const store_counter_t *counter);

void pending_add_pair(pending_t *pending, const store_pair_t *pair);

void pending_add_observation(pending_t *pending, const store_observation_t *observation);

void pending_add_divergence(pending_t *pending, const store_divergence_t *divergence, int64_t now);

/* Whether `a` is a worse case than `b`: by slack, then by ulp error; what is not measured (NaN) is
 * least.  The SQL that merges with the database orders in the same way. */
bool pending_is_worse(const store_divergence_t *a, const store_divergence_t *b);

#endif
