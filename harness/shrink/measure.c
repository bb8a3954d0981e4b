/* SPDX-License-Identifier: Apache-2.0 */
/* Lexicographic size of a case: elements, ranks, attributes, then the cost of each value in
 * significant bits and exponent. */
#include "harness/shrink/measure.h"

#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "harness/kinds/module/module.h"
#include "harness/shrink/words.h"

enum {
  BIT_COST = 4,     /* Of a bit of a significand, beside that of a step of the exponent. */
  SPECIAL_COST = 2, /* Of infinities and the usual NaN. */
};

static uint64_t bit_length(uint64_t number) {
  return number == 0 ? 0 : 64 - (uint64_t)__builtin_clzll(number);
}

static uint64_t number_cost(const format_t *format, uint64_t bits) {
  number_t number = format_decode(format, bits);
  uint64_t sign = number.negative ? 1 : 0;
  switch (number.kind) {
    case NUMBER_ZERO:
      return sign;
    case NUMBER_INFINITY:
      return SPECIAL_COST + sign;
    case NUMBER_NAN: {
      uint64_t usual = format_encode(format, (number_t){.kind = NUMBER_NAN}, ROUNDING_NEAREST_EVEN,
                                     OVERFLOW_FORMAT);
      return SPECIAL_COST + (uint64_t)__builtin_popcountll(bits ^ usual);
    }
    case NUMBER_FINITE:
      break;
  }
  uint64_t length = bit_length(number.significand);
  uint64_t significant = length - (uint64_t)__builtin_ctzll(number.significand);
  int64_t binade = number.exponent + (int64_t)length - 1;
  uint64_t distance = (uint64_t)(binade < 0 ? -binade : binade);
  return 1 + sign + BIT_COST * (significant - 1) + bit_length(distance);
}

uint64_t shrink_value_cost(const element_t *element, uint64_t bits) {
  if (element->format != NULL) return number_cost(element->format, bits);
  if (!element_is_integer(element)) return bits != 0;
  int64_t value = element_signed_value(element, bits);
  bool is_negative = element->kind == ELEMENT_SIGNED && value < 0;
  uint64_t magnitude = is_negative ? -(uint64_t)value : (uint64_t)value;
  if (magnitude == 0) return 0;
  return 2 * bit_length(magnitude) + (uint64_t)__builtin_popcountll(magnitude) - 2 + is_negative;
}

static bool is_init(const program_t *program, uint32_t operand, bool is_broken) {
  const op_t *op = program->op;
  return !is_broken && op->is_init_operand != NULL && op->is_init_operand(program, operand);
}

uint64_t shrink_plain_bits(const program_t *program, uint32_t operand, size_t component,
                           bool is_broken) {
  const type_t *type = &program->operands[operand];
  bool is_imaginary = component % type->element->components == 1;
  bool is_zero = is_imaginary || !is_init(program, operand, is_broken);
  uint64_t bits = is_zero ? special_value_zero(type->element, false)
                          : program->op->neutral_bits(program, operand);
  return stored_clamped(type, bits);
}

static void add_operand(const case_t *instance, uint32_t operand, bool is_broken,
                        shrink_measure_t *measure) {
  const tensor_t *tensor = &instance->operands[operand];
  const element_t *element = tensor->type.element;
  size_t count = type_component_count(&tensor->type);
  bool is_neutral_plain = is_init(&instance->program, operand, is_broken);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, tensor->data, i);
    bool is_plain =
        is_neutral_plain && bits == shrink_plain_bits(&instance->program, operand, i, is_broken);
    uint64_t cost = is_plain ? 0 : shrink_value_cost(element, bits);
    if (is_neutral_plain && !is_plain) cost++; /* So that 0 is no better than the neutral value. */
    measure->values += cost;
    measure->nonzeros += cost != 0;
  }
}

int shrink_axis_place(const axes_t *axes, uint32_t axis) {
  static const int of_role[AXIS_ROLE_COUNT] = {
      [AXIS_BATCH] = 0, [AXIS_ROW] = 1, [AXIS_TERM] = 2, [AXIS_COLUMN] = 3};
  return of_role[axes->items[axis].role] * AXES_MAX + (int)axis;
}

static uint64_t count_inversions(const program_t *program) {
  axes_t axes;
  if (!axes_of(program, &axes)) return 0;
  uint64_t inversions = 0;
  for (uint32_t operand = 0; operand < program->operand_count; operand++) {
    const axis_list_t *list = &axes.operands[operand];
    for (uint32_t i = 0; i < list->count; i++) {
      int place = shrink_axis_place(&axes, list->axes[i]);
      for (uint32_t j = 0; j < i; j++) {
        inversions += shrink_axis_place(&axes, list->axes[j]) > place;
      }
    }
  }
  return inversions;
}

/* Nothing for the whole range, a scale of 1 and a zero point of 0. */
static uint64_t quantization_cost(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  if (quantization == NULL) return 0;
  const element_t *binary64 = element_named("f64");
  const uint64_t one = format_from_double(binary64->format, 1);
  bool is_full = quantization->storage_min == element_integer_min(type->element) &&
                 quantization->storage_max == (int64_t)element_integer_max(type->element);
  uint64_t cost = is_full ? 0 : 2;
  for (uint32_t i = 0; i < quantization->count; i++) {
    uint64_t bits = format_from_double(binary64->format, quantization->scales[i]);
    cost += shrink_value_cost(binary64, bits) - shrink_value_cost(binary64, one);
    cost += shrink_value_cost(element_named("i64"), (uint64_t)quantization->zero_points[i]);
    bool repeats = i > 0 && quantization->scales[i] == quantization->scales[0] &&
                   quantization->zero_points[i] == quantization->zero_points[0];
    cost += i > 0 && !repeats;
  }
  return cost;
}

static void add_module(const program_t *program, shrink_measure_t *measure) {
  const module_t *module = module_of(program);
  measure->steps = 2 * (uint64_t)module->step_count + module->constant_count;
  for (uint32_t i = 0; i < module->constant_count; i++) {
    measure->elements += type_element_count(&module->constants[i].type);
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    const program_t *step = &module->steps[i].program;
    for (uint32_t k = 0; k < step->result_count; k++) {
      measure->elements += type_element_count(&step->results[k]);
    }
  }
}

shrink_measure_t shrink_measure(const case_t *instance, bool is_broken) {
  const program_t *program = &instance->program;
  shrink_measure_t measure = {0};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    measure.elements += type_element_count(&program->operands[i]);
    measure.ranks += program->operands[i].rank;
    add_operand(instance, i, is_broken, &measure);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    measure.elements += type_element_count(&program->results[i]);
    measure.ranks += program->results[i].rank;
  }
  if (program_is_module(program)) {
    add_module(program, &measure);
    return measure;
  }
  if (!is_broken) measure.inversions = count_inversions(program);
  measure.attributes = shrink_attributes_cost(program);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    measure.attributes += quantization_cost(&program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    measure.attributes += quantization_cost(&program->results[i]);
  }
  return measure;
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

int shrink_measure_compare(const shrink_measure_t *a, const shrink_measure_t *b) {
  int order = compare(a->steps, b->steps);
  if (order == 0) order = compare(a->elements, b->elements);
  if (order == 0) order = compare(a->ranks, b->ranks);
  if (order == 0) order = compare(a->inversions, b->inversions);
  if (order == 0) order = compare(a->attributes, b->attributes);
  if (order == 0) order = compare(a->nonzeros, b->nonzeros);
  if (order == 0) order = compare(a->values, b->values);
  return order;
}
