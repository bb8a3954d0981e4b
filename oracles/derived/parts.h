/* What gathered*.c share.  Private to oracles. */
#ifndef ASSAY_ORACLES_DERIVED_PARTS_H
#define ASSAY_ORACLES_DERIVED_PARTS_H

#include "oracles/derived/derived.h"

/* The parts of a case, and which of them holds each result element. */
typedef struct gathered {
  const oracle_t *oracle; /* Of the other op; NULL if there are no parts. */
  gathered_parts_t parts;
  const uint32_t *part_of; /* By result element, once indexed; */
  const size_t *place_of;  /* its number among the elements of that part. */
} gathered_t;

status_t gathered_make(const case_t *instance, uint32_t reading, fault_t fault, arena_t *arena,
                       gathered_t *out_gathered, failure_t *error);

/* Fills in what gathered_find() looks at: whole accept sets need none of it. */
void gathered_index(const case_t *instance, arena_t *arena, gathered_t *inout_gathered);

/* The part that holds component `component` of a result of that type, and which of the part's
 * components it is; NULL if the specification leaves the component open. */
const gathered_part_t *gathered_find(const gathered_t *gathered, const type_t *result,
                                     size_t component, size_t *out_component);

#endif
