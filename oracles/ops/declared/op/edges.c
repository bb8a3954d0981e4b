/* SPDX-License-Identifier: Apache-2.0 */
/* Data in which comparisons of a declared op go one way and the other: integers about as large as
 * the sizes, such as lengths of rows and places in them, and numbers that stand in its file or
 * among its attributes, or beside these. */
#include <math.h>

#include "harness/draw/draw_quantization.h"
#include "oracles/ops/declared/declared.h"

enum { LITERALS_MAX = 64 };

typedef struct literals {
  size_t count;
  double values[LITERALS_MAX];
} literals_t;

static void add_literal(literals_t *inout, double value) {
  if (inout->count < LITERALS_MAX && isfinite(value)) inout->values[inout->count++] = value;
}

static literals_t find_literals(const program_t *program) {
  const declaration_t *declaration = declared_of(program);
  const declared_formula_t *formula = &declaration->formulas[0];
  literals_t found = {.count = 0};
  add_literal(&found, 0);
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    bool is_integer = declaration->attributes[i].kind == ATTRIBUTE_INTEGER;
    bool is_number = declaration->attributes[i].kind == ATTRIBUTE_NUMBER;
    if (is_integer) add_literal(&found, (double)declared_integer(program, i));
    if (is_number) add_literal(&found, declared_number(program, i));
  }
  for (uint32_t i = 0; i < formula->step_count; i++) {
    const step_t *step = &formula->steps[i];
    if (step->kind != STEP_NUMBER) continue;
    add_literal(&found,
                step->type == NULL ? g_ascii_strtod(step->decimal, NULL) : (double)step->place);
  }
  return found;
}

static int64_t largest_size(const declaration_t *declaration, const binding_t *binding) {
  size_t largest = 1;
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    largest = MAX(largest, binding->extent[i]);
  }
  return (int64_t)MIN(largest, (size_t)1 << 30);
}

/* One of them, or minus that, which most files write as such. */
static double draw_literal(rng_t *rng, const literals_t *literals) {
  double value = literals->values[rng_below(rng, literals->count)];
  return rng_one_in(rng, 4) ? -value : value;
}

static uint64_t draw_integer(rng_t *rng, int64_t largest, const literals_t *literals) {
  int64_t beside = rng_between(rng, -1, 1);
  if (!rng_one_in(rng, 4)) return (uint64_t)rng_between(rng, -1, largest + 1);
  double value = draw_literal(rng, literals);
  bool is_small = value > -0x1p62 && value < 0x1p62;
  return (uint64_t)((is_small ? (int64_t)value : 0) + beside);
}

/* A place along an index, or one beside its ends. */
static uint64_t draw_place(rng_t *rng, size_t extent) {
  return (uint64_t)rng_between(rng, rng_one_in(rng, 4) ? -1 : 0,
                               (int64_t)extent - (rng_one_in(rng, 4) ? 0 : 1));
}

/* The number, or a neighbour of it. */
static uint64_t draw_float(rng_t *rng, const format_t *format, const literals_t *literals) {
  uint64_t bits = format_from_double(format, draw_literal(rng, literals));
  int64_t beside = rng_between(rng, -1, 1);
  double value = format_to_double(format, bits);
  bool has_neighbours = isfinite(value) && value != 0;
  return has_neighbours ? bits + (uint64_t)beside : bits;
}

/* A scale such that numbers near 1 neither vanish nor are clamped, and have ties if it is short. */
static uint64_t draw_scale_bits(rng_t *rng, const format_t *format) {
  int64_t significand = rng_one_in(rng, 2) ? 1 << rng_between(rng, 0, 3) : rng_between(rng, 1, 127);
  return format_from_double(format, ldexp((double)significand, (int)rng_between(rng, -12, -4)));
}

/* The scale that something is quantized by, or that of the first place; or 0. */
static double find_scale(const case_t *instance) {
  const declaration_t *declaration = declared_of(&instance->program);
  const declared_formula_t *formula = &declaration->formulas[0];
  for (uint32_t i = 0; i < formula->step_count; i++) {
    if (formula->steps[i].kind != STEP_QUANTIZE) continue;
    const step_t *scale = &formula->steps[formula->steps[i].b];
    if (scale->kind == STEP_NUMBER) return g_ascii_strtod(scale->decimal, NULL);
    if (scale->kind == STEP_ATTRIBUTE) return declared_number(&instance->program, scale->a);
    if (scale->kind != STEP_OPERAND) continue;
    const tensor_t *tensor = &instance->operands[scale->a];
    if (type_component_count(&tensor->type) == 0) continue;
    const element_t *element = tensor->type.element;
    return format_to_double(element->format, element_load(element, tensor->data, 0));
  }
  return 0;
}

/* Floats that are halfway between two that are stored, or beside that. */
static void draw_ties(rng_t *rng, case_t *inout_case) {
  const declaration_t *declaration = declared_of(&inout_case->program);
  double scale = find_scale(inout_case);
  if (!(scale > 0) || !isfinite(scale)) return;
  for (uint32_t i = 0; i < inout_case->program.operand_count; i++) {
    const tensor_t *tensor = &inout_case->operands[i];
    const element_t *element = tensor->type.element;
    if (element->format == NULL || declaration->operands[i].is_scale) continue;
    for (size_t k = 0; k < type_component_count(&tensor->type); k++) {
      if (!rng_one_in(rng, 3)) continue;
      double halves = (double)rng_between(rng, -300, 300) / 2;
      uint64_t bits = format_from_double(element->format, halves * scale);
      bits += (uint64_t)rng_between(rng, -1, 1);
      element_store(element, tensor->data, k, bits & element_mask(element));
    }
  }
}

void declared_draw_edges(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  const literals_t literals = find_literals(program);
  binding_t binding;
  if (!declared_bind(program, &binding)) return;
  const bool compares_floats = declared_of(program)->compares_floats;
  int64_t largest = largest_size(declared_of(program), &binding);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *tensor = &inout_case->operands[i];
    const element_t *element = tensor->type.element;
    size_t count = type_component_count(&tensor->type);
    int8_t gathers = declared_of(program)->operands[i].gathers;
    if (tensor->type.quantization != NULL) {
      draw_stored(rng, &inout_case->operands[i]);
      continue;
    }
    const bool is_scale = declared_of(program)->operands[i].is_scale;
    for (size_t k = 0; k < count && is_scale; k++) {
      if (rng_one_in(rng, 8)) continue;
      element_store(element, tensor->data, k, draw_scale_bits(rng, element->format));
    }
    for (size_t k = 0; k < count && element->kind != ELEMENT_BOOLEAN && !is_scale; k++) {
      bool is_float = element->format != NULL;
      if (is_float && (!compares_floats || rng_one_in(rng, 2))) continue;
      uint64_t bits = is_float       ? draw_float(rng, element->format, &literals)
                      : gathers >= 0 ? draw_place(rng, binding.extent[gathers])
                                     : draw_integer(rng, largest, &literals);
      element_store(element, tensor->data, k, bits & element_mask(element));
    }
  }
  draw_ties(rng, inout_case);
}

/* Scales between these are as they are; the exponents of others are moved, since by them all
 * numbers but a few would be stored as 0 or as an end of the range. */
enum { SCALE_EXPONENT_MIN = -14, SCALE_EXPONENTS = 22 };

/* Numbers that are scales: positive ones, 1 in the place of 0 and of what is no finite number. */
static void settle_scales(const tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  for (size_t k = 0; k < type_component_count(&tensor->type); k++) {
    double value = format_to_double(element->format, element_load(element, tensor->data, k));
    bool is_scale = isfinite(value) && value != 0;
    int exponent = 0;
    double significand = is_scale ? frexp(fabs(value), &exponent) : 0.5;
    int place = (exponent - SCALE_EXPONENT_MIN) % SCALE_EXPONENTS;
    if (place < 0) place += SCALE_EXPONENTS;
    value = is_scale ? ldexp(significand, SCALE_EXPONENT_MIN + place) : 1;
    element_store(element, tensor->data, k, format_from_double(element->format, value));
  }
}

/* Integers that are zero points: those of the storage type that their low bits are. */
static void settle_zero_points(const tensor_t *tensor, const element_t *storage) {
  const element_t *element = tensor->type.element;
  for (size_t k = 0; k < type_component_count(&tensor->type); k++) {
    uint64_t bits = element_load(element, tensor->data, k) & element_mask(storage);
    int64_t value = element_signed_value(storage, bits);
    bool has_value = element_integer_min(element) <= value &&
                     (value < 0 || (uint64_t)value <= element_integer_max(element));
    element_store(element, tensor->data, k,
                  (has_value ? (uint64_t)value : 0) & element_mask(element));
  }
}

/* Integers that the file says are below the size of an index, modulo that; and what quantizes. */
void declared_settle(rng_t *rng, case_t *inout_case) {
  (void)rng;
  const program_t *program = &inout_case->program;
  binding_t binding;
  if (!declared_bind(program, &binding)) return;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const declared_tensor_t *operand = &declared_of(program)->operands[i];
    if (operand->is_scale) settle_scales(&inout_case->operands[i]);
    if (operand->zero_of != NULL) settle_zero_points(&inout_case->operands[i], operand->zero_of);
    const int8_t below = operand->below;
    if (below < 0) continue;
    const tensor_t *tensor = &inout_case->operands[i];
    const element_t *element = tensor->type.element;
    const uint64_t size = MAX(binding.extent[below], 1);
    const uint64_t most = MIN(size - 1, element_integer_max(element));
    for (size_t k = 0; k < type_component_count(&tensor->type); k++) {
      uint64_t bits = element_load(element, tensor->data, k);
      element_store(element, tensor->data, k, bits % (most + 1));
    }
  }
}
