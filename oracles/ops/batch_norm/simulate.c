/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation returns: composite_simulate(), and the faults that see more than
 * one channel. */
#include "generated/batch_norm_faults.h"
#include "oracles/composite/quantized.h"
#include "oracles/ops/batch_norm/formulas.h"

/* Element i belongs to channel i modulo their count, as if theirs were the last dimension. */
static status_t simulate_last_dimension(const oracle_call_t *call,
                                        const implementation_model_t *schedule,
                                        const tensor_t *results) {
  case_t changed = *call->instance;
  program_t *program = &changed.program;
  batch_norm_attributes_t *attributes = ARENA_NEW_ARRAY(call->arena, batch_norm_attributes_t, 1);
  *attributes = *batch_norm_attributes(program);
  int64_t channels = program->operands[0].dims[attributes->feature_index];
  dimension_list_t terms = batch_norm_terms(program);
  const int64_t dims[] = {(int64_t)dimension_list_extent(&terms, &program->operands[0]), channels};
  const type_t whole = type_make(program->operands[0].element, 2, dims);
  attributes->feature_index = 1;
  program->attributes = attributes;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!batch_norm_is_whole(program, i)) continue;
    program->operands[i] = changed.operands[i].type = whole;
  }
  program->results[0] = whole;
  tensor_t changed_results[BATCH_NORM_RESULTS];
  memcpy(changed_results, results, sizeof changed_results);
  changed_results[0].type = whole;
  const oracle_call_t changed_call = oracle_call_about(call, &changed, NULL);
  return composite_simulate(&changed_call, schedule, changed_results);
}

/* The mean of the whole tensor, as it is stored: all elements are one channel. */
static status_t find_whole_mean(const oracle_call_t *call, const implementation_model_t *schedule,
                                double *out_mean) {
  const tensor_t *operand = &call->instance->operands[BATCH_NORM_TRAINING_OPERAND];
  const element_t *element = operand->type.element;
  const int64_t dims[] = {1, (int64_t)type_element_count(&operand->type)};
  batch_norm_attributes_t *attributes = ARENA_NEW_ARRAY(call->arena, batch_norm_attributes_t, 1);
  *attributes = (batch_norm_attributes_t){.feature_index = 0};
  const type_t whole = type_make(element, 2, dims), channel = type_make(element, 1, dims);
  program_t program = {.op = call->instance->program.op,
                       .attributes = attributes,
                       .operand_count = BATCH_NORM_TRAINING_OPERANDS,
                       .result_count = BATCH_NORM_RESULTS,
                       .operands = {whole, channel, channel},
                       .results = {whole, channel, channel}};
  case_t flat = case_make(call->arena, &program);
  flat.operands[BATCH_NORM_TRAINING_OPERAND].data = operand->data;
  for (uint32_t i = 1; i < program.operand_count; i++) {
    element_store(element, flat.operands[i].data, 0, 0);
  }
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < program.result_count; r++) {
    results[r] = tensor_make(call->arena, &program.results[r]);
  }
  const oracle_call_t flat_call = oracle_call_about(call, &flat, NULL);
  STATUS_TRY(composite_simulate(&flat_call, schedule, results));
  uint64_t bits = element_load(element, results[BATCH_NORM_TRAINING_MEAN].data, 0);
  *out_mean = format_to_double(element->format, bits);
  return STATUS_OK;
}

/* batch_mean is that of all channels; output and batch_var are as they should be. */
static status_t simulate_whole_mean(const oracle_call_t *call,
                                    const implementation_model_t *schedule,
                                    tensor_t *inout_results) {
  STATUS_TRY(composite_simulate(call, schedule, inout_results));
  const tensor_t *operand = &call->instance->operands[BATCH_NORM_TRAINING_OPERAND];
  if (type_element_count(&operand->type) == 0) return STATUS_OK;
  double mean = 0;
  STATUS_TRY(find_whole_mean(call, schedule, &mean));
  const element_t *element = operand->type.element;
  tensor_t *means = &inout_results[BATCH_NORM_TRAINING_MEAN];
  size_t channels = type_element_count(&means->type);
  for (size_t i = 0; i < channels; i++) {
    element_store(element, means->data, i, format_from_double(element->format, mean));
  }
  return STATUS_OK;
}

static status_t simulate_floats(const oracle_call_t *call, const implementation_model_t *schedule,
                                tensor_t *inout_results) {
  bool is_grad = batch_norm_is_grad(&call->instance->program);
  if (schedule->fault == FAULT_feature_index_ignored) {
    return simulate_last_dimension(call, schedule, inout_results);
  }
  if (schedule->fault == FAULT_mean_of_whole_tensor && !is_grad) {
    return simulate_whole_mean(call, schedule, inout_results);
  }
  return composite_simulate(call, schedule, inout_results);
}

status_t batch_norm_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results) {
  STATUS_TRY(batch_norm_check_element(&call->instance->program, call->error));
  return composite_is_quantized(&call->instance->program)
             ? composite_quantized_simulate(call, schedule, simulate_floats, inout_results)
             : simulate_floats(call, schedule, inout_results);
}
