/* SPDX-License-Identifier: Apache-2.0 */
/* Trees built by hand, from the leaves up. */
#ifndef ASSAY_TESTS_IDENTIFY_TREE_SHAPES_H
#define ASSAY_TESTS_IDENTIFY_TREE_SHAPES_H

#include "harness/identify/profile/builder.h"

enum { NO_TREE = UINT32_MAX };

typedef struct shapes {
  arena_t arena;
  profile_builder_t builder;
  profile_t profile;
  profile_node_t like; /* The arithmetic of the nodes that are added next. */
} shapes_t;

/* A sum of `count` terms in f32. */
static inline void shapes_init(shapes_t *shapes, uint32_t count) {
  arena_init(&shapes->arena);
  const format_t *f32 = &format_table[FORMAT_f32];
  shapes->builder = profile_builder_make(count, &shapes->arena);
  shapes->profile = (profile_t){.op = "stablehlo.reduce",
                                .program_line = "",
                                .term_count = count,
                                .left = f32,
                                .result = f32,
                                .has_init = true};
  shapes->like = (profile_node_t){.format = f32};
}

static inline void shapes_deinit(shapes_t *shapes) {
  profile_builder_free(&shapes->builder);
  arena_deinit(&shapes->arena);
}

/* Makes it a dot product. */
static inline void shapes_multiply(shapes_t *shapes, const format_t *product, bool fused) {
  shapes->profile.op = "stablehlo.dot_general";
  shapes->profile.right = shapes->profile.left;
  shapes->profile.product = product;
  shapes->profile.has_init = false;
  shapes->like.fused = fused;
}

static inline uint32_t add_node(shapes_t *shapes, const uint32_t *children, size_t count) {
  return profile_builder_add(&shapes->builder, children, count, &shapes->like);
}

static inline uint32_t add_two(shapes_t *shapes, uint32_t a, uint32_t b) {
  if (a == NO_TREE) return b;
  const uint32_t children[2] = {a, b};
  return add_node(shapes, children, 2);
}

/* ((start + ids[0]) + ids[1]) + ...; NO_TREE: no start. */
static inline uint32_t add_chain(shapes_t *shapes, uint32_t start, const uint32_t *ids,
                                 uint32_t count) {
  for (uint32_t i = 0; i < count; i++) start = add_two(shapes, start, ids[i]);
  return start;
}

/* The first half is the larger one. */
static inline uint32_t add_pairwise(shapes_t *shapes, const uint32_t *ids, uint32_t count) {
  if (count == 1) return ids[0];
  uint32_t half = (count + 1) / 2;
  uint32_t left = add_pairwise(shapes, ids, half);
  return add_two(shapes, left, add_pairwise(shapes, ids + half, count - half));
}

/* ids[i] + ids[i + count / 2], and so on; the count is a power of two. */
static inline uint32_t add_folded(shapes_t *shapes, const uint32_t *ids, uint32_t count) {
  if (count == 1) return ids[0];
  g_autofree uint32_t *sums = g_new(uint32_t, count / 2);
  for (uint32_t i = 0; i < count / 2; i++) {
    sums[i] = add_two(shapes, ids[i], ids[i + count / 2]);
  }
  return add_folded(shapes, sums, count / 2);
}

/* Terms first, first + step, ... below end, one after the other. */
static inline uint32_t add_run(shapes_t *shapes, uint32_t first, uint32_t end, uint32_t step) {
  uint32_t sum = NO_TREE;
  for (uint32_t i = first; i < end; i += step) sum = add_two(shapes, sum, i);
  return sum;
}

/* The sums of `width` lanes over the terms below `end`. */
static inline void add_lanes(shapes_t *shapes, uint32_t width, uint32_t end, uint32_t *out_sums) {
  for (uint32_t i = 0; i < width; i++) out_sums[i] = add_run(shapes, i, end, width);
}

/* The sums of blocks; returns how many there are. */
static inline uint32_t add_blocks(shapes_t *shapes, uint32_t size, uint32_t *out_sums) {
  uint32_t end = (uint32_t)shapes->profile.term_count;
  uint32_t count = 0;
  for (uint32_t i = 0; i < end; i += size) {
    out_sums[count++] = add_run(shapes, i, MIN(i + size, end), 1);
  }
  return count;
}

static inline uint32_t init_id(const shapes_t *shapes) {
  return (uint32_t)shapes->profile.term_count;
}

static inline const profile_t *shapes_finish(shapes_t *shapes) {
  profile_builder_finish(&shapes->builder, &shapes->profile);
  return &shapes->profile;
}

#endif
