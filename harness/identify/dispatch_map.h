/* How an executor's way of adding depends on the number of terms: from one length on one rule, from
 * another length on another one. */
#ifndef ASSAY_IDENTIFY_DISPATCH_MAP_H
#define ASSAY_IDENTIFY_DISPATCH_MAP_H

#include "harness/identify/identify.h"

/* Sums of one shape, of any length. */
typedef struct dispatch_source {
  /* The summer of that many terms, in the arena; the one before is closed. */
  status_t (*open)(void *context, size_t term_count, arena_t *arena, summer_t **out_summer,
                   failure_t *error);
  /* Whether the profile predicts all results of some random cases of the summer opened last: of
   * all result elements.  NULL: there is one element only. */
  status_t (*check)(void *context, const profile_t *profile, uint64_t seed, arena_t *arena,
                    bool *out_holds, failure_t *error);
  void *context;
  bool is_dear; /* Opening takes milliseconds: fewer lengths are checked. */
} dispatch_source_t;

/* A range of lengths. */
typedef struct dispatch_entry {
  size_t low;
  size_t high;
  char *text;     /* profile_print() of one length in the range; NULL: not identified. */
  char *rule;     /* profile_rule_print(); "" if none is known, and then low is high. */
  char *words;    /* In words; or why there is no profile. */
  size_t checked; /* Lengths at which random vectors have confirmed it. */
} dispatch_entry_t;

typedef struct dispatch_map {
  GPtrArray *entries; /* Of dispatch_entry_t, ascending, without gaps. */
  size_t calls;       /* Of the summers. */
} dispatch_map_t;

/* Identifies the lengths from low to high.  A rule is tried at 1000 lengths one after the other (40
 * if that is dear), then at ever larger steps, and at random lengths in between; where it ends is
 * found by bisection.
 * Where no rule is found for many lengths in a row, the rest is left alone and told so. */
status_t dispatch_map_find(const dispatch_source_t *source, size_t low, size_t high, uint64_t seed,
                           dispatch_map_t *out_map, failure_t *error);
void dispatch_map_free(dispatch_map_t *map);

#endif
