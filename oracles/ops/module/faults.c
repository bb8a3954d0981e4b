/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with a planted fault: what fusing steps gets wrong. */
#include <math.h>

#include "generated/module_faults.h"
#include "oracles/ops/convolution/convolution.h"
#include "oracles/ops/module/module.h"

/* Whether a value is a constant, or made of constants alone: a bias, or the zeros of a maximum. */
static bool is_constant(const module_t *module, module_value_t value) {
  if (module_constant(module, value) != NULL) return true;
  const module_step_t *step = module_definition(module, value);
  if (step == NULL) return false;
  for (uint32_t i = 0; i < step->program.operand_count; i++) {
    if (!is_constant(module, step->operands[i])) return false;
  }
  return true;
}

/* Of a step with two operands, one of which alone is constant: the place of that; else -1. */
static int constant_side(const module_t *module, const module_step_t *step, const char *name) {
  if (!module_step_is(step, name)) return -1;
  bool left = is_constant(module, step->operands[0]),
       right = is_constant(module, step->operands[1]);
  return left == right ? -1 : left ? 0 : 1;
}

static void copy(const tensor_t *from, tensor_t *to) {
  size_t bytes = type_bytes(&to->type);
  if (bytes > 0) memcpy(to->data, from->data, bytes);
}

static status_t run(const module_faulty_step_t *faulty, const program_t *program,
                    const tensor_t *const operands[], tensor_t *inout_results) {
  return module_simulate_program(faulty->call, program, operands, faulty->schedule, inout_results);
}

/* ---- Biases and maxima ----------------------------------------------------------------------- */

/* The number with 0 in the place of what is below. */
static void clamp_at_zero(const tensor_t *from, tensor_t *out_clamped) {
  const element_t *element = from->type.element;
  for (size_t i = 0; i < type_element_count(&from->type); i++) {
    uint64_t bits = element_load(element, from->data, i);
    bool is_negative = element->format != NULL ? format_to_double(element->format, bits) < 0
                                               : element_signed_value(element, bits) < 0;
    element_store(element, out_clamped->data, i, is_negative ? 0 : bits);
  }
}

static status_t add_bias(const module_faulty_step_t *faulty, int side,
                         const tensor_t *const operands[], tensor_t *inout_results) {
  const tensor_t *rest = operands[1 - side];
  tensor_t first = tensor_make(faulty->call->arena, &faulty->step->program.operands[1 - side]);
  const tensor_t *seen[2] = {operands[0], operands[1]};
  seen[1 - side] = &first;
  switch (faulty->schedule->fault) {
    case FAULT_module_bias_after_requantize:
      copy(rest, &inout_results[0]);
      return STATUS_OK;
    case FAULT_module_clamp_before_bias:
      clamp_at_zero(rest, &first);
      break;
    case FAULT_module_bias_twice:
      STATUS_TRY(run(faulty, &faulty->step->program, operands, &first));
      break;
    default:
      return run(faulty, &faulty->step->program, operands, inout_results);
  }
  return run(faulty, &faulty->step->program, seen, inout_results);
}

/* The addition of a bias behind which a value stands, with maxima between them; or NULL. */
static const module_step_t *find_addition(const module_t *module, module_value_t value) {
  const module_step_t *step = module_definition(module, value);
  while (step != NULL && constant_side(module, step, "maximum") >= 0) {
    step = module_definition(module, step->operands[1 - constant_side(module, step, "maximum")]);
  }
  return step != NULL && constant_side(module, step, "add") >= 0 ? step : NULL;
}

/* ---- Requantizing ---------------------------------------------------------------------------- */

static double number_at(const type_t *type, const tensor_t *tensor, size_t element) {
  const tensor_t seen = {.type = *type, .data = tensor->data};
  const box_t value = box_value(type, element, box_make_point(&seen, element));
  return value.low + (value.high - value.low) / 2;
}

static int64_t clamp_stored(const quantization_t *quantization, double value) {
  return (int64_t)fmin(fmax(value, (double)quantization->storage_min),
                       (double)quantization->storage_max);
}

/* With the bias in steps of the result, added to what is stored. */
static void add_late_bias(const module_faulty_step_t *faulty, const module_step_t *addition,
                          tensor_t *inout_result) {
  int side = constant_side(faulty->module, addition, "add");
  const type_t *type = &faulty->step->program.operands[0];
  const quantization_t *quantization = inout_result->type.quantization;
  const element_t *element = inout_result->type.element;
  const tensor_t *bias = &faulty->values[addition->operands[side]];
  for (size_t i = 0; i < type_element_count(&inout_result->type); i++) {
    double scale = quantization->scales[quantization->count > 1 ? i % quantization->count : 0];
    double steps = nearbyint(number_at(type, bias, i) / scale);
    int64_t stored = element_signed_value(element, element_load(element, inout_result->data, i));
    int64_t sum = clamp_stored(quantization, (double)stored + steps);
    element_store(element, inout_result->data, i, (uint64_t)sum & element_mask(element));
  }
}

static void requantize_half_up(const module_faulty_step_t *faulty, tensor_t *inout_result) {
  const type_t *from = &faulty->step->program.operands[0];
  const quantization_t *quantization = inout_result->type.quantization;
  const element_t *element = inout_result->type.element;
  if (quantization->count > 1) return;
  for (size_t i = 0; i < type_element_count(from); i++) {
    double quotient =
        number_at(from, &faulty->values[faulty->step->operands[0]], i) / quantization->scales[0];
    if (isnan(quotient)) continue;
    double sum = quotient + (double)quantization->zero_points[0];
    int64_t stored = clamp_stored(quantization, floor(sum + 0.5));
    element_store(element, inout_result->data, i, (uint64_t)stored & element_mask(element));
  }
}

/* ---- Scales and borders ---------------------------------------------------------------------- */

static type_t with_first_scale(const type_t *type, arena_t *arena) {
  type_t changed = *type;
  if (type->quantization == NULL || type->quantization->count < 2) return changed;
  quantization_t *quantization = arena_alloc(arena, sizeof *quantization);
  *quantization = *type->quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, quantization->count);
  for (uint32_t i = 0; i < quantization->count; i++) scales[i] = quantization->scales[0];
  quantization->scales = scales;
  changed.quantization = quantization;
  return changed;
}

/* The index of an element of the padded input in the input, or -1 for the border. */
static int64_t find_inner(const type_t *padded, const type_t *inner, const int64_t low[],
                          size_t element) {
  int64_t index = 0, stride = 1;
  for (uint32_t d = padded->rank; d-- > 0;) {
    int64_t place = (int64_t)(element % (size_t)padded->dims[d]) - low[d];
    element /= (size_t)padded->dims[d];
    if (place < 0 || place >= inner->dims[d]) return -1;
    index += place * stride;
    stride *= inner->dims[d];
  }
  return index;
}

/* The pattern that stands for a stored 0: of a dequantized operand as a float. */
static uint64_t stored_zero(const module_faulty_step_t *faulty, const type_t *type) {
  if (type->quantization != NULL) return 0;
  const module_step_t *source = module_definition(faulty->module, faulty->step->operands[0]);
  if (source == NULL || !module_step_is(source, "uniform_dequantize")) return 0;
  const quantization_t *quantization = source->program.operands[0].quantization;
  double value = -(double)quantization->zero_points[0] * quantization->scales[0];
  return format_from_double(type->element->format, value);
}

/* The convolution of an input with a border of its own, where that can be. */
static status_t convolve_with_border(const module_faulty_step_t *faulty,
                                     const tensor_t *const operands[], tensor_t *inout_results) {
  program_t program = faulty->step->program;
  const convolution_attributes_t *own = convolution_attributes(&program);
  convolution_attributes_t attributes = *own;
  const type_t *inner = &faulty->step->program.operands[0];
  type_t *padded = &program.operands[0];
  int64_t low[TYPE_RANK_MAX] = {0};
  for (uint32_t i = 0; i < own->padding.count; i++) {
    int64_t below = own->padding.low[i], above = own->padding.high[i];
    bool is_plain = below >= 0 && above >= 0 && own->lhs_dilation.dims[i] == 1;
    if (!is_plain) return run(faulty, &faulty->step->program, operands, inout_results);
    int64_t dim = own->input.spatial.dims[i];
    low[dim] = below;
    padded->dims[dim] += below + above;
    attributes.padding.low[i] = attributes.padding.high[i] = 0;
  }
  program.attributes = &attributes;
  tensor_t bordered = tensor_make(faulty->call->arena, padded);
  const element_t *element = padded->element;
  uint64_t border = stored_zero(faulty, inner);
  for (size_t i = 0; i < type_element_count(padded); i++) {
    int64_t source = find_inner(padded, inner, low, i);
    uint64_t bits = source < 0 ? border : element_load(element, operands[0]->data, (size_t)source);
    element_store(element, bordered.data, i, bits);
  }
  const tensor_t *seen[] = {&bordered, operands[1]};
  return run(faulty, &program, seen, inout_results);
}

/* Rounds what is between the ends of a module to f16. */
static void narrow(tensor_t *inout_result) {
  const element_t *element = inout_result->type.element;
  if (element != element_named("f32")) return;
  const format_t *half = element_named("f16")->format;
  for (size_t i = 0; i < type_element_count(&inout_result->type); i++) {
    uint64_t bits = element_load(element, inout_result->data, i);
    uint64_t narrowed = format_convert(element->format, half, bits, ROUNDING_NEAREST_EVEN);
    element_store(element, inout_result->data, i,
                  format_convert(half, element->format, narrowed, ROUNDING_NEAREST_EVEN));
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

static status_t quantize(const module_faulty_step_t *faulty, const tensor_t *const operands[],
                         tensor_t *inout_results) {
  STATUS_TRY(run(faulty, &faulty->step->program, operands, inout_results));
  const module_step_t *addition = find_addition(faulty->module, faulty->step->operands[0]);
  fault_t fault = faulty->schedule->fault;
  if (fault == FAULT_module_requantize_half_up) requantize_half_up(faulty, &inout_results[0]);
  if (fault == FAULT_module_bias_after_requantize && addition != NULL) {
    add_late_bias(faulty, addition, &inout_results[0]);
  }
  return STATUS_OK;
}

/* Which maxima this kernel does not take, or has taken before. */
static bool skips_maximum(const module_faulty_step_t *faulty, int *out_other) {
  fault_t fault = faulty->schedule->fault;
  int side = constant_side(faulty->module, faulty->step, "maximum");
  bool may_skip = fault == FAULT_module_relu_skipped || fault == FAULT_module_clamp_before_bias;
  if (side < 0 || !may_skip) return false;
  *out_other = 1 - side;
  const module_step_t *before =
      module_definition(faulty->module, faulty->step->operands[*out_other]);
  return before != NULL && module_step_is(before, "add");
}

status_t module_simulate_faulty(const module_faulty_step_t *faulty, tensor_t *inout_results) {
  bool is_fused;
  STATUS_TRY(module_simulate_fused(faulty, inout_results, &is_fused));
  if (is_fused) return STATUS_OK;
  const module_step_t *step = faulty->step;
  const tensor_t *operands[CASE_OPERANDS_MAX];
  program_t program = step->program;
  for (uint32_t i = 0; i < program.operand_count; i++) {
    operands[i] = &faulty->values[step->operands[i]];
  }
  fault_t fault = faulty->schedule->fault;
  int other, side = constant_side(faulty->module, step, "add");
  if (side >= 0) return add_bias(faulty, side, operands, inout_results);
  if (skips_maximum(faulty, &other)) {
    copy(operands[other], &inout_results[0]);
    return STATUS_OK;
  }
  if (module_step_is(step, "uniform_quantize") && fault != FAULT_module_first_channel_scale) {
    return quantize(faulty, operands, inout_results);
  }
  if (fault == FAULT_module_border_without_zero_point && module_step_is(step, "convolution")) {
    return convolve_with_border(faulty, operands, inout_results);
  }
  if (fault == FAULT_module_first_channel_scale) {
    for (uint32_t i = 0; i < program.operand_count; i++) {
      program.operands[i] = with_first_scale(&program.operands[i], faulty->call->arena);
    }
  }
  STATUS_TRY(run(faulty, &program, operands, inout_results));
  if (fault == FAULT_module_narrow_intermediate) narrow(&inout_results[0]);
  return STATUS_OK;
}
