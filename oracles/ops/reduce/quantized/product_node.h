/* SPDX-License-Identifier: Apache-2.0 */
/* What a node of a quantized product makes of its two parts (theory.md, T190): by the
 * specification's formula, dequantize, multiply, quantize, in each way that is permitted;
 * and, where the contract has quantized=integer, of storage integers less the zero point, whose
 * product is rescaled, as a quantized multiply of its own is. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PRODUCT_NODE_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PRODUCT_NODE_H

#include "oracles/ops/reduce/quantized/question.h"

/* Storage values: points, where both parts are, else hulls.  `is_open` where the formula gives no
 * value of the storage type: then anything of that may come, and is among the intervals. */
enum { PRODUCT_NODE_INTERVALS_MAX = QUANTUM_CHOICES_MAX * QUANTUM_CHAINS_MAX + 8 };
typedef struct product_node {
  size_t count;
  stored_interval_t intervals[PRODUCT_NODE_INTERVALS_MAX];
  bool is_open;
} product_node_t;

void product_node_make(const reach_question_t *question, stored_interval_t a, stored_interval_t b,
                       product_node_t *out_node);

/* The least interval that holds them. */
stored_interval_t product_node_hull(const product_node_t *node);

/* In how many ways nodes may compute, and the least and the largest value that one of them gives of
 * two values; these are all where product_node_gives_neighbours(): no node of values of the storage
 * range is open then, and each way gives one value or two neighbours. */
size_t product_node_sources(const reach_question_t *question);
stored_interval_t product_node_by_source(const reach_question_t *question, size_t source, int64_t a,
                                         int64_t b);
bool product_node_gives_neighbours(const reach_question_t *question);

/* By the formula in one way. */
int64_t product_node_by_formula(const reduce_quanta_t *quanta, const quantum_chain_t *chain,
                                int64_t a, int64_t b);

/* The nearest integer to (a - z) (b - z) scale + z, ties to even, clamped. */
int64_t product_node_rescaled(const quantum_t *quantum, int64_t a, int64_t b);

/* Whether nodes may compute on integers, and the least and the largest that these give of two
 * values; what is rounded on the way errs by at most product_node_integer_error(), in quanta, if
 * neither part is beyond `largest` in magnitude. */
bool product_node_has_integers(const reach_question_t *question);
stored_interval_t product_node_by_integers(const reach_question_t *question, stored_interval_t a,
                                           stored_interval_t b);
double product_node_integer_error(const reach_question_t *question, double largest_a,
                                  double largest_b);

/* Whether no float of the formula comes near the largest one. */
bool product_node_is_finite(const reach_question_t *question, size_t index, stored_interval_t a,
                            stored_interval_t b);

/* An upper bound on what nodes by the formula err by before the clamp, in quanta, if the exact
 * product is at most `product` quanta. */
double product_node_formula_error(const reach_question_t *question, size_t index, double product);

#endif
