/* The parts of schedule_hull.c that have files of their own. */
#ifndef ASSAY_EXACT_SCHEDULE_HULL_PARTS_H
#define ASSAY_EXACT_SCHEDULE_HULL_PARTS_H

#include "oracles/exact/schedule_hull.h"
#include "oracles/exact/schedule_node.h"

/* The hull of a sum without initial values; false if it meets anything that is not finite. */
bool schedule_hull_dense(const schedule_node_t *node, arena_t *arena, schedule_hull_t *out_hull);

#endif
