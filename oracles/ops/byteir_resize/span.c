/* SPDX-License-Identifier: Apache-2.0 */
/* What models of linear resizes return, with the least and the largest coordinates. */
#include <math.h>
#include <string.h>

#include "generated/byteir_resize_permissions.h"
#include "oracles/formula/model.h"
#include "oracles/ops/byteir_resize/integers.h"
#include "oracles/ops/byteir_resize/linear.h"

typedef enum end { END_LOW, END_HIGH, END_EXACT } end_t;

/* The cells of all coordinates at that end. */
static void make_tracks(const resize_grid_t *grid, end_t end, arena_t *arena,
                        resize_track_t out[RESIZE_AXES_MAX], bool out_is_single[RESIZE_AXES_MAX]) {
  for (uint32_t i = 0; i < grid->moved_count; i++) {
    const resize_axis_t *axis = &grid->axes[grid->moved[i]];
    out[i] = resize_track_make(axis, arena);
    out_is_single[i] = true;
    for (int64_t position = 0; position < axis->resized; position++) {
      resize_coordinate_t coordinate = resize_coordinate_make(axis, position);
      const double ends[] = {coordinate.low, coordinate.high, coordinate.exact};
      resize_track_set(&out[i], axis, position, ends[end], false);
      out_is_single[i] &= coordinate.low == coordinate.high;
    }
  }
}

/* Evaluates as one implementation does. */
static formula_t model_make(const resize_grid_t *grid, const contract_t *contract,
                            const format_t *format, const implementation_model_t *schedule,
                            arena_t *arena) {
  return (formula_t){.evaluator = &model_evaluator,
                     .program = &grid->instance->program,
                     .format = format,
                     .contract = contract,
                     .schedule = schedule,
                     .arena = arena};
}

static void run_model(const resize_grid_t *grid, formula_t *model, resize_formula_t which,
                      const resize_track_t *tracks, double *results) {
  arena_t *arena = model->arena;
  for (size_t first = 0; first < grid->count; first += RESIZE_BLOCK) {
    arena_mark_t mark = arena_mark(arena);
    size_t count = MIN(grid->count - first, (size_t)RESIZE_BLOCK);
    resize_cell_t cell = resize_gather(grid, model, tracks, first, count);
    row_t row = resize_interpolate(model, which, &cell);
    memcpy(results + first, row.values, count * sizeof results[0]);
    arena_rewind(arena, mark);
  }
}

/* One more value that is returned. */
static void take(const resize_span_t *span, size_t i, double value) {
  if (isnan(value)) {
    span->specials[i] |= ACCEPT_NAN;
  } else if (isinf(value)) {
    span->specials[i] |= value > 0 ? ACCEPT_POSITIVE_INFINITY : ACCEPT_NEGATIVE_INFINITY;
  } else {
    if (value < span->low[i]) span->low[i] = value;
    if (value > span->high[i]) span->high[i] = value;
  }
}

static resize_span_t span_make(size_t count, arena_t *arena) {
  resize_span_t span = {.low = ARENA_NEW_ARRAY(arena, double, count),
                        .high = ARENA_NEW_ARRAY(arena, double, count),
                        .specials = arena_alloc_zeroed(arena, count)};
  for (size_t i = 0; i < count; i++) {
    span.low[i] = INFINITY;
    span.high[i] = -(double)INFINITY;
  }
  return span;
}

/* What implementations by all these schedules return, which load the same numbers. */
static void take_all(const resize_grid_t *grid, const formula_t *models, size_t model_count,
                     resize_formula_t which, const resize_track_t *tracks,
                     const resize_span_t *span) {
  arena_t *arena = models[0].arena;
  for (size_t first = 0; first < grid->count; first += RESIZE_BLOCK) {
    arena_mark_t mark = arena_mark(arena);
    size_t count = MIN(grid->count - first, (size_t)RESIZE_BLOCK);
    formula_t model = models[0];
    resize_cell_t cell = resize_gather(grid, &model, tracks, first, count);
    for (size_t m = 0; m < model_count; m++) {
      model = models[m];
      row_t row = resize_interpolate(&model, which, &cell);
      for (size_t i = 0; i < count; i++) take(span, first + i, row.values[i]);
    }
    arena_rewind(arena, mark);
  }
}

/* Rounds to the result's format.  A zero at an end is left out if it is -0, which fast sets do not
 * hold, and +0 not for sure; ends that overflow are given up. */
static void finish_floats(const resize_span_t *span, const format_t *format, size_t i) {
  double smallest = ldexp(1, format->exponent_min - format->precision + 1);
  double low = format_round_double(format, span->low[i]);
  double high = format_round_double(format, span->high[i]);
  if (low == 0 && signbit(low)) low = smallest;
  if (high == 0 && signbit(high)) high = -smallest;
  bool is_good = isfinite(low) && isfinite(high);
  span->low[i] = is_good ? low : 1;
  span->high[i] = is_good ? high : -1;
}

/* The integers that the ends are rounded to. */
static void finish_integers(const resize_span_t *span, const contract_t *contract,
                            const element_t *element, size_t i) {
  uint8_t permitted = PERMITTED(contract, resize_rounding);
  double low = INFINITY, high = -(double)INFINITY;
  for (int rounding = 0; rounding < RESIZE_ANY_ROUNDING; rounding++) {
    if (permitted != RESIZE_ANY_ROUNDING && permitted != rounding) continue;
    uint64_t least = resize_integer_of((resize_rounding_t)rounding, element, span->low[i]);
    uint64_t largest = resize_integer_of((resize_rounding_t)rounding, element, span->high[i]);
    low = fmin(low, (double)element_signed_value(element, least));
    high = fmax(high, (double)element_signed_value(element, largest));
  }
  span->low[i] = low;
  span->high[i] = high;
}

/* Of up to two dimensions all pairs of ends, of more all least and all largest. */
resize_span_t resize_linear_span(const resize_grid_t *grid, const contract_t *contract,
                                 const resize_variant_t *variant, arena_t *arena) {
  const implementation_model_t schedules[] = {
      schedule_plain(), {.other_way = true}, {.fused = true}, {.fused = true, .other_way = true}};
  formula_t models[G_N_ELEMENTS(schedules)];
  for (size_t s = 0; s < G_N_ELEMENTS(schedules); s++) {
    models[s] = model_make(grid, contract, variant->format, &schedules[s], arena);
  }
  size_t model_count = PERMITTED(contract, fma) == FMA_YES ? G_N_ELEMENTS(models) : 2;
  enum { PAIRED_MAX = 2 };
  const element_t *element = grid->instance->program.results[0].element;
  resize_span_t span = span_make(grid->count, arena);
  arena_mark_t mark = arena_mark(arena);
  resize_track_t ends[2][RESIZE_AXES_MAX], tracks[RESIZE_AXES_MAX];
  bool is_single[RESIZE_AXES_MAX];
  make_tracks(grid, END_LOW, arena, ends[END_LOW], is_single);
  make_tracks(grid, END_HIGH, arena, ends[END_HIGH], is_single);
  for (size_t choice = 0; choice < (size_t)1 << grid->moved_count; choice++) {
    bool is_all = choice == 0 || choice + 1 == (size_t)1 << grid->moved_count;
    bool is_known = !is_all && grid->moved_count > PAIRED_MAX;
    for (uint32_t i = 0; i < grid->moved_count; i++) {
      bool is_high = (choice >> i & 1) != 0;
      tracks[i] = ends[is_high ? END_HIGH : END_LOW][i];
      is_known |= is_high && is_single[i] && grid->moved_count <= PAIRED_MAX;
    }
    if (!is_known) take_all(grid, models, model_count, variant->formula, tracks, &span);
  }
  for (size_t i = 0; i < grid->count; i++) {
    if (element->format == NULL) finish_integers(&span, contract, element, i);
    if (element->format != NULL) finish_floats(&span, element->format, i);
  }
  arena_rewind(arena, mark);
  return span;
}

double *resize_linear_numbers(const resize_grid_t *grid, const contract_t *contract,
                              const resize_variant_t *variant, arena_t *arena) {
  const implementation_model_t schedule = schedule_plain();
  double *numbers = ARENA_NEW_ARRAY(arena, double, grid->count);
  arena_mark_t mark = arena_mark(arena);
  resize_track_t tracks[RESIZE_AXES_MAX];
  bool is_single[RESIZE_AXES_MAX];
  make_tracks(grid, END_LOW, arena, tracks, is_single);
  formula_t model = model_make(grid, contract, variant->format, &schedule, arena);
  run_model(grid, &model, variant->formula, tracks, numbers);
  arena_rewind(arena, mark);
  return numbers;
}

void resize_linear_references(const resize_grid_t *grid, const contract_t *contract,
                              double *references, arena_t *arena) {
  const implementation_model_t schedule = schedule_plain();
  arena_mark_t mark = arena_mark(arena);
  resize_track_t tracks[RESIZE_AXES_MAX];
  bool is_single[RESIZE_AXES_MAX];
  make_tracks(grid, END_EXACT, arena, tracks, is_single);
  formula_t model = model_make(grid, contract, &format_table[FORMAT_f64], &schedule, arena);
  run_model(grid, &model, RESIZE_SEPARABLE, tracks, references);
  arena_rewind(arena, mark);
}
