/* SPDX-License-Identifier: Apache-2.0 */
/* An executor for tests that sums a f32 slice, or misbehaves in the way that its name tells:
 * "model:fake-NAME" (a name of builtin form, so that no plugin is looked for). */
#ifndef ASSAY_TESTS_CAMPAIGN_FAKE_EXECUTOR_H
#define ASSAY_TESTS_CAMPAIGN_FAKE_EXECUTOR_H

#include <glib.h>
#include <stdlib.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "harness/exec/executor.h"

typedef enum fake {
#define FAKE(name, summary) FAKE_##name,
#include "tests/campaign/fakes.def"
#undef FAKE
  FAKE_COUNT
} fake_t;

static const char *const fake_names[] = {
#define FAKE(name, summary) #name,
#include "tests/campaign/fakes.def"
#undef FAKE
};

typedef struct fake_state {
  fake_t kind;
  uint32_t executions;
  size_t terms; /* Of the program compiled last, and its operands: if invalid, maybe too few. */
  size_t operand_count;
  size_t result_count;
  size_t result_bytes[CASE_RESULTS_MAX];
} fake_state_t;

static int32_t fake_open(const char *options, void **out_self, assay_reason_t *reason) {
  (void)reason;
  fake_state_t *state = g_new0(fake_state_t, 1);
  const char *name = options + strlen("model:fake-");
  while (state->kind < FAKE_COUNT && strcmp(fake_names[state->kind], name) != 0) state->kind++;
  g_assert_cmpint(state->kind, !=, FAKE_COUNT);
  *out_self = state;
  return ASSAY_EXECUTOR_OK;
}

static const char *fake_name(void *self) { return fake_names[((fake_state_t *)self)->kind]; }
static const char *fake_version(void *self) { return (void)self, "1"; }

static int32_t fake_promises(void *self, const assay_program_t *program) {
  (void)program;
  return ((fake_state_t *)self)->kind != FAKE_exceeds_target &&
         ((fake_state_t *)self)->kind != FAKE_refuses;
}

static int32_t fake_say(assay_reason_t *reason, int32_t answer) {
  g_strlcpy(reason->text, "said the fake", reason->text_bytes);
  return answer;
}

static void fake_measure_results(const char *line, fake_state_t *state) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *violation;
  failure_t error = {0};
  if (program_parse(str_from(line), &arena, &program, &violation, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  state->result_count = program.result_count;
  for (uint32_t i = 0; i < program.result_count; i++) {
    state->result_bytes[i] = type_bytes(&program.results[i]);
  }
  arena_deinit(&arena);
}

static int32_t fake_compile(void *self, const assay_program_t *program, void **out_handle,
                            assay_reason_t *reason) {
  fake_state_t *state = (fake_state_t *)self;
  bool has_terms = program->operand_count > 0 && program->operands[0].rank > 0;
  state->terms = has_terms ? (size_t)program->operands[0].dims[0] : 1;
  state->operand_count = program->operand_count;
  fake_measure_results(program->program_line, state);
  *out_handle = state;
  switch (state->kind) {
    case FAKE_refuses:
    case FAKE_breaks_promise:
      return fake_say(reason, ASSAY_EXECUTOR_UNSUPPORTED);
    case FAKE_rejects:
      return fake_say(reason, ASSAY_EXECUTOR_INVALID);
    case FAKE_cannot_compile:
      return fake_say(reason, ASSAY_EXECUTOR_FAILED);
    default:
      return ASSAY_EXECUTOR_OK;
  }
}

static float fake_sum(const fake_state_t *state, const void *const *operands) {
  if (state->operand_count < 2) return 0;
  const float *terms = (const float *)operands[0];
  float sum = *(const float *)operands[1];
  for (size_t i = 0; i < state->terms; i++) sum += terms[i];
  return sum;
}

static int32_t fake_execute(void *self, void *handle, const void *const *operands,
                            void *const *results, assay_reason_t *reason) {
  (void)handle;
  fake_state_t *state = (fake_state_t *)self;
  state->executions++;
  uint8_t *bytes = (uint8_t *)results[0];
  if (state->kind == FAKE_accepts_everything) {
    for (size_t i = 0; i < state->result_count; i++) memset(results[i], 0, state->result_bytes[i]);
    return ASSAY_EXECUTOR_OK;
  }
  if (state->kind == FAKE_dirty_padding) {
    bytes[0] = 0xff; /* An i1. */
    return ASSAY_EXECUTOR_OK;
  }
  float sum = fake_sum(state, operands);
  bool is_wrong = state->kind == FAKE_wrong || state->kind == FAKE_wrong_and_flushes;
  if (is_wrong) sum += 1;
  if (state->kind == FAKE_unrepeatable) sum += (float)state->executions;
  memcpy(bytes, &sum, state->kind == FAKE_partly_written ? 3 : sizeof sum);
  switch (state->kind) {
    case FAKE_out_of_bounds:
      bytes[sizeof sum] = 1;
      break;
    case FAKE_flushes:
    case FAKE_wrong_and_flushes:
      _mm_setcsr(_mm_getcsr() | 0x8040);
      break;
    case FAKE_cannot_execute:
      return fake_say(reason, ASSAY_EXECUTOR_FAILED);
    case FAKE_refuses_data:
    case FAKE_refuses_data_unpromised:
      return fake_say(reason, ASSAY_EXECUTOR_UNSUPPORTED);
    case FAKE_crashes:
      abort();
    case FAKE_leaves:
      _exit(0);
    case FAKE_hangs:
      sleep(60);
      break;
    default:
      break;
  }
  return ASSAY_EXECUTOR_OK;
}

static void fake_release(void *self, void *handle) { (void)self, (void)handle; }
static void fake_close(void *self) { g_free(self); }

static const assay_executor_t fake_table = {.abi = ASSAY_EXECUTOR_ABI,
                                            .struct_size = sizeof(assay_executor_t),
                                            .open = fake_open,
                                            .name = fake_name,
                                            .version = fake_version,
                                            .hardware = fake_version,
                                            .promises = fake_promises,
                                            .compile = fake_compile,
                                            .execute = fake_execute,
                                            .implementation = NULL,
                                            .release = fake_release,
                                            .close = fake_close};

/* The same without a declared target. */
static const assay_executor_t fake_table_without_target = {.abi = ASSAY_EXECUTOR_ABI,
                                                           .struct_size = sizeof(assay_executor_t),
                                                           .open = fake_open,
                                                           .name = fake_name,
                                                           .version = fake_version,
                                                           .hardware = fake_version,
                                                           .compile = fake_compile,
                                                           .execute = fake_execute,
                                                           .release = fake_release,
                                                           .close = fake_close};

static const assay_executor_t *fake_find(const char *name) {
  if (!g_str_has_prefix(name, "model:fake-")) return NULL;
  return g_str_has_suffix(name, "_unpromised") ? &fake_table_without_target : &fake_table;
}

static executor_t *fake_executor_open(fake_t kind, bool isolate) {
  char *name = g_strdup_printf("model:fake-%s", fake_names[kind]);
  const executor_options_t options = {
      .find_builtin = fake_find, .isolate = isolate, .timeout_ms = 200};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  g_free(name);
  return executor;
}

#endif
