/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.gelu and byteir.erf: functions of single elements, and their attributes. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_SPECIAL_FUNCTIONS_BYTEIR_SPECIAL_FUNCTIONS_H
#define ASSAY_ORACLES_OPS_BYTEIR_SPECIAL_FUNCTIONS_BYTEIR_SPECIAL_FUNCTIONS_H

#include "harness/kinds/byteir.h"

/* none and erf mean x Phi(x), Phi being the normal distribution; tanh means the approximation of it
 * by a hyperbolic tangent, which is up to 4.8e-4 away: neither stands for the other. */
typedef enum gelu_approximation {
  GELU_NONE,
  GELU_ERF,
  GELU_TANH,
} gelu_approximation_t;

typedef struct byteir_gelu_attributes {
  uint8_t approximate; /* gelu_approximation_t */
} byteir_gelu_attributes_t;

static inline gelu_approximation_t byteir_gelu_approximation(const program_t *program) {
  const byteir_gelu_attributes_t *attributes = program->attributes;
  return (gelu_approximation_t)attributes->approximate;
}

#endif
