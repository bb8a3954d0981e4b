/* SPDX-License-Identifier: Apache-2.0 */
/* A first attempt at a matmul of f32, as somebody might write it who has a kernel for whole vectors
 * of 8 terms: where there are more than 8, what is left over after the last whole vector is
 * dropped. It does one op, of one type, in one layout, and checks no program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/assay_executor.h"

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

static int is_plain(const assay_program_t *program) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    const assay_attribute_t *attribute = &program->attributes[i];
    int is_batch = strcmp(attribute->key, "batch") == 0 && strcmp(attribute->value, "[]x[]") == 0;
    int is_contract =
        strcmp(attribute->key, "contract") == 0 && strcmp(attribute->value, "[1]x[0]") == 0;
    if (!is_batch && !is_contract) return 0;
  }
  return 1;
}

static int is_matrix(const assay_type_t *type) {
  return strcmp(type->element, "f32") == 0 && type->rank == 2;
}

static int32_t compile(void *self, const assay_program_t *program, void **out_handle,
                       assay_reason_t *reason) {
  (void)self;
  if (strcmp(program->op, "stablehlo.dot_general") != 0 || !is_plain(program) ||
      !is_matrix(&program->operands[0]) || !is_matrix(&program->operands[1]) ||
      !is_matrix(&program->results[0])) {
    snprintf(reason->text, reason->text_bytes, "only products of two matrices of f32");
    return ASSAY_EXECUTOR_UNSUPPORTED;
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
