/* SPDX-License-Identifier: Apache-2.0 */
/* Random annotated graphs, for fuzzing. */
#ifndef ASSAY_QUANT_CHECK_DRAW_GRAPH_H
#define ASSAY_QUANT_CHECK_DRAW_GRAPH_H

#include "harness/base/rng.h"
#include "harness/quant/graph/graph.h"

enum { QUANT_DRAW_REGIONS_MAX = 64 };

/* Appends the text of a valid graph of at least one and at most regions_max regions (which is taken
 * as at least 1, at most the above; calls of subprograms may make a few more): chains, diamonds,
 * values that several regions share, residual additions, several inputs and outputs, subprograms
 * that are called more than once, random specs on values and ports, seldom kernels that no table
 * has.  Most graphs are of f32, some of f16, bf16 or f64. */
void quant_draw_graph_text(rng_t *rng, uint32_t regions_max, GString *out_text);

/* The same, parsed into the arena.  An error is a bug of this file or of the parser. */
status_t quant_draw_graph(rng_t *rng, uint32_t regions_max, arena_t *arena,
                          quant_graph_t *out_graph, failure_t *error);

#endif
