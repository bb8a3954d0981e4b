/* SPDX-License-Identifier: Apache-2.0 */
/* The core of an unquantized reduce: the same terms in the accumulation type, without the implicit
 * conversions of inputs and results. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_CORE_H
#define ASSAY_ORACLES_OPS_REDUCE_CORE_H

#include "harness/model/accept.h"
#include "oracles/ops/reduce/reduce.h"

typedef struct reduce_core {
  /* Results have the accumulation types.  Inputs and initial values that these hold all values of
   * are the case's own; others have been converted: floats to nearest even. */
  case_t instance;
  /* By operand: whether an element had no value that the conversion is specified for (an integer
   * beyond the range, a NaN where there is none); NULL if none had.  What is made of it conforms.
   */
  const uint8_t *open[CASE_OPERANDS_MAX];
} reduce_core_t;

/* STATUS_UNSUPPORTED if the accumulation type does not hold all values of an input in a program by
 * today's specification, which leaves that conversion open. */
status_t reduce_core_make(const case_t *instance, arena_t *arena, reduce_core_t *out_core,
                          failure_t *error);

/* Whether the value of element `index` is open, and whether some term of an output is. */
static inline bool reduce_core_is_open(const reduce_core_t *core, uint32_t operand, size_t index) {
  return core->open[operand] != NULL && core->open[operand][index] != 0;
}
bool reduce_core_has_open_term(const reduce_core_t *core, const reduce_slices_t *slices,
                               uint32_t result, size_t output);

/* An element's pattern in another type of its class; false if it is open. */
bool reduce_convert_bits(const element_t *from, uint64_t bits, const element_t *to,
                         uint64_t *out_bits);

/* Fast accept sets of the core become those of a result of type `result`: NULL if it is what is
 * accumulated in. */
void reduce_core_convert_accept(const reduce_core_t *core, const reduce_slices_t *slices,
                                uint32_t input, const element_t *result, arena_t *arena,
                                accept_t *inout_accept);

#endif
