/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds on what quantized products of many terms end in. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PRODUCT_REACH_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PRODUCT_REACH_H

#include "oracles/ops/reduce/quantized/product_node.h"

/* As reach_bound(), of products. */
bool product_bound(const reach_question_t *question, uint32_t init_count,
                   stored_interval_t *out_bound);

/* The same for every number of initial values, 0 too. */
bool product_bound_of_any_inits(const reach_question_t *question, stored_interval_t *out_bound);

/* Whether a node that multiplies by the initial value gives its other part, whatever tree that is
 * the value of: then initial values say nothing (theory.md, T192). */
bool product_init_is_neutral(const reach_question_t *question);

#endif
