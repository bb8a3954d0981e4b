/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tree in which a black box adds.  Masks +M and -M at two leaves swallow every unit that
 * is added before the two meet, so the units that are left tell which leaves lie under the node
 * where they meet (FPRev: Xie et al., "FPRev: Revealing the order of floating-point summation").
 * Beyond that: subtrees that have the size of a known one are guessed to have its shape and
 * verified with one probe per node, whose units have random weights; so is a whole tree that is
 * given as a hint.
 *
 * The nodes found have children only, and aligned_bits -1 where small addends are lost beside large
 * ones in one adder; probe/arithmetic.h fills in the rest. */
#ifndef ASSAY_IDENTIFY_PROBE_DISCOVER_H
#define ASSAY_IDENTIFY_PROBE_DISCOVER_H

#include "harness/base/rng.h"
#include "harness/identify/probe/mask_probe.h"
#include "harness/identify/profile/builder.h"

enum { ALIGNED_UNKNOWN = -1 };

typedef struct discovery {
  mask_probe_t *probe;
  mask_scale_t scale;
  rng_t rng;
  arena_t *arena;
  bool init_is_leaf;         /* The initial value is a leaf like the terms. */
  profile_builder_t builder; /* Owned by the caller of discover_tree(). */
  GArray *leaf_counts;       /* Of uint32_t, by node; likewise. */
  failure_t *error;
} discovery_t;

/* Finds the whole tree; the root is the last node of discovery->builder.  STATUS_INVALID, with the
 * reason, if no tree explains what was seen. */
status_t discover_tree(discovery_t *discovery);

/* Verifies a tree that was guessed, and takes it over; *out_holds tells whether it stood. */
status_t discover_verify(discovery_t *discovery, const profile_t *hint, bool *out_holds);

/* Below: for the files of discovery. */

/* Nodes of a tree in which subtrees are looked up. */
typedef struct shape {
  const profile_node_t *nodes;
  size_t term_count; /* Ids of nodes begin at term_count + 1. */
} shape_t;

/* Appends the leaf ids under `id`, in no order. */
void shape_leaves(const shape_t *shape, uint32_t id, GArray *out_leaves);

/* A subtree that certain leaves may have. */
typedef struct shape_guess {
  const shape_t *shape;
  uint32_t root;         /* Of the subtree in `shape`. */
  const uint32_t *names; /* By leaf id of `shape`: the leaf that is to be in its place. */
  uint32_t outside;      /* A leaf at which a unit must survive, or UINT32_MAX. */
} shape_guess_t;

/* Tests a guess against the black box with one probe per node, and adds the subtree to the builder
 * if all hold. */
status_t verify_shape(discovery_t *discovery, const shape_guess_t *guess, bool *out_holds,
                      uint32_t *out_id);

uint32_t discovery_add(discovery_t *discovery, const uint32_t *children, size_t count,
                       bool is_aligned);
size_t discovery_leaf_count(const discovery_t *discovery, uint32_t id);

#endif
