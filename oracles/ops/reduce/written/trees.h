/* SPDX-License-Identifier: Apache-2.0 */
/* What trees of a written body give: by enumeration of few terms, by leaving out terms that
 * cannot win, and by sets that no node leaves. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_WRITTEN_TREES_H
#define ASSAY_ORACLES_OPS_REDUCE_WRITTEN_TREES_H

#include "oracles/ops/reduce/written/values.h"

/* The leaves of a tree, in their order, and the initial value. */
typedef struct written_leaves {
  const written_tuple_t *terms;
  size_t count;
  written_tuple_t init;
  bool is_init_once;   /* It enters exactly once; else any number of times, but as the only leaf, */
  uint32_t init_most;  /* or, if this is not 0, so many times at the most. */
  bool is_init_absent; /* It enters nowhere. */
} written_leaves_t;

/* So many terms can be enumerated under the problem's contract. */
size_t written_terms_max(const written_problem_t *problem);

/* All that trees of at most written_terms_max() terms give (theory.md, T138); anything, if these
 * are too many to tell.  Returns whether numbers of initial values that may not enter make no part
 * of that. */
bool written_enumerate(written_problem_t *problem, const written_leaves_t *leaves,
                       written_set_t *out_set);

/* Of a body that is a selection (body_is_selection()) and at least one term: the terms, in their
 * order, that no other beats for sure, each of which beats all the rest; *out_init_stays: whether
 * the initial value is one of them, or is beaten by each.  written_enumerate() of these, if they
 * are few enough, gives all that trees of all terms give (theory.md, T137); and whatever they are,
 * a result is one of them.  Returns their count; WRITTEN_UNBEATEN_MAX + 1 if there are more than
 * are looked for. */
enum { WRITTEN_UNBEATEN_MAX = 24 };
size_t written_find_unbeaten(written_problem_t *problem, const written_leaves_t *leaves,
                             size_t out_unbeaten[WRITTEN_UNBEATEN_MAX], bool *out_init_stays);

/* A tuple that holds what any tree gives, whatever its order and its length (theory.md, T140);
 * anything, if none is found. */
written_tuple_t written_hull(written_problem_t *problem, const written_leaves_t *leaves);

/* The same of at least one term and as many initial values as may enter, if these are so few that
 * trees can be told apart by their number of leaves (theory.md, T167); else false. */
bool written_hull_of_few(written_problem_t *problem, const written_leaves_t *leaves,
                         written_tuple_t *out_hull);

/* Of a body that adds exponentials (body_adds_exponentials()): a tuple that holds what any tree of
 * the terms gives (theory.md, T141).  False where nothing is known: terms that are not finite, an
 * initial value that adds something, flushing, or sums that may overflow. */
bool written_enclose_exponentials(written_problem_t *problem, const written_leaves_t *leaves,
                                  written_tuple_t *out_tuple);

#endif
