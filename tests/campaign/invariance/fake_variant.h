/* SPDX-License-Identifier: Apache-2.0 */
/* Executors for tests of invariance: dot_general of f32, each with one habit of variants.def,
 * called "model:variant-NAME" (a name of builtin form, so that no plugin is looked for). */
#ifndef ASSAY_TESTS_CAMPAIGN_INVARIANCE_FAKE_VARIANT_H
#define ASSAY_TESTS_CAMPAIGN_INVARIANCE_FAKE_VARIANT_H

#include <string.h>

#include "harness/exec/executor.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "tests/campaign/examples.h"

typedef enum variant {
#define VARIANT(name, summary) VARIANT_##name,
#include "tests/campaign/invariance/variants.def"
#undef VARIANT
  VARIANT_COUNT
} variant_t;

static const char *const variant_names[] = {
#define VARIANT(name, summary) #name,
#include "tests/campaign/invariance/variants.def"
#undef VARIANT
};

typedef struct variant_state {
  variant_t kind;
  uint64_t executions;
  uint64_t compilations;
} variant_state_t;

typedef struct variant_program {
  arena_t arena;
  program_t program;
  dot_general_layout_t layout;
  bool lhs_terms_last;
  bool rhs_terms_last;
  uint64_t compilation;
} variant_program_t;

static int32_t variant_open(const char *options, void **out_self, assay_reason_t *reason) {
  (void)reason;
  variant_state_t *state = g_new0(variant_state_t, 1);
  const char *name = options + strlen("model:variant-");
  while (state->kind < VARIANT_COUNT && strcmp(variant_names[state->kind], name) != 0) {
    state->kind++;
  }
  g_assert_cmpint(state->kind, !=, VARIANT_COUNT);
  *out_self = state;
  return ASSAY_EXECUTOR_OK;
}

static const char *variant_name(void *self) {
  return variant_names[((variant_state_t *)self)->kind];
}
static const char *variant_version(void *self) { return (void)self, "1"; }
static void variant_close(void *self) { g_free(self); }

static void variant_release(void *self, void *handle) {
  (void)self;
  arena_deinit(&((variant_program_t *)handle)->arena);
  g_free(handle);
}

static bool is_last(const dimension_list_t *contracting, const type_t *type) {
  return contracting->count == 1 && contracting->dims[0] == (int64_t)type->rank - 1;
}

static int32_t variant_compile(void *self, const assay_program_t *program, void **out_handle,
                               assay_reason_t *reason) {
  variant_state_t *state = (variant_state_t *)self;
  variant_program_t *compiled = g_new0(variant_program_t, 1);
  arena_init(&compiled->arena);
  failure_t error = {0};
  status_t status = program_parse(str_from(program->program_line), &compiled->arena,
                                  &compiled->program, NULL, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  const type_t *operands = compiled->program.operands;
  const element_t *f32 = element_named("f32");
  const dot_general_attributes_t *attributes = compiled->program.attributes;
  bool is_ours = compiled->program.op == example_op(EXAMPLE_PRODUCT) &&
                 operands[0].element == f32 && compiled->program.results[0].element == f32;
  if (is_ours) {
    compiled->lhs_terms_last = is_last(&attributes->lhs_contracting, &operands[DOT_GENERAL_LHS]);
    compiled->rhs_terms_last = is_last(&attributes->rhs_contracting, &operands[DOT_GENERAL_RHS]);
    compiled->layout = dot_general_layout_make(&compiled->program, &compiled->arena);
    if (state->kind == VARIANT_refuses_layouts) {
      is_ours = compiled->lhs_terms_last && compiled->rhs_terms_last;
    }
    if (state->kind == VARIANT_refuses_batches) is_ours = attributes->lhs_batching.count == 0;
  }
  if (!is_ours) {
    g_strlcpy(reason->text, "said the variant", reason->text_bytes);
    variant_release(self, compiled);
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  compiled->compilation = state->compilations++;
  *out_handle = compiled;
  return ASSAY_EXECUTOR_OK;
}

static bool reverses(const variant_state_t *state, const variant_program_t *compiled, size_t batch,
                     size_t row, size_t column) {
  const dot_general_layout_t *layout = &compiled->layout;
  switch (state->kind) {
    case VARIANT_batch_over_4:
      return layout->batch_count > 4;
    case VARIANT_entries_from_3:
      return batch >= 3;
    case VARIANT_rows_over_4:
      return layout->row_count > 4;
    case VARIANT_rows_over_40:
      return layout->row_count > 40;
    case VARIANT_rows_from_2:
      return row >= 2;
    case VARIANT_columns_over_6:
      return layout->column_count > 6;
    case VARIANT_columns_from_1:
      return column >= 1;
    case VARIANT_lhs_transposed:
      return !compiled->lhs_terms_last;
    case VARIANT_rhs_transposed:
      return compiled->rhs_terms_last;
    case VARIANT_every_fifth:
      return state->executions % 5 == 0;
    case VARIANT_other_compilation:
      return compiled->compilation % 2 == 1;
    case VARIANT_terms_over_20:
      return layout->row_count > 4 && layout->term_count > 20;
    default:
      return false;
  }
}

static float variant_dot(const variant_program_t *compiled, const float *lhs, const float *rhs,
                         bool reversed) {
  const dot_general_layout_t *layout = &compiled->layout;
  float sum = 0;
  for (size_t i = 0; i < layout->term_count; i++) {
    size_t term = reversed ? layout->term_count - 1 - i : i;
    sum += lhs[layout->lhs_term_offset[term]] * rhs[layout->rhs_term_offset[term]];
  }
  return sum;
}

static int32_t variant_execute(void *self, void *handle, const void *const *operands,
                               void *const *results, assay_reason_t *reason) {
  variant_state_t *state = (variant_state_t *)self;
  const variant_program_t *compiled = (const variant_program_t *)handle;
  const dot_general_layout_t *layout = &compiled->layout;
  state->executions++;
  if (state->kind == VARIANT_fails_on_rows && layout->row_count == 1) {
    g_strlcpy(reason->text, "cannot", reason->text_bytes);
    return ASSAY_EXECUTOR_FAILED;
  }
  float *result = (float *)results[0];
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t row = 0; row < layout->row_count; row++) {
      for (size_t column = 0; column < layout->column_count; column++) {
        const float *lhs = (const float *)operands[0] + layout->lhs_batch_offset[batch] +
                           layout->lhs_row_offset[row];
        const float *rhs = (const float *)operands[1] + layout->rhs_batch_offset[batch] +
                           layout->rhs_column_offset[column];
        *result++ = variant_dot(compiled, lhs, rhs, reverses(state, compiled, batch, row, column));
      }
    }
  }
  return ASSAY_EXECUTOR_OK;
}

static const assay_executor_t variant_table = {.abi = ASSAY_EXECUTOR_ABI,
                                               .struct_size = sizeof(assay_executor_t),
                                               .open = variant_open,
                                               .name = variant_name,
                                               .version = variant_version,
                                               .hardware = variant_version,
                                               .compile = variant_compile,
                                               .execute = variant_execute,
                                               .release = variant_release,
                                               .close = variant_close};

static const assay_executor_t *variant_find(const char *name) {
  return g_str_has_prefix(name, "model:variant-") ? &variant_table : NULL;
}

#endif
