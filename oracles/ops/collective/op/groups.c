/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of processes that replica_groups stands for, as the StableHLO specification defines
 * cross_replica, cross_replica_and_partition and flattened_ids, and which results of an all_reduce
 * have one value. */
#include "oracles/ops/collective/op/op.h"

/* The ids of one group of replica_groups. */
typedef struct id_list {
  uint32_t count;
  const int64_t *ids;
} id_list_t;

/* Begins a group of processes, ended by the next one. */
static uint32_t *begin_group(replica_groups_t *groups) {
  uint32_t *size = &groups->sizes[groups->group_count++];
  *size = 0;
  return size;
}

static void add_process(replica_groups_t *groups, uint32_t *size, int64_t process) {
  groups->ids[groups->id_count++] = process;
  (*size)++;
}

static void add_groups(const collective_attributes_t *attributes, const id_list_t *list,
                       replica_groups_t *groups) {
  int64_t partitions = collective_partitions(attributes);
  grouping_t grouping = collective_grouping(attributes);
  uint32_t *size = begin_group(groups);
  if (grouping == GROUPING_FLATTENED_IDS) {
    for (uint32_t i = 0; i < list->count; i++) add_process(groups, size, list->ids[i]);
    return;
  }
  for (int64_t partition = 0; partition < partitions; partition++) {
    bool is_apart = grouping == GROUPING_CROSS_REPLICA && partition > 0;
    if (is_apart) size = begin_group(groups);
    for (uint32_t i = 0; i < list->count; i++) {
      add_process(groups, size, list->ids[i] * partitions + partition);
    }
  }
}

replica_groups_t collective_process_groups(const collective_attributes_t *attributes) {
  replica_groups_t groups = {.group_count = 0};
  const int64_t *ids = attributes->groups.ids;
  for (uint32_t group = 0; group < attributes->groups.group_count; group++) {
    const id_list_t list = {attributes->groups.sizes[group], ids};
    if (list.count > 0) add_groups(attributes, &list, &groups);
    ids += list.count;
  }
  return groups;
}

const size_t *all_reduce_leaders(const program_t *program, uint32_t result, arena_t *arena) {
  const replica_groups_t groups = collective_process_groups(collective_attributes(program));
  size_t count = type_element_count(&program->results[result]);
  size_t of_process = count / MAX(groups.id_count, 1);
  size_t *leaders = ARENA_NEW_ARRAY(arena, size_t, count);
  const int64_t *ids = groups.ids;
  for (uint32_t group = 0; group < groups.group_count; group++) {
    int64_t first = ids[0];
    for (uint32_t i = 0; i < groups.sizes[group]; i++) first = MIN(first, ids[i]);
    for (uint32_t i = 0; i < groups.sizes[group]; i++) {
      size_t own = (size_t)ids[i] * of_process, leader = (size_t)first * of_process;
      for (size_t element = 0; element < of_process; element++) {
        leaders[own + element] = leader + element;
      }
    }
    ids += groups.sizes[group];
  }
  return leaders;
}
