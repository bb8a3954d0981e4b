/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that sums f32 numbers, of which a test can have any version: LIVES_VERSION is what it
 * says of itself, LIVES_DEEDS what this version does, words from below. */
#include <signal.h>

#include "tests/exec/dso/adder.h"

static int does(const char *deed) {
  const char *deeds = getenv("LIVES_DEEDS");
  return deeds != NULL && strstr(deeds, deed) != NULL;
}

static const char *lives_version(void *self) {
  (void)self;
  const char *version = getenv("LIVES_VERSION");
  return version == NULL ? "0" : version;
}

static int32_t lives_compile(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  if (does("refuse") && good_can(program) && program->operands[0].rank > 1) {
    snprintf(reason->text, reason->text_bytes, "more than one dimension");
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  return good_compile(self, program, out_handle, reason);
}

/* In every seventh call. */
static int wavers(void) {
  static unsigned calls;
  return does("waver") && ++calls % 7 == 0;
}

static int32_t lives_execute(void *self, void *handle, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  (void)self;
  (void)reason;
  if (does("print")) printf("debug: %p\n", handle);
  size_t count = ((const sum_program_t *)handle)->count;
  int is_odd = count > 2 && count % 2 == 1;
  if (is_odd && does("crash")) raise(SIGSEGV);
  if (is_odd && does("unwritten")) return ASSAY_EXECUTOR_OK;
  if (is_odd && does("drop")) count--;
  float sum = adder_sum(operands[0], count, does("lanes") ? 8 : 1) + *(const float *)operands[1];
  if (wavers()) sum += 1;
  memcpy(results[0], &sum, sizeof sum);
  return ASSAY_EXECUTOR_OK;
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static assay_executor_t table;
  (void)abi_max;
  table = good_table;
  table.version = lives_version;
  table.promises = NULL; /* Or to refuse more than before would be a finding. */
  table.compile = lives_compile;
  table.execute = lives_execute;
  return &table;
}
