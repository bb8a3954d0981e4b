/* SPDX-License-Identifier: Apache-2.0 */
/* Products of two matrices, in tiles. */
#include "tests/kernel_bank/kernels/kernels.h"

enum { TILE = 64, TERMS = 32 };

int is_plain_matmul(const assay_program_t *program) { return assay_dot_is_matmul(program); }

typedef struct sizes {
  int64_t rows;
  int64_t terms;
  int64_t columns;
} sizes_t;

static sizes_t sizes_of(const assay_program_t *program) {
  return (sizes_t){program->operands[0].dims[0], program->operands[0].dims[1],
                   program->operands[1].dims[1]};
}

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The tile of c from row i and column j on: terms k .. end - 1 are added to what is there. */
static inline void add_tile(const sizes_t *sizes, const float *a, const float *b, float *c,
                            const int64_t from[3]) {
  int64_t rows = smaller(from[0] + TILE, sizes->rows);
  int64_t columns = smaller(from[1] + TILE, sizes->columns);
  int64_t terms = smaller(from[2] + TERMS, sizes->terms);
  for (int64_t i = from[0]; i < rows; i++) {
    for (int64_t k = from[2]; k < terms; k++) {
      float factor = a[i * sizes->terms + k];
      for (int64_t j = from[1]; j < columns; j++) {
        c[i * sizes->columns + j] += factor * b[k * sizes->columns + j];
      }
    }
  }
}

/* Of the first `terms` terms. */
static inline void multiply(const assay_program_t *program, int64_t terms,
                            const void *const *inputs, float *c) {
  sizes_t sizes = sizes_of(program);
  for (int64_t i = 0; i < sizes.rows * sizes.columns; i++) c[i] = 0;
  for (int64_t i = 0; i < sizes.rows; i += TILE) {
    for (int64_t j = 0; j < sizes.columns; j += TILE) {
      for (int64_t k = 0; k < terms; k += TERMS) {
        add_tile(&sizes, inputs[0], inputs[1], c, (const int64_t[3]){i, j, k});
      }
    }
  }
}

void run_matmul(const assay_program_t *program, const void *const *inputs, void *const *outputs) {
  multiply(program, sizes_of(program).terms, inputs, outputs[0]);
}

/* Fault: there are terms / TERMS blocks, and nothing is said of what is left over. */
void run_matmul_tail(const assay_program_t *program, const void *const *inputs,
                     void *const *outputs) {
  multiply(program, sizes_of(program).terms / TERMS * TERMS, inputs, outputs[0]);
}

void run_matmul_f16(const assay_program_t *program, const void *const *inputs,
                    void *const *outputs) {
  const _Float16 *a = inputs[0], *b = inputs[1];
  float *c = outputs[0];
  sizes_t sizes = sizes_of(program);
  for (int64_t i = 0; i < sizes.rows; i++) {
    for (int64_t j = 0; j < sizes.columns; j++) {
      float sum = 0;
      for (int64_t k = 0; k < sizes.terms; k++) {
        sum += (float)a[i * sizes.terms + k] * (float)b[k * sizes.columns + j];
      }
      c[i * sizes.columns + j] = sum;
    }
  }
}

/* Fault: the accumulator has the operands' type, not the result's. */
void run_matmul_f16_accumulation(const assay_program_t *program, const void *const *inputs,
                                 void *const *outputs) {
  const _Float16 *a = inputs[0], *b = inputs[1];
  float *c = outputs[0];
  sizes_t sizes = sizes_of(program);
  for (int64_t i = 0; i < sizes.rows; i++) {
    for (int64_t j = 0; j < sizes.columns; j++) {
      _Float16 sum = 0;
      for (int64_t k = 0; k < sizes.terms; k++) {
        sum += a[i * sizes.terms + k] * b[k * sizes.columns + j];
      }
      c[i * sizes.columns + j] = (float)sum;
    }
  }
}
