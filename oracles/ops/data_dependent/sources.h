/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of results come from, all at once. */
#ifndef ASSAY_ORACLES_OPS_DATA_DEPENDENT_SOURCES_H
#define ASSAY_ORACLES_OPS_DATA_DEPENDENT_SOURCES_H

#include "harness/base/arena.h"
#include "harness/model/implementation_model.h"
#include "oracles/ops/data_dependent/data_dependent.h"

/* An element of an operand, or an integer of its own. */
typedef struct source {
  bool is_number;
  uint32_t operand;
  int64_t number; /* Of that element, or the integer. */
} source_t;

/* STATUS_UNSUPPORTED unless the operands of a case of a valid program give results of its sizes,
 * and it is certain which: where subnormal numbers may be flushed non_zero has none. */
status_t dependent_check(const case_t *instance, bool may_flush, failure_t *error);

/* The sources of all elements of results, in the arena, as a model with that fault takes them:
 * zeros, unless the case `fits`, that is passes dependent_check(). */
void dependent_sources(const case_t *instance, bool fits, fault_t fault, arena_t *arena,
                       source_t *out_sources[CASE_RESULTS_MAX]);

/* The bits of a component of a result's element of that source. */
uint64_t source_load(const case_t *instance, source_t source, const element_t *element,
                     size_t part);

#endif
