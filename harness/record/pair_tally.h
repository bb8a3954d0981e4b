/* SPDX-License-Identifier: Apache-2.0 */
/* Who disagrees with whom: cases that two executors both answered with results, counted by what
 * their bits and the oracle say.  The blame is the oracle's, never a majority's. */
#ifndef ASSAY_RECORD_PAIR_TALLY_H
#define ASSAY_RECORD_PAIR_TALLY_H

#include "harness/record/tally.h"
#include "harness/run/result_digest.h"

typedef enum pair_relation {
  PAIR_ALIKE,       /* The same bits, not wrong. */
  PAIR_ALIKE_WRONG, /* The same bits, outside the accept sets. */
  /* From here on the bits differ. */
  PAIR_BOTH_CONFORM,
  PAIR_FIRST_DIVERGES, /* Only the first. */
  PAIR_SECOND_DIVERGES,
  PAIR_BOTH_DIVERGE,
  PAIR_UNDECIDED, /* None is known to diverge, and one is weak or has no oracle. */
  PAIR_RELATION_COUNT
} pair_relation_t;

typedef struct pair_row {
  size_t first; /* Indices among the session's executors; first < second. */
  size_t second;
  tally_label_t label;
  uint64_t cases[PAIR_RELATION_COUNT];
  uint64_t stored[PAIR_RELATION_COUNT]; /* Of these, how many the store knows of. */
} pair_row_t;

/* Both over all relations of a row: cases that both answered, and with different bits. */
uint64_t pair_cases(const uint64_t *cases);
uint64_t pair_different(const uint64_t *cases);

typedef struct pair_tally pair_tally_t;

pair_tally_t *pair_tally_new(void);
void pair_tally_free(pair_tally_t *pairs);

/* Counts one case for every two of the `count` executors that have results.  The label is a
 * tally's, which must live as long. */
void pair_tally_add(pair_tally_t *pairs, const tally_label_t *label,
                    const result_digest_t *responses, size_t count);

/* All rows, in order of first appearance. */
size_t pair_tally_count(const pair_tally_t *pairs);
pair_row_t *pair_tally_at(pair_tally_t *pairs, size_t index);

#endif
