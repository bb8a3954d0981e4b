/* SPDX-License-Identifier: Apache-2.0 */
/* A backend of sums that adds in eight lanes from so many terms on, and one after the other below:
 * the option size=N.  With drops=yes it leaves its last term out at that very size, which no other
 * size shows. */
#include "tests/exec/dso/backend.h"

enum { LANES = 8 };

typedef struct switching {
  char size[ASSAY_OPTION_BYTES];
  char drops[ASSAY_OPTION_BYTES];
} switching_t;

typedef struct switching_sum {
  size_t count;
  bool is_wide;
  bool drops;
} switching_sum_t;

static int32_t open_switching(const char *options, void **out_self, assay_reason_t *reason) {
  switching_t *self = calloc(1, sizeof *self);
  if (self == NULL) return ASSAY_EXECUTOR_FAILED;
  const assay_option_t known[] = {{"size", self->size}, {"drops", self->drops}};
  *out_self = self;
  return assay_read_options(options, known, 2, reason);
}

static int32_t compile_switching(void *self, const assay_program_t *program, void **out_handle,
                                 assay_reason_t *reason) {
  const switching_t *switching = self;
  if (!good_can(program)) {
    snprintf(reason->text, reason->text_bytes, "only sums of f32 to one number");
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  switching_sum_t *sum = calloc(1, sizeof *sum);
  if (sum == NULL) return ASSAY_EXECUTOR_FAILED;
  size_t size = strtoull(switching->size, NULL, 10);
  sum->count = assay_type_count(&program->operands[0]);
  sum->is_wide = sum->count >= size;
  sum->drops = sum->count == size && strcmp(switching->drops, "yes") == 0;
  *out_handle = sum;
  return ASSAY_EXECUTOR_OK;
}

static int32_t execute_switching(void *self, void *handle, const void *const *operands,
                                 void *const *results, assay_reason_t *reason) {
  (void)self;
  (void)reason;
  const switching_sum_t *sum = handle;
  const float *input = operands[0];
  float lanes[LANES] = {0};
  size_t count = sum->drops ? sum->count - 1 : sum->count;
  for (size_t i = 0; i < count; i++) lanes[sum->is_wide ? i % LANES : 0] += input[i];
  float total = *(const float *)operands[1];
  for (size_t i = 0; i < LANES; i++) total += lanes[i];
  memcpy(results[0], &total, sizeof total);
  return ASSAY_EXECUTOR_OK;
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static assay_executor_t table;
  (void)abi_max;
  table = good_table;
  table.open = open_switching;
  table.compile = compile_switching;
  table.execute = execute_switching;
  table.promises = NULL;
  table.close = free;
  return &table;
}
