/* SPDX-License-Identifier: Apache-2.0 */
/* Propagation once more, read off harness/quant/propagate/quant.md and slowly: no work list, no
 * offers that are taken back, and its own four rules.  For agreement with quant_propagate(). */
#ifndef ASSAY_TESTS_QUANT_NAIVE_PROPAGATION_H
#define ASSAY_TESTS_QUANT_NAIVE_PROPAGATION_H

#include "harness/quant/propagate/propagate.h"

typedef struct naive_port {
  quant_spec_t spec; /* UNIFORM, KEEP or OPEN. */
  quant_source_t source;
  bool is_conflict;
} naive_port_t;

typedef struct naive_region {
  const quant_target_row_t *row;
  quant_signature_port_t signature[QUANT_PORTS_MAX];
  naive_port_t ports[QUANT_PORTS_MAX];
  bool is_refused;
} naive_region_t;

typedef struct naive_propagation {
  naive_region_t *regions;
  quant_spec_t *values; /* UNIFORM or OPEN. */
} naive_propagation_t;

/* All that is made lives in `arena`. */
naive_propagation_t naive_propagate(const quant_graph_t *graph, const quant_target_t *table,
                                    arena_t *arena);

/* Where a propagation differs from the naive one, in words; NULL where they agree. */
const char *naive_difference(const naive_propagation_t *naive,
                             const quant_propagation_t *propagation, arena_t *arena);

#endif
