/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of kernels that fuse quantizing and dequantizing with what stands between. */
#include <math.h>

#include "oracles/ops/module/fused.h"

static quantization_t *edit_quantization(fused_t *fused, type_t *inout_type) {
  arena_t *arena = fused->faulty->call->arena;
  quantization_t *made = arena_alloc(arena, sizeof *made);
  *made = *inout_type->quantization;
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, made->count);
  double *scales = ARENA_NEW_ARRAY(arena, double, made->count);
  for (uint32_t i = 0; i < made->count; i++) {
    zero_points[i] = made->zero_points[i];
    scales[i] = made->scales[i];
  }
  made->zero_points = zero_points;
  made->scales = scales;
  inout_type->quantization = made;
  return made;
}

static void clear_zero_points(fused_t *fused, type_t *inout_type) {
  quantization_t *made = edit_quantization(fused, inout_type);
  int64_t *zero_points = ARENA_NEW_ARRAY(fused->faulty->call->arena, int64_t, made->count);
  memset(zero_points, 0, made->count * sizeof *zero_points);
  made->zero_points = zero_points;
}

static void forget_zero_point(fused_t *fused) {
  if (!module_step_is(fused_step(fused), "uniform_dequantize")) return;
  clear_zero_points(fused, &fused->program.operands[0]);
}

static bool quantizes_floats(const fused_t *fused) {
  return module_step_is(fused_step(fused), "uniform_quantize") &&
         fused->program.operands[0].quantization == NULL;
}

static void forget_result_zero_point(fused_t *fused) {
  if (!quantizes_floats(fused)) return;
  clear_zero_points(fused, &fused->program.results[0]);
  fused->results[0].type = fused->program.results[0];
}
static void restore_result_type(fused_t *fused) {
  fused->results[0].type = fused_step(fused)->program.results[0];
}

/* Downwards, where it should be to nearest. */
static void quantize_down(fused_t *fused) {
  const quantization_t *quantization = fused->results[0].type.quantization;
  if (!quantizes_floats(fused) || quantization->count > 1) return;
  for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
    double number = fused_number(fused->operands[0], i) / quantization->scales[0];
    if (isnan(number)) continue;
    double stored = floor(number) + (double)quantization->zero_points[0];
    stored =
        fmin(fmax(stored, (double)quantization->storage_min), (double)quantization->storage_max);
    fused_store(&fused->results[0], i, stored);
  }
}

/* The least integer that can be stored is never written. */
static void saturate_early(fused_t *fused) {
  const quantization_t *quantization = fused->results[0].type.quantization;
  if (!module_step_is(fused_step(fused), "uniform_quantize")) return;
  for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
    double least = (double)quantization->storage_min;
    if (fused_number(&fused->results[0], i) == least) fused_store(&fused->results[0], i, least + 1);
  }
}

/* The second operand has the scale of the first. */
static void take_first_scale(fused_t *fused) {
  const module_t *module = fused->faulty->module;
  const module_step_t *step = fused_step(fused);
  if (!module_step_is(step, "uniform_dequantize")) return;
  for (const module_step_t *other = module->steps; other != step; other++) {
    if (!module_step_is(other, "uniform_dequantize")) continue;
    const quantization_t *first = other->program.operands[0].quantization;
    quantization_t *own = edit_quantization(fused, &fused->program.operands[0]);
    double *scales = ARENA_NEW_ARRAY(fused->faulty->call->arena, double, own->count);
    for (uint32_t i = 0; i < own->count; i++) scales[i] = first->scales[0];
    own->scales = scales;
    return;
  }
}

/* Quantized and dequantized: as if that changed nothing. */
static void remove_quantization(fused_t *fused) {
  const module_step_t *before = fused_operand(fused, 0, "uniform_quantize");
  if (!module_step_is(fused_step(fused), "uniform_dequantize") || before == NULL) return;
  const tensor_t *source = fused_value(fused, before, 0);
  if (fused_are_alike(&source->type, &fused->program.results[0])) fused_finish(fused, source);
}

const fused_fault_t fused_quantized_faults[] = {
    {FAULT_module_zero_point_forgotten, forget_zero_point, NULL},
    {FAULT_module_result_zero_point_forgotten, forget_result_zero_point, restore_result_type},
    {FAULT_module_quantizes_down, NULL, quantize_down},
    {FAULT_module_saturates_early, NULL, saturate_early},
    {FAULT_module_first_scale, take_first_scale, NULL},
    {FAULT_module_quantization_removed, remove_quantization, NULL},
    {FAULT_NONE, NULL, NULL},
};
