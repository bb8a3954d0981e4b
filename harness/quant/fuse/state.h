/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of kernel fusion share among themselves. */
#ifndef ASSAY_QUANT_FUSE_STATE_H
#define ASSAY_QUANT_FUSE_STATE_H

#include "harness/quant/fuse/fuse.h"

/* A pattern with lines left out. */
typedef struct variant {
  const quant_pattern_t *pattern;
  uint32_t index;    /* Of the pattern in its table. */
  uint32_t left_out; /* Bit i: line i. */
  uint32_t size;     /* Ops: lines that are there. */
  uint32_t root;     /* The line that makes the output. */
} variant_t;

/* All variants of a table: the largest first, of equal ones those of earlier patterns, of these
 * those that keep earlier lines. */
const variant_t *variants_of(const quant_target_t *table, arena_t *arena, uint32_t *out_count);

/* The line that a name stands for where lines are left out; or the argument that it comes to. */
quant_argument_t variant_resolve(const variant_t *variant, quant_argument_t argument);

static inline bool variant_has(const variant_t *variant, uint32_t line) {
  return (variant->left_out >> line & 1) == 0;
}

typedef struct fuser {
  const quant_graph_t *graph;
  const quant_target_t *table;
  quant_fuse_fault_t fault;
  arena_t *arena;
  const uint32_t *ranks;  /* By region: its place in quant_graph_order(). */
  quant_op_fate_t *fates; /* By region. */
} fuser_t;

/* Why a variant does not make a region that ends in an op. */
typedef struct miss {
  uint32_t progress; /* Ops that were there; more than the variant has where all were. */
  char text[256];
} miss_t;

/* Whether the variant makes a region that ends in op `root` of the graph; fills in all but the
 * match's name. */
bool match_at(const fuser_t *fuser, const variant_t *variant, uint32_t root,
              quant_match_t *out_match, miss_t *out_miss);

/* Whether a value stands in the call by its name, not around it nor deeper. */
bool value_is_in_call(const quant_graph_t *graph, uint32_t value, int32_t call);

/* "call/", or "". */
const char *call_prefix(const quant_graph_t *graph, int32_t call, arena_t *arena);

/* What a value is called in a call: the local part of its name, or what stands for it there. */
const char *name_in_call(const quant_graph_t *graph, uint32_t value, int32_t call);

/* "name" of "outer/inner/name". */
const char *local_name(const char *name);

/* Builds the fused graph. */
status_t fuse_build(const fuser_t *fuser, const quant_match_t *matches, uint32_t match_count,
                    quant_graph_t *out_graph, failure_t *error);

#endif
