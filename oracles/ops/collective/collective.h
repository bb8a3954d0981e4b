/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.all_reduce and stablehlo.reduce_scatter: processes that reduce what they have.  All
 * processes are in one case: dimension 0 of operand and result is the process, and the attributes
 * speak of the dimensions behind it, which are those of one process's tensors.
 *
 * Process (replica r, partition p) has the number r * num_partitions + p, its flattened id. Without
 * num_partitions each process is a replica, and whichever of cross_replica,
 * cross_replica_and_partition and flattened_ids the attributes choose, the groups are the same.  An
 * all_reduce may have several operands, each of which is reduced by itself, and groups of several
 * sizes, for which -1 stands in MLIR. */
#ifndef ASSAY_ORACLES_OPS_COLLECTIVE_COLLECTIVE_H
#define ASSAY_ORACLES_OPS_COLLECTIVE_COLLECTIVE_H

#include "harness/kinds/reduction.h"

enum { REPLICAS_MAX = 64 }; /* And processes. */

/* Values of permission replicas. */
enum permission_replicas { REPLICAS_SAME, REPLICAS_ANY };

/* "[[0,1],[2,3]]": groups of replicas, one after the other, or of processes.  They come from a
 * text: they may be anything until the program was validated. */
typedef struct replica_groups {
  uint32_t group_count;
  uint32_t id_count;            /* Of all groups. */
  uint32_t sizes[REPLICAS_MAX]; /* group_count of them. */
  int64_t ids[REPLICAS_MAX];
} replica_groups_t;

/* Of both ops. */
typedef struct collective_attributes {
  reduction_t reduction; /* Of each operand; one accumulation, if it is named. */
  replica_groups_t groups;
  int64_t channel_id; /* 0 if there is none, as if it were negative. */
  bool use_global_device_ids;
  int64_t num_partitions; /* Of each replica; 0: one.  No attribute of the op, but of what runs. */
  int64_t scatter_dimension; /* Of a reduce_scatter: of one replica's operand; else 0. */
} collective_attributes_t;

static inline const collective_attributes_t *collective_attributes(const program_t *program) {
  return program->attributes;
}

/* The number of ids in the largest group: in each, of a valid reduce_scatter. */
static inline uint32_t replica_group_size(const replica_groups_t *groups) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < groups->group_count; i++) largest = MAX(largest, groups->sizes[i]);
  return largest;
}

/* How the processes of a group are named: StableHLO specification, "Process grid" and
 * "Collective ops". */
typedef enum grouping {
  GROUPING_CROSS_REPLICA,               /* Replicas of one partition: a group for each partition. */
  GROUPING_CROSS_REPLICA_AND_PARTITION, /* All partitions of these replicas. */
  GROUPING_FLATTENED_IDS,               /* Processes, by their numbers. */
} grouping_t;

static inline grouping_t collective_grouping(const collective_attributes_t *attributes) {
  if (attributes->use_global_device_ids) return GROUPING_FLATTENED_IDS;
  return attributes->channel_id > 0 ? GROUPING_CROSS_REPLICA_AND_PARTITION : GROUPING_CROSS_REPLICA;
}

static inline int64_t collective_partitions(const collective_attributes_t *attributes) {
  return attributes->num_partitions == 0 ? 1 : attributes->num_partitions;
}

/* The number of processes in the largest group of processes. */
static inline int64_t collective_group_size(const collective_attributes_t *attributes) {
  bool joins = collective_grouping(attributes) == GROUPING_CROSS_REPLICA_AND_PARTITION;
  return replica_group_size(&attributes->groups) * (joins ? collective_partitions(attributes) : 1);
}

/* The groups of processes of a valid program, without empty ones, in the order that the
 * specification's definition of the grouping gives them and their members: op/groups.c. */
replica_groups_t collective_process_groups(const collective_attributes_t *attributes);

static inline bool replica_groups_are_even(const replica_groups_t *groups) {
  for (uint32_t i = 1; i < groups->group_count; i++) {
    if (groups->sizes[i] != groups->sizes[0]) return false;
  }
  return true;
}

/* The types of an operand and its result, as a reduction has them. */
static inline reduction_types_t collective_types(const program_t *program, uint32_t operand) {
  return reduction_types(&collective_attributes(program)->reduction, &program->operands[operand],
                         &program->results[operand], 1);
}

#endif
