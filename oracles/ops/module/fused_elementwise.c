/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of fused elementwise steps: roundings, clamps, signs, and which operand is read. */
#include <math.h>

#include "oracles/ops/module/fused.h"

/* ---- Roundings ------------------------------------------------------------------------------- */

static void round_to(tensor_t *inout_tensor, const char *name, rounding_t rounding) {
  const format_t *from = inout_tensor->type.element->format;
  const format_t *to = element_named(name)->format;
  for (size_t i = 0; i < type_element_count(&inout_tensor->type); i++) {
    uint64_t bits = element_load(inout_tensor->type.element, inout_tensor->data, i);
    uint64_t narrow = format_convert(from, to, bits, rounding);
    element_store(inout_tensor->type.element, inout_tensor->data, i,
                  format_convert(to, from, narrow, ROUNDING_NEAREST_EVEN));
  }
}

static bool is_wide_float(const type_t *type) {
  return type->quantization == NULL && type->element->format != NULL && type->element->bits >= 32;
}

static void round_intermediate(fused_t *fused) {
  const type_t *type = &fused->results[0].type;
  bool is_between =
      !fused_is_returned(fused) && is_wide_float(type) && !module_step_moves(fused_step(fused));
  if (is_between) round_to(&fused->results[0], "bf16", ROUNDING_NEAREST_EVEN);
}

static void truncate_conversion(fused_t *fused) {
  const type_t *from = &fused->program.operands[0], *to = &fused->results[0].type;
  bool is_narrowing = module_step_is(fused_step(fused), "convert") && is_wide_float(from) &&
                      to->element->format != NULL && to->element->bits < from->element->bits;
  if (!is_narrowing) return;
  const format_t *format = to->element->format;
  for (size_t i = 0; i < type_element_count(to); i++) {
    uint64_t bits = element_load(from->element, fused->operands[0]->data, i);
    element_store(to->element, fused->results[0].data, i,
                  format_convert(from->element->format, format, bits, ROUNDING_TOWARD_ZERO));
  }
}

/* To another type and back, as if that changed nothing. */
static void remove_conversions(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  if (!module_step_is(step, "convert")) return;
  const module_step_t *before = fused_operand(fused, 0, "convert");
  if (before == NULL || before->program.operands[0].element != step->program.results[0].element) {
    return;
  }
  fused_finish(fused, fused_value(fused, before, 0));
}

/* a b + c with the product unrounded, in 16 bits. */
static void keep_product(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  bool is_sum = module_step_is(step, "add"), is_difference = module_step_is(step, "subtract");
  const type_t *type = &step->program.results[0];
  if ((!is_sum && !is_difference) || type->element->format == NULL || type->element->bits > 32) {
    return;
  }
  for (uint32_t side = 0; side < 2; side++) {
    const module_step_t *product = fused_operand(fused, side, "multiply");
    if (product == NULL) continue;
    const tensor_t *a = fused_value(fused, product, 0), *b = fused_value(fused, product, 1);
    for (size_t i = 0; i < type_element_count(type); i++) {
      double other = fused_number(fused->operands[1 - side], i);
      double exact = fused_number(a, i) * fused_number(b, i);
      double sum = is_sum ? exact + other : side == 0 ? exact - other : other - exact;
      fused_store(&fused->results[0], i, sum);
    }
    return;
  }
}

/* Whether an earlier step, or an earlier operand of this one, takes the value too. */
static bool is_taken_before(const fused_t *fused, uint32_t operand) {
  const module_t *module = fused->faulty->module;
  const module_step_t *step = fused_step(fused);
  module_value_t value = step->operands[operand];
  for (uint32_t i = 0; i < operand; i++) {
    if (step->operands[i] == value) return true;
  }
  for (const module_step_t *other = module->steps; other != step; other++) {
    for (uint32_t i = 0; i < other->program.operand_count; i++) {
      if (other->operands[i] == value) return true;
    }
  }
  return false;
}

static void round_second_use(fused_t *fused) {
  for (uint32_t i = 0; i < fused->program.operand_count; i++) {
    const type_t *type = &fused->program.operands[i];
    if (!is_wide_float(type) || !is_taken_before(fused, i)) continue;
    round_to(fused_edit(fused, i), "bf16", ROUNDING_NEAREST_EVEN);
  }
}

/* ---- Maxima and minima ----------------------------------------------------------------------- */

static const char *extreme_of(const module_step_t *step) {
  if (module_step_is(step, "maximum")) return "maximum";
  return module_step_is(step, "minimum") ? "minimum" : NULL;
}

/* max(a, c) + b as max(a + b, c), c a number. */
static void move_clamp(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  double number;
  if (!module_step_is(step, "add")) return;
  for (uint32_t side = 0; side < 2; side++) {
    const module_step_t *clamp = fused_operand(fused, side, "maximum");
    if (clamp == NULL) continue;
    fused_t inner = *fused;
    module_faulty_step_t there = *fused->faulty;
    there.step = clamp;
    inner.faulty = &there;
    for (uint32_t i = 0; i < 2; i++) {
      if (!fused_is_number(&inner, i, &number)) continue;
      fused->operands[side] = fused_value(fused, clamp, 1 - i);
      return;
    }
  }
}

static void clamp_after_move(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  if (!module_step_is(step, "add")) return;
  for (uint32_t side = 0; side < 2; side++) {
    const module_step_t *clamp = fused_operand(fused, side, "maximum");
    if (clamp == NULL || fused->operands[side] == &fused->faulty->values[step->operands[side]]) {
      continue;
    }
    const tensor_t *bounds[] = {fused_value(fused, clamp, 0), fused_value(fused, clamp, 1)};
    const tensor_t *bound = bounds[fused->operands[side] == bounds[0] ? 1 : 0];
    for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
      bool is_below = fused_number(&fused->results[0], i) < fused_number(bound, i);
      if (is_below) fused_copy_element(bound, i, &fused->results[0], i);
    }
  }
}

/* The second of two bounds is left out. */
static void drop_second_bound(fused_t *fused) {
  const char *name = extreme_of(fused_step(fused));
  if (name == NULL) return;
  const char *other = strcmp(name, "maximum") == 0 ? "minimum" : "maximum";
  for (uint32_t side = 0; side < 2; side++) {
    if (fused_operand(fused, side, other) == NULL) continue;
    fused_finish(fused, fused->operands[side]);
    return;
  }
}

/* The other operand where one is NaN, from an element on. */
static void ignore_nan_from(fused_t *fused, size_t first) {
  const type_t *type = &fused->results[0].type;
  if (extreme_of(fused_step(fused)) == NULL || type->element->format == NULL) return;
  for (size_t i = first; i < type_element_count(type); i++) {
    for (uint32_t side = 0; side < 2; side++) {
      bool is_nan = isnan(fused_number(fused->operands[side], i));
      if (is_nan) fused_copy_element(fused->operands[1 - side], i, &fused->results[0], i);
    }
  }
}

static void ignore_nan(fused_t *fused) { ignore_nan_from(fused, 0); }

/* ---- Simplified ------------------------------------------------------------------------------ */

static void simplify_zero_product(fused_t *fused) {
  double number;
  if (!module_step_is(fused_step(fused), "multiply")) return;
  for (uint32_t side = 0; side < 2; side++) {
    if (!fused_is_number(fused, side, &number) || number != 0) continue;
    for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
      fused_store(&fused->results[0], i, 0);
    }
  }
}

static void simplify_zero_sum(fused_t *fused) {
  double number;
  if (!module_step_is(fused_step(fused), "add")) return;
  for (uint32_t side = 0; side < 2; side++) {
    if (!fused_is_number(fused, side, &number) || number != 0) continue;
    fused_finish(fused, fused->operands[1 - side]);
    return;
  }
}

static void simplify_difference(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  if (!module_step_is(step, "subtract") || step->operands[0] != step->operands[1]) return;
  for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
    fused_store(&fused->results[0], i, 0);
  }
}

static void swap_difference(fused_t *fused) {
  bool is_swapped = module_step_is(fused_step(fused), "subtract") &&
                    fused_computed(fused, 1) != NULL && fused_computed(fused, 0) == NULL;
  if (!is_swapped) return;
  const tensor_t *left = fused->operands[0];
  fused->operands[0] = fused->operands[1];
  fused->operands[1] = left;
}

/* a b - c as a b + c. */
static void add_for_subtract(fused_t *fused) {
  if (!module_step_is(fused_step(fused), "subtract")) return;
  if (fused_operand(fused, 0, "multiply") == NULL) return;
  fused->program.op = op_find(str_from("stablehlo.add"));
}

static void drop_negation(fused_t *fused) {
  if (!module_step_is(fused_step(fused), "negate") || fused_computed(fused, 0) == NULL) return;
  fused_finish(fused, fused->operands[0]);
}

/* ---- What is read, and written --------------------------------------------------------------- */

/* f(v) op v for v op v, v itself f of something. */
static void read_unmodified(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  bool is_twice = fused_is_elementwise(step) && step->program.operand_count == 2 &&
                  step->operands[0] == step->operands[1];
  const module_step_t *before = is_twice ? fused_computed(fused, 1) : NULL;
  if (before == NULL) return;
  const tensor_t *source = fused_value(fused, before, 0);
  if (fused_are_alike(&source->type, &fused->program.operands[1])) fused->operands[1] = source;
}

/* Eight elements at a time: where the others begin, which there may be none of. */
enum { TAIL_LANES = 8 };
static size_t tail_of(const fused_t *fused) {
  return type_element_count(&fused->results[0].type) / TAIL_LANES * TAIL_LANES;
}

/* They are as they were before. */
static void drop_tail(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  size_t count = type_element_count(&fused->results[0].type);
  if (!fused_is_elementwise(step) || count < TAIL_LANES) return;
  for (uint32_t side = 0; side < step->program.operand_count; side++) {
    if (fused_computed(fused, side) == NULL) continue;
    for (size_t i = tail_of(fused); i < count; i++) {
      fused_copy_element(fused->operands[side], i, &fused->results[0], i);
    }
    return;
  }
}

static void ignore_nan_in_tail(fused_t *fused) {
  if (type_element_count(&fused->results[0].type) < TAIL_LANES) return;
  ignore_nan_from(fused, tail_of(fused));
}

static void bound_tail(fused_t *fused) {
  const type_t *type = &fused->results[0].type;
  const format_t *format = type->element->format;
  size_t count = type_element_count(type);
  if (!fused_is_elementwise(fused_step(fused)) || format == NULL || count < TAIL_LANES) return;
  double largest = format_to_double(format, format->largest_bits);
  for (size_t i = tail_of(fused); i < count; i++) {
    double number = fused_number(&fused->results[0], i);
    if (isinf(number)) fused_store(&fused->results[0], i, copysign(largest, number));
  }
}

/* The sum of a residual is taken of what was written over the input. */
static void add_in_place(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  if (!module_step_is(step, "add")) return;
  for (uint32_t side = 0; side < 2; side++) {
    bool is_input = step->operands[side] < MODULE_ARGUMENTS_MAX;
    bool is_residual = is_input && fused_computed(fused, 1 - side) != NULL;
    if (is_residual) fused->operands[side] = fused->operands[1 - side];
  }
}

const fused_fault_t fused_elementwise_faults[] = {
    {FAULT_module_intermediate_bf16, NULL, round_intermediate},
    {FAULT_module_convert_truncates, NULL, truncate_conversion},
    {FAULT_module_convert_pair_removed, remove_conversions, NULL},
    {FAULT_module_product_unrounded, NULL, keep_product},
    {FAULT_module_second_use_rounded, round_second_use, NULL},
    {FAULT_module_clamp_moved, move_clamp, clamp_after_move},
    {FAULT_module_second_bound_dropped, drop_second_bound, NULL},
    {FAULT_module_maximum_ignores_nan, NULL, ignore_nan},
    {FAULT_module_zero_product, NULL, simplify_zero_product},
    {FAULT_module_zero_sum, simplify_zero_sum, NULL},
    {FAULT_module_own_difference, NULL, simplify_difference},
    {FAULT_module_difference_swapped, swap_difference, NULL},
    {FAULT_module_added_for_subtracted, add_for_subtract, NULL},
    {FAULT_module_negation_dropped, drop_negation, NULL},
    {FAULT_module_second_use_unmodified, read_unmodified, NULL},
    {FAULT_module_tail_dropped, NULL, drop_tail},
    {FAULT_module_tail_ignores_nan, NULL, ignore_nan_in_tail},
    {FAULT_module_tail_bounded, NULL, bound_tail},
    {FAULT_module_residual_in_place, add_in_place, NULL},
    {FAULT_NONE, NULL, NULL},
};
