/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the tree of a profile from the leaves up. */
#ifndef ASSAY_IDENTIFY_PROFILE_BUILDER_H
#define ASSAY_IDENTIFY_PROFILE_BUILDER_H

#include "harness/identify/profile/profile.h"

typedef struct profile_builder {
  arena_t *arena; /* Takes the arrays of children. */
  size_t term_count;
  GArray *nodes;        /* Of profile_node_t. */
  GArray *first_leaves; /* Of uint32_t: the least leaf id under each node. */
} profile_builder_t;

profile_builder_t profile_builder_make(size_t term_count, arena_t *arena);
void profile_builder_free(profile_builder_t *builder);

/* Adds a node with the arithmetic of `like` above children that are leaves or were added before;
 * returns its id.  Sorts the children as profile_node_t wants them. */
uint32_t profile_builder_add(profile_builder_t *builder, const uint32_t *children, size_t count,
                             const profile_node_t *like);

/* The least leaf id under `id`, which may be a leaf. */
uint32_t profile_builder_first_leaf(const profile_builder_t *builder, uint32_t id);

/* Copies the nodes into the arena and sets them in `profile`.  The last one is the root. */
void profile_builder_finish(const profile_builder_t *builder, profile_t *profile);

#endif
