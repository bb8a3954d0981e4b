/* SPDX-License-Identifier: Apache-2.0 */
/* All trees of few terms by a written body (theory.md, T138): for each set of terms what its trees
 * give, from what those of two parts of it give, and closed under initial values. */
#include <math.h>

#include "oracles/ops/reduce/written/trees.h"

/* Of a set of terms by how often the initial value has entered: any number of times, or once. */
enum { LEVELS_MAX = 2, TERMS_MAX = 5, SUBSETS_MAX = 1 << TERMS_MAX };

/* How often the body is run for one answer, and how often sets grow under initial values before
 * their ends are rounded outwards, before their hull is taken, and before nothing is known. */
enum { EVALUATIONS_MAX = 3000, ROUNDS_EXACT = 2, ROUNDS_SET = 5, ROUNDS_MAX = 8 };

typedef struct enumeration {
  written_problem_t *problem;
  const written_leaves_t *leaves;
  bool in_order;
  size_t budget;
  written_set_t sets[SUBSETS_MAX][LEVELS_MAX];
} enumeration_t;

size_t written_terms_max(const written_problem_t *problem) {
  return PERMITTED(problem->contract, order) == ORDER_IN_ORDER ? TERMS_MAX : 4;
}

/* Adds what nodes of one of each set give; whether the set grew. */
static bool add_nodes(enumeration_t *all, const written_set_t *left, const written_set_t *right,
                      written_set_t *inout) {
  written_problem_t *problem = all->problem;
  bool grew = false;
  for (size_t i = 0; i < left->count; i++) {
    for (size_t k = 0; k < right->count; k++) {
      if (problem->evaluations >= all->budget) {
        written_set_make_anything(problem, inout);
        return false;
      }
      arena_mark_t mark = arena_mark(problem->arena);
      written_tuple_t tuples[WRITTEN_PATHS_MAX];
      size_t count = written_evaluate(problem, &left->items[i], &right->items[k], false, tuples);
      bool is_new = false;
      for (size_t t = 0; t < count; t++) is_new |= written_set_add(problem, inout, &tuples[t]);
      if (!is_new) arena_rewind(problem->arena, mark);
      grew |= is_new;
    }
  }
  return grew;
}

static void round_outwards(const written_problem_t *problem, written_set_t *inout) {
  for (size_t i = 0; i < inout->count; i++) {
    inout->items[i] = written_tuple_round_outwards(problem, &inout->items[i]);
  }
}

/* Adds all that nodes with initial values make of a set. */
static void close_under(enumeration_t *all, const written_set_t *inits, written_set_t *inout) {
  for (int round = 0; round < ROUNDS_MAX; round++) {
    if (round == ROUNDS_SET) written_set_make_hull(all->problem, inout);
    if (round >= ROUNDS_EXACT) round_outwards(all->problem, inout);
    written_set_t present = *inout, initial = *inits; /* One may be the other, which grows. */
    bool grew = add_nodes(all, &present, &initial, inout);
    grew |= add_nodes(all, &initial, &present, inout);
    if (!grew) return;
  }
  written_set_make_anything(all->problem, inout);
}

/* In order, the terms of a set are neighbours, and those of its left part come first. */
static bool is_permitted(const enumeration_t *all, uint32_t set, uint32_t left) {
  if (!all->in_order) return true;
  uint32_t lowest = set & (~set + 1u), left_lowest = left & (~left + 1u);
  bool are_neighbours = ((set + lowest) & set) == 0;
  bool left_are_neighbours = ((left + left_lowest) & left) == 0;
  return are_neighbours && left_are_neighbours && lowest == left_lowest;
}

/* The nodes of a set of terms, by how often the initial value is among the leaves. */
static void add_splits(enumeration_t *all, uint32_t set) {
  bool is_once = all->leaves->is_init_once;
  uint32_t levels = is_once ? LEVELS_MAX : 1;
  for (uint32_t left = set;; left = (left - 1) & set) {
    uint32_t right = set & ~left;
    bool is_split = left != 0 && right != 0;
    if (is_split && is_permitted(all, set, left)) {
      for (uint32_t i = 0; i < levels; i++) {
        for (uint32_t k = 0; i + k < levels; k++) {
          add_nodes(all, &all->sets[left][i], &all->sets[right][k], &all->sets[set][i + k]);
        }
      }
    }
    if (left == 0) break;
  }
  if (!is_once) return;
  add_nodes(all, &all->sets[0][1], &all->sets[set][0], &all->sets[set][1]);
  add_nodes(all, &all->sets[set][0], &all->sets[0][1], &all->sets[set][1]);
}

void written_enumerate(written_problem_t *problem, const written_leaves_t *leaves,
                       written_set_t *out_set) {
  g_assert(leaves->count <= written_terms_max(problem));
  enumeration_t *all = arena_alloc_zeroed(problem->arena, sizeof *all);
  all->problem = problem;
  all->leaves = leaves;
  all->in_order = PERMITTED(problem->contract, order) == ORDER_IN_ORDER;
  all->budget = problem->evaluations + EVALUATIONS_MAX;
  bool is_once = leaves->is_init_once;
  written_set_t *inits = &all->sets[0][is_once ? 1 : 0];
  if (!leaves->is_init_absent) written_set_add(problem, inits, &leaves->init);
  if (!is_once) close_under(all, inits, inits);
  uint32_t full = (1u << leaves->count) - 1;
  for (uint32_t set = 1; set <= full; set++) {
    bool is_leaf = (set & (set - 1)) == 0;
    uint32_t lowest = set & (~set + 1u);
    if (all->in_order && ((set + lowest) & set) != 0) continue;
    if (is_leaf) written_set_add(problem, &all->sets[set][0], &leaves->terms[__builtin_ctz(set)]);
    add_splits(all, set);
    if (!is_once) close_under(all, inits, &all->sets[set][0]);
  }
  *out_set = all->sets[full][is_once ? 1 : 0];
}
