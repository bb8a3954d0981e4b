/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete kernel makes of a module: step by step; with all floats in a wider format; or
 * with products on what is stored. */
#include "oracles/ops/convolution/convolution.h"
#include "oracles/ops/module/module.h"

/* ---- One program ----------------------------------------------------------------------------- */

status_t module_simulate_program(const oracle_call_t *call, const program_t *program,
                                 const tensor_t *const operands[],
                                 const implementation_model_t *schedule, tensor_t *inout_results) {
  const oracle_t *oracle = oracle_find(program->op);
  if (oracle == NULL || oracle->simulate == NULL) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "there is no model of %s",
                       program->op->name);
  }
  case_t instance = {.program = *program};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = (tensor_t){.type = program->operands[i], .data = operands[i]->data};
  }
  const oracle_call_t step = {.instance = &instance, .arena = call->arena, .error = call->error};
  return oracle->simulate(&step, schedule, inout_results);
}

/* ---- Wider ----------------------------------------------------------------------------------- */

/* The next format that holds all numbers of this one, or itself. */
static const element_t *widen_element(const element_t *element) {
  if (element->kind != ELEMENT_FLOAT) return element;
  if (element == element_named("f32")) return element_named("f64");
  return element->bits <= 16 ? element_named("f32") : element;
}

static type_t widen_type(const type_t *type, arena_t *arena) {
  type_t wide = *type;
  if (type->quantization == NULL) {
    wide.element = widen_element(type->element);
    return wide;
  }
  quantization_t *quantization = arena_alloc(arena, sizeof *quantization);
  *quantization = *type->quantization;
  quantization->expressed = widen_element(quantization->expressed);
  wide.quantization = quantization;
  return wide;
}

/* The tensor with another element type of floats, each number rounded to it. */
static tensor_t convert_floats(const tensor_t *tensor, const element_t *element, arena_t *arena) {
  const element_t *from = tensor->type.element;
  if (from == element || from->kind != ELEMENT_FLOAT) return *tensor;
  type_t type = tensor->type;
  type.element = element;
  tensor_t made = tensor_make(arena, &type);
  for (size_t i = 0; i < type_element_count(&type); i++) {
    uint64_t bits = element_load(from, tensor->data, i);
    element_store(element, made.data, i,
                  format_convert(from->format, element->format, bits, ROUNDING_NEAREST_EVEN));
  }
  return made;
}

/* A step in wider floats; in its own where there is no such program. */
static status_t simulate_wider(const oracle_call_t *call, const module_step_t *step,
                               const implementation_model_t *schedule, tensor_t *values) {
  program_t program = step->program;
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = widen_type(&program.operands[i], call->arena);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    program.results[i] = widen_type(&program.results[i], call->arena);
  }
  if (program_broken(&program) != NULL) program = step->program;
  tensor_t converted[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
  const tensor_t *operands[CASE_OPERANDS_MAX];
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const tensor_t *value = &values[step->operands[i]];
    converted[i] = convert_floats(value, program.operands[i].element, call->arena);
    operands[i] = &converted[i];
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    results[i] = tensor_make(call->arena, &program.results[i]);
    memset(results[i].data, 0, type_bytes(&results[i].type));
  }
  STATUS_TRY(module_simulate_program(call, &program, operands, schedule, results));
  for (uint32_t i = 0; i < program.result_count; i++) values[step->results[i]] = results[i];
  return STATUS_OK;
}

/* ---- On what is stored ----------------------------------------------------------------------- */

/* The quantized tensor that a value is dequantized of; NULL if it is none. */
static const type_t *find_stored(const module_t *module, module_value_t value,
                                 module_value_t *out_source) {
  const module_step_t *step = module_definition(module, value);
  if (step == NULL || !module_step_is(step, "uniform_dequantize")) return NULL;
  *out_source = step->operands[0];
  return &step->program.operands[0];
}

/* Whether the channels of the right operand are those of the last dimension of the result. */
static bool has_last_channels(const program_t *program, const quantization_t *rhs) {
  if (rhs->axis < 0) return true;
  const type_t *result = &program->results[0];
  bool is_last = result->rank > 0 && result->dims[result->rank - 1] == (int64_t)rhs->count;
  if (strcmp(program->op->name, "stablehlo.convolution") == 0) {
    const convolution_attributes_t *attributes = convolution_attributes(program);
    return is_last && attributes->output.feature == (int64_t)result->rank - 1 &&
           attributes->kernel.batch == rhs->axis;
  }
  return is_last && program->operands[1].rank == 2 && result->rank == program->operands[0].rank;
}

/* The numbers stored less the zero points, in f64. */
static status_t center(const oracle_call_t *call, const type_t *type, const tensor_t *stored,
                       const implementation_model_t *schedule, tensor_t *out_centered) {
  quantization_t *unit = arena_alloc(call->arena, sizeof *unit);
  *unit = *type->quantization;
  unit->expressed = element_named("f64");
  double *scales = ARENA_NEW_ARRAY(call->arena, double, unit->count);
  for (uint32_t i = 0; i < unit->count; i++) scales[i] = 1;
  unit->scales = scales;
  program_t program = {.op = op_find(str_from("stablehlo.uniform_dequantize")),
                       .operand_count = 1,
                       .result_count = 1,
                       .operands = {*type},
                       .results = {type_make(unit->expressed, type->rank, type->dims)}};
  program.operands[0].quantization = unit;
  *out_centered = tensor_make(call->arena, &program.results[0]);
  return module_simulate_program(call, &program, &stored, schedule, out_centered);
}

/* Sums in f64, which are exact, times the product of the scales: rounded to f32 three times. */
static status_t simulate_on_stored(const oracle_call_t *call, const module_step_t *step,
                                   const implementation_model_t *schedule,
                                   const type_t *const types[2], const module_value_t sources[2],
                                   tensor_t *values) {
  program_t program = step->program;
  tensor_t centered[2], sums;
  for (int i = 0; i < 2; i++) {
    STATUS_TRY(center(call, types[i], &values[sources[i]], schedule, &centered[i]));
    program.operands[i] = centered[i].type;
  }
  program.results[0].element = element_named("f64");
  sums = tensor_make(call->arena, &program.results[0]);
  const tensor_t *operands[] = {&centered[0], &centered[1]};
  STATUS_TRY(module_simulate_program(call, &program, operands, schedule, &sums));
  tensor_t made = tensor_make(call->arena, &step->program.results[0]);
  const quantization_t *rhs = types[1]->quantization;
  for (size_t i = 0; i < type_element_count(&made.type); i++) {
    float scale = (float)(types[0]->quantization->scales[0] * rhs->scales[i % rhs->count]);
    float sum = (float)format_to_double(sums.type.element->format,
                                        element_load(sums.type.element, sums.data, i));
    float product = sum * scale;
    element_store(made.type.element, made.data, i,
                  format_from_double(made.type.element->format, (double)product));
  }
  values[step->results[0]] = made;
  return STATUS_OK;
}

/* Whether it is a product of two dequantized tensors of f32 that can be done so. */
static bool is_on_stored(const module_t *module, const module_step_t *step, const type_t *types[2],
                         module_value_t sources[2]) {
  const program_t *program = &step->program;
  bool is_product = module_step_is(step, "dot_general") || module_step_is(step, "convolution");
  if (!is_product || program->results[0].element != element_named("f32")) return false;
  for (int i = 0; i < 2; i++) {
    types[i] = find_stored(module, step->operands[i], &sources[i]);
    if (types[i] == NULL || types[i]->element->bits > 8) return false;
  }
  program_t wide = *program;
  for (int i = 0; i < 2; i++) wide.operands[i].element = element_named("f64");
  wide.results[0].element = element_named("f64");
  return types[0]->quantization->axis < 0 && program_broken(&wide) == NULL &&
         has_last_channels(program, types[1]->quantization);
}

/* A sum of two dequantized tensors that is quantized, by the op on quantized types in integers. */
static status_t simulate_quantized(const oracle_call_t *call, const module_step_t *step,
                                   const implementation_model_t *schedule,
                                   const module_quantized_t *quantized, tensor_t *values) {
  implementation_model_t integers = *schedule;
  integers.formula = "integer";
  const type_t *type = &step->program.results[0];
  tensor_t made = tensor_make(call->arena, type);
  if (type_bytes(type) > 0) memset(made.data, 0, type_bytes(type));
  const tensor_t *operands[] = {&values[quantized->sources[0]], &values[quantized->sources[1]]};
  STATUS_TRY(module_simulate_program(call, &quantized->program, operands, &integers, &made));
  for (size_t i = 0; i < type_element_count(type) && quantized->has_maximum; i++) {
    const element_t *element = type->element;
    int64_t stored = element_signed_value(element, element_load(element, made.data, i));
    int64_t most = MAX(stored, quantization_zero_point(type, i));
    element_store(element, made.data, i, (uint64_t)most & element_mask(element));
  }
  values[step->results[0]] = made;
  return STATUS_OK;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static status_t simulate_step(const oracle_call_t *call, const module_step_t *step,
                              const implementation_model_t *schedule, const tensor_t values[],
                              tensor_t *out_values) {
  const program_t *program = &step->program;
  const tensor_t *operands[CASE_OPERANDS_MAX];
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) operands[i] = &values[step->operands[i]];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(call->arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&results[i].type));
  }
  const module_faulty_step_t faulty = {.call = call,
                                       .module = module_of(&call->instance->program),
                                       .step = step,
                                       .schedule = schedule,
                                       .values = values};
  STATUS_TRY(schedule->fault == FAULT_NONE
                 ? module_simulate_program(call, program, operands, schedule, results)
                 : module_simulate_faulty(&faulty, results));
  for (uint32_t i = 0; i < program->result_count; i++) out_values[step->results[i]] = results[i];
  return STATUS_OK;
}

/* A step in place of which something else is computed, by a model of permission `algebra`. */
static status_t simulate_algebra(const oracle_call_t *call, const module_step_t *step,
                                 const implementation_model_t *schedule, tensor_t *values,
                                 bool *out_is_other) {
  const module_t *module = module_of(&call->instance->program);
  const contract_t contract = module_contract_of_model(schedule);
  module_others_t others;
  *out_is_other = module_find_others(module, step, &contract, call->arena, &others);
  if (!*out_is_other) return STATUS_OK;
  if (others.has_numbers) {
    return module_simulate_numbers(call, step, &others.numbers, schedule, values);
  }
  if (others.has_scales && !others.scales.has_more) {
    return module_simulate_scales(call, step, &others.scales, schedule, values);
  }
  *out_is_other = others.forms.count > 0;
  if (!*out_is_other) return STATUS_OK;
  return module_simulate_forms(call, step, &others.forms, schedule, values);
}

static status_t walk_step(const oracle_call_t *call, const module_step_t *step,
                          const implementation_model_t *schedule, tensor_t *values) {
  const module_t *module = module_of(&call->instance->program);
  const char *fusing = schedule->formula;
  const type_t *types[2];
  module_value_t sources[2];
  if (fusing != NULL && strcmp(fusing, "wider") == 0) {
    return simulate_wider(call, step, schedule, values);
  }
  bool merges = fusing != NULL && strcmp(fusing, "either") == 0;
  if (merges && is_on_stored(module, step, types, sources)) {
    return simulate_on_stored(call, step, schedule, types, sources, values);
  }
  module_quantized_t quantized;
  if (merges && module_find_quantized(module, step, &quantized)) {
    return simulate_quantized(call, step, schedule, &quantized, values);
  }
  bool is_other;
  STATUS_TRY(simulate_algebra(call, step, schedule, values, &is_other));
  if (is_other) return STATUS_OK;
  implementation_model_t own = *schedule;
  if (merges && module_step_is(step, "uniform_quantize")) own.formula = "merged";
  return simulate_step(call, step, &own, values, values);
}

status_t module_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  const module_t *module = module_of(program);
  tensor_t *values = ARENA_NEW_ARRAY(call->arena, tensor_t, module->value_count);
  for (module_value_t value = 0; value < module->value_count; value++) {
    const tensor_t *constant = module_constant(module, value);
    if (value < program->operand_count) values[value] = call->instance->operands[value];
    if (constant != NULL) values[value] = *constant;
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    STATUS_TRY(walk_step(call, &module->steps[i], schedule, values));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    const tensor_t *value = &values[module->returns[i]];
    const tensor_t stored = convert_floats(value, program->results[i].element, call->arena);
    size_t bytes = type_bytes(&program->results[i]);
    if (bytes > 0) memcpy(inout_results[i].data, stored.data, bytes);
  }
  return STATUS_OK;
}
