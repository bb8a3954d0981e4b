/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementation of resize: one way of computing coordinates per axis, nearest or linear
 * sampling through the formula model, and the planted faults of scale, clamping and edge handling.
 */
#include "oracles/ops/byteir_resize/simulate.h"

#include <math.h>
#include <string.h>

#include "generated/byteir_resize_faults.h"
#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/formula/model.h"
#include "oracles/ops/byteir_resize/integers.h"

/* One implementation: how it computes coordinates, and where it takes elements. */
typedef struct model {
  const implementation_model_t *schedule;
  const contract_t *contract; /* For formulas, which look at it. */
  resize_grid_t grid;
  bool clamps_indices;
  bool skips_zero_weights;
  resize_rounding_t rounding; /* Of integers. */
} model_t;

static bool is_random(const implementation_model_t *schedule) {
  return schedule->order.kind == SUM_RANDOM || schedule->order.kind == SUM_SHUFFLED;
}

/* ---- Coordinates ----------------------------------------------------------------------------- */

/* The n-th of the factors that the dimension has. */
static resize_factor_t nth_factor(const resize_axis_t *axis, uint64_t n) {
  resize_factor_t found = RESIZE_DIVIDE;
  for (uint64_t left = n + 1; left > 0;) {
    for (int factor = 0; factor < RESIZE_FACTOR_COUNT && left > 0; factor++) {
      if (!resize_axis_has_factor(axis, (resize_factor_t)factor)) continue;
      found = (resize_factor_t)factor;
      left--;
    }
  }
  return found;
}

/* In f32 by the document's formula; the other way by the next one; in a wider accumulator all of
 * it; random ones in any way, the dimensions each in their own. */
static resize_way_t way_of(const model_t *model, uint32_t dim) {
  const implementation_model_t *schedule = model->schedule;
  const resize_axis_t *axis = &model->grid.axes[dim];
  bool is_aligned = axis->transformation == RESIZE_ALIGN_CORNERS;
  resize_way_t way = {.is_fused = schedule->fused};
  way.factor = nth_factor(axis, (schedule->other_way ? 1U : 0U) + (is_aligned ? 1U : 0U));
  bool is_wide = schedule->accumulator == &format_table[FORMAT_f64];
  way.precision = is_wide ? RESIZE_F64 : RESIZE_F32;
  if (is_random(schedule)) {
    uint64_t state = schedule->seed ^ dim;
    rng_t rng = rng_make(rng_splitmix(&state));
    way.factor = nth_factor(axis, rng_below(&rng, RESIZE_FACTOR_COUNT));
    way.is_fused = rng_one_in(&rng, 2);
    way.precision = (resize_precision_t)rng_below(&rng, RESIZE_PRECISION_COUNT);
  }
  return way;
}

/* The faults that put another scale or another formula in the place of the right one. */
static void spoil_axes(fault_t fault, resize_grid_t *grid) {
  resize_axis_t before[TYPE_RANK_MAX];
  memcpy(before, grid->axes, sizeof before);
  for (uint32_t dim = 0; dim < grid->rank; dim++) {
    resize_axis_t *axis = &grid->axes[dim];
    bool is_aligned = axis->transformation == RESIZE_ALIGN_CORNERS;
    if (fault == FAULT_resize_ignores_half_pixel && !is_aligned) {
      axis->transformation = RESIZE_ASYMMETRIC;
    } else if (fault == FAULT_resize_ignores_align_corners && is_aligned) {
      axis->transformation = RESIZE_HALF_PIXEL;
    } else if (fault == FAULT_resize_centres_single && !is_aligned &&
               axis->transformation != RESIZE_ASYMMETRIC) {
      axis->transformation = RESIZE_HALF_PIXEL;
    } else if (fault == FAULT_resize_aligned_as_asymmetric && is_aligned) {
      axis->transformation = RESIZE_ASYMMETRIC;
    } else if (fault == FAULT_resize_inverts_scale && axis->resized > 0) {
      axis->scale = (double)axis->length / (double)axis->resized;
    } else if (fault == FAULT_resize_swaps_axes && dim + 2 >= grid->rank && grid->rank >= 2) {
      const resize_axis_t *other = &before[dim + 1 == grid->rank ? dim - 1 : dim + 1];
      if (other->length > 0) axis->scale = (double)other->resized / (double)other->length;
    }
  }
}

static double coordinate_of(const model_t *model, uint32_t dim, int64_t position) {
  const resize_axis_t *axis = &model->grid.axes[dim];
  if (model->schedule->fault == FAULT_resize_whole_ratio && axis->resized != axis->length) {
    double half = axis->transformation == RESIZE_ASYMMETRIC ? 0 : 0.5;
    return ((double)position + half) * (double)(axis->length / axis->resized) - half;
  }
  resize_way_t way = way_of(model, dim);
  double coordinate = resize_coordinate_by(axis, position, &way);
  bool is_half = axis->transformation == RESIZE_HALF_PIXEL;
  if (model->schedule->fault == FAULT_resize_adds_half && is_half) coordinate += 0.5;
  if (model->schedule->fault == FAULT_resize_coordinates_of_8_bits) {
    coordinate = floor(coordinate * 0x1p8) * 0x1p-8;
  }
  return coordinate;
}

/* Whatever the target's data are, the result's shape is given, which is all that ratios need. */
static model_t model_make(const case_t *instance, const implementation_model_t *schedule,
                          const contract_t *contract) {
  bool takes_given = schedule->other_way;
  model_t model = {.schedule = schedule,
                   .contract = contract,
                   .clamps_indices = schedule->other_way,
                   .skips_zero_weights = schedule->other_way,
                   .rounding = schedule->other_way ? RESIZE_TO_NEAREST : RESIZE_TO_ZERO};
  if (is_random(schedule)) {
    uint64_t state = ~schedule->seed;
    rng_t rng = rng_make(rng_splitmix(&state));
    takes_given = rng_one_in(&rng, 2);
    model.clamps_indices = rng_one_in(&rng, 2);
    model.skips_zero_weights = rng_one_in(&rng, 2);
    model.rounding = (resize_rounding_t)rng_below(&rng, RESIZE_ANY_ROUNDING);
  }
  bool is_sound = resize_check_target(instance, NULL) == STATUS_OK;
  model.grid = resize_grid_make(instance, takes_given && is_sound);
  spoil_axes(schedule->fault, &model.grid);
  return model;
}

/* The largest index that is taken. */
static int64_t last_index(const model_t *model, const resize_axis_t *axis) {
  bool misses_last = model->schedule->fault == FAULT_resize_misses_last && axis->length > 1;
  return axis->length - (misses_last ? 2 : 1);
}

/* ---- Nearest --------------------------------------------------------------------------------- */

static int64_t nearest_index(const model_t *model, uint32_t dim, int64_t position) {
  const resize_axis_t *axis = &model->grid.axes[dim];
  double coordinate = coordinate_of(model, dim, position);
  if (model->schedule->fault == FAULT_resize_rounds_index) coordinate += 0.5;
  if (model->schedule->fault == FAULT_resize_ceils_index) coordinate = ceil(coordinate);
  return (int64_t)CLAMP(floor(coordinate), 0, (double)last_index(model, axis));
}

static void simulate_nearest(const model_t *model, tensor_t *result) {
  const tensor_t *input = &model->grid.instance->operands[0];
  const element_t *element = input->type.element;
  fault_t fault = model->schedule->fault;
  for (size_t i = 0; i < model->grid.count; i++) {
    int64_t indices[TYPE_RANK_MAX];
    resize_positions(&model->grid, i, indices);
    for (uint32_t dim = 0; dim < model->grid.rank; dim++) {
      indices[dim] = nearest_index(model, dim, indices[dim]);
    }
    uint64_t bits = element_load(element, input->data, resize_element(&model->grid, indices));
    if (element->format != NULL && fault != FAULT_NONE) {
      double value = fault_load_float(fault, element->format, bits);
      if (!isnan(value)) bits = format_from_double(element->format, value);
      bits = fault_spoil_bits(fault, element->format, bits, i);
    }
    if (!fault_skips_store(fault, i, result)) element_store(element, result->data, i, bits);
  }
}

/* ---- Linear ---------------------------------------------------------------------------------- */

/* One slope from the first two or the last two elements on. */
static void extrapolate(const resize_track_t *track, const resize_axis_t *axis, int64_t position,
                        double coordinate) {
  double lower = CLAMP(floor(coordinate), 0, (double)MAX(axis->length - 2, 0));
  track->lower[position] = (int64_t)lower;
  track->upper[position] = MIN((int64_t)lower + 1, axis->length - 1);
  track->weight[position] = coordinate - lower;
}

static void spoil_weight(const model_t *model, uint32_t dim, double *weight) {
  const resize_grid_t *grid = &model->grid;
  switch (model->schedule->fault) {
    case FAULT_resize_swaps_weights:
      *weight = 1 - *weight;
      break;
    case FAULT_resize_narrow_weights:
      *weight = format_round_double(&format_table[FORMAT_bf16], *weight);
      break;
    case FAULT_resize_fixed_point_weights:
      *weight = nearbyint(*weight * 0x1p11) * 0x1p-11;
      break;
    case FAULT_resize_linear_as_nearest:
      *weight = 0;
      break;
    case FAULT_resize_interpolates_last_only:
      if (dim != grid->moved[grid->moved_count - 1]) *weight = 0;
      break;
    default:
      break;
  }
}

static resize_track_t make_track(const model_t *model, uint32_t dim, arena_t *arena) {
  const resize_axis_t *axis = &model->grid.axes[dim];
  resize_track_t track = resize_track_make(axis, arena);
  for (int64_t position = 0; position < axis->resized; position++) {
    double coordinate = coordinate_of(model, dim, position);
    if (model->schedule->fault == FAULT_resize_extrapolates) {
      extrapolate(&track, axis, position, coordinate);
    } else {
      resize_track_set(&track, axis, position, coordinate, model->clamps_indices);
    }
    track.lower[position] = MIN(track.lower[position], last_index(model, axis));
    track.upper[position] = MIN(track.upper[position], last_index(model, axis));
    spoil_weight(model, dim, &track.weight[position]);
    bool is_last = track.lower[position] + 1 >= axis->length;
    if (model->schedule->fault == FAULT_resize_upper_wraps && is_last) track.upper[position] = 0;
    if (model->schedule->fault == FAULT_resize_first_weights) {
      track.weight[position] = track.weight[0];
    }
  }
  return track;
}

/* Where the upper element has weight 0, a zero of the sign of what is below takes its place, which
 * leaves that as it is; but for differences. */
static void skip_zero_weights(resize_cell_t *cell, size_t count) {
  for (size_t special_value = 1; special_value < (size_t)1 << cell->axis_count; special_value++) {
    for (size_t axis = 0; axis < cell->axis_count; axis++) {
      size_t bit = (size_t)1 << axis;
      for (size_t i = 0; (special_value & bit) != 0 && i < count; i++) {
        if (cell->weights[axis].values[i] != 0) continue;
        double below = cell->corners[special_value & ~bit].values[i];
        cell->corners[special_value].values[i] = copysign(0, below);
      }
    }
  }
}

/* The formula that the schedule names; else the tightest. */
static resize_formula_t formula_of(const implementation_model_t *schedule) {
  for (uint8_t i = 0; schedule->formula != NULL && i < RESIZE_FORMULA_COUNT; i++) {
    if (strcmp(contract_spelling("resize_linear", i), schedule->formula) == 0) {
      return (resize_formula_t)i;
    }
  }
  return RESIZE_SEPARABLE;
}

/* The working format: that of the operands, f32 for those of 16 bits, or a wider one. */
static const format_t *format_of(const format_t *format, const implementation_model_t *schedule) {
  if (format == NULL) format = &format_table[FORMAT_f32];
  if (format->bits == 16 && !schedule->native) format = &format_table[FORMAT_f32];
  const format_t *wider = schedule->accumulator;
  return wider != NULL && arithmetic_format_holds(wider, format) ? wider : format;
}

/* What becomes of a number of an integer resize. */
static uint64_t to_integer(const model_t *model, const element_t *element, double number) {
  fault_t fault = model->schedule->fault;
  if (fault == FAULT_resize_rounds_up) number = ceil(number);
  double least = (double)element_integer_min(element);
  double largest = (double)element_integer_max(element);
  bool is_beyond = trunc(number) < least || trunc(number) > largest;
  if (fault == FAULT_resize_overflows && is_beyond) number = least;
  return resize_integer_of(model->rounding, element, number);
}

/* Result elements from `first` on. */
static void simulate_block(const model_t *model, formula_t *formula, const resize_track_t *tracks,
                           size_t first, size_t count, tensor_t *result) {
  const element_t *element = result->type.element;
  fault_t fault = model->schedule->fault;
  resize_cell_t cell = resize_gather(&model->grid, formula, tracks, first, count);
  resize_formula_t which = formula_of(model->schedule);
  if (model->skips_zero_weights && which != RESIZE_DIFFERENCE) skip_zero_weights(&cell, count);
  row_t row = resize_interpolate(formula, which, &cell);
  for (size_t i = 0; i < count; i++) {
    double value = row.values[i];
    uint64_t bits;
    if (element->format == NULL) {
      bits = to_integer(model, element, value);
    } else {
      bits = format_from_double(element->format, isnan(value) ? (double)NAN : value);
      bits = fault_spoil_bits(fault, element->format, bits, first + i);
    }
    if (fault_skips_store(fault, first + i, result)) continue;
    element_store(element, result->data, first + i, bits);
  }
}

static void simulate_linear(const model_t *model, arena_t *arena, tensor_t *result) {
  const resize_grid_t *grid = &model->grid;
  formula_t formula = {.evaluator = &model_evaluator,
                       .program = &grid->instance->program,
                       .format = format_of(result->type.element->format, model->schedule),
                       .contract = model->contract,
                       .schedule = model->schedule,
                       .arena = arena};
  resize_track_t tracks[RESIZE_AXES_MAX];
  for (uint32_t i = 0; i < grid->moved_count; i++) {
    tracks[i] = make_track(model, grid->moved[i], arena);
  }
  if (grid->moved_count == 0 && result->type.element->format == NULL) {
    simulate_nearest(model, result); /* Integers are copied, not converted. */
    return;
  }
  for (size_t first = 0; first < grid->count; first += RESIZE_BLOCK) {
    arena_mark_t mark = arena_mark(arena);
    size_t count = MIN(grid->count - first, (size_t)RESIZE_BLOCK);
    simulate_block(model, &formula, tracks, first, count, result);
    arena_rewind(arena, mark);
  }
}

status_t resize_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  const contract_t contract = contract_backend();
  model_t model = model_make(call->instance, schedule, &contract);
  if (byteir_resize_attributes(&call->instance->program)->mode == RESIZE_NEAREST) {
    simulate_nearest(&model, &inout_results[0]);
    return STATUS_OK;
  }
  if (model.grid.moved_count > RESIZE_AXES_MAX) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "no model resizes more than %d dimensions",
                       RESIZE_AXES_MAX);
  }
  arena_mark_t mark = arena_mark(call->arena);
  simulate_linear(&model, call->arena, &inout_results[0]);
  arena_rewind(call->arena, mark);
  return STATUS_OK;
}
