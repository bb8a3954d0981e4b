/* SPDX-License-Identifier: Apache-2.0 */
/* One row of a top_k and what an implementation picked from it, judged by one order of elements. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ROW_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ROW_H

#include "oracles/ops/byteir_positions/order.h"
#include "oracles/oracle.h"

/* The elements of the row in an order, equal ones by their indices. */
typedef struct pick_ranking {
  const struct pick_ranking *next; /* Of the same row, by another order. */
  pick_order_t order;
  const size_t *places; /* Element places[i] has rank i ... */
  const size_t *ranks;  /* ... and element i rank ranks[i]. */
} pick_ranking_t;

/* The row, with its rankings so far; it lives in an arena, as all that it points to. */
typedef struct pick_row {
  arena_t *arena;
  const element_t *element;
  size_t size;
  const uint64_t *patterns; /* The elements. */
  const pick_ranking_t *rankings;
  bool is_sorted; /* Picks are in descending order. */
  size_t k;       /* At least 1, at most the size. */
  uint64_t *values;
  size_t *places; /* Pick i is values[i] with index places[i], which is `size` if it is no index. */
} pick_row_t;

/* The ranking by an order, made when it is first asked for. */
const pick_ranking_t *pick_row_rank(pick_row_t *row, const pick_order_t *order);

/* Whether pick `i` has the value of the element at `place`. */
bool pick_row_has_value(const pick_row_t *row, const contract_t *contract, size_t i, size_t place);

/* Whether the ranking explains all picks; which of them it does is told in out_conforms, k of them.
 * If `is_stable`, of equal elements those with lower indices are to be picked, and come first if
 * sorted.  Picks that are the first choice conform whatever the others are. */
bool pick_row_judge(const pick_row_t *row, const contract_t *contract,
                    const pick_ranking_t *ranking, bool is_stable, arena_t *scratch,
                    bool *out_conforms);

#endif
