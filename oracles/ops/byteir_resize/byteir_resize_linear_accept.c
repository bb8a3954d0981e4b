/* The quick accept sets of linear resizes, and which formula explains results. */
#include <math.h>
#include <string.h>

#include "oracles/formula/model.h"
#include "oracles/ops/byteir_resize/byteir_resize_linear.h"

/* ---- Readings -------------------------------------------------------------------------------- */

size_t resize_readings(const case_t *instance, const contract_t *contract, resize_formula_t first,
                       resize_formula_t last, resize_reading_t out[RESIZE_READINGS_MAX]) {
  const format_t *format = instance->program.operands[0].element->format;
  bool is_short = format->bits == 16, differ = resize_scales_differ(instance);
  bool has_ratio = !differ || contract->resize_scale != RESIZE_SCALE_GIVEN;
  bool has_given = differ && contract->resize_scale != RESIZE_SCALE_RATIO;
  size_t count = 0;
  for (int native = 0; native < 2; native++) {
    if (native == 1 && (!is_short || contract->intermediate != INTERMEDIATE_NATIVE)) break;
    for (int given = has_ratio ? 0 : 1; given <= (has_given ? 1 : 0); given++) {
      for (int formula = (int)first; formula <= (int)last; formula++) {
        out[count++] = (resize_reading_t){
            .takes_given = given == 1,
            .formula = (resize_formula_t)formula,
            .format = is_short && native == 0 ? &format_table[FORMAT_f32] : format,
            .is_native = native == 1,
        };
      }
    }
  }
  return count;
}

/* ---- What models return ---------------------------------------------------------------------- */

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

static row_t run_model(const resize_grid_t *grid, const contract_t *contract,
                       resize_formula_t which, const format_t *format, const schedule_t *schedule,
                       const resize_track_t *tracks, arena_t *arena) {
  formula_t formula = {.evaluator = &model_evaluator,
                       .program = &grid->instance->program,
                       .format = format,
                       .contract = contract,
                       .schedule = schedule,
                       .arena = arena};
  resize_cell_t cell = resize_gather(grid, &formula, tracks);
  return resize_interpolate(&formula, which, &cell);
}

/* NaN stays. */
static void widen(double *low, double *high, double value) {
  if (isnan(*low) || isnan(value)) value = *low = *high = NAN;
  if (value < *low) *low = value;
  if (value > *high) *high = value;
}

/* Models with the least and the largest coordinates: of up to two dimensions all pairs of them, of
 * more all least and all largest. */
void resize_linear_span(const resize_grid_t *grid, const contract_t *contract,
                        const resize_reading_t *reading, double *low, double *high,
                        arena_t *arena) {
  const schedule_t schedules[] = {
      schedule_plain(), {.other_way = true}, {.fused = true}, {.fused = true, .other_way = true}};
  size_t schedule_count = contract->fma == FMA_YES ? G_N_ELEMENTS(schedules) : 2;
  enum { PAIRED_MAX = 2 };
  resize_track_t ends[2][RESIZE_AXES_MAX], tracks[RESIZE_AXES_MAX];
  bool is_single[RESIZE_AXES_MAX];
  make_tracks(grid, END_LOW, arena, ends[END_LOW], is_single);
  make_tracks(grid, END_HIGH, arena, ends[END_HIGH], is_single);
  for (size_t i = 0; i < grid->count; i++) {
    low[i] = INFINITY;
    high[i] = -(double)INFINITY;
  }
  for (size_t choice = 0; choice < (size_t)1 << grid->moved_count; choice++) {
    bool is_all = choice == 0 || choice + 1 == (size_t)1 << grid->moved_count;
    bool is_known = !is_all && grid->moved_count > PAIRED_MAX;
    for (uint32_t i = 0; i < grid->moved_count; i++) {
      bool is_high = (choice >> i & 1) != 0;
      tracks[i] = ends[is_high ? END_HIGH : END_LOW][i];
      is_known |= is_high && is_single[i] && !(is_all && grid->moved_count > PAIRED_MAX);
    }
    for (size_t s = 0; !is_known && s < schedule_count; s++) {
      arena_mark_t mark = arena_mark(arena);
      row_t row = run_model(grid, contract, reading->formula, reading->format, &schedules[s],
                            tracks, arena);
      for (size_t i = 0; i < grid->count; i++) widen(&low[i], &high[i], row.values[i]);
      arena_rewind(arena, mark);
    }
  }
}

/* ---- Accept sets ----------------------------------------------------------------------------- */

/* Nearly exact; of f64 not known here. */
static void set_references(const resize_grid_t *grid, const contract_t *contract,
                           double *references, arena_t *arena) {
  const format_t *f64 = &format_table[FORMAT_f64];
  if (grid->instance->program.operands[0].element->format == f64) {
    for (size_t i = 0; i < grid->count; i++) references[i] = NAN;
    return;
  }
  const schedule_t schedule = schedule_plain();
  resize_track_t tracks[RESIZE_AXES_MAX];
  bool is_single[RESIZE_AXES_MAX];
  make_tracks(grid, END_EXACT, arena, tracks, is_single);
  row_t row = run_model(grid, contract, RESIZE_SEPARABLE, f64, &schedule, tracks, arena);
  for (size_t i = 0; i < grid->count; i++) references[i] = row.values[i];
}

/* One component of `accept`, whose arrays are writable through `low` and so on.  A zero at an end
 * is left out if it is -0, which the quick set does not hold, and +0 not for sure. */
static void settle_component(const format_t *format, bool may_multiply_by_zero, double *low,
                             double *high, uint8_t *ask) {
  double smallest = ldexp(1, format->exponent_min - format->precision + 1);
  *low = format_round_double(format, *low);
  *high = format_round_double(format, *high);
  *ask =
      !isfinite(*low) || !isfinite(*high) || (!may_multiply_by_zero && (*low == 0 || *high == 0));
  if (*low == 0 && signbit(*low)) *low = smallest;
  if (*high == 0 && signbit(*high)) *high = -smallest;
}

static status_t check_axes(const resize_grid_t *grid, failure_t *error) {
  if (grid->moved_count <= RESIZE_AXES_MAX) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for linear resizes of more than %d dimensions", RESIZE_AXES_MAX);
}

status_t resize_linear_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                              accept_t *out_accept, failure_t *error) {
  resize_reading_t readings[RESIZE_READINGS_MAX];
  resize_readings(instance, contract, RESIZE_SEPARABLE, RESIZE_SEPARABLE, readings);
  resize_grid_t grid = resize_grid_make(instance, readings[0].takes_given);
  resize_grid_t given = resize_grid_make(instance, true);
  STATUS_TRY(check_axes(&grid, error));
  STATUS_TRY(check_axes(&given, error));
  size_t count = grid.count;
  double *low = ARENA_NEW_ARRAY(arena, double, count),
         *high = ARENA_NEW_ARRAY(arena, double, count);
  double *reference = ARENA_NEW_ARRAY(arena, double, count);
  double *magnitude = ARENA_NEW_ARRAY(arena, double, count);
  uint8_t *ask = ARENA_NEW_ARRAY(arena, uint8_t, count);
  arena_mark_t mark = arena_mark(arena);
  resize_linear_span(&grid, contract, &readings[0], low, high, arena);
  set_references(&grid, contract, reference, arena);
  arena_rewind(arena, mark);
  const format_t *format = instance->program.results[0].element->format;
  bool may_multiply = contract->resize_zero_weight != RESIZE_ZERO_WEIGHT_SKIP;
  for (size_t i = 0; i < count; i++) {
    settle_component(format, may_multiply, &low[i], &high[i], &ask[i]);
    magnitude[i] = fmax(high[i] - reference[i], reference[i] - low[i]);
  }
  *out_accept = (accept_t){.count = count,
                           .low = low,
                           .high = high,
                           .reference = reference,
                           .magnitude = magnitude,
                           .bound_factor = 1,
                           .ask = ask};
  return STATUS_OK;
}

/* ---- Formulas -------------------------------------------------------------------------------- */

static bool holds_all(const case_t *instance, const contract_t *contract, resize_formula_t formula,
                      const tensor_t *result, arena_t *arena) {
  const element_t *element = result->type.element;
  resize_reading_t readings[RESIZE_READINGS_MAX];
  size_t reading_count = resize_readings(instance, contract, formula, formula, readings);
  resize_grid_t grid = resize_grid_make(instance, readings[0].takes_given);
  double *low = ARENA_NEW_ARRAY(arena, double, grid.count);
  double *high = ARENA_NEW_ARRAY(arena, double, grid.count);
  resize_linear_span(&grid, contract, &readings[0], low, high, arena);
  for (size_t i = 0; i < grid.count; i++) {
    uint64_t bits = element_load(element, result->data, i);
    double value = format_to_double(element->format, bits);
    bool is_held = value != 0 && format_round_double(element->format, low[i]) <= value &&
                   value <= format_round_double(element->format, high[i]) && isfinite(value);
    for (size_t r = 0; r < reading_count && !is_held; r++) {
      arena_mark_t mark = arena_mark(arena);
      is_held = resize_linear_holds(instance, contract, &readings[r], i, bits, arena);
      arena_rewind(arena, mark);
    }
    if (!is_held) return false;
  }
  return true;
}

status_t resize_linear_find_formula(const case_t *instance, const contract_t *contract,
                                    const tensor_t *results, arena_t *arena, uint8_t *out_formula,
                                    bool *out_found, failure_t *error) {
  (void)error;
  *out_found = false;
  for (int formula = 0; formula < RESIZE_FORMULA_COUNT && !*out_found; formula++) {
    arena_mark_t mark = arena_mark(arena);
    *out_found = holds_all(instance, contract, (resize_formula_t)formula, &results[0], arena);
    arena_rewind(arena, mark);
    *out_formula = (uint8_t)formula;
  }
  return STATUS_OK;
}
