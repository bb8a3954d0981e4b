/* SPDX-License-Identifier: Apache-2.0 */
/* A quantized sum or product whose schedules are asked about: its leaves in storage integers. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_QUESTION_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_QUESTION_H

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

/* What a leaf may be, by the chains of its conversion: different values. */
typedef struct leaf_values {
  size_t count;
  int64_t items[QUANTUM_CHAINS_MAX];
} leaf_values_t;

/* Of more terms no sets are made (reach_set_make()). */
enum { LEAF_TERMS_MAX = 96 };

/* A sum or a product in the accumulation type of `quanta`.  A leaf is an interval from the least to
 * the largest of its values where its conversion depends on the chain. */
typedef struct reach_question {
  const reduce_quanta_t *quanta;
  const contract_t *contract;
  bool multiplies;
  size_t count;
  const stored_interval_t *terms; /* count of them. */
  stored_interval_t init;
  const leaf_values_t *term_values; /* count of them; NULL: all leaves have the ends of their
                                     * intervals for values. */
  leaf_values_t init_values;
  struct kept_closure **closures; /* What is kept for other components of the case, or NULL; */
  arena_t *closures_arena;        /* and where. */
  reach_sums_t sums;              /* Of the terms: these two are reach_prepare()'s. */
  quantum_errors_t errors[QUANTUM_CHAINS_MAX]; /* By chain. */
} reach_question_t;

/* Empty ones meet nothing. */
static inline bool stored_intervals_meet(stored_interval_t a, stored_interval_t b) {
  return MAX(a.low, b.low) <= MIN(a.high, b.high);
}

#endif
