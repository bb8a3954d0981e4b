/* SPDX-License-Identifier: Apache-2.0 */
/* Draws scales and zero points of a declared op's quantized operands and results. */
#include "harness/draw/draw_quantization.h"

#include <math.h>

#include "oracles/ops/declared/declared.h"

/* Scales like one another, such that numbers near 1 neither vanish nor are clamped; with one
 * significand, from 64 to 127, so that quotients are halfway between integers, or, for 0, any. */
static void make_ordinary(rng_t *rng, arena_t *arena, int64_t common, type_t *inout_type) {
  quantization_t *made = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *made = *inout_type->quantization;
  double *scales = ARENA_NEW_ARRAY(arena, double, made->count);
  const int exponent = (int)rng_between(rng, -16, -9);
  for (uint32_t i = 0; i < made->count; i++) {
    const int64_t significand = common > 0 ? common : rng_between(rng, 64, 127);
    scales[i] = ldexp((double)significand, exponent + (int)rng_between(rng, -1, 1));
    scales[i] = format_round_double(made->expressed->format, scales[i]);
    if (!(scales[i] > 0)) scales[i] = made->scales[i];
  }
  made->scales = scales;
  inout_type->quantization = made;
}

void declared_draw_quantization(rng_t *rng, arena_t *arena, const element_t *expressed,
                                program_t *inout_program) {
  const declaration_t *declaration = declared_of(inout_program);
  program_t *program = inout_program;
  const bool are_ordinary = !rng_one_in(rng, 4);
  const int64_t common = rng_one_in(rng, 2) ? rng_between(rng, 64, 127) : 0;
  binding_t binding;
  if (!declared_bind(program, &binding)) return;
  for (uint16_t i = 0; i < CASE_OPERANDS_MAX + program->result_count; i++) {
    const declared_tensor_t *tensor = declared_tensor(declaration, i);
    if (!tensor->is_quantized) continue;
    type_t *type =
        i < CASE_OPERANDS_MAX ? &program->operands[i] : &program->results[i - CASE_OPERANDS_MAX];
    const int32_t axis = declared_channel_dimension(declaration, &binding, tensor);
    draw_quantization(rng, arena, expressed, axis, false, type);
    if (are_ordinary) make_ordinary(rng, arena, common, type);
  }
}
