/* SPDX-License-Identifier: Apache-2.0 */
/* Judges one row of a top-k result: sorts the row by an order (cached), lets picks that match the
 * ranking claim their elements first, then lets equal elements fill what room is left. */
#include "oracles/ops/byteir_positions/row.h"

#include <stdlib.h>

/* ---- Ranking --------------------------------------------------------------------------------- */

typedef struct candidate {
  const pick_order_t *order;
  uint64_t bits;
  size_t place;
} candidate_t;

static int compare_candidates(const void *a, const void *b) {
  const candidate_t *left = a, *right = b;
  int difference = pick_order_compare(left->order, left->bits, right->bits);
  return difference != 0 ? difference : (left->place > right->place) - (left->place < right->place);
}

static const pick_ranking_t *make_ranking(pick_row_t *row, const pick_order_t *order) {
  candidate_t *candidates = ARENA_NEW_ARRAY(row->arena, candidate_t, row->size);
  size_t *places = ARENA_NEW_ARRAY(row->arena, size_t, row->size);
  size_t *ranks = ARENA_NEW_ARRAY(row->arena, size_t, row->size);
  pick_ranking_t *ranking = ARENA_NEW_ARRAY(row->arena, pick_ranking_t, 1);
  *ranking = (pick_ranking_t){row->rankings, *order, places, ranks};
  for (size_t i = 0; i < row->size; i++) {
    candidates[i] = (candidate_t){order, row->patterns[i], i};
  }
  qsort(candidates, row->size, sizeof *candidates, compare_candidates);
  for (size_t i = 0; i < row->size; i++) {
    places[i] = candidates[i].place;
    ranks[places[i]] = i;
  }
  row->rankings = ranking;
  return ranking;
}

static bool is_same_order(const pick_order_t *a, const pick_order_t *b) {
  return a->nan == b->nan && a->orders_zeros == b->orders_zeros && a->flushes == b->flushes;
}

const pick_ranking_t *pick_row_rank(pick_row_t *row, const pick_order_t *order) {
  for (const pick_ranking_t *ranking = row->rankings; ranking != NULL; ranking = ranking->next) {
    if (is_same_order(&ranking->order, order)) return ranking;
  }
  return make_ranking(row, order);
}

/* ---- Judging --------------------------------------------------------------------------------- */

bool pick_row_has_value(const pick_row_t *row, const contract_t *contract, size_t i, size_t place) {
  return pick_value_matches(row->element, contract, row->patterns[place], row->values[i]);
}

/* What the picks so far have used up. */
typedef struct claims {
  bool *is_claimed;    /* By place. */
  size_t room_at_last; /* For elements that are equal to the one of rank k - 1. */
} claims_t;

static bool is_equal(const pick_row_t *row, const pick_ranking_t *ranking, size_t place,
                     size_t rank) {
  uint64_t other = row->patterns[ranking->places[rank]];
  return pick_order_compare(&ranking->order, row->patterns[place], other) == 0;
}

static claims_t claims_make(const pick_row_t *row, const pick_ranking_t *ranking, arena_t *arena) {
  claims_t claims = {.is_claimed = arena_alloc_zeroed(arena, row->size)};
  for (size_t rank = row->k; rank-- > 0;) {
    if (!is_equal(row, ranking, ranking->places[rank], row->k - 1)) break;
    claims.room_at_last++;
  }
  return claims;
}

/* Whether the element at `place` may be pick `i` beside the others that have claimed theirs. */
static bool may_be_pick(const pick_row_t *row, const pick_ranking_t *ranking,
                        const claims_t *claims, bool is_stable, size_t i, size_t place) {
  if (claims->is_claimed[place]) return false;
  if (is_stable)
    return row->is_sorted ? ranking->ranks[place] == i : ranking->ranks[place] < row->k;
  if (row->is_sorted) return is_equal(row, ranking, place, i);
  if (is_equal(row, ranking, place, row->k - 1)) return claims->room_at_last > 0;
  return ranking->ranks[place] < row->k;
}

bool pick_row_judge(const pick_row_t *row, const contract_t *contract,
                    const pick_ranking_t *ranking, bool is_stable, arena_t *scratch,
                    bool *out_conforms) {
  claims_t claims = claims_make(row, ranking, scratch);
  bool conform = true;
  for (int pass = 0; pass < 2; pass++) { /* First choices claim first. */
    for (size_t i = 0; i < row->k; i++) {
      size_t place = row->places[i];
      bool belongs = place < row->size && pick_row_has_value(row, contract, i, place);
      bool is_first_choice = belongs && place == ranking->places[i];
      if (is_first_choice != (pass == 0)) continue;
      out_conforms[i] = belongs && may_be_pick(row, ranking, &claims, is_stable, i, place);
      conform = conform && out_conforms[i];
      if (!out_conforms[i]) continue;
      claims.is_claimed[place] = true;
      if (is_equal(row, ranking, place, row->k - 1)) claims.room_at_last--;
    }
  }
  return conform;
}
