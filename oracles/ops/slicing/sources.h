/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of results come from: all at once by tables, one by the definition. */
#ifndef ASSAY_ORACLES_OPS_SLICING_SOURCES_H
#define ASSAY_ORACLES_OPS_SLICING_SOURCES_H

#include "harness/base/arena.h"
#include "harness/model/implementation_model.h"
#include "oracles/ops/slicing/slicing.h"

/* An element of an operand, by its row-major number; or an integer, itself an index. */
typedef struct slicing_source {
  bool is_number;
  uint32_t operand;
  int64_t number;
} slicing_source_t;

/* The sources of all elements of the result, in the arena, as a model with that fault takes them.
 */
slicing_source_t *slicing_sources(const case_t *instance, fault_t fault, arena_t *arena);

/* That of one element, by the formulas of the specification. */
slicing_source_t slicing_define(const case_t *instance, size_t element);

/* The bits of a component of a result's element of that source.  *out_is_open: an index is no
 * number of the type, and the specification does not say what it becomes. */
uint64_t slicing_load(const case_t *instance, slicing_source_t source, size_t part,
                      bool *out_is_open);

#endif
