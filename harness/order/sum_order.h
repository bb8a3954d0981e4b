/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of summation: one word for how a list of items is added, whatever its length.  Builtin
 * executors are called after them (model:lanes8), identification finds them, stored rules hold
 * them.
 *
 * The grammar, which sum_order_print() writes in full and sum_order_parse() reads:
 *
 */
/* clang-format off */
/*   sequential            ((x0 + x1) + x2) + ...
 *   reverse               x0 + (x1 + (x2 + ...))
 *   swapped               the second of each pair first: ((x1 + x0) + x3) + x2 ...
 *   halves                halves of halves, the first one larger or equal; also read: pairwise
 *   halves-low            the same, the second one larger or equal
 *   power                 the same, the first part the largest power of two below n
 *   folded                x0 + xh, x1 + xh+1, ... with h = n / 2, and so on; n is a power of two
 *   interleaved           the even and the odd items are each added so, then these two sums: it is
 *                         folded, for any n
 *   waysW                 nodes that add W items to the sum at a time, and round once
 *   lanesW(A,B)           item i goes to lane i mod W; lanes are added by A, their sums by B
 *   lanesW-first(A,B)     likewise, where the items beyond the last whole W end the first lane
 *   lanesW-front(A,B)     likewise, where the first n mod W items begin the first lane
 *   lanesW-beside(A,B,C)  likewise, where the items beyond the last whole W are added by C, and
 *                         their sum to the first lane
 *   blocksW(A,B)          item i goes to block i / W: the last block may be shorter; blocks are
 *                         added by A, their sums by B
 *   blocksW-first(A,B)    likewise, where the first block is the shorter one
 *   paddedW(A,B)          likewise, where the blocks at both ends are shorter, by half of what is
 *                         missing each; one block is not joined
 *   tailW(A)              the first floor(n / W) * W items by A, then the others one by one
 *   tailW(A,C)            likewise, where the others are added by C, and then their sum
 *   random                a random tree over the items in their order
 *   shuffled              a random tree over the items in a random order
 *
 * lanesW is short for lanesW(sequential,halves), and blockedW for blocksW(sequential,sequential).
 * Where there are fewer than W items, lanesW has so many lanes; -first, -front and tailW(A) are
 * then sequential, -beside and tailW(A,C) are C. */
/* clang-format on */
#ifndef ASSAY_ORDER_SUM_ORDER_H
#define ASSAY_ORDER_SUM_ORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

/* The simpler ones first. */
typedef enum sum_order_kind {
  SUM_SEQUENTIAL,
  SUM_REVERSE,
  SUM_SWAPPED,
  SUM_HALVES,
  SUM_POWER,
  SUM_FOLDED,
  SUM_HALVES_LOW,
  SUM_INTERLEAVED,
  SUM_WAYS,
  SUM_BLOCKS,
  SUM_LANES,
  SUM_LANES_FIRST,
  SUM_LANES_FRONT,
  SUM_LANES_BESIDE,
  SUM_BLOCKS_FIRST,
  SUM_PADDED,
  SUM_TAIL,
  SUM_RANDOM,
  SUM_SHUFFLED,
  SUM_ORDER_KINDS
} sum_order_kind_t;

enum { SUM_ORDER_WIDTH_MAX = 1 << 20 };

typedef struct sum_order {
  sum_order_kind_t kind;
  uint32_t width;                /* W, 1 at least, of the kinds that have one. */
  const struct sum_order *inner; /* A; NULL: sequential. */
  const struct sum_order *join;  /* B; NULL: halves for lanes, sequential for blocks. */
  const struct sum_order *rest;  /* C; NULL: none in tailW(A), else sequential. */
} sum_order_t;

/* A, B and C, with what stands for NULL; C of a tail may still be NULL. */
const sum_order_t *sum_order_inner(const sum_order_t *order);
const sum_order_t *sum_order_join(const sum_order_t *order);
const sum_order_t *sum_order_rest(const sum_order_t *order);

/* Whether items fall into groups: lanes, or blocks. */
bool sum_order_is_lanes(sum_order_kind_t kind);
bool sum_order_is_blocks(sum_order_kind_t kind);

/* Whether some part of it is of that kind. */
bool sum_order_has(const sum_order_t *order, sum_order_kind_t kind);

/* Whether the first is simpler: it has fewer parts, or as many of simpler kinds, or smaller widths.
 */
bool sum_order_is_simpler(const sum_order_t *a, const sum_order_t *b);

/* ---- As text --------------------------------------------------------------------------------- */

void sum_order_print(const sum_order_t *order, GString *out_text);

/* Takes one order; parts of it are in the arena.  STATUS_INVALID, with the column. */
status_t sum_order_parse(scan_t *scan, arena_t *arena, sum_order_t *out_order, failure_t *error);

/* "16 lanes, folded in halves at the end". */
void sum_order_words(const sum_order_t *order, GString *out_text);

/* How items are joined, in the words of sum_order_words(); of kinds without width. */
const char *sum_order_join_words(sum_order_kind_t kind);

/* ---- As a tree ------------------------------------------------------------------------------- */

enum { SUM_NO_ITEM = UINT32_MAX };

/* What makes the nodes of a tree. */
typedef struct sum_builder {
  /* Adds two items or more, of which the first is the sum so far; returns the id of their sum. */
  uint32_t (*add)(void *context, const uint32_t *items, uint32_t count);
  /* The id of a sum that begins with one item; NULL: the item's. */
  uint32_t (*begin)(void *context, uint32_t item);
  void *context;
  uint32_t front; /* An item that every group, and every list of groups, begins with too, or
                   * SUM_NO_ITEM. */
  rng_t *rng;     /* Of random orders; NULL: they have no tree. */
} sum_builder_t;

/* Adds `count` items, one at least, in that order.  False if the order has no tree for so many. */
bool sum_order_build(const sum_order_t *order, const sum_builder_t *builder, const uint32_t *items,
                     uint32_t count, uint32_t *out_sum);

#endif
