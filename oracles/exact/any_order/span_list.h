/* SPDX-License-Identifier: Apache-2.0 */
/* A set of real numbers under construction: disjoint intervals in ascending order, most of them
 * single numbers, and whether sums overflowed. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_SPAN_LIST_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_SPAN_LIST_H

#include <stddef.h>

#include "harness/base/arena.h"
#include "oracles/exact/any_order/real.h"

/* What a number beyond the largest became, where that is no number. */
enum { OVERFLOWS_UP = 1, OVERFLOWS_DOWN = 2, OVERFLOWS_BOTH = 4 };

typedef struct span_list {
  span_t *spans;
  size_t count;
  size_t limit;       /* Of intervals when all have been added. */
  size_t room;        /* Of intervals meanwhile. */
  bool merges;        /* If there are more, those that lie closest become one; else ... */
  bool is_full;       /* ... this is set, and numbers are missing. */
  unsigned overflows; /* OVERFLOWS_ of nodes, beside the intervals. */
} span_list_t;

/* An empty list; its memory is the arena's. */
span_list_t span_list_make(size_t limit, bool merges, arena_t *arena);
void span_list_clear(span_list_t *list);

void span_list_add(span_list_t *list, span_t span);

/* Merges intervals until there are no more than the limit. */
void span_list_settle(span_list_t *list);

bool span_list_has(const span_t *spans, size_t count, real_t value);

#endif
