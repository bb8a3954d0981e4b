/* SPDX-License-Identifier: Apache-2.0 */
/* What steps that quantize give of what is not rounded, and as ops on quantized types. */
#include <math.h>

#include "oracles/ops/module/walk.h"

/* Units roundoff of the expressed type by which numbers are off before they are quantized, where
 * quotients are computed wider. */
static const double wider_roundings = 2; /* T176 */

/* Zero points of up to this magnitude are added within that (theory.md, T176). */
static const double small_zero_point = 0x1p8; /* T176 */

static void unite(const box_t *other, size_t count, box_t *inout_boxes) {
  for (size_t i = 0; i < count; i++) inout_boxes[i] = box_unite(inout_boxes[i], other[i]);
}

/* The numbers that the operand of a uniform_quantize stands for, as a kernel has them. */
static box_t *numbers_of_operand(module_walk_t *walk, const module_step_t *step,
                                 const box_t *boxes) {
  const type_t *type = &step->program.operands[0];
  bool is_merged = walk->intermediates == INTERMEDIATES_EITHER;
  const format_t *format = step->program.results[0].quantization->expressed->format;
  double roundings = is_merged ? MODULE_MERGED_ROUNDINGS : wider_roundings;
  size_t count = type_element_count(type);
  box_t *numbers = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  for (size_t i = 0; i < count; i++) {
    numbers[i] =
        module_widen(box_value(type, i, boxes[i]), roundings * module_roundoff(format), format);
  }
  return numbers;
}

/* Quantizes what is not rounded, or off by roundings of scales: both as the type computes and
 * exactly.  A zero point of more than 8 bits may cost a step. */
status_t module_add_unrounded_quantize(module_walk_t *walk, const module_step_t *step,
                                       const box_t *operand, box_t *inout_result) {
  program_t program = step->program;
  const quantization_t *result = program.results[0].quantization;
  const type_t *type = &step->program.operands[0];
  program.operands[0] = type_make(result->expressed, type->rank, type->dims);
  size_t count = type_element_count(type);
  const box_t *numbers[] = {numbers_of_operand(walk, step, operand)};
  box_t *made[] = {ARENA_NEW_ARRAY(walk->arena, box_t, count)};
  const contract_t *contracts[] = {&walk->contract, NULL};
  for (size_t i = 0; i < G_N_ELEMENTS(contracts); i++) {
    STATUS_TRY(module_walk_enclose(walk, step, &program, contracts[i], numbers, made));
    unite(made[0], count, inout_result);
  }
  for (size_t i = 0; i < count; i++) {
    double zero_point = fabs((double)quantization_zero_point(&program.results[0], i));
    if (zero_point <= small_zero_point) continue;
    bool is_known = zero_point < ldexp(1, result->expressed->format->precision + 9);
    inout_result[i] = box_clamp(box_widen(inout_result[i], is_known ? 1 : 0x1p33),
                                (double)result->storage_min, (double)result->storage_max);
  }
  return STATUS_OK;
}

/* By the op on quantized types, where scales may be merged: T213, and T178. */
status_t module_add_quantized_op(module_walk_t *walk, const module_step_t *step,
                                 box_t *inout_result) {
  module_quantized_t quantized;
  if (walk->intermediates != INTERMEDIATES_EITHER ||
      !module_find_quantized(walk->module, step, &quantized)) {
    return STATUS_OK;
  }
  const contract_t contract = module_contract_of_quantized(&walk->contract);
  const type_t *type = &quantized.program.results[0];
  size_t count = type_element_count(type);
  const box_t *stored[] = {walk->boxes[quantized.sources[0]], walk->boxes[quantized.sources[1]]};
  box_t *made[] = {ARENA_NEW_ARRAY(walk->arena, box_t, count)};
  STATUS_TRY(module_walk_enclose(walk, step, &quantized.program, &contract, stored, made));
  for (size_t i = 0; i < count && quantized.has_maximum; i++) {
    double zero_point = (double)quantization_zero_point(type, i);
    made[0][i] = (box_t){MAX(made[0][i].low, zero_point), MAX(made[0][i].high, zero_point)};
  }
  unite(made[0], count, inout_result);
  return STATUS_OK;
}
