/* SPDX-License-Identifier: Apache-2.0 */
/* The leaves of a sum, equal ones together, and its parts: so many leaves of each kind.  Which of
 * some equal leaves are in a part makes no difference to its sums. */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_LEAVES_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_LEAVES_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "oracles/exact/any_order/real.h"
#include "oracles/exact/any_order/terms.h"

enum {
  LEAF_KINDS_MAX = 12,
  LEAF_PARTS_MAX = 2048, /* A byte for each leaf, 2^11 for kinds that are all single. */
};

typedef struct leaf_kind {
  real_t value;      /* Exact, also of products. */
  size_t count;      /* Leaves that are equal. */
  size_t stride;     /* Of this kind's count in the number of a part. */
  size_t first_term; /* One of them; the number of terms for the initial value. */
} leaf_kind_t;

/* Zeros are left out: adding them rounds nothing (theory.md, A5). */
typedef struct leaves {
  size_t kind_count;
  leaf_kind_t kinds[LEAF_KINDS_MAX];
  size_t
      part_count; /* Parts are numbered from 0, the empty one, to part_count - 1, which is all. */
} leaves_t;

/* False if there are too many parts, a leaf is NaN, or sums are too large or products too
 * small for exact arithmetic on pairs of binary64 numbers. */
bool leaves_make(const few_terms_t *sum, leaves_t *out_leaves);

/* Sets strides and the number of parts from the counts of all kinds; false if there are too many
 * parts. */
bool leaves_number_parts(leaves_t *leaves);

/* A walk over the ways to split a part in two that are not empty, either order once. */
typedef struct leaf_split {
  const leaves_t *leaves;
  size_t whole;
  size_t part;                    /* One of both, ... */
  size_t rest;                    /* ... and the other, whose number is not smaller. */
  uint8_t counts[LEAF_KINDS_MAX]; /* Of `whole`. */
  uint8_t taken[LEAF_KINDS_MAX];  /* Of `part`. */
} leaf_split_t;

leaf_split_t leaf_split_begin(const leaves_t *leaves, size_t whole);

/* The next way; false if that was the last. */
bool leaf_split_next(leaf_split_t *split);

/* The kind of the only leaf of a part; NULL if there are more. */
const leaf_kind_t *leaves_single(const leaves_t *leaves, size_t part);

#endif
