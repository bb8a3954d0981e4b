/* SPDX-License-Identifier: Apache-2.0 */
/* All trees of few terms by a written body (theory.md, T138): for each set of terms what its trees
 * give, from what those of two parts of it give, and closed under initial values. */
#include <math.h>

#include "oracles/ops/reduce/written/trees.h"

/* Of a set of terms by how often the initial value has entered: any number of times, or exactly 0,
 * 1, ... times. */
enum { TERMS_MAX = 5, COUNTED_TERMS_MAX = 3, LEVELS_MAX = 2 * COUNTED_TERMS_MAX + 3 };

/* How often the body is run for one answer, and how often sets grow under initial values before
 * their ends are rounded outwards, before their hull is taken, and before nothing is known. */
enum { EVALUATIONS_MAX = 3000, ROUNDS_EXACT = 2, ROUNDS_SET = 5, ROUNDS_MAX = 8 };

typedef struct enumeration {
  written_problem_t *problem;
  const written_leaves_t *leaves;
  bool in_order;
  bool is_rough; /* Some set was replaced by a larger one. */
  size_t budget;
  uint32_t levels;     /* 1: of any number of initial values. */
  written_set_t *sets; /* See set_of(). */
} enumeration_t;

static written_set_t *set_of(const enumeration_t *all, uint32_t terms, uint32_t level) {
  return &all->sets[terms * all->levels + level];
}

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
        all->is_rough = true;
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
    if (round >= ROUNDS_EXACT) all->is_rough = true;
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

/* The nodes of a set of terms that have so many initial values among their leaves, of which one
 * part may consist: theory.md, T138. */
static void add_splits(enumeration_t *all, uint32_t set, uint32_t inits) {
  for (uint32_t left = set;; left = (left - 1) & set) {
    uint32_t right = set & ~left;
    bool is_split = left != 0 && right != 0;
    bool is_known = is_split ? is_permitted(all, set, left) : all->levels > 1;
    for (uint32_t i = 0; i <= inits && is_known; i++) {
      bool is_whole = (left == set && i == inits) || (right == set && i == 0);
      if (is_whole) continue; /* Of which the other part would be nothing. */
      add_nodes(all, set_of(all, left, i), set_of(all, right, inits - i), set_of(all, set, inits));
    }
    if (left == 0) break;
  }
}

static void fill(enumeration_t *all, uint32_t set) {
  const written_leaves_t *leaves = all->leaves;
  bool is_counted = all->levels > 1, is_leaf = set != 0 && (set & (set - 1)) == 0;
  uint32_t lowest = set & (~set + 1u);
  if (all->in_order && ((set + lowest) & set) != 0) return;
  if (is_leaf) {
    written_set_add(all->problem, set_of(all, set, 0), &leaves->terms[__builtin_ctz(set)]);
  }
  if (set == 0 && !leaves->is_init_absent) {
    written_set_add(all->problem, set_of(all, 0, is_counted ? 1 : 0), &leaves->init);
  }
  for (uint32_t inits = 0; inits < all->levels; inits++) {
    if (is_counted || set != 0) add_splits(all, set, inits);
  }
  if (!is_counted) close_under(all, set_of(all, 0, 0), set_of(all, set, 0));
}

/* With `levels` as enumeration_t has it; whether no set was replaced by a larger one. */
static bool enumerate(written_problem_t *problem, const written_leaves_t *leaves, uint32_t levels,
                      written_set_t *out_set) {
  uint32_t full = (1u << leaves->count) - 1;
  enumeration_t all = {.problem = problem,
                       .leaves = leaves,
                       .in_order = PERMITTED(problem->contract, order) == ORDER_IN_ORDER,
                       .budget = problem->evaluations + EVALUATIONS_MAX,
                       .levels = levels};
  all.sets = arena_alloc_zeroed(problem->arena, ((size_t)full + 1) * levels * sizeof *all.sets);
  for (uint32_t set = 0; set <= full; set++) fill(&all, set);
  *out_set = *set_of(&all, full, leaves->is_init_once ? 1 : 0);
  for (uint32_t inits = 1; inits < levels && !leaves->is_init_once; inits++) {
    const written_set_t *more = set_of(&all, full, inits);
    all.is_rough |= more->is_hull;
    for (size_t i = 0; i < more->count; i++) written_set_add(problem, out_set, &more->items[i]);
  }
  return !all.is_rough && !out_set->is_hull;
}

bool written_enumerate(written_problem_t *problem, const written_leaves_t *leaves,
                       written_set_t *out_set) {
  g_assert(leaves->count <= written_terms_max(problem));
  bool is_exact = enumerate(problem, leaves, leaves->is_init_once ? 2 : 1, out_set);
  bool are_few = !leaves->is_init_once && !leaves->is_init_absent && leaves->init_most != 0;
  if (is_exact || !are_few || leaves->count > COUNTED_TERMS_MAX) return is_exact;
  if (leaves->init_most >= LEVELS_MAX) return false;
  written_set_t counted;
  size_t before = problem->evaluations;
  (void)enumerate(problem, leaves, leaves->init_most + 1, &counted);
  bool is_told = problem->evaluations < before + EVALUATIONS_MAX;
  if (is_told) *out_set = counted;
  return is_told;
}
