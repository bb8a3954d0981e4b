/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementation of reduce: sequential f32 and f64 sums go through vector loops,
 * everything else through the general fold; independent and paired bodies are folded one by one
 * and then converted. */
#include "oracles/ops/reduce/simulate.h"

#include "generated/reduce_faults.h"
#include "oracles/exact/fold/dense_narrow.h"
#include "oracles/ops/reduce/core.h"
#include "oracles/ops/reduce/quantized/problem.h"
#include "oracles/ops/reduce/written/written.h"

/* The body that folds one result; sum_count is two independent sums. */
static fold_body_t fold_body_of(reduce_body_t body) {
  switch (body) {
    case REDUCE_add:
    case REDUCE_sum_count:
      return FOLD_ADD;
    case REDUCE_multiply:
      return FOLD_MULTIPLY;
    case REDUCE_maximum:
      return FOLD_MAXIMUM;
    case REDUCE_minimum:
      return FOLD_MINIMUM;
    case REDUCE_and:
      return FOLD_AND;
    case REDUCE_or:
      return FOLD_OR;
    case REDUCE_xor:
      return FOLD_XOR;
    case REDUCE_argmax:
      return FOLD_ARGMAX;
    case REDUCE_argmin:
      return FOLD_ARGMIN;
    case REDUCE_BODY_COUNT:
      break;
  }
  g_assert_not_reached();
}

/* Element `index` of input or init `operand`; with the index of the pair if the body has one. */
static fold_value_t load_operand(const fold_t *fold, const tensor_t *operand, size_t index) {
  fold_value_t value = fold_load(fold, operand->type.element, operand->data, index);
  if (fold->index_element != NULL) {
    value.index = fold_load_index(fold, operand[1].data, index);
  }
  return value;
}

static void simulate_terms(const fold_t *fold, const reduce_slices_t *slices, const tensor_t *input,
                           const tensor_t *init, arena_t *arena, tensor_t *results) {
  fold_value_t *terms = fold_make_terms(fold, slices->term_count, arena);
  fold_value_t initial = load_operand(fold, init, 0);
  for (size_t output = 0; output < slices->output_count; output++) {
    for (size_t term = 0; term < slices->term_count; term++) {
      size_t index = slices->output_base[output] + slices->term_offset[term];
      terms[term] = load_operand(fold, input, index);
    }
    fold_output(fold, initial, terms, slices->term_count, output, results);
  }
}

/* The hot path: f32 or f64 summed one after the other, results as vector lanes. */
static void simulate_dense(const fold_t *fold, const reduce_slices_t *slices, const tensor_t *input,
                           const tensor_t *init, arena_t *arena, tensor_t *result) {
  dense_sum_t sum = {
      .outputs = slices->output_count,
      .terms = slices->term_count,
      .output_base = slices->output_base,
      .term_offset = slices->term_offset,
  };
  void *sums = arena_alloc(arena, sum.outputs * element_bytes(fold->element));
  dense_fold_sum(fold, &sum, dense_promote(fold, input, arena), dense_promote(fold, init, arena),
                 sums);
  dense_store(fold, sums, sum.outputs, result->data);
}

/* The same of bf16 and f16, carried in binary64. */
static void simulate_narrow(const fold_t *fold, const reduce_slices_t *slices,
                            const tensor_t *input, const tensor_t *init, arena_t *arena,
                            tensor_t *result) {
  const dense_sum_t sum = {.outputs = slices->output_count,
                           .terms = slices->term_count,
                           .output_base = slices->output_base,
                           .term_offset = slices->term_offset};
  size_t count = type_element_count(&input->type);
  double *data = ARENA_NEW_ARRAY(arena, double, count), start;
  double *sums = ARENA_NEW_ARRAY(arena, double, sum.outputs);
  dense_narrow_load(input, count, data);
  dense_narrow_load(init, 1, &start);
  dense_narrow_sum(fold, &sum, data, start, sums);
  dense_narrow_store(fold, sums, sum.outputs, 0, result->data);
}

/* One fold: of a single input, of one of the independent sums, or of a pair with its index. */
static status_t simulate_fold(const oracle_call_t *call, const reduce_slices_t *slices,
                              uint32_t input_number, const implementation_model_t *schedule,
                              tensor_t *results) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  fold_body_t body = fold_body_of(reduce_attributes(program)->reduction.body);
  bool is_indexed = body == FOLD_ARGMAX || body == FOLD_ARGMIN;
  const element_t *index_element = is_indexed ? program->results[1].element : NULL;
  const element_t *element = program->results[input_number].element;
  fold_t fold;
  STATUS_TRY(fold_make(body, element, index_element, schedule, &fold, call->error));
  const tensor_t *input = &instance->operands[input_number];
  const tensor_t *init = &instance->operands[reduce_init_operand(program, input_number)];
  if (dense_fold_applies(&fold)) {
    simulate_dense(&fold, slices, input, init, call->arena, &results[input_number]);
  } else if (dense_narrow_applies(&fold)) {
    simulate_narrow(&fold, slices, input, init, call->arena, &results[input_number]);
  } else {
    simulate_terms(&fold, slices, input, init, call->arena, &results[input_number]);
  }
  return STATUS_OK;
}

/* Converts what was accumulated to `accumulation`, if a fault has done it in another type, and from
 * there to the result, one element after the other.  The last one stays where a fault does not
 * write it. */
static void convert_result(const tensor_t *accumulated, const element_t *accumulation,
                           fault_t fault, tensor_t *result) {
  const element_t *from = accumulated->type.element, *to = result->type.element;
  size_t count = type_component_count(&result->type);
  if (fault == FAULT_unwritten_tail && count > 0) count -= from->components;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(from, accumulated->data, i);
    (void)reduce_convert_bits(from, bits, accumulation, &bits);
    (void)reduce_convert_bits(accumulation, bits, to, &bits);
    element_store(to, result->data, i, bits);
  }
}

/* What a core would be if the inputs' types were accumulated in. */
static void accumulate_in_input_types(const case_t *instance, reduce_core_t *core) {
  *core = (reduce_core_t){.instance = *instance};
  program_t *program = &core->instance.program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    program->results[i].element = program->operands[i].element;
  }
}

/* The tensor to accumulate result `input` in: the result's own if that has the type, else one that
 * holds what the result's memory held, for faults that read it. */
static tensor_t accumulator_of(const tensor_t *result, const element_t *element, arena_t *arena) {
  if (result->type.element == element) return *result;
  type_t type = result->type;
  type.element = element;
  tensor_t accumulator = tensor_make(arena, &type);
  size_t bytes = type_bytes(&type), held = type_bytes(&result->type);
  for (size_t i = 0; i < bytes; i++) accumulator.data[i] = result->data[i % held];
  for (size_t i = 0; i < type_component_count(&type); i++) {
    uint64_t bits = element_load(element, accumulator.data, i);
    element_store(element, accumulator.data, i, bits & element_mask(element));
  }
  return accumulator;
}

status_t reduce_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  if (reduce_has_written_body(program)) {
    return reduce_written_simulate(call, schedule, inout_results);
  }
  if (reduce_is_quantized(program)) {
    return reduce_quantized_simulate(call, schedule, &inout_results[0]);
  }
  reduce_core_t core;
  STATUS_TRY(reduce_core_make(instance, call->arena, &core, call->error));
  const program_t accumulation = core.instance.program;
  if (schedule->fault == FAULT_reduce_in_input_type) accumulate_in_input_types(instance, &core);
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  bool is_two_sums = reduce_attributes(program)->reduction.body == REDUCE_sum_count;
  tensor_t accumulators[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    accumulators[i] =
        accumulator_of(&inout_results[i], core.instance.program.results[i].element, call->arena);
  }
  const oracle_call_t core_call = oracle_call_about(call, &core.instance, NULL);
  STATUS_TRY(simulate_fold(&core_call, &slices, 0, schedule, accumulators));
  if (is_two_sums) {
    STATUS_TRY(simulate_fold(&core_call, &slices, 1, schedule, accumulators));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (accumulators[i].data == inout_results[i].data) continue;
    convert_result(&accumulators[i], accumulation.results[i].element, schedule->fault,
                   &inout_results[i]);
  }
  return STATUS_OK;
}
