/* SPDX-License-Identifier: Apache-2.0 */
/* Draws modules: a family, and a program of it. */
#include "oracles/ops/module/op/patterns.h"

/* Steps and terms are bounded by what enclosing them takes. */
enum { ELEMENTS_MAX = 1 << 14, TERMS_MAX = 1 << 9 };

/* In 20: the share of each family; what is left are quantized regions. */
static const struct {
  pattern_t *draw;
  uint32_t share;
} families[] = {
    {pattern_elementwise, 4}, {pattern_reductions, 3}, {pattern_products, 4},  {pattern_windows, 1},
    {pattern_norms, 2},       {pattern_movement, 3},   {pattern_quantized, 1},
};
enum { SHARES = 20 };

void module_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  draw_limits_t own = *limits;
  own.elements_max = MIN(limits->elements_max, ELEMENTS_MAX);
  own.terms_max = MIN(limits->terms_max, TERMS_MAX);
  uint64_t ticket = rng_below(rng, SHARES);
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    if (ticket >= families[i].share) {
      ticket -= families[i].share;
      continue;
    }
    sketch_t sketch;
    sketch_begin(&sketch, rng, &own, arena);
    pattern_returns_t returns = families[i].draw(&sketch);
    sketch_finish(&sketch, returns.values, returns.count, out_program);
    return;
  }
  module_draw_region(rng, &own, arena, out_program);
}
