/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of a tree that is being built lose. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_ERRORS_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_ERRORS_H

#include <math.h>

#include "oracles/exact/any_order/operands.h"
#include "oracles/exact/any_order/real.h"

/* What a number is away from the exact value that it stands for. */
static inline double tree_error_of_leaf(const tree_operand_t *leaf) {
  if (leaf->left == NULL) return 0;
  double product = *leaf->left * *leaf->right;
  return (leaf->value - product) - fma(*leaf->left, *leaf->right, -product);
}

/* What one more leaf adds to the error: the rounding of its product too, which is none if the node
 * fuses it, since what the node gave is compared with the exact product. */
static inline double tree_error_of_sum(const tree_operand_t *total, const tree_operand_t *leaf,
                                       double sum) {
  real_t exact = real_of_sum(total->value, leaf->value);
  return (sum - exact.high) - exact.low + tree_error_of_leaf(leaf);
}

/* The exact sum, to twice the precision of binary64. */
static inline real_t tree_exact_sum(const few_terms_t *sum) {
  real_t total = {0};
  for (size_t i = 0; i < sum->count; i++) {
    double right = sum->right == NULL ? 1 : sum->right[i];
    double product = sum->left[i] * right;
    const real_t term = {.high = product, .low = fma(sum->left[i], right, -product)};
    total = real_add(total, term, 1);
  }
  for (uint32_t i = 0; i < sum->init_count; i++) total = real_add(total, real_of(sum->init), 1);
  return total;
}

#endif
