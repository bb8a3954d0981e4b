/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a program that was compiled without some sizes, and of one execution of it. */
#ifndef ASSAY_EXEC_PROCESS_SHAPES_H
#define ASSAY_EXEC_PROCESS_SHAPES_H

#include "harness/exec/transport/transport.h"

/* Copies without quantizations, which live as long as the case only. */
void copy_types(const type_t *types, uint32_t count, type_t *out_types);

/* The types of a call: with these sizes, or as they are if `dims` is NULL. */
void size_types(const type_t *types, uint32_t count, const int64_t (*dims)[TYPE_RANK_MAX],
                type_t *out_types);

/* The sizes of a call's operands and results for it. */
static inline const int64_t (*call_operands(const transport_call_t *call))[TYPE_RANK_MAX] {
  return call->shapes == NULL ? NULL : call->shapes->operands;
}

static inline const int64_t (*call_results(const transport_call_t *call))[TYPE_RANK_MAX] {
  return call->shapes == NULL ? NULL : call->shapes->results;
}

/* Bytes in all. */
static inline size_t add_sizes(const uint64_t *bytes, uint32_t count) {
  size_t total = 0;
  for (uint32_t i = 0; i < count; i++) total += bytes[i];
  return total;
}

#endif
