/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of all parts of the leaves, part by part: theory.md, T27 and T29. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_PART_SETS_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_PART_SETS_H

#include "oracles/exact/any_order/leaves.h"
#include "oracles/exact/any_order/node.h"

enum { PART_PLAIN_SPANS_MAX = 256 };

typedef struct part_limits {
  bool may_widen; /* Wider nodes are among those that are tried. */
  bool merges;    /* Intervals may be merged: then sets may be too large, else never. */
  size_t spans;   /* Intervals of one set. */
} part_limits_t;

typedef struct part_set {
  const span_t *spans; /* Ascending and disjoint. */
  size_t count;
  unsigned overflows; /* OVERFLOWS_ of some trees; with both, NaN of infinities. */
} part_set_t;

typedef struct part_sets {
  part_set_t *sets; /* By the numbers of parts; the first, of no leaves, is empty. */
  bool is_complete; /* False if a limit was met. */
} part_sets_t;

/* In the arena.  An incomplete one has no sets that mean anything. */
part_sets_t part_sets_make(const few_terms_t *sum, const leaves_t *leaves,
                           const part_limits_t *limits, arena_t *arena);

#endif
