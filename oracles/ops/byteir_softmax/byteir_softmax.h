/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.softmax and byteir.log_softmax: their attributes, which are the same. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_SOFTMAX_BYTEIR_SOFTMAX_H
#define ASSAY_ORACLES_OPS_BYTEIR_SOFTMAX_BYTEIR_SOFTMAX_H

#include "harness/kinds/byteir.h"

typedef struct byteir_softmax_attributes {
  int64_t axis;
} byteir_softmax_attributes_t;

static inline const byteir_softmax_attributes_t *byteir_softmax_attributes(
    const program_t *program) {
  return program->attributes;
}

/* The dimension along which a valid program normalizes. */
static inline dimension_list_t byteir_softmax_dimension(const program_t *program) {
  uint32_t rank = program->operands[0].rank;
  return (dimension_list_t){.count = 1,
                            .dims = {byteir_axis(byteir_softmax_attributes(program)->axis, rank)}};
}

#endif
