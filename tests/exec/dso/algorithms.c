/* SPDX-License-Identifier: Apache-2.0 */
/* Promises one dot algorithm, BF16_BF16_F32_X3, and keeps to it badly: it runs almost all that it
 * is asked for (products of one f32 by 1), and refuses what it promises when the components are
 * counted. */
#include "tests/exec/dso/backend.h"

static const char *find_algorithm(const assay_program_t *program) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    if (strcmp(program->attributes[i].key, "algorithm") == 0) return program->attributes[i].value;
  }
  return NULL;
}

static int32_t promises_one(void *self, const assay_program_t *program) {
  (void)self;
  const char *algorithm = find_algorithm(program);
  return algorithm == NULL || strcmp(algorithm, "[bf16,bf16,f32,1,1,3,false]") == 0 ||
         strcmp(algorithm, "[bf16,bf16,f32,2,2,3,false]") == 0;
}

static int32_t compile_any(void *self, const assay_program_t *program, void **out_handle,
                           assay_reason_t *reason) {
  (void)self;
  const char *algorithm = find_algorithm(program);
  if (algorithm != NULL &&
      (strncmp(algorithm, "[tf32", 5) == 0 || strstr(algorithm, ",2,2,") != NULL)) {
    snprintf(reason->text, reason->text_bytes, "not %s", algorithm);
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  *out_handle = NULL;
  return ASSAY_EXECUTOR_OK;
}

static int32_t execute_copy(void *self, void *handle, const void *const *operands,
                            void *const *results, assay_reason_t *reason) {
  (void)self;
  (void)handle;
  (void)reason;
  memcpy(results[0], operands[0], sizeof(float));
  return ASSAY_EXECUTOR_OK;
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static assay_executor_t table;
  (void)abi_max;
  table = good_table;
  table.promises = promises_one;
  table.compile = compile_any;
  table.execute = execute_copy;
  return &table;
}
