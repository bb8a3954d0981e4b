/* SPDX-License-Identifier: Apache-2.0 */
/* Draws programs with axes and results, prefers those with the most variety among several, and
 * fills them with data that reveal changed orders of summation. */
#include "harness/invariance/source.h"

#include <string.h>

#include "harness/gen/gen.h"
#include "harness/model/any_axes.h"

/* Programs drawn before we believe that none has the types: the rarest combinations come up once in
 * some thousands. */
enum { ATTEMPTS = 100000 };

/* Sizes: small ones, ones that blocks and vectors divide, and a few that need threads or blocks of
 * the terms. */
static const draw_limits_t sizes[] = {
    {.rank_max = 3, .elements_max = 256, .terms_max = 64},
    {.rank_max = 3, .elements_max = 4096, .terms_max = 1024},
    {.rank_max = 4, .elements_max = 16384, .terms_max = 4096},
    {.rank_max = 2, .elements_max = 65536, .terms_max = 16384},
};

uint64_t invariance_source_seed(uint64_t seed, uint64_t index, uint64_t purpose) {
  uint64_t state = seed;
  state = rng_splitmix(&state) ^ index;
  state = rng_splitmix(&state) ^ purpose;
  return rng_splitmix(&state);
}

static bool has_results(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (type_element_count(&program->results[i]) == 0) return false;
  }
  return true;
}

static bool has_axes(const program_t *program) {
  axes_t axes;
  return axes_of_any(program, &axes);
}

/* A program with axes and result elements; false if none of many has the types. */
static bool draw_program(rng_t *rng, const op_t *op, const char *types, arena_t *arena,
                         program_t *out_program) {
  for (int i = 0; i < ATTEMPTS; i++) {
    gen_options_t options = {.limits = sizes[rng_below(rng, G_N_ELEMENTS(sizes))]};
    const char *broken;
    arena_mark_t mark = arena_mark(arena);
    gen_program(rng, op, &options, arena, out_program, &broken);
    bool is_fit = program_has_types(out_program, types) && has_results(out_program);
    if (is_fit && has_axes(out_program)) return true;
    arena_rewind(arena, mark);
  }
  return false;
}

/* How much there is to vary: the binary orders of magnitude of what has each role, of which a few
 * are enough. */
static int measure_variety(const program_t *program) {
  enum { ENOUGH = 5 };
  axes_t axes;
  if (!axes_of_any(program, &axes)) return 0;
  int64_t products[AXIS_ROLE_COUNT] = {1, 1, 1, 1};
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    products[axes.items[axis].role] *= axes.items[axis].size;
  }
  int variety = 0;
  for (int role = 0; role < AXIS_ROLE_COUNT; role++) {
    int magnitude = 0;
    while (magnitude < ENOUGH && products[role] >> (magnitude + 1) > 0) magnitude++;
    variety += magnitude;
  }
  return variety;
}

/* The most varied one of several programs: of many, of few, or just one. */
static void draw_varied_program(rng_t *rng, const op_t *op, const char *types, arena_t *arena,
                                program_t *out_program) {
  static const int choices[] = {1, 4, 16};
  int count = choices[rng_below(rng, G_N_ELEMENTS(choices))];
  int most = -1;
  for (int i = 0; i < count || most < 0; i++) {
    program_t program;
    if (!draw_program(rng, op, types, arena, &program)) continue;
    int variety = measure_variety(&program);
    if (variety <= most) continue;
    most = variety;
    *out_program = program;
  }
}

bool invariance_source_has(const op_t *op, const char *types) {
  if (op->axes == NULL) return false;
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(1);
  program_t program;
  bool has = draw_program(&rng, op, types, &arena, &program);
  arena_deinit(&arena);
  return has;
}

void invariance_source_draw(const invariance_source_t *source, uint64_t index, arena_t *arena,
                            case_t *out_case, axes_t *out_axes) {
  rng_t rng = rng_make(invariance_source_seed(source->seed, index, 0));
  program_t program;
  draw_varied_program(&rng, source->op, source->types, arena, &program);
  case_t drawn = case_make(arena, &program);
  /* Half of the data show other orders of a sum: where terms cancel, also in a result of few bits.
   * The rest shows what else may differ. */
  if (rng_one_in(&rng, 2)) {
    gen_data_in_regime(&rng, rng_one_in(&rng, 2) ? REGIME_uniform : REGIME_cancelling, &drawn);
  } else {
    gen_data(&rng, &drawn);
  }
  /* The same attributes that every other case made from this one will have. */
  const axes_selection_t everything = {0};
  axes_t axes;
  bool has_axes = axes_of_any(&program, &axes);
  g_assert(has_axes);
  *out_axes = axes;
  bool is_viewed = axes_view(&drawn, &axes, &everything, out_axes, arena, out_case);
  g_assert(is_viewed);
}
