/* SPDX-License-Identifier: Apache-2.0 */
/* A search for a tree that gives a value where nodes may be truncated or flushed: of usual orders
 * and random ones, with the same choice at all nodes, or, of few leaves, any at each. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_CHOICES_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_CHOICES_H

#include "oracles/exact/any_order/tree.h"

/* What nodes may do beside what few_terms_t says. */
typedef struct tree_choices {
  bool may_truncate;      /* Sums and products may be rounded toward zero; */
  bool may_flush_results; /* results that are subnormal, and */
  bool may_flush_terms;   /* terms, may count as zero: those for which this is true. */
  const bool *flushable;  /* By term. */
  bool is_in_order;       /* Nodes add neighbours alone. */
} tree_choices_t;

/* Whether one of the trees gives the value; of zeros, of any sign.  The same question has the same
 * answer.  False does not say that there is none.  The sum has at most TREE_LEAVES_MAX leaves. */
bool few_terms_choices_give(const few_terms_t *sum, const tree_choices_t *choices, double value);

#endif
