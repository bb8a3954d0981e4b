/* SPDX-License-Identifier: Apache-2.0 */
/* The order of summation of one tree: the first one found that gives it.  Two sizes are summed in
 * the same order if one order gives both trees. */
#ifndef ASSAY_IDENTIFY_ORDER_SUM_ORDER_FIND_H
#define ASSAY_IDENTIFY_ORDER_SUM_ORDER_FIND_H

#include "harness/identify/profile/profile.h"
#include "harness/order/sum_order.h"

/* The order of the profile's tree without its initial values, in the arena; NULL if none gives it.
 */
const sum_order_t *sum_order_find(const profile_t *profile, arena_t *arena);

/* Prints what sum_order_find() found: "irregular" for NULL. */
void sum_order_print_found(const sum_order_t *order, GString *out_text);

/* Whether the order gives the tree of the profile, initial values left aside. */
bool sum_order_explains(const sum_order_t *order, const profile_t *profile);

#endif
