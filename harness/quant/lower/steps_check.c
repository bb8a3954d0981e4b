/* SPDX-License-Identifier: Apache-2.0 */
/* Validates exported steps: every tensor defined once and before use, storage types and shapes in
 * agreement, unique names, and programs that break no constraint. */
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/lower/export.h"

/* Storage types and shapes; quantization is how bits are seen. */
static bool has_same_bits(const type_t *a, const type_t *b) {
  return a->element == b->element && a->rank == b->rank &&
         memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static status_t define(const quant_steps_t *steps, bool *is_defined, uint32_t tensor,
                       failure_t *error) {
  if (tensor >= steps->tensor_count) {
    return status_fail(error, STATUS_INVALID, "there is no tensor %u", tensor);
  }
  if (is_defined[tensor]) {
    return status_fail(error, STATUS_INVALID, "tensor %s is defined twice",
                       steps->tensors[tensor].name);
  }
  is_defined[tensor] = true;
  return STATUS_OK;
}

static status_t check_use(const quant_steps_t *steps, const bool *is_defined, uint32_t tensor,
                          const type_t *type, failure_t *error) {
  if (tensor >= steps->tensor_count) {
    return status_fail(error, STATUS_INVALID, "there is no tensor %u", tensor);
  }
  const quant_step_tensor_t *used = &steps->tensors[tensor];
  if (!is_defined[tensor]) {
    return status_fail(error, STATUS_INVALID, "tensor %s is used before it is defined", used->name);
  }
  if (has_same_bits(&used->type, type)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "tensor %s is not of the type it is used in",
                     used->name);
}

static status_t check_types(const program_t *program, failure_t *error) {
  if (program->operand_count > CASE_OPERANDS_MAX || program->result_count > CASE_RESULTS_MAX) {
    return status_fail(error, STATUS_INVALID, "too many operands or results");
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    STATUS_TRY(type_check(&program->operands[i], error));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    STATUS_TRY(type_check(&program->results[i], error));
  }
  return STATUS_OK;
}

static status_t check_step(const quant_steps_t *steps, const quant_step_t *step, bool *is_defined,
                           failure_t *error) {
  const program_t *program = &step->program;
  STATUS_TRY(check_types(program, error));
  const op_constraint_t *broken = program_broken(program);
  if (broken != NULL) {
    return status_fail(error, STATUS_INVALID, "%s breaks %s", program->op->name, broken->id);
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    STATUS_TRY(check_use(steps, is_defined, step->operands[i], type, error));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    STATUS_TRY(define(steps, is_defined, step->results[i], error));
    const type_t *type = &program->results[i];
    STATUS_TRY(check_use(steps, is_defined, step->results[i], type, error));
  }
  return STATUS_OK;
}

static status_t check_names(const quant_steps_t *steps, failure_t *error) {
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  const char *twice = NULL;
  for (uint32_t i = 0; i < steps->tensor_count && twice == NULL; i++) {
    bool is_new = g_hash_table_add(names, (gpointer)(uintptr_t)steps->tensors[i].name);
    if (!is_new) twice = steps->tensors[i].name;
  }
  g_hash_table_unref(names);
  if (twice == NULL) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "two tensors are called %s", twice);
}

static status_t check_constants(const quant_steps_t *steps, bool *is_defined, failure_t *error) {
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    const quant_step_tensor_t *tensor = &steps->tensors[i];
    STATUS_TRY(type_check(&tensor->type, error));
    if (tensor->constant == NULL) continue;
    STATUS_TRY(define(steps, is_defined, i, error));
    STATUS_TRY(check_use(steps, is_defined, i, &tensor->constant->type, error));
  }
  return STATUS_OK;
}

static status_t check_all(const quant_steps_t *steps, bool *is_defined, failure_t *error) {
  const quant_graph_t *graph = steps->graph;
  STATUS_TRY(check_names(steps, error));
  STATUS_TRY(check_constants(steps, is_defined, error));
  for (uint32_t i = 0; i < graph->input_count; i++) {
    STATUS_TRY(define(steps, is_defined, steps->inputs[i], error));
    const type_t *type = &graph->values[graph->inputs[i]].type;
    STATUS_TRY(check_use(steps, is_defined, steps->inputs[i], type, error));
  }
  for (uint32_t i = 0; i < steps->step_count; i++) {
    failure_t reason = {0};
    status_t status = check_step(steps, &steps->steps[i], is_defined, &reason);
    if (status == STATUS_OK) continue;
    return status_fail(error, STATUS_INVALID, "step %u: %s", i, reason.text);
  }
  for (uint32_t i = 0; i < graph->output_count; i++) {
    const type_t *type = &graph->values[graph->outputs[i]].type;
    STATUS_TRY(check_use(steps, is_defined, steps->outputs[i], type, error));
  }
  return STATUS_OK;
}

status_t quant_steps_check(const quant_steps_t *steps, failure_t *error) {
  bool *is_defined = g_new0(bool, steps->tensor_count);
  status_t status = check_all(steps, is_defined, error);
  g_free(is_defined);
  return status;
}
