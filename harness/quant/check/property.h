/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of quantization: what must hold whatever the graph and the table are.  None of them
 * knows how propagation goes about it; each checks what came out by definitions
 * (harness/quant/propagate/propagate.h, and the RFC that quant.md names). */
#ifndef ASSAY_QUANT_CHECK_PROPERTY_H
#define ASSAY_QUANT_CHECK_PROPERTY_H

#include "harness/quant/fuse/fuse.h"
#include "harness/quant/propagate/propagate.h"

typedef enum quant_property_id {
#define PROPERTY(name, summary, function) QUANT_PROPERTY_##name,
#include "harness/quant/check/properties.def"
#undef PROPERTY
  QUANT_PROPERTY_COUNT
} quant_property_id_t;

typedef enum quant_outcome {
  QUANT_HOLDS,
  QUANT_NOT_APPLICABLE, /* Nothing in the graph that it is about. */
  QUANT_VIOLATED,
} quant_outcome_t;

/* What is tried. */
typedef struct quant_trial_input {
  const quant_graph_t *graph;
  const quant_target_t *table;
  quant_fault_t fault;
  uint64_t seed; /* For orders of declaration. */
} quant_trial_input_t;

/* A graph and a table, and what became of them. */
typedef struct quant_trial {
  const quant_graph_t *graph;
  const quant_target_t *table;
  quant_fault_t fault;
  quant_propagation_t propagation;
  quant_graph_t materialized;
  uint64_t seed;                 /* For orders of declaration. */
  quant_fuse_fault_t fuse_fault; /* Planted in fusing, by tests. */
} quant_trial_t;

typedef struct quant_property {
  const char *name;
  const char *summary;
  /* QUANT_VIOLATED says in out_words->text where and how.  Scratch in the arena. */
  quant_outcome_t (*check)(const quant_trial_t *trial, arena_t *arena, failure_t *out_words);
} quant_property_t;

/* By quant_property_id_t. */
const quant_property_t *quant_properties(void);

typedef struct quant_property_result {
  quant_outcome_t outcome;
  failure_t words; /* Of a violation. */
} quant_property_result_t;

/* What came out, beside the properties. */
typedef struct quant_trial_counts {
  uint32_t visits;
  uint32_t rescales;
  uint32_t refused;
  bool is_fully_quantized;
} quant_trial_counts_t;

/* Propagates and materializes with the fault and checks all properties; where that fails,
 * `resolves` is violated and the others are not applicable.  True if none is violated.  out_counts
 * may be NULL. */
bool quant_property_check_all(const quant_trial_input_t *input, arena_t *arena,
                              quant_property_result_t out_results[QUANT_PROPERTY_COUNT],
                              quant_trial_counts_t *out_counts);

/* The outcome of one property alone. */
quant_outcome_t quant_property_check_one(const quant_trial_input_t *input,
                                         quant_property_id_t property, arena_t *arena,
                                         failure_t *out_words);

#define PROPERTY(name, summary, function)                                               \
  quant_outcome_t quant_property_##function(const quant_trial_t *trial, arena_t *arena, \
                                            failure_t *out_words);
#include "harness/quant/check/properties.def"
#undef PROPERTY

/* Fills in words, as printf does, and is QUANT_VIOLATED. */
quant_outcome_t property_violated(failure_t *out_words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
