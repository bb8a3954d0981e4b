/* SPDX-License-Identifier: Apache-2.0 */
/* arg_max and top_k of f32 along the last dimension.  A NaN is larger than every number. */
#include <math.h>

#include "tests/kernel_bank/kernels/kernels.h"

static int is_larger(float a, float b) { return isnan(b) ? 0 : isnan(a) || a > b; }

void run_arg_max(const assay_program_t *program, const void *const *inputs, void *const *outputs) {
  const float *x = inputs[0];
  int64_t *index = outputs[0];
  int takes_last = assay_attribute_is(program, "select_last_index", "true");
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++, x += n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
      if (is_larger(x[i], x[best]) || (takes_last && !is_larger(x[best], x[i]))) best = i;
    }
    index[row] = best;
  }
}

/* Kept sorted: each element moves up past those that it is larger than. */
void run_top_k(const assay_program_t *program, const void *const *inputs, void *const *outputs) {
  const float *x = inputs[0];
  float *values = outputs[0];
  int32_t *indices = outputs[1];
  int64_t k = 0;
  assay_attribute_integer(program, "k", &k);
  int64_t rows = assay_rows(&program->operands[0]);
  int64_t n = assay_last_size(&program->operands[0]);
  for (int64_t row = 0; row < rows; row++, x += n, values += k, indices += k) {
    for (int64_t i = 0; i < n; i++) {
      int64_t place = i < k ? i : k;
      while (place > 0 && is_larger(x[i], values[place - 1])) {
        if (place < k) {
          values[place] = values[place - 1];
          indices[place] = indices[place - 1];
        }
        place--;
      }
      if (place == k) continue;
      values[place] = x[i];
      indices[place] = (int32_t)i;
    }
  }
}
