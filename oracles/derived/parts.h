/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share.  Private to oracles. */
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

/* ---- What is kept in the memo of a case ------------------------------------------------------ */

/* Of one part. */
typedef struct derived_memory {
  tensor_t results[CASE_RESULTS_MAX]; /* Of which one element at a time is asked about. */
  void *entries;                      /* What the other op's oracle remembers of it. */
} derived_memory_t;

/* What was gathered by one variant. */
typedef struct derived_variant {
  bool is_made;
  derived_t derived;
  derived_memory_t **parts; /* NULL: nobody asked about it. */
} derived_variant_t;

/* Variant `number`, gathered once; of `count` that are known of by now. */
status_t derived_find_variant(const oracle_call_t *call, uint32_t number, uint32_t count,
                              derived_variant_t **out_variant);

derived_memory_t *derived_remember_part(const derived_part_t *part, arena_t *arena,
                                        derived_memory_t **inout_memory);

/* gathering_t.count_variants and .leaders under the call's contract, found once. */
uint32_t derived_count_variants(const oracle_call_t *call, const gathering_t *gathering);
const size_t *derived_leaders(const oracle_call_t *call, const gathering_t *gathering);

#endif
