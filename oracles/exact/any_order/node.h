/* SPDX-License-Identifier: Apache-2.0 */
/* What one operation of a permitted implementation may make of its exact result: the number
 * rounded to the accumulation format, and, where nodes may be wider, all that a wider format may
 * round it to, kept or rounded to the accumulation format in turn (theory.md, D6 and T29). */
#ifndef ASSAY_ORACLES_EXACT_ANY_ORDER_NODE_H
#define ASSAY_ORACLES_EXACT_ANY_ORDER_NODE_H

#include "oracles/exact/any_order/span_list.h"

typedef struct rounding_node {
  const format_t *format;
  double largest;
  bool may_widen;
  int wide_bits;   /* The precision of the narrowest wider format, ... */
  int wide_lowest; /* ... and the exponent of its smallest number, at the most. */
} rounding_node_t;

rounding_node_t rounding_node_make(const format_t *format, bool may_widen);

/* Adds all that the node may give for exact results in that interval. */
void rounding_node_add(const rounding_node_t *node, span_t exact, span_list_t *out);

/* The same for the sum of two results. */
void rounding_node_add_sum(const rounding_node_t *node, span_t a, span_t b, span_list_t *out);

#endif
