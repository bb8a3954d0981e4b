/* SPDX-License-Identifier: Apache-2.0 */
/* Compensated loops (Kahan 1965), which carry what each addition lost to the next one: theory.md,
 * D25 and T248. */
#ifndef ASSAY_ORACLES_EXACT_TREE_SEARCH_COMPENSATED_H
#define ASSAY_ORACLES_EXACT_TREE_SEARCH_COMPENSATED_H

#include <glib.h>

#include "oracles/exact/any_order/tree.h"
#include "oracles/exact/value_range.h"

/* The values of permission `compensated`. */
enum permission_compensated { COMPENSATED_NO, COMPENSATED_YES };

typedef struct compensated_loop {
  const format_t *format; /* Of all operations. */
  bool is_fused;          /* Products are added unrounded. */
  size_t leaf_count;
  uint8_t leaves[TREE_LEAVES_MAX]; /* In their order, numbered as in few_terms_tree_t. */
  bool is_corrected;               /* What it is too large by is subtracted behind the loop. */
  bool ends_with_init;             /* The initial value is added at last, plainly. */
} compensated_loop_t;

/* So many orders are tried, of all sums of a case together: a hundredth of a second. */
enum { COMPENSATED_ORDERS_MAX = 50000 };

/* Whether a loop gives the value, which is finite and not -0: one in any order, if the orders of
 * `sums_of_case` such sums (0: one) are few enough; else one from the first term to the last or the
 * other way round, with initial values in front or behind.  False for more than TREE_TERMS_MAX
 * terms. */
bool compensated_loop_find(const few_terms_t *sum, size_t sums_of_case, double value,
                           compensated_loop_t *out_loop);

/* Whether a range holds every value that compensated_loop_find() would find a loop for. */
bool compensated_loops_stay(const few_terms_t *sum, size_t sums_of_case,
                            const value_range_t *range);

/* Appends "compensated (x1, x0, x2*y2) in f32, where ...". */
void compensated_loop_print(const few_terms_t *sum, const compensated_loop_t *loop,
                            GString *out_text);

#endif
