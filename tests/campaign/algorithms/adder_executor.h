/* SPDX-License-Identifier: Apache-2.0 */
/* An executor whose version and lanes a test can change, and its profiles, built by hand. */
#ifndef ASSAY_TESTS_CAMPAIGN_ALGORITHMS_ADDER_EXECUTOR_H
#define ASSAY_TESTS_CAMPAIGN_ALGORITHMS_ADDER_EXECUTOR_H

#include "harness/exec/executor.h"
#include "tests/exec/dso/adder.h"
#include "tests/identify/tree_shapes.h"

/* What the executors opened next are. */
typedef struct adder_kind {
  const char *version;
  size_t lanes_below; /* Lanes for fewer than `from` terms, and for more. */
  size_t lanes_from;
  size_t from;
  bool is_wrong; /* Forgets the last of several terms. */
} adder_kind_t;

static adder_kind_t adder_kind;

static inline int32_t adder_open(const char *options, void **out_self, assay_reason_t *reason) {
  (void)options, (void)reason;
  *out_self = g_memdup2(&adder_kind, sizeof adder_kind);
  return ASSAY_EXECUTOR_OK;
}

static inline const char *adder_version(void *self) { return ((adder_kind_t *)self)->version; }
static inline void adder_close(void *self) { g_free(self); }

static inline int32_t adder_execute(void *self, void *handle, const void *const *operands,
                                    void *const *results, assay_reason_t *reason) {
  (void)reason;
  const adder_kind_t *kind = (const adder_kind_t *)self;
  size_t count = ((const sum_program_t *)handle)->count;
  size_t lanes = count < kind->from ? kind->lanes_below : kind->lanes_from;
  if (kind->is_wrong && count > 1) count--;
  float sum = *(const float *)operands[1] + adder_sum(operands[0], count, lanes);
  memcpy(results[0], &sum, sizeof sum);
  return ASSAY_EXECUTOR_OK;
}

static inline const assay_executor_t *adder_find(const char *name) {
  static const assay_executor_t table = {.abi = ASSAY_EXECUTOR_ABI,
                                         .struct_size = sizeof(assay_executor_t),
                                         .open = adder_open,
                                         .name = good_name,
                                         .version = adder_version,
                                         .hardware = good_hardware,
                                         .compile = good_compile,
                                         .execute = adder_execute,
                                         .release = good_release,
                                         .close = adder_close};
  return g_str_equal(name, "model:adder") ? &table : NULL;
}

static inline executor_t *open_adder(adder_kind_t kind) {
  const executor_options_t options = {.find_builtin = adder_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  adder_kind = kind;
  if (executor_open("model:adder", &options, &executor, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return executor;
}

/* The text of the profile of `lanes` lanes over `count` terms, the initial value last. */
static inline char *adder_profile(uint32_t count, uint32_t lanes, const char *program_line) {
  shapes_t shapes;
  shapes_init(&shapes, count);
  uint32_t sums[ADDER_LANES_MAX] = {0};
  lanes = MIN(lanes, count);
  add_lanes(&shapes, lanes, count, sums);
  add_two(&shapes, add_pairwise(&shapes, sums, lanes), init_id(&shapes));
  shapes.profile.program_line = program_line;
  GString *text = g_string_new(NULL);
  profile_print(shapes_finish(&shapes), text);
  shapes_deinit(&shapes);
  return g_string_free(text, FALSE);
}

#endif
