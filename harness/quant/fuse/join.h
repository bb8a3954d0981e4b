/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel fusion after quantization: regions that are there already are joined to coarser ones, by
 * the patterns of a table that need not be theirs.  fuse.md, "Joining", says when. */
#ifndef ASSAY_QUANT_FUSE_JOIN_H
#define ASSAY_QUANT_FUSE_JOIN_H

#include "harness/quant/fuse/fuse.h"

/* Regions that became one. */
typedef struct quant_joint {
  const char *region; /* Its name in the joined graph; */
  const char *kernel;
  const bool *parts; /* by region of the graph that was given. */
} quant_joint_t;

typedef struct quant_joining {
  const quant_graph_t *graph; /* That was given; borrowed, as is the table. */
  const quant_target_t *table;
  uint32_t joint_count;
  const quant_joint_t *joints;
  quant_graph_t joined; /* The graph itself, if nothing was joined. */
} quant_joining_t;

/* All that is made lives in `arena`, and shares constants and ops with the graph.  STATUS_INVALID
 * only for a bug in Assay. */
status_t quant_join(const quant_graph_t *graph, const quant_target_t *table, arena_t *arena,
                    quant_joining_t *out_joining, failure_t *error);

/* A line for each region that was made: its parts, and the values between them whose parameters no
 * kernel has any more; then a summary. */
void quant_join_explain(const quant_joining_t *joining, GString *out_text);

#endif
