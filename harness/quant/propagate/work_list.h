/* SPDX-License-Identifier: Apache-2.0 */
/* A set of regions from which the one of least rank is taken: a binary heap over ranks. */
#ifndef ASSAY_QUANT_PROPAGATE_WORK_LIST_H
#define ASSAY_QUANT_PROPAGATE_WORK_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/arena.h"

typedef struct work_list {
  const uint32_t *order; /* The region of each rank; borrowed. */
  uint32_t *ranks;       /* The rank of each region. */
  bool *is_listed;       /* By region. */
  uint32_t *heap;        /* Ranks; none is less than that at (index - 1) / 2. */
  uint32_t count;
} work_list_t;

/* Empty, for regions 0 to region_count - 1, all of which `order` lists once. */
work_list_t work_list_make(const uint32_t *order, uint32_t region_count, arena_t *arena);

/* Adds a region, unless it is there. */
void work_list_add(work_list_t *list, uint32_t region);

/* Takes the region of least rank out; false if there is none. */
bool work_list_take(work_list_t *list, uint32_t *out_region);

#endif
