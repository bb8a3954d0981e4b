/* SPDX-License-Identifier: Apache-2.0 */
/* gelu of f32, by erf and by tanh. */
#include <math.h>

#include "tests/kernel_bank/kernels/kernels.h"

static const float SQRT_HALF = 0.70710678118654752f;
static const float SQRT_TWO_OVER_PI = 0.79788456080286536f;

int is_gelu_by_tanh(const assay_program_t *program) {
  return assay_attribute_is(program, "approximate", "tanh");
}

int is_gelu_by_erf(const assay_program_t *program) { return !is_gelu_by_tanh(program); }

void run_gelu_erf(const assay_program_t *program, const void *const *inputs, void *const *outputs) {
  const float *x = inputs[0];
  float *y = outputs[0];
  int64_t count = assay_count(&program->operands[0]);
  for (int64_t i = 0; i < count; i++) y[i] = 0.5f * x[i] * (1 + erff(x[i] * SQRT_HALF));
}

static inline void gelu_by_tanh(const assay_program_t *program, const float *x, float cubic,
                                float *y) {
  int64_t count = assay_count(&program->operands[0]);
  for (int64_t i = 0; i < count; i++) {
    float inner = SQRT_TWO_OVER_PI * (x[i] + cubic * x[i] * x[i] * x[i]);
    y[i] = 0.5f * x[i] * (1 + tanhf(inner));
  }
}

void run_gelu_tanh(const assay_program_t *program, const void *const *inputs,
                   void *const *outputs) {
  gelu_by_tanh(program, inputs[0], 0.044715f, outputs[0]);
}

/* Fault: a digit is missing. */
void run_gelu_constant(const assay_program_t *program, const void *const *inputs,
                       void *const *outputs) {
  gelu_by_tanh(program, inputs[0], 0.04715f, outputs[0]);
}
