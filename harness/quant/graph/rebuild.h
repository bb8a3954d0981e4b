/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs taken apart, changed and built anew: for shuffling, shrinking and comparing them. */
#ifndef ASSAY_QUANT_GRAPH_REBUILD_H
#define ASSAY_QUANT_GRAPH_REBUILD_H

#include "harness/base/rng.h"
#include "harness/quant/graph/graph.h"

/* The parts of a graph; all but `graph` may be changed before they are built. */
typedef struct quant_parts {
  const quant_graph_t *graph; /* Borrowed. */
  quant_value_t *values;      /* By value; who makes and who uses it is not read. */
  quant_region_t *regions;    /* By region; their ports are in `ports`. */
  quant_port_t **ports;       /* By region. */
  bool *drops_value;          /* By value: left out. */
  bool *drops_region;         /* By region. */
  bool drops_calls;           /* Regions and values of calls then belong to nobody. */
  bool *is_output;            /* By value. */
  uint32_t *value_order;      /* In which they are declared: a permutation. */
  uint32_t *region_order;
} quant_parts_t;

quant_parts_t quant_parts_take(const quant_graph_t *graph, arena_t *arena);

/* Random orders of declaration, but for inputs among each other. */
void quant_parts_shuffle(quant_parts_t *parts, rng_t *rng);

/* Makes all specs of values and ports open. */
void quant_parts_strip(quant_parts_t *parts);

/* Drops values that no region that stays touches and that are no outputs. */
void quant_parts_prune(quant_parts_t *parts, arena_t *arena);

/* Lets regions and outputs use value `to` where they used `from`, or make it. */
void quant_parts_redirect(quant_parts_t *parts, uint32_t from, uint32_t to);

/* Builds the graph.  A value that nobody makes any more becomes an input.  out_region_map, if not
 * NULL, gets for each region its new index, or QUANT_NONE; out_value_map likewise.  Fails as
 * quant_builder_finish() does. */
status_t quant_parts_build(const quant_parts_t *parts, arena_t *arena, quant_graph_t *out_graph,
                           int32_t **out_region_map, int32_t **out_value_map, failure_t *error);

#endif
