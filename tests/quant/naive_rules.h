/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a region's ports, and the four rules, thought through: for quant/naive_visit.c.
 */
#ifndef ASSAY_TESTS_QUANT_NAIVE_RULES_H
#define ASSAY_TESTS_QUANT_NAIVE_RULES_H

#include "tests/quant/naive_propagation.h"

/* What is known of the ports of one region: facts, and guesses that are being thought through. */
typedef struct knowledge {
  quant_spec_t specs[QUANT_PORTS_MAX]; /* UNIFORM where known. */
  bool is_guess[QUANT_PORTS_MAX];
  quant_source_t sources[QUANT_PORTS_MAX];
} knowledge_t;

typedef enum finding { FINDING_FITS, FINDING_WAITS, FINDING_CONTRADICTS } finding_t;

typedef struct place {
  const quant_graph_t *graph;
  const naive_propagation_t *naive;
  const quant_region_t *region;
  const naive_region_t *known;
  arena_t *arena;
} place_t;

bool naive_is_known(const knowledge_t *knowledge, uint32_t port);
bool naive_is_rescale(const quant_region_t *region);
bool naive_same_parameters(const quant_spec_t *a, const quant_spec_t *b);

/* Whether the port may have the parameters: by its signature, its tensor and its own spec. */
bool naive_is_admitted(const place_t *place, uint32_t port, const quant_spec_t *spec);

/* Thinks the rules through to the end: adds all that follows, as guesses if `is_guess`. */
finding_t naive_think(const place_t *place, bool is_guess, knowledge_t *inout);

#endif
