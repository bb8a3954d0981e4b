/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of in_order/make_hull.c that have files of their own. */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_HULL_PARTS_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_HULL_PARTS_H

#include "oracles/exact/in_order/hull.h"
#include "oracles/exact/in_order/node.h"

/* The hull of a sum without initial values; false if it meets anything that is not finite. */
bool schedule_hull_dense(const schedule_node_t *node, arena_t *arena, schedule_hull_t *out_hull);

#endif
