/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be written with the next commit, so that the write lock is held for milliseconds.
 * Counts come as they are to be added: who counts sums up, and the database adds. */
#ifndef ASSAY_STORE_PENDING_H
#define ASSAY_STORE_PENDING_H

#include <glib.h>

#include "harness/store/rows/row.h"

/* The sightings of one finding by one run, and which of their cases to keep. */
typedef struct pending_divergence {
  uint64_t sightings;
  int64_t first_seen; /* Seconds since 1970, UTC. */
  int64_t last_seen;
  store_divergence_t *first; /* Owned copies. */
  store_divergence_t *worst;
  store_divergence_t *shortest;
  store_divergence_t *gravest;
} pending_divergence_t;

typedef struct pending_row {
  row_kind_t kind; /* ROW_divergence: a finding's case made small. */
  void *row;       /* Owned. */
} pending_row_t;

typedef struct pending {
  GPtrArray *divergences; /* pending_divergence_t, owned, in order of their first sighting. */
  GHashTable *findings;   /* Key text -> entry of `divergences`. */
  GArray *rows;           /* pending_row_t: what is written after them, in that order. */
} pending_t;

void pending_init(pending_t *pending);
void pending_deinit(pending_t *pending);

/* Forgets everything; it has been written. */
void pending_clear(pending_t *pending);
bool pending_is_empty(const pending_t *pending);

/* Copies the row. */
void pending_add(pending_t *pending, row_kind_t kind, const void *row);

/* The row with its severity, which severity_of() tells. */
store_divergence_t pending_graded(const store_divergence_t *divergence);

/* Counts a sighting, whose severity it tells. */
void pending_add_divergence(pending_t *pending, const store_divergence_t *divergence, int64_t now);

#endif
