/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers make of numbers that multiply, or divide, an operand of a product of matrices or
 * the product: one factor of its sums (theory.md, T272). */
#include <math.h>

#include "oracles/ops/module/module.h"

/* What one number of a constant is, spread over the shape; false if it is none. */
static bool find_scale(const module_t *module, module_value_t value, double *out_scale) {
  const module_step_t *spread = module_definition(module, value);
  if (spread != NULL && module_step_is(spread, "broadcast_in_dim")) value = spread->operands[0];
  const tensor_t *constant = module_constant(module, value);
  if (constant == NULL || constant->type.quantization != NULL) return false;
  const element_t *element = constant->type.element;
  size_t count = type_element_count(&constant->type);
  if (element->kind != ELEMENT_FLOAT || count == 0) return false;
  uint64_t bits = element_load(element, constant->data, 0);
  for (size_t i = 1; i < count; i++) {
    if (element_load(element, constant->data, i) != bits) return false;
  }
  *out_scale = format_to_double(element->format, bits);
  return isfinite(*out_scale) && *out_scale != 0;
}

static bool is_plain_product(const module_step_t *step) {
  const program_t *program = &step->program;
  if (!module_step_is(step, "dot_general")) return false;
  const type_t *types[] = {&program->operands[0], &program->operands[1], &program->results[0]};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    bool is_plain = types[i]->quantization == NULL && types[i]->element->kind == ELEMENT_FLOAT &&
                    types[i]->element == types[0]->element;
    if (!is_plain) return false;
  }
  return true;
}

/* The value that a step multiplies, or divides, by one number; which is noted. */
static bool take_scale(const module_t *module, const module_step_t *step, module_scales_t *scales,
                       module_value_t *out_base) {
  double scale;
  bool divides = step != NULL && module_step_is(step, "divide");
  if (step == NULL || (!divides && !module_step_is(step, "multiply"))) return false;
  for (uint32_t number = divides ? 1 : 0; number < 2; number++) {
    if (!find_scale(module, step->operands[number], &scale)) continue;
    scales->has_more |= scales->count == MODULE_NUMBERS_MAX;
    if (scales->has_more) return false;
    scales->items[scales->count++] = (module_scale_t){.number = scale, .is_divisor = divides};
    *out_base = step->operands[1 - number];
    return true;
  }
  return false;
}

bool module_find_scales(const module_t *module, const module_step_t *step,
                        module_scales_t *out_scales) {
  *out_scales = (module_scales_t){.count = 0};
  module_value_t base;
  while (step != NULL && take_scale(module, step, out_scales, &base)) {
    step = module_definition(module, base);
  }
  if (out_scales->has_more) return true; /* Of a product, perhaps. */
  if (step == NULL || !is_plain_product(step)) return false;
  out_scales->product = step;
  for (uint32_t side = 0; side < 2; side++) {
    base = step->operands[side];
    while (take_scale(module, module_definition(module, base), out_scales, &base)) continue;
    out_scales->bases[side] = base;
  }
  return out_scales->count > 0;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static box_t exact_factor(const module_scales_t *scales) {
  box_t factor = box_point(1);
  for (uint32_t i = 0; i < scales->count; i++) {
    const box_t own = box_point(scales->items[i].number);
    factor = scales->items[i].is_divisor ? box_divide(factor, own) : box_multiply(factor, own);
  }
  return factor;
}

/* Whether no number of the factor, however it is made, leaves the range. */
static bool stays_normal(const module_scales_t *scales, const format_t *format) {
  double octaves = 0;
  for (uint32_t i = 0; i < scales->count; i++) {
    octaves += fabs(log2(fabs(scales->items[i].number))) + 1;
  }
  return octaves < (double)MIN(format->exponent_max, -format->exponent_min);
}

/* As large as the numbers make a term that some of them multiply. */
static double largest_part(const module_scales_t *scales) {
  double most = 1;
  for (uint32_t i = 0; i < scales->count; i++) {
    double number = fabs(scales->items[i].number);
    most *= fmax(1, scales->items[i].is_divisor ? 1 / number : number);
  }
  return most;
}

/* How many terms each sum of the product has. */
static double count_terms(const program_t *program) {
  const type_t *type = &program->operands[0];
  uint32_t reduced = program->op->reduced_dimensions(program, 0);
  double terms = 1;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if ((reduced >> dim & 1) != 0) terms *= (double)type->dims[dim];
  }
  return terms;
}

/* The largest magnitude of what an operand of the product is made of. */
static double largest_of(const module_algebra_t *algebra, const module_scales_t *scales,
                         uint32_t side) {
  size_t count = type_element_count(&scales->product->program.operands[side]);
  const box_t *boxes = algebra->boxes[scales->bases[side]];
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, box_magnitude(boxes[i]));
  return most;
}

/* What is lost of numbers that are rounded to subnormal ones, or flushed, and multiplied then:
 * theory.md, T272. */
static double lost(const module_algebra_t *algebra, const module_scales_t *scales,
                   const format_t *format) {
  bool flushes = PERMITTED(algebra->contract, ftz) != FTZ_NONE;
  double unit = ldexp(1, format->exponent_min - (flushes ? 0 : format->precision - 1));
  double each = unit * scales->count * largest_part(scales);
  double terms = count_terms(&scales->product->program);
  double factors = largest_of(algebra, scales, 0) + largest_of(algebra, scales, 1) + 2 * each;
  return each * (terms * factors + 4 * (terms + 2)) * (1 + 0x1p-40);
}

/* The product of X, which is the left operand times a factor, within so many units roundoff. */
static status_t enclose_scaled(const module_algebra_t *algebra, const module_scales_t *scales,
                               box_t factor, box_t *out_boxes) {
  const program_t *program = &scales->product->program;
  const format_t *format = program->results[0].element->format;
  const double roundings = 3 * scales->count * module_roundoff(format);
  size_t terms = type_element_count(&program->operands[0]);
  box_t *scaled = ARENA_NEW_ARRAY(algebra->arena, box_t, terms);
  for (size_t i = 0; i < terms; i++) {
    box_t term = box_multiply(algebra->boxes[scales->bases[0]][i], factor);
    scaled[i] = module_widen(term, roundings, format);
  }
  const box_t *operands[] = {scaled, algebra->boxes[scales->bases[1]]};
  box_t *made[] = {out_boxes};
  return algebra->enclose(algebra->context, program, algebra->contract, operands, made);
}

status_t module_add_scales(const module_algebra_t *algebra, const module_scales_t *scales,
                           box_t *inout_boxes) {
  const type_t *type = &scales->product->program.results[0];
  const format_t *format = type->element->format;
  const box_t factor = exact_factor(scales);
  size_t count = type_element_count(type);
  box_t *made = ARENA_NEW_ARRAY(algebra->arena, box_t, count);
  box_t *largest = ARENA_NEW_ARRAY(algebra->arena, box_t, count);
  STATUS_TRY(enclose_scaled(algebra, scales, factor, made));
  STATUS_TRY(enclose_scaled(algebra, scales, box_point(largest_part(scales)), largest));
  const double distance = lost(algebra, scales, format);
  bool stays = stays_normal(scales, format);
  for (size_t i = 0; i < count; i++) {
    bool is_known = stays && box_is_finite(made[i]) && box_is_finite(largest[i]);
    box_t own = is_known ? box_widen(made[i], distance) : box_whole_line();
    inout_boxes[i] = box_unite(inout_boxes[i], own);
  }
  return STATUS_OK;
}

/* ---- A model --------------------------------------------------------------------------------- */

/* The numbers first, then the product, which is multiplied by theirs. */
status_t module_simulate_scales(const oracle_call_t *call, const module_step_t *step,
                                const module_scales_t *scales,
                                const implementation_model_t *schedule, tensor_t *values) {
  const program_t *program = &scales->product->program;
  const type_t *type = &program->results[0];
  const format_t *format = type->element->format;
  double factor = 1;
  for (uint32_t i = scales->count; i-- > 0;) {
    double own = scales->items[i].number;
    if (scales->items[i].is_divisor) {
      own = format_to_double(format, format_from_double(format, 1 / own));
    }
    factor = format_to_double(format, format_from_double(format, factor * own));
  }
  tensor_t product = tensor_make(call->arena, type), factors = tensor_make(call->arena, type);
  const tensor_t *operands[] = {&values[scales->bases[0]], &values[scales->bases[1]]};
  STATUS_TRY(module_simulate_program(call, program, operands, schedule, &product));
  for (size_t i = 0; i < type_element_count(type); i++) {
    element_store(type->element, factors.data, i, format_from_double(format, factor));
  }
  const program_t multiply = {.op = op_find(str_from("stablehlo.multiply")),
                              .operand_count = 2,
                              .result_count = 1,
                              .operands = {*type, *type},
                              .results = {*type}};
  const tensor_t *both[] = {&product, &factors};
  tensor_t made = tensor_make(call->arena, type);
  STATUS_TRY(module_simulate_program(call, &multiply, both, schedule, &made));
  values[step->results[0]] = made;
  return STATUS_OK;
}
