/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of an exported model as programs of op `module`, which executors run as one kernel. */
#ifndef ASSAY_QUANT_LOWER_WHOLES_H
#define ASSAY_QUANT_LOWER_WHOLES_H

#include "harness/kinds/module/module.h"
#include "harness/quant/lower/export.h"

/* A region of the graph whose steps are one program.  A dequantization outside whose operand is
 * there is computed inside as well, so that the program takes what is stored; what is dequantized
 * inside is returned as it is stored; and what is quantized of the region's inputs is an input. */
typedef struct quant_whole {
  bool is_whole;       /* Else `reason` says why it has no such program. */
  const char *reason;  /* In static memory. */
  uint32_t first;      /* Of its steps, and the last. */
  uint32_t last;       /* Steps of others between them take nothing of it. */
  uint32_t step_count; /* Of the region's own. */
  const bool *is_own;  /* By step of the export. */
  program_t program;
  uint32_t inputs[CASE_OPERANDS_MAX]; /* Tensors that the program takes ... */
  uint32_t outputs[CASE_RESULTS_MAX]; /* ... and returns. */
} quant_whole_t;

/* By region of the graph, in the arena; `steps` is borrowed. */
const quant_whole_t *quant_find_wholes(const quant_steps_t *steps, arena_t *arena);

#endif
