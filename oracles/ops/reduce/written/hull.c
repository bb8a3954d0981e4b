/* SPDX-License-Identifier: Apache-2.0 */
/* Sets that no node leaves (theory.md, T140): the hull of all leaves, grown by what the body makes
 * of it until nothing is new; or, by the number of leaves, the hull of all trees of so many. */
#include "oracles/ops/reduce/written/trees.h"

/* How often a hull grows before that is given up, and of how many terms trees are enclosed by their
 * number. */
enum { ROUNDS_MAX = 6, COUNTED_MAX = 40 };

static written_tuple_t node_of(written_problem_t *problem, const written_tuple_t *left,
                               const written_tuple_t *right) {
  written_tuple_t tuples[WRITTEN_PATHS_MAX];
  written_evaluate(problem, left, right, true, tuples);
  return tuples[0];
}

/* Grows the tuple until it holds what nodes of it and of `other`, or of it alone, have. */
static bool close_hull(written_problem_t *problem, const written_tuple_t *other,
                       written_tuple_t *inout) {
  for (int round = 0; round < ROUNDS_MAX; round++) {
    const written_tuple_t *with = other == NULL ? inout : other;
    written_tuple_t node = node_of(problem, inout, with);
    if (other != NULL) {
      const written_tuple_t mirrored = node_of(problem, with, inout);
      node = written_tuple_unite(problem, &node, &mirrored);
    }
    if (written_tuple_contains(problem, inout, &node)) return true;
    *inout = written_tuple_unite(problem, inout, &node);
    *inout = written_tuple_round_outwards(problem, inout);
  }
  return false;
}

static written_tuple_t hull_of_terms(written_problem_t *problem, const written_leaves_t *leaves) {
  written_tuple_t hull = leaves->terms[0];
  for (size_t i = 1; i < leaves->count; i++) {
    hull = written_tuple_unite(problem, &hull, &leaves->terms[i]);
  }
  return hull;
}

/* The hull of trees of 1, 2, ... terms, each closed under initial values, if there are any. */
static bool enclose_by_count(written_problem_t *problem, const written_leaves_t *leaves,
                             const written_tuple_t *inits, written_tuple_t *out_hull) {
  written_tuple_t hulls[COUNTED_MAX + 1];
  bool has_inits = !leaves->is_init_absent;
  hulls[1] = hull_of_terms(problem, leaves);
  if (has_inits && !close_hull(problem, inits, &hulls[1])) return false;
  for (size_t count = 2; count <= leaves->count; count++) {
    for (size_t left = 1; left < count; left++) {
      const written_tuple_t node = node_of(problem, &hulls[left], &hulls[count - left]);
      hulls[count] = left == 1 ? node : written_tuple_unite(problem, &hulls[count], &node);
    }
    if (has_inits && !close_hull(problem, inits, &hulls[count])) return false;
  }
  *out_hull = hulls[leaves->count];
  return true;
}

written_tuple_t written_hull(written_problem_t *problem, const written_leaves_t *leaves) {
  if (leaves->count == 0) return written_tuple_anything(problem);
  written_tuple_t hull = hull_of_terms(problem, leaves);
  if (!leaves->is_init_absent) hull = written_tuple_unite(problem, &hull, &leaves->init);
  if (close_hull(problem, NULL, &hull)) return hull;
  written_tuple_t inits = leaves->init;
  bool is_known = leaves->count <= COUNTED_MAX &&
                  (leaves->is_init_absent || close_hull(problem, NULL, &inits)) &&
                  enclose_by_count(problem, leaves, &inits, &hull);
  return is_known ? hull : written_tuple_anything(problem);
}
