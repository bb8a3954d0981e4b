/* SPDX-License-Identifier: Apache-2.0 */
/* Draws modules: a family, and a program of it. */
#include "oracles/ops/module/op/patterns.h"

/* Steps and terms are bounded by what enclosing them takes. */
enum { ELEMENTS_MAX = 1 << 14, TERMS_MAX = 1 << 9 };

/* In 20: the share of each family; what is left are quantized regions.  The cheap ones have one
 * step of arithmetic for each element, or none: they are drawn of any size. */
typedef struct family {
  pattern_t *draw;
  uint32_t share;
} family_t;
static const family_t families[] = {
    {pattern_elementwise, 4}, {pattern_reductions, 3}, {pattern_products, 4},  {pattern_windows, 1},
    {pattern_norms, 2},       {pattern_movement, 3},   {pattern_quantized, 1},
};
enum { SHARES = 20 };
static pattern_t *const cheap_families[] = {pattern_elementwise, pattern_elementwise,
                                            pattern_reductions, pattern_movement};

static void draw_family(pattern_t *family, rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program) {
  sketch_t sketch;
  sketch_begin(&sketch, rng, limits, arena);
  pattern_returns_t returns = family(&sketch);
  sketch_finish(&sketch, returns.values, returns.count, out_program);
}

/* Programs of functions have no ticket among the families: the others keep their draws. */
static bool has_functions(const rng_t *rng) {
  enum { ONE_IN = 6 };
  rng_t ahead = *rng;
  rng_t own = rng_make(rng_bits(&ahead));
  return rng_one_in(&own, ONE_IN);
}

void module_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  if (limits->sizes == DRAW_SIZES_SLENDER) {
    draw_family(pattern_slender, rng, limits, arena, out_program);
    return;
  }
  draw_limits_t own = *limits;
  own.terms_max = MIN(limits->terms_max, TERMS_MAX);
  if (limits->sizes == DRAW_SIZES_FILLING && limits->elements_max > ELEMENTS_MAX + 1) {
    pattern_t *family = cheap_families[rng_below(rng, G_N_ELEMENTS(cheap_families))];
    draw_family(family, rng, &own, arena, out_program);
    return;
  }
  own.elements_max = MIN(limits->elements_max, ELEMENTS_MAX + 1);
  if (has_functions(rng)) {
    draw_family(pattern_functions, rng, &own, arena, out_program);
    return;
  }
  uint64_t ticket = rng_below(rng, SHARES);
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    if (ticket >= families[i].share) {
      ticket -= families[i].share;
      continue;
    }
    draw_family(families[i].draw, rng, &own, arena, out_program);
    return;
  }
  module_draw_region(rng, &own, arena, out_program);
}
