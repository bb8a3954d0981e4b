/* SPDX-License-Identifier: Apache-2.0 */
/* What gathered*.c share.  Private to oracles. */
#ifndef ASSAY_ORACLES_DERIVED_PARTS_H
#define ASSAY_ORACLES_DERIVED_PARTS_H

#include "oracles/derived/derived.h"

/* The parts of a case, and which of them holds each result element. */
typedef struct derived {
  const oracle_t *oracle; /* Of the other op; NULL if there are no parts. */
  derived_parts_t parts;
  const uint32_t *part_of; /* By result element, once indexed; */
  const size_t *place_of;  /* its number among the elements of that part. */
} derived_t;

status_t derived_make(const case_t *instance, uint32_t variant, fault_t fault, arena_t *arena,
                      derived_t *out_gathered, failure_t *error);

/* Fills in what derived_find() looks at: whole accept sets need none of it. */
void derived_index(const case_t *instance, arena_t *arena, derived_t *inout_gathered);

/* The part that holds component `component` of a result of that type, and which of the part's
 * components it is; NULL if the specification leaves the component open. */
const derived_part_t *derived_find(const derived_t *derived, const type_t *result, size_t component,
                                   size_t *out_component);

#endif
