/* stablehlo.all_reduce and stablehlo.reduce_scatter: replicas that reduce what they have.  All
 * replicas are in one case: dimension 0 of operand and result is the replica, and the attributes
 * speak of the dimensions behind it, which are those of one replica's tensors.
 *
 * The specification has more than a case can say: channel_id and use_global_device_ids (here each
 * process is a replica, of one partition, so that groups are those of `cross_replica`), and
 * all_reduce of several operands, each of which is reduced by itself. */
#ifndef ASSAY_OPS_COLLECTIVE_H
#define ASSAY_OPS_COLLECTIVE_H

#include "harness/model/reduction.h"

enum { REPLICAS_MAX = 64 };

/* "[[0,1],[2,3]]": groups of replicas, one after the other.  They come from a text: they may be
 * anything until the program was validated. */
typedef struct replica_groups {
  uint32_t group_count;
  uint32_t id_count;            /* Of all groups. */
  uint32_t sizes[REPLICAS_MAX]; /* group_count of them. */
  int64_t ids[REPLICAS_MAX];
} replica_groups_t;

/* Of both ops. */
typedef struct collective_attributes {
  reduction_t reduction;
  replica_groups_t groups;
  int64_t scatter_dimension; /* Of a reduce_scatter: of one replica's operand; else 0. */
} collective_attributes_t;

static inline const collective_attributes_t *collective_attributes(const program_t *program) {
  return program->attributes;
}

/* The number of replicas in each group of a valid program. */
static inline uint32_t replica_group_size(const replica_groups_t *groups) {
  return groups->group_count == 0 ? 0 : groups->sizes[0];
}

/* The types of operand and result, as a reduction has them. */
static inline reduction_types_t collective_types(const program_t *program) {
  return reduction_types(&collective_attributes(program)->reduction, program->operands,
                         program->results, 1);
}

#endif
