/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of quantization graphs share among themselves. */
#ifndef ASSAY_QUANT_GRAPH_PARTS_H
#define ASSAY_QUANT_GRAPH_PARTS_H

#include "harness/quant/graph/graph.h"

/* What a broken rule is about, so that the parser can name its line. */
typedef enum quant_place_kind {
  QUANT_PLACE_GRAPH,
  QUANT_PLACE_VALUE,
  QUANT_PLACE_REGION,
  QUANT_PLACE_CALL,
} quant_place_kind_t;
typedef struct quant_place {
  quant_place_kind_t kind;
  uint32_t index; /* Of the value, region or call. */
} quant_place_t;

/* quant_builder_finish() that also says where a rule is broken. */
status_t quant_builder_finish_at(quant_builder_t *builder, quant_graph_t *out_graph,
                                 quant_place_t *out_place, failure_t *error);

/* Where what a builder keeps lives, and the name of a value that was added. */
arena_t *quant_builder_arena(quant_builder_t *builder);
const char *quant_builder_value_name(const quant_builder_t *builder, uint32_t value);

/* Frees a builder of which nothing shall come. */
void quant_builder_abandon(quant_builder_t *builder);

/* Whether `name` is made of letters, digits, '_', '.' and '-', and of '/' where `has_scope`. */
bool quant_is_name(str_t name, bool has_scope);

/* Sets the calls of regions and the parents of calls by what their names say, and checks that
 * values are used where they can be seen.  Names are checked before. */
status_t quant_link_scopes(const quant_graph_t *graph, quant_region_t *regions, quant_call_t *calls,
                           quant_place_t *out_place, failure_t *error);

/* Checks of what was added (graph/check.c, graph/check_region.c); each says where. */
status_t quant_check_names(const quant_graph_t *graph, quant_place_t *out_place, failure_t *error);
status_t quant_check_values(const quant_graph_t *graph, quant_place_t *out_place, failure_t *error);
status_t quant_check_regions(const quant_graph_t *graph, quant_place_t *out_place,
                             failure_t *error);

/* The inside of a region that stands for an op in no region: "operand0", ..., "result0", ... */
typedef struct quant_op_body {
  quant_inner_t inners[QUANT_PORTS_MAX];
  uint32_t returns[QUANT_PORTS_MAX];
} quant_op_body_t;

/* Fills in the body, and operands and results of the op, whose program has at most QUANT_PORTS_MAX
 * of both (graph/op.c). */
void quant_op_body(quant_op_t *inout_op, quant_op_body_t *out_body);

/* Fills in the depths of regions (graph.h); returns how many regions have one: all, or fewer where
 * regions stand in a cycle, of which *out_cycle then is one. */
uint32_t quant_find_depths(const quant_graph_t *graph, uint32_t *out_depths, uint32_t *out_cycle);

#endif
