/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the values of a module between its steps, and calls the other transport for each step in
 * memory of its own, between guards as any call. */
#include "harness/exec/transport/stepwise.h"

#include <errno.h>
#include <string.h>

#include "harness/exec/transport/reason.h"
#include "harness/kinds/module/module.h"

/* Results of steps lie on these by turns, so that what a step leaves unwritten differs from one
 * execution of the module to the next. */
enum { POISON_ODD = 0xa5, POISON_EVEN = 0x5a };

typedef struct stepwise {
  transport_t head;
  transport_t *inner;    /* Owned. */
  call_memory_t *memory; /* Owned; of the calls of steps. */
  uint8_t poison;
} stepwise_t;

typedef struct stepwise_handle {
  void *whole;            /* The other transport's handle of a program that is no module. */
  arena_t arena;          /* Of a module, all below. */
  const module_t *module; /* NULL: it is none. */
  void **steps;           /* Handles of the steps that were compiled, in their order. */
  uint32_t compiled;
  tensor_t *values; /* By value; those of arguments are borrowed for a call. */
  GString *implementation;
} stepwise_handle_t;

/* "v3 (stablehlo.add): " and what was said of that step. */
static void name_step(const module_step_t *step, assay_reason_t *reason) {
  g_autoptr(GString) text = g_string_new(NULL);
  module_print_value(step->results[0], text);
  g_string_append_printf(text, " (%s): %s", step->program.op->name, reason->text);
  snprintf(reason->text, reason->text_bytes, "%s", text->str);
}

/* ---- Compiling ------------------------------------------------------------------------------- */

/* A module is within the target if all of its steps are, and outside if one is. */
static executor_promise_t stepwise_promises(transport_t *transport, const program_t *program) {
  transport_t *inner = ((stepwise_t *)transport)->inner;
  if (!program_is_module(program)) return inner->functions->promises(inner, program);
  const module_t *module = module_of(program);
  executor_promise_t all = EXECUTOR_PROMISE_YES;
  for (uint32_t i = 0; i < module->step_count; i++) {
    executor_promise_t one = inner->functions->promises(inner, &module->steps[i].program);
    if (one == EXECUTOR_PROMISE_NO) return one;
    if (one == EXECUTOR_PROMISE_NONE) all = one;
  }
  return all;
}

static void make_values(stepwise_handle_t *handle, const program_t *program) {
  const module_t *module = handle->module;
  handle->values = ARENA_NEW_ARRAY(&handle->arena, tensor_t, module->value_count);
  memset(handle->values, 0, module->value_count * sizeof handle->values[0]);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    handle->values[i].type = program->operands[i];
  }
  for (uint32_t i = 0; i < module->constant_count; i++) {
    handle->values[MODULE_ARGUMENTS_MAX + i] = module->constants[i];
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    for (uint32_t k = 0; k < step->program.result_count; k++) {
      handle->values[step->results[k]] = tensor_make(&handle->arena, &step->program.results[k]);
    }
  }
}

static executor_outcome_t release_steps(transport_t *inner, stepwise_handle_t *handle,
                                        assay_reason_t *reason) {
  executor_outcome_t first = EXECUTOR_OK;
  char text[256];
  assay_reason_t said = {.text = text, .text_bytes = sizeof text};
  for (uint32_t i = 0; i < handle->compiled; i++) {
    text[0] = '\0';
    executor_outcome_t outcome = inner->functions->release(inner, handle->steps[i], &said);
    if (first != EXECUTOR_OK || outcome == EXECUTOR_OK) continue;
    first = outcome;
    snprintf(reason->text, reason->text_bytes, "%s", text);
  }
  return first;
}

static void handle_free(stepwise_handle_t *handle) {
  arena_deinit(&handle->arena);
  g_string_free(handle->implementation, TRUE);
  g_free(handle);
}

static executor_outcome_t compile_steps(transport_t *inner, stepwise_handle_t *handle,
                                        assay_reason_t *reason) {
  const module_t *module = handle->module;
  handle->steps = ARENA_NEW_ARRAY(&handle->arena, void *, module->step_count);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    executor_outcome_t outcome =
        inner->functions->compile(inner, &step->program, &handle->steps[i], reason);
    if (outcome != EXECUTOR_OK) {
      name_step(step, reason);
      return outcome;
    }
    handle->compiled++;
    const char *said = inner->functions->implementation(inner, handle->steps[i]);
    if (said[0] == '\0') continue;
    g_string_append_printf(handle->implementation, "%s%s",
                           handle->implementation->len == 0 ? "" : "; ", said);
  }
  return EXECUTOR_OK;
}

static executor_outcome_t stepwise_compile(transport_t *transport, const program_t *program,
                                           void **out_handle, assay_reason_t *reason) {
  transport_t *inner = ((stepwise_t *)transport)->inner;
  stepwise_handle_t *handle = g_new0(stepwise_handle_t, 1);
  arena_init(&handle->arena);
  handle->implementation = g_string_new(NULL);
  executor_outcome_t outcome;
  if (program_is_module(program)) {
    handle->module = module_copy(module_of(program), &handle->arena);
    make_values(handle, program);
    outcome = compile_steps(inner, handle, reason);
  } else {
    outcome = inner->functions->compile(inner, program, &handle->whole, reason);
  }
  if (outcome == EXECUTOR_OK) {
    *out_handle = handle;
    return outcome;
  }
  char text[256] = "";
  assay_reason_t ignored = {.text = text, .text_bytes = sizeof text};
  release_steps(inner, handle, &ignored); /* What fails then comes after what is told. */
  handle_free(handle);
  return outcome;
}

/* ---- Executing ------------------------------------------------------------------------------- */

/* What a step left beside its results, or in its operands. */
static executor_outcome_t check_call(const stepwise_t *stepwise, const call_sizes_t *sizes,
                                     const tensor_t *operands, assay_reason_t *reason) {
  if (call_memory_find_broken(stepwise->memory, sizes, stepwise->poison) != sizes->result_count) {
    snprintf(reason->text, reason->text_bytes, "wrote beside its results");
    return EXECUTOR_GARBAGE;
  }
  if (stepwise->inner->is_apart) return EXECUTOR_OK;
  uint32_t changed = call_memory_find_changed(stepwise->memory, sizes, operands);
  if (changed == sizes->operand_count) return EXECUTOR_OK;
  snprintf(reason->text, reason->text_bytes, "wrote into operand %u", changed);
  return EXECUTOR_GARBAGE;
}

static executor_outcome_t execute_step(stepwise_t *stepwise, stepwise_handle_t *handle,
                                       uint32_t index, bool *inout_changed_environment,
                                       assay_reason_t *reason) {
  const module_step_t *step = &handle->module->steps[index];
  const call_sizes_t sizes = call_sizes_of(&step->program);
  tensor_t operands[CASE_OPERANDS_MAX];
  const void *inputs[CASE_OPERANDS_MAX];
  void *outputs[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < sizes.operand_count; i++) {
    operands[i] = (tensor_t){.type = step->program.operands[i],
                             .data = handle->values[step->operands[i]].data};
    inputs[i] = call_memory_operand(stepwise->memory, &sizes, i);
  }
  for (uint32_t i = 0; i < sizes.result_count; i++) {
    outputs[i] = call_memory_result(stepwise->memory, i);
  }
  call_memory_put_operands(stepwise->memory, &sizes, operands);
  call_memory_lay_results(stepwise->memory, &sizes, stepwise->poison);
  const transport_call_t call = {.operands = inputs, .results = outputs, .sizes = &sizes};
  bool changed_environment = false;
  transport_t *inner = stepwise->inner;
  executor_outcome_t outcome =
      inner->functions->execute(inner, handle->steps[index], &call, &changed_environment, reason);
  *inout_changed_environment |= changed_environment;
  if (outcome == EXECUTOR_OK) outcome = check_call(stepwise, &sizes, operands, reason);
  if (outcome != EXECUTOR_OK) {
    name_step(step, reason);
    return outcome;
  }
  for (uint32_t i = 0; i < sizes.result_count; i++) {
    if (sizes.results[i] == 0) continue;
    memcpy(handle->values[step->results[i]].data, outputs[i], sizes.results[i]);
  }
  return EXECUTOR_OK;
}

static executor_outcome_t stepwise_execute(transport_t *transport, void *handle,
                                           const transport_call_t *call,
                                           bool *out_changed_environment, assay_reason_t *reason) {
  stepwise_t *stepwise = (stepwise_t *)transport;
  stepwise_handle_t *compiled = handle;
  transport_t *inner = stepwise->inner;
  if (compiled->module == NULL) {
    return inner->functions->execute(inner, compiled->whole, call, out_changed_environment, reason);
  }
  *out_changed_environment = false;
  stepwise->poison = stepwise->poison == POISON_ODD ? POISON_EVEN : POISON_ODD;
  for (uint32_t i = 0; i < call->sizes->operand_count; i++) {
    /* Steps read copies of it. */
    compiled->values[i].data = (uint8_t *)(uintptr_t)call->operands[i];
  }
  for (uint32_t i = 0; i < compiled->module->step_count; i++) {
    executor_outcome_t outcome =
        execute_step(stepwise, compiled, i, out_changed_environment, reason);
    if (outcome != EXECUTOR_OK) return outcome;
  }
  for (uint32_t i = 0; i < call->sizes->result_count; i++) {
    if (call->sizes->results[i] == 0) continue;
    memcpy(call->results[i], compiled->values[compiled->module->returns[i]].data,
           call->sizes->results[i]);
  }
  return EXECUTOR_OK;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static const char *stepwise_implementation(transport_t *transport, void *handle) {
  transport_t *inner = ((stepwise_t *)transport)->inner;
  const stepwise_handle_t *compiled = handle;
  if (compiled->module == NULL) return inner->functions->implementation(inner, compiled->whole);
  return compiled->implementation->str;
}

static executor_outcome_t stepwise_release(transport_t *transport, void *handle,
                                           assay_reason_t *reason) {
  transport_t *inner = ((stepwise_t *)transport)->inner;
  stepwise_handle_t *compiled = handle;
  executor_outcome_t outcome = compiled->module == NULL
                                   ? inner->functions->release(inner, compiled->whole, reason)
                                   : release_steps(inner, compiled, reason);
  handle_free(compiled);
  return outcome;
}

static executor_outcome_t stepwise_close(transport_t *transport, assay_reason_t *reason) {
  stepwise_t *stepwise = (stepwise_t *)transport;
  executor_outcome_t outcome = stepwise->inner->functions->close(stepwise->inner, reason);
  call_memory_free(stepwise->memory);
  g_free(stepwise->head.version);
  g_free(stepwise->head.hardware);
  g_free(stepwise);
  return outcome;
}

static const transport_functions_t functions = {
    .promises = stepwise_promises,
    .compile = stepwise_compile,
    .execute = stepwise_execute,
    .implementation = stepwise_implementation,
    .release = stepwise_release,
    .close = stepwise_close,
};

status_t stepwise_transport_add(transport_t **inout_transport, failure_t *error) {
  transport_t *inner = *inout_transport;
  stepwise_t *stepwise = g_new0(stepwise_t, 1);
  stepwise->head = *inner; /* What it declares of itself. */
  stepwise->head.functions = &functions;
  stepwise->head.version = g_strdup(inner->version);
  stepwise->head.hardware = g_strdup(inner->hardware);
  stepwise->inner = inner;
  stepwise->memory = call_memory_new();
  if (stepwise->memory != NULL) {
    *inout_transport = &stepwise->head;
    return STATUS_OK;
  }
  int why = errno;
  *inout_transport = NULL;
  char text[256] = "";
  assay_reason_t ignored = {.text = text, .text_bytes = sizeof text};
  stepwise_close(&stepwise->head, &ignored);
  return status_fail(error, STATUS_IO, "cannot map memory for the calls of steps: %s",
                     g_strerror(why));
}
