/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing of quantization: random graphs and tables, all properties of each, small counterexamples.
 */
#ifndef ASSAY_QUANT_CHECK_FUZZ_H
#define ASSAY_QUANT_CHECK_FUZZ_H

#include <signal.h>

#include "harness/quant/check/property.h"

typedef struct quant_fuzz_options {
  uint64_t seed;
  uint64_t count;              /* Pairs of a graph and a table. */
  uint32_t regions_max;        /* Of a graph; see quant_draw_graph_text(). */
  const quant_target_t *table; /* That all graphs are for; NULL: random ones and those that come
                                * with Assay by turns. */
  quant_fault_t fault;         /* To be found. */
  /* Called after each pair was checked, if not NULL; what it is given lives for the call.  A
   * failure ends the run. */
  status_t (*on_pair)(void *context, uint64_t number, const quant_graph_t *graph,
                      const quant_target_t *table, failure_t *error);
  void *context;
  const volatile sig_atomic_t *stop; /* If not NULL: ends the run once nonzero. */
} quant_fuzz_options_t;

/* How often a property had which outcome. */
typedef struct quant_fuzz_count {
  uint64_t outcomes[QUANT_VIOLATED + 1]; /* By quant_outcome_t. */
} quant_fuzz_count_t;

/* The first violation of a property, made small. */
typedef struct quant_fuzz_finding {
  uint64_t number;   /* Of the pair, from 0; the same seed and options draw it again. */
  const char *words; /* NULL if there is no violation. */
  const char *graph; /* Texts of the small graph and table. */
  const char *table;
} quant_fuzz_finding_t;

typedef struct quant_fuzz_result {
  quant_fuzz_count_t counts[QUANT_PROPERTY_COUNT];
  quant_fuzz_finding_t findings[QUANT_PROPERTY_COUNT];
  uint64_t pairs;   /* That were drawn. */
  uint64_t regions; /* Of all graphs. */
  uint64_t visits;
  uint64_t rescales;
  uint64_t refused;
  uint64_t fully_quantized; /* Graphs. */
} quant_fuzz_result_t;

/* Draws and checks.  The texts of findings are in the arena.  Fails only if what was drawn cannot
 * be read: a bug in Assay. */
status_t quant_fuzz(const quant_fuzz_options_t *options, arena_t *arena,
                    quant_fuzz_result_t *out_result, failure_t *error);

/* A smaller graph and table that violate the property still: greedily, while anything can be left
 * out (calls, regions, outputs, specs, rows, rules). */
typedef struct quant_fuzz_case {
  quant_graph_t graph;
  quant_target_t table;
  quant_fault_t fault;
  uint64_t seed;
  quant_property_id_t property;
} quant_fuzz_case_t;
quant_fuzz_case_t quant_fuzz_shrink(const quant_fuzz_case_t *found, arena_t *arena);

/* What the case tries; borrows from it. */
quant_trial_input_t quant_fuzz_input(const quant_fuzz_case_t *from);

#endif
