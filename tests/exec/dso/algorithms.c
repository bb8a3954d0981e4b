/* SPDX-License-Identifier: Apache-2.0 */
/* Promises one dot algorithm, BF16_BF16_F32_X3, and keeps to it badly: it runs almost all that it
 * is asked for (products of one f32 by 1), and refuses what it promises when the components are
 * counted. */
#include "harness/exec/executor_products.h"
#include "tests/exec/dso/backend.h"

static int32_t promises_one(void *self, const assay_program_t *program) {
  (void)self;
  assay_dot_algorithm_t algorithm;
  if (!assay_dot_read_algorithm(program, &algorithm)) return true;
  return strcmp(algorithm.lhs_precision, "bf16") == 0 &&
         strcmp(algorithm.rhs_precision, "bf16") == 0 &&
         strcmp(algorithm.accumulation, "f32") == 0 && algorithm.primitive_operations == 3 &&
         algorithm.lhs_components == algorithm.rhs_components && algorithm.lhs_components <= 2 &&
         !algorithm.allow_imprecise_accumulation;
}

static int32_t compile_any(void *self, const assay_program_t *program, void **out_handle,
                           assay_reason_t *reason) {
  (void)self;
  assay_dot_algorithm_t algorithm;
  if (assay_dot_read_algorithm(program, &algorithm) &&
      (strcmp(algorithm.lhs_precision, "tf32") == 0 || algorithm.lhs_components == 2)) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "not %s",
                         assay_attribute_text(program, "algorithm"));
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
