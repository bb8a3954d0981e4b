/* SPDX-License-Identifier: Apache-2.0 */
/* Which storage integers the schedules of a quantized sum may reach. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_REACH_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_REACH_H

#include "oracles/exact/closure/closure.h"
#include "oracles/ops/reduce/quantized/problem.h"

typedef struct stored_interval {
  int64_t low;
  int64_t high; /* Less than low if empty. */
} stored_interval_t;

/* Sums of leaves as distances from the zero point, of those above 0 and of those below it. */
typedef struct leaf_sums {
  double positive;
  double negative;
} leaf_sums_t;

/* All leaves at their low ends, and all at their high ones: nodes are monotone, so these bound what
 * others give. */
typedef struct reach_sums {
  leaf_sums_t low;
  leaf_sums_t high;
} reach_sums_t;

/* The relative errors of a node in one arithmetic: of its parts, and of the zero point. */
typedef struct reach_errors {
  double parts;
  double zero_point;
} reach_errors_t;

/* A sum in the accumulation type of `quanta`.  A leaf is an interval of two values where its
 * conversion depends on the arithmetic. */
typedef struct reach_question {
  const reduce_quanta_t *quanta;
  const contract_t *contract;
  size_t count;
  const stored_interval_t *terms; /* count of them. */
  stored_interval_t init;
  reach_sums_t sums;        /* Of the terms: these two are reach_prepare()'s. */
  reach_errors_t errors[2]; /* By arithmetic. */
} reach_question_t;

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

/* The sum of two storage values by the specification's formula in one arithmetic. */
int64_t reach_add_by_formula(const reach_question_t *question, const format_t *format, int64_t a,
                             int64_t b);

static inline bool stored_intervals_meet(stored_interval_t a, stored_interval_t b) {
  return a.low <= b.high && b.low <= a.high;
}

#endif
