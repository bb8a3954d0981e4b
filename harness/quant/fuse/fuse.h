/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel fusion: wraps ops in no region into regions of a target's kernels, takes regions apart
 * again, and takes back the decision to quantize some.  fuse.md has the definitions ("Kernel fusion
 * pass" of the RFC that quant.md names). */
#ifndef ASSAY_QUANT_FUSE_FUSE_H
#define ASSAY_QUANT_FUSE_FUSE_H

#include "harness/quant/target/target.h"

/* Planted faults, for showing that the checks see them. */
typedef enum quant_fuse_fault {
  QUANT_FUSE_FAULT_none,
  QUANT_FUSE_FAULT_second_use,        /* What is used elsewhere goes inside all the same. */
  QUANT_FUSE_FAULT_swaps_all,         /* Operands of any op may be swapped. */
  QUANT_FUSE_FAULT_declaration_order, /* Ops are tried in the order of their declaration. */
  QUANT_FUSE_FAULT_smallest_first,    /* Small patterns before large ones. */
  QUANT_FUSE_FAULT_constraints_lost,  /* Constraints on what goes inside are dropped. */
  QUANT_FUSE_FAULT_COUNT
} quant_fuse_fault_t;

/* Ops that became one region. */
typedef struct quant_match {
  const quant_pattern_t *pattern;
  uint32_t left_out; /* Bit i: line i of the pattern is left out. */
  uint32_t size;     /* Lines of the pattern that are there. */
  const quant_target_row_t *row;
  const char *region;       /* Its name in the fused graph. */
  uint32_t root;            /* The op that makes its output. */
  uint32_t op_count;        /* Ops inside, in an order in which they can be computed. */
  const uint32_t *ops;      /* By region of the graph that was given. */
  const int32_t *lines;     /* By op: its line, or QUANT_NONE of one that widens a number. */
  const uint32_t *operands; /* By op and operand (CASE_OPERANDS_MAX each): the input that the
                             * operand is, or input_count: what the operand's value is inside. */
  uint32_t constant_count;
  const uint32_t *constants; /* Values that are constants inside. */
  uint32_t input_count;
  uint32_t inputs[QUANT_PORTS_MAX]; /* Values. */
} quant_match_t;

/* What became of an op of the graph that was given. */
typedef struct quant_op_fate {
  int32_t match;      /* The match that took it, or QUANT_NONE. */
  bool is_constant;   /* It is made of constants alone: other regions may have copies of it. */
  bool is_copied;     /* A region has a copy. */
  bool is_dropped;    /* All that used it has copies. */
  const char *reason; /* Why the pattern that came closest did not make a region that ends in it, or
                       * NULL: no pattern ends in such an op. */
  const char *blocked; /* The same of a pattern whose ops are all there, or NULL. */
} quant_op_fate_t;

typedef struct quant_fusion {
  const quant_graph_t *graph; /* That was given; borrowed, as is the table. */
  const quant_target_t *table;
  uint32_t match_count;
  const quant_match_t *matches; /* In the order in which they were taken. */
  quant_op_fate_t *fates;       /* By region of `graph`. */
  quant_graph_t fused;
} quant_fusion_t;

/* Wraps ops in no region by the table's patterns.  All that is made lives in `arena`, shares
 * constants and ops with the graph, which must live as long.  STATUS_INVALID only for a bug in
 * Assay. */
status_t quant_fuse(const quant_graph_t *graph, const quant_target_t *table,
                    quant_fuse_fault_t fault, arena_t *arena, quant_fusion_t *out_fusion,
                    failure_t *error);

/* A line for each region that was made, with the ops inside, and one for each op that is left, with
 * the reason; then a summary. */
void quant_fuse_explain(const quant_fusion_t *fusion, GString *out_text);

/* "3 regions of 9 ops; 2 ops left, ..." and a newline. */
void quant_fuse_summary(const quant_fusion_t *fusion, GString *out_text);

/* Takes regions apart into ops in no region: those whose flag is set, by region, or all for NULL.
 * Rescales stay.  `out_notes` gets a line for each constraint that has no place any more. */
status_t quant_unfuse(const quant_graph_t *graph, const bool *is_wanted, arena_t *arena,
                      quant_graph_t *out_graph, GString *out_notes, failure_t *error);

/* Takes back the decision to quantize: the regions whose flag is set, of a quantized graph, are
 * taken apart; a rescale to high precision (dequantize) stands before what their ops take from
 * quantized values, and one from high precision (quantize) behind what they make for such.
 * STATUS_INVALID names a region that is not quantized. */
status_t quant_revert(const quant_graph_t *graph, const bool *is_wanted, arena_t *arena,
                      quant_graph_t *out_graph, GString *out_notes, failure_t *error);

#endif
