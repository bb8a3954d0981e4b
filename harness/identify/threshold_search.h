/* SPDX-License-Identifier: Apache-2.0 */
/* Where the implementation of an executor changes as one axis of a program grows: the sizes are
 * doubled, and between two with other bits bisected.
 *
 * What is looked at are bits that one implementation gives at all sizes.  Of an axis of a batch, of
 * rows or of columns: those of its first entry.  Of an axis of terms: the results of a sum whose
 * terms beyond the first THRESHOLD_TERMS are zeros, which no order of summation notices but by the
 * way in which it adds the others.  So only sums, and what is made of sums, tell anything. */
#ifndef ASSAY_IDENTIFY_THRESHOLD_SEARCH_H
#define ASSAY_IDENTIFY_THRESHOLD_SEARCH_H

#include <signal.h>

#include "harness/exec/executor.h"
#include "harness/model/axes.h"

/* Terms that are not zero, and the smallest size of an axis of terms that is looked at; and, from
 * so many terms on, other data of which so many are not zero, since sums are cut into blocks. */
enum { THRESHOLD_TERMS = 64, THRESHOLD_LONG_TERMS = 1024 };

typedef struct threshold_search_options {
  executor_t *executor;              /* Borrowed. */
  const program_t *program;          /* Its other sizes stay; borrowed. */
  uint32_t axis;                     /* Of its axes, the one that grows ... */
  int64_t size_max;                  /* ... up to that. */
  uint64_t seed;                     /* Of the data. */
  const volatile sig_atomic_t *stop; /* Ends the search once nonzero, if not NULL. */
} threshold_search_options_t;

#define THRESHOLD_OUTCOMES(OUTCOME)                                                       \
  OUTCOME(found, "found")     /* All that there are between sizes that were looked at */  \
  OUTCOME(refused, "refused") /* Some size, or all */                                     \
  OUTCOME(failed, "failed")   /* Likewise */                                              \
  OUTCOME(unrepeatable, "not-repeatable")   /* Other bits when it is only run again */    \
  OUTCOME(throughout, "throughout")         /* Bits change with nearly every size */      \
  OUTCOME(not_comparable, "not-comparable") /* No order of summation shows in the bits */ \
  OUTCOME(stopped, "stopped")
typedef enum threshold_outcome {
#define OUTCOME(name, spelling) THRESHOLD_OUTCOME_##name,
  THRESHOLD_OUTCOMES(OUTCOME)
#undef OUTCOME
      THRESHOLD_OUTCOME_COUNT
} threshold_outcome_t;
const char *threshold_outcome_spelling(threshold_outcome_t outcome);

/* A size with other bits than the size before it that was looked at. */
typedef struct threshold {
  int64_t before; /* size - 1, unless sizes between the two have bits of their own. */
  int64_t size;
  double time_ratio;              /* Of one execution, the fastest of some, to that at `before`. */
  char implementation_before[64]; /* As the executor says, "" if it does not. */
  char implementation[64];
} threshold_t;

typedef struct threshold_search {
  threshold_outcome_t outcome;
  char reason[192];   /* What the executor said when it refused or failed. */
  int64_t size_seen;  /* The largest size that was looked at. */
  size_t evaluations; /* Sizes that were. */
  GArray *thresholds; /* threshold_t, by size; owned. */
} threshold_search_t;

threshold_search_t threshold_search_run(const threshold_search_options_t *options);
void threshold_search_deinit(threshold_search_t *search);

#endif
