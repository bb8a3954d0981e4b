/* SPDX-License-Identifier: Apache-2.0 */
/* Binary heap of ranks with a membership flag per region, so that adding a listed region does
 * nothing. */
#include "harness/quant/propagate/work_list.h"

work_list_t work_list_make(const uint32_t *order, uint32_t region_count, arena_t *arena) {
  work_list_t list = {
      .order = order,
      .ranks = ARENA_NEW_ARRAY(arena, uint32_t, region_count),
      .is_listed = arena_alloc_zeroed(arena, region_count * sizeof(bool)),
      .heap = ARENA_NEW_ARRAY(arena, uint32_t, region_count),
  };
  for (uint32_t rank = 0; rank < region_count; rank++) list.ranks[order[rank]] = rank;
  return list;
}

void work_list_add(work_list_t *list, uint32_t region) {
  if (list->is_listed[region]) return;
  list->is_listed[region] = true;
  uint32_t rank = list->ranks[region];
  uint32_t hole = list->count++;
  while (hole > 0 && list->heap[(hole - 1) / 2] > rank) {
    list->heap[hole] = list->heap[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  list->heap[hole] = rank;
}

bool work_list_take(work_list_t *list, uint32_t *out_region) {
  if (list->count == 0) return false;
  *out_region = list->order[list->heap[0]];
  list->is_listed[*out_region] = false;
  uint32_t moved = list->heap[--list->count];
  uint32_t hole = 0;
  for (;;) {
    uint32_t child = 2 * hole + 1;
    if (child >= list->count) break;
    if (child + 1 < list->count && list->heap[child + 1] < list->heap[child]) child++;
    if (list->heap[child] >= moved) break;
    list->heap[hole] = list->heap[child];
    hole = child;
  }
  list->heap[hole] = moved;
  return true;
}
