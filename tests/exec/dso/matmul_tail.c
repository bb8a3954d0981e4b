/* SPDX-License-Identifier: Apache-2.0 */
/* A first attempt at a matmul of f32, as somebody might write it who has a kernel for whole vectors
 * of 8 terms: where there are more than 8, what is left over after the last whole vector is
 * dropped. It does one op, of one type, in one layout, and checks no program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/executor_products.h"

enum { LANES = 8 };

typedef struct matmul {
  int64_t rows;
  int64_t terms;
  int64_t columns;
} matmul_t;

static int32_t open_matmul(const char *options, void **out_self, assay_reason_t *reason) {
  (void)options;
  (void)reason;
  *out_self = NULL;
  return ASSAY_EXECUTOR_OK;
}

static const char *name(void *self) {
  (void)self;
  return "matmul";
}

static const char *version(void *self) {
  (void)self;
  return "0.1";
}

static const char *hardware(void *self) {
  (void)self;
  return "any";
}

/* `precision` or `algorithm` ask for something else. */
static int is_plain(const assay_program_t *program) {
  static const char *const keys[] = {"batch", "contract"};
  return assay_find_unknown_key(program, keys, 2) == NULL && assay_dot_is_matmul(program);
}

static int32_t compile(void *self, const assay_program_t *program, void **out_handle,
                       assay_reason_t *reason) {
  (void)self;
  if (strcmp(program->op, "stablehlo.dot_general") != 0 || !is_plain(program) ||
      !assay_type_is(&program->operands[0], "f32") ||
      !assay_type_is(&program->operands[1], "f32") || !assay_type_is(&program->results[0], "f32")) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "only products of two matrices of f32");
  }
  matmul_t *matmul = malloc(sizeof *matmul);
  if (matmul == NULL) return ASSAY_EXECUTOR_FAILED;
  *matmul = (matmul_t){.rows = program->operands[0].dims[0],
                       .terms = program->operands[0].dims[1],
                       .columns = program->operands[1].dims[1]};
  *out_handle = matmul;
  return ASSAY_EXECUTOR_OK;
}

static int32_t execute(void *self, void *handle, const void *const *operands, void *const *results,
                       assay_reason_t *reason) {
  (void)self;
  (void)reason;
  const matmul_t *matmul = handle;
  const float *lhs = operands[0];
  const float *rhs = operands[1];
  float *result = results[0];
  int64_t terms = matmul->terms > LANES ? matmul->terms - matmul->terms % LANES : matmul->terms;
  for (int64_t row = 0; row < matmul->rows; row++) {
    for (int64_t column = 0; column < matmul->columns; column++) {
      float sum = 0;
      for (int64_t i = 0; i < terms; i++) {
        sum += lhs[row * matmul->terms + i] * rhs[i * matmul->columns + column];
      }
      result[row * matmul->columns + column] = sum;
    }
  }
  return ASSAY_EXECUTOR_OK;
}

static void release(void *self, void *handle) {
  (void)self;
  free(handle);
}

static void close_matmul(void *self) { (void)self; }

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static const assay_executor_t table = {.abi = ASSAY_EXECUTOR_ABI,
                                         .struct_size = sizeof(assay_executor_t),
                                         .open = open_matmul,
                                         .name = name,
                                         .version = version,
                                         .hardware = hardware,
                                         .compile = compile,
                                         .execute = execute,
                                         .release = release,
                                         .close = close_matmul};
  (void)abi_max;
  return &table;
}
