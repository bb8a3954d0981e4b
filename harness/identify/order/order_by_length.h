/* SPDX-License-Identifier: Apache-2.0 */
/* How an executor's way of adding depends on the number of terms: from one length on one rule, from
 * another length on another one. */
#ifndef ASSAY_IDENTIFY_ORDER_ORDER_BY_LENGTH_H
#define ASSAY_IDENTIFY_ORDER_ORDER_BY_LENGTH_H

#include "harness/identify/identify.h"

/* Sums of one shape, of any length. */
typedef struct length_source {
  /* The black box of that many terms, in the arena; the one before is closed. */
  status_t (*open)(void *context, size_t term_count, arena_t *arena, black_box_sum_t **out_sum,
                   failure_t *error);
  /* Whether the profile predicts all results of some random cases of the black box opened last: of
   * all result elements.  NULL: there is one element only. */
  status_t (*check)(void *context, const profile_t *profile, uint64_t seed, arena_t *arena,
                    bool *out_holds, failure_t *error);
  void *context;
  bool is_dear; /* Opening takes milliseconds: fewer lengths are checked. */
} length_source_t;

/* A range of lengths. */
typedef struct length_entry {
  size_t low;
  size_t high;
  char *text;     /* profile_print() of one length in the range; NULL: not identified. */
  char *rule;     /* sum_rule_print(); "" if none is known, and then low is high. */
  char *words;    /* In words; or why there is no profile. */
  size_t checked; /* Lengths at which random vectors have confirmed it. */
} length_entry_t;

typedef struct order_by_length {
  GPtrArray *entries; /* Of length_entry_t, ascending, without gaps. */
  size_t calls;       /* Of the black boxes. */
} order_by_length_t;

/* Identifies the lengths from low to high.  A rule is tried at 1000 lengths one after the other (40
 * if that is dear), then at ever larger steps, and at random lengths in between; where it ends is
 * found by bisection.
 * Where no rule is found for many lengths in a row, the rest is left alone and told so. */
status_t order_by_length_find(const length_source_t *source, size_t low, size_t high, uint64_t seed,
                              order_by_length_t *out_map, failure_t *error);
void order_by_length_free(order_by_length_t *map);

#endif
