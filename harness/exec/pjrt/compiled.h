/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled program, between compiling (program.c) and running it (run.c). */
#ifndef ASSAY_EXEC_PJRT_COMPILED_H
#define ASSAY_EXEC_PJRT_COMPILED_H

#include <stdint.h>

#include "harness/exec/pjrt/client.h"
#include "harness/exec/pjrt/element.h"

/* What one process has of an operand or result, as buffers have it. */
typedef struct pjrt_tensor {
  const pjrt_element_t *element;
  int64_t *dims;
  int64_t *minor_to_major; /* rank-1, ..., 0: row-major. */
  size_t rank;
  size_t count; /* Of elements. */
} pjrt_tensor_t;

static inline size_t pjrt_tensor_bytes(const pjrt_tensor_t *tensor) {
  return tensor->count * tensor->element->bytes;
}

typedef struct pjrt_program {
  PJRT_LoadedExecutable *executable;
  uint32_t process_count; /* Each on a device of its own. */
  uint32_t operand_count;
  uint32_t result_count;
  PJRT_Device **devices;   /* Of the processes; borrowed from the client. */
  pjrt_tensor_t *operands; /* Of one process. */
  pjrt_tensor_t *results;
  /* During an execution: of each process all operands, and all results; and what to await. */
  PJRT_Buffer **operand_buffers;
  PJRT_Buffer **result_buffers;
  PJRT_Buffer *const **argument_lists; /* Into them, for each process. */
  PJRT_Buffer ***output_lists;
  PJRT_Event **events; /* Of the processes. */
} pjrt_program_t;

#endif
