/* SPDX-License-Identifier: Apache-2.0 */
/* What a quantized model may return, enclosed: for given inputs, intervals that hold the exact real
 * numbers of the high-precision model, and intervals that hold whatever conforming executors return
 * from the exported steps.  Their distance is the certified error: no conforming run is further
 * from the model. */
#ifndef ASSAY_QUANT_RUN_ENCLOSURE_H
#define ASSAY_QUANT_RUN_ENCLOSURE_H

#include "harness/quant/lower/wholes.h"
#include "oracles/oracle.h"

typedef struct quant_enclosure {
  box_t **values;  /* By value of the graph, one box an element: exact real numbers. */
  box_t **tensors; /* By tensor of the steps: what may be stored there. */
  /* How many steps, and ops of the model, have no enclosure: any number may be among their
   * results. */
  uint32_t unknown_steps;
  char unknown[192]; /* The first of these and the reason, or "". */
  /* The first step that under the contract may give any number, though its operands are bounded: as
   * its formula may be rounded at each step, nothing is proven of it.  Or "". */
  char unbounded[192];
} quant_enclosure_t;

/* `inputs` are the graph's, in their order and high-precision types.  STATUS_INVALID for a bug in
 * Assay. */
status_t quant_enclose(const quant_steps_t *steps, const contract_t *contract,
                       const tensor_t *inputs, arena_t *arena, quant_enclosure_t *out_enclosure,
                       failure_t *error);

/* The same where regions may run as one kernel each, and what they return may be what such a kernel
 * or their steps give. */
typedef struct quant_enclosing {
  const quant_steps_t *steps;
  const quant_whole_t *wholes; /* By region; NULL: all are run step by step. */
  const contract_t *contract;
  const tensor_t *inputs;
} quant_enclosing_t;
status_t quant_enclose_wholes(const quant_enclosing_t *what, arena_t *arena,
                              quant_enclosure_t *out_enclosure, failure_t *error);

/* Errors of one tensor that stands for a value of the graph, in the value's own unit. */
typedef struct quant_error {
  double certified; /* The largest that any conforming run may have; infinite if unknown. */
  double observed;  /* The largest of these data: an upper bound, as the model is enclosed. */
  size_t outside;   /* Elements that lie outside what conforming runs may store. */
  size_t first_outside;
} quant_error_t;

/* `data` is what a run stored in the tensor, or NULL for the certified error alone.  The tensor has
 * a value. */
quant_error_t quant_error_of(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                             uint32_t tensor, const tensor_t *data);

/* What is stored in an element: a point; the whole line of a NaN and of a complex number, which
 * have no enclosure. */
box_t quant_point(const tensor_t *data, size_t element);

/* The number that an element of the tensor, which is not complex, stands for, dequantized where it
 * is quantized: in binary64, within a unit in the last place. */
double quant_number(const type_t *type, const tensor_t *data, size_t element);

#endif
