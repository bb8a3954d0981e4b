/* SPDX-License-Identifier: Apache-2.0 */
/* What the backends of these tests share: a well-behaved one that adds up f32 numbers, of which
 * each changes one function.  It runs reduce of one f32 input over all its dimensions. */
#ifndef ASSAY_TESTS_EXEC_DSO_BACKEND_H
#define ASSAY_TESTS_EXEC_DSO_BACKEND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/executor_helpers.h"

typedef struct sum_program {
  size_t count;
} sum_program_t;

static inline int32_t good_open(const char *options, void **out_self, assay_reason_t *reason) {
  (void)reason;
  (void)options;
  *out_self = NULL;
  return ASSAY_EXECUTOR_OK;
}

static inline const char *good_name(void *self) {
  (void)self;
  return "tester";
}

static inline const char *good_version(void *self) {
  (void)self;
  return "1.5";
}

static inline const char *good_hardware(void *self) {
  (void)self;
  return "any";
}

/* Attributes are added in the course of time: who does not know one must refuse the program. */
static inline int good_knows_attributes(const assay_program_t *program) {
  static const char *const keys[] = {"body", "dims"};
  return assay_find_unknown_key(program, keys, 2) == NULL &&
         assay_attribute_is(program, "body", "add");
}

static inline int good_can(const assay_program_t *program) {
  return strcmp(program->op, "stablehlo.reduce") == 0 && good_knows_attributes(program) &&
         program->operand_count == 2 && program->result_count == 1 &&
         program->results[0].rank == 0 && assay_type_is(&program->operands[0], "f32") &&
         assay_type_is(&program->results[0], "f32");
}

static inline int32_t good_promises(void *self, const assay_program_t *program) {
  (void)self;
  return good_can(program);
}

static inline int32_t good_compile(void *self, const assay_program_t *program, void **out_handle,
                                   assay_reason_t *reason) {
  (void)self;
  if (!good_can(program)) {
    snprintf(reason->text, reason->text_bytes, "only sums of f32 to one number\n");
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  sum_program_t *sum = malloc(sizeof *sum);
  if (sum == NULL) return ASSAY_EXECUTOR_FAILED;
  sum->count = assay_type_count(&program->operands[0]);
  *out_handle = sum;
  return ASSAY_EXECUTOR_OK;
}

static inline int32_t good_execute(void *self, void *handle, const void *const *operands,
                                   void *const *results, assay_reason_t *reason) {
  (void)self;
  (void)reason;
  const sum_program_t *sum = handle;
  const float *input = operands[0];
  float total = *(const float *)operands[1];
  for (size_t i = 0; i < sum->count; i++) total += input[i];
  memcpy(results[0], &total, sizeof total);
  return ASSAY_EXECUTOR_OK;
}

static inline const char *good_implementation(void *self, void *handle) {
  (void)self;
  (void)handle;
  return "loop";
}

static inline void good_release(void *self, void *handle) {
  (void)self;
  free(handle);
}

static inline void good_close(void *self) { (void)self; }

static const assay_executor_t good_table = {
    .abi = ASSAY_EXECUTOR_ABI,
    .struct_size = sizeof(assay_executor_t),
    .open = good_open,
    .name = good_name,
    .version = good_version,
    .hardware = good_hardware,
    .promises = good_promises,
    .compile = good_compile,
    .execute = good_execute,
    .implementation = good_implementation,
    .release = good_release,
    .close = good_close,
};

/* Exports the good table with one member changed. */
#define BACKEND_WITH(member, value)                                \
  const assay_executor_t *assay_executor_query(uint32_t abi_max) { \
    static assay_executor_t table;                                 \
    (void)abi_max;                                                 \
    table = good_table;                                            \
    table.member = value;                                          \
    return &table;                                                 \
  }

#endif
