/* SPDX-License-Identifier: Apache-2.0 */
/* What properties share: the ports of a region as rules see them.  For property*.c alone. */
#ifndef ASSAY_QUANT_CHECK_PARTS_H
#define ASSAY_QUANT_CHECK_PARTS_H

#include "harness/quant/check/property.h"

/* A region that was not refused. */
typedef struct property_view {
  const quant_trial_t *trial;
  const quant_region_t *region; /* Of the original graph. */
  const quant_region_result_t *result;
  const quant_target_row_t *row; /* Looked up anew. */
  uint32_t port_count;
  quant_signature_port_t signature[QUANT_PORTS_MAX]; /* Wildcards completed by values. */
  quant_port_state_t states[QUANT_PORTS_MAX]; /* Settled with what the materialized graph says. */
} property_view_t;

/* False if the region was refused, has no row or is missing in the materialized graph, which is for
 * the properties `refusals` and `nothing_lost` to say. */
bool property_view(const quant_trial_t *trial, uint32_t region, property_view_t *out_view);

/* The region of the materialized graph with that name, or NULL; the value. */
const quant_region_t *property_made_region(const quant_trial_t *trial, const char *name);
const quant_value_t *property_made_value(const quant_trial_t *trial, const char *name);

/* The visit in which a value was settled; 0 if it was from the start, or not. */
uint32_t property_value_visit(const quant_trial_t *trial, uint32_t value);

/* Whether UNIFORM parameters are wide enough for a spec, where that is ANY: their storage range
 * holds all of its. */
bool property_is_wide_enough(const quant_spec_t *any, const quant_spec_t *uniform);

/* Whether a port can have UNIFORM parameters: by signature, its own or its value's ANY, and its
 * tensor.  (Not by rules.) */
bool property_admits(const property_view_t *view, uint32_t port, const quant_spec_t *spec);

/* What a source says of a port, by its definition: VALUE, CALIBRATION or DATA; OPEN if nothing that
 * the port admits. */
quant_spec_t property_offer(const property_view_t *view, uint32_t port, quant_source_t source,
                            arena_t *arena);

/* Asks all rules until none derives anything more, from what is settled and offered.  Fails if one
 * says that nothing can satisfy it. */
status_t property_derive_all(property_view_t *view, arena_t *arena, failure_t *error);

/* Whether a region has no row, or one whose rules the UNIFORM specs of its own ports contradict: it
 * can never settle anything.  False where that depends on what its values have. */
bool property_is_hopeless(const quant_trial_t *trial, uint32_t region, arena_t *arena);

/* Points the states to the signature of this view, after it was copied. */
void property_point(property_view_t *view);

/* Whether the settled states obey all rules of the row. */
status_t property_check_rules(const property_view_t *view, failure_t *error);

#endif
