/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that select one of their two tuples as a whole: which terms may come out (theory.md,
 * T137).
 */
#include <string.h>

#include "oracles/ops/reduce/written/trees.h"

/* Whether each node of these two, whichever stands left, has the value of the first for sure. */
static bool beats(written_problem_t *problem, const written_tuple_t *winner,
                  const written_tuple_t *other) {
  arena_mark_t mark = arena_mark(problem->arena);
  bool does = true;
  for (int side = 0; side < 2 && does; side++) {
    written_tuple_t tuples[WRITTEN_PATHS_MAX];
    size_t count = written_evaluate(problem, side == 0 ? winner : other, side == 0 ? other : winner,
                                    false, tuples);
    for (size_t i = 0; i < count; i++) {
      does = does && written_tuple_contains(problem, winner, &tuples[i]);
    }
  }
  arena_rewind(problem->arena, mark);
  return does;
}

/* The one that a plain order would give: a guess. */
static size_t find_champion(written_problem_t *problem, const written_leaves_t *leaves) {
  size_t champion = 0;
  for (size_t i = 1; i < leaves->count; i++) {
    if (!beats(problem, &leaves->terms[champion], &leaves->terms[i])) {
      if (beats(problem, &leaves->terms[i], &leaves->terms[champion])) champion = i;
    }
  }
  return champion;
}

static int compare_places(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

typedef struct search {
  written_problem_t *problem;
  const written_leaves_t *leaves;
  bool *is_unbeaten; /* By term. */
  size_t *unbeaten;
  size_t count;
} search_t;

/* Adds the terms that this one does not beat for sure; false if these are too many. */
static bool add_rivals(search_t *search, const written_tuple_t *winner) {
  for (size_t i = 0; i < search->leaves->count; i++) {
    if (search->is_unbeaten[i] || beats(search->problem, winner, &search->leaves->terms[i])) {
      continue;
    }
    if (search->count == WRITTEN_UNBEATEN_MAX) return false;
    search->is_unbeaten[i] = true;
    search->unbeaten[search->count++] = i;
  }
  return true;
}

size_t written_find_unbeaten(written_problem_t *problem, const written_leaves_t *leaves,
                             size_t out_unbeaten[WRITTEN_UNBEATEN_MAX], bool *out_init_stays) {
  search_t search = {.problem = problem,
                     .leaves = leaves,
                     .is_unbeaten = arena_alloc_zeroed(problem->arena, leaves->count),
                     .unbeaten = out_unbeaten,
                     .count = 1};
  *out_init_stays = false;
  out_unbeaten[0] = find_champion(problem, leaves);
  search.is_unbeaten[out_unbeaten[0]] = true;
  for (size_t asked = 0; asked < search.count; asked++) {
    const written_tuple_t *winner = &leaves->terms[out_unbeaten[asked]];
    if (!add_rivals(&search, winner)) return WRITTEN_UNBEATEN_MAX + 1;
    if (leaves->is_init_absent || *out_init_stays || beats(problem, winner, &leaves->init)) {
      continue;
    }
    *out_init_stays = true; /* It is one of them, and has to beat what is left out. */
    if (!add_rivals(&search, &leaves->init)) return WRITTEN_UNBEATEN_MAX + 1;
  }
  qsort(out_unbeaten, search.count, sizeof out_unbeaten[0], compare_places);
  return search.count;
}
