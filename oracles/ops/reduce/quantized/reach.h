/* SPDX-License-Identifier: Apache-2.0 */
/* Which storage integers the schedules of a quantized sum or product may reach. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_REACH_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_REACH_H

#include "oracles/exact/closure/closure.h"
#include "oracles/ops/reduce/quantized/question.h"

/* To be called once all else is set. */
void reach_prepare(reach_question_t *question);

/* What every tree over the terms and `init_count` initial values, in any order, ends in: proven,
 * and attained where one value is left.  False if no bound is known: the formula may overflow, or
 * leave the storage range by an end that is rounded outwards. */
bool reach_bound(const reach_question_t *question, uint32_t init_count,
                 stored_interval_t *out_bound);

/* The same set as a few intervals, exact as long as it has few values: in-order trees, or trees in
 * any order if the contract permits these.  False if there are too many leaves to tell; then the
 * bound stands. */
enum { REACH_INTERVALS_MAX = 24 };
typedef struct reach_set {
  size_t count;
  stored_interval_t intervals[REACH_INTERVALS_MAX]; /* Ascending, apart. */
} reach_set_t;
bool reach_set_make(const reach_question_t *question, uint32_t init_count, arena_t *arena,
                    reach_set_t *out_set);

/* For each storage value, counted from the least, the least number of initial values with which
 * some tree gives it, at most as many as the contract permits; CLOSURE_NEVER if none does.  False
 * if it has more than 8 bits, or that takes too much work, or nodes are not known (reach_bound()).
 */
bool reach_closure(const reach_question_t *question, arena_t *arena,
                   uint32_t out_least[CLOSURE_SHORT_VALUES]);

/* The values of the term of that number, or, of the number of terms or more, of the initial value.
 */
leaf_values_t reach_leaf_values(const reach_question_t *question, size_t leaf);

/* The sum of two storage values by the specification's formula in one way. */
int64_t reach_add_by_formula(const reach_question_t *question, const quantum_chain_t *chain,
                             int64_t a, int64_t b);

#endif
