/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for numbers that explain a row: from the middles of what they may be it follows how the
 * elements of a sample move with them, which is nearly linear, to where the sets of all of these
 * hold what was returned; then all of the row is asked, and what is outside joins the sample. */
#include "oracles/composite/rows/fast_row.h"

#include <glib.h>
#include <math.h>

#include "oracles/formula/shared/shared_points.h"

enum {
  SAMPLE_START = 32,   /* Elements, */
  SAMPLE_MAX = 96,     /* and with those that were outside. */
  JOIN_MAX = 8,        /* Elements that join at once. */
  DIMENSIONS_MAX = 24, /* Numbers that are moved. */
  ROUNDS_MAX = 6,      /* Of a sample, until all of it is inside, or else nothing is found. */
  WHOLE_ROWS_MAX = 6,  /* Evaluations of all of the row. */
  PROJECTIONS_MAX = 300,
  SMALL_ROW = 128,     /* Of few terms: sums are as good as exact. */
  SWEEPS_MAX = 3,      /* Over the neighbours of all numbers, */
  NEIGHBOURS_MAX = 32, /* so far away. */
};

/* A number of a result of the sample: what it would be of exact steps, and how far its set may move
 * upwards, or downwards, and still hold what was returned; less than 0 if it does not. */
typedef struct element_state {
  double point;
  double up, down;
  double half; /* Of the last place of what was returned. */
  bool is_inside;
  double gradient[DIMENSIONS_MAX]; /* How it moves with the place of each number. */
  double length;                   /* Of that. */
  double moved;
} element_state_t;

typedef struct row_fit {
  const problem_t *problem;
  const variant_t *variant;
  const part_t *row;
  const double *const *values; /* Of each result, what was returned. */
  shared_points_t *points;
  size_t sample_count;
  size_t sample[SAMPLE_MAX];
  size_t dimension_count;
  size_t dimensions[DIMENSIONS_MAX]; /* The numbers that are moved. */
  size_t state_count;
  element_state_t *states;
} row_fit_t;

/* ---- One number ------------------------------------------------------------------------------ */

/* Whether a fast set surely holds a number (theory.md, T113).  Zeros are those of the steps taken
 * one by one, and both are in an interval with numbers on either side of them. */
static bool holds(double low, double high, double value) {
  if (!(low <= value && value <= high) || !isfinite(low) || !isfinite(high)) return false;
  if (value != 0 || (low < 0 && high > 0)) return true;
  bool is_negative = signbit(value) != 0;
  return (low != 0 || (signbit(low) != 0) == is_negative) &&
         (high != 0 || (signbit(high) != 0) == is_negative) && (!is_negative || low == high);
}

static double half_ulp(const format_t *format, double value) {
  int exponent = value == 0 ? format->exponent_min : MAX(ilogb(value), format->exponent_min);
  return ldexp(1, exponent - format->precision);
}

/* About how far the numbers reach that round to this one, upwards or downwards: a little less than
 * to the middle, which may round otherwise.  It steers, and proves nothing (theory.md, T113). */
static double reach(double half, double value, bool is_up) {
  int ignored;
  bool is_power = fabs(frexp(value, &ignored)) == 0.5;
  return (is_power && (value > 0) != is_up ? half / 2 : half) * (1 - 0x1p-6);
}

/* ---- Evaluations ----------------------------------------------------------------------------- */

static const format_t *format_of(const row_fit_t *fit, uint32_t result) {
  return fit->problem->instance->program.results[result].element->format;
}

/* What was returned as number `place` of a part: all of the row, or the sample. */
static double value_at(const row_fit_t *fit, const part_t *part, uint32_t result, size_t place) {
  bool is_of_row = fit->problem->composite->result_roles[result] == COMPOSITE_GROUP;
  return fit->values[result][is_of_row || part->terms == NULL ? place : part->terms[place]];
}

static void evaluate(const row_fit_t *fit, const part_t *part, bool is_recording,
                     fast_row_t rows[CASE_RESULTS_MAX]) {
  shared_points_start(fit->points, is_recording);
  problem_evaluate_fast(fit->problem, part, fit->variant, 1, fit->points, rows);
}

/* Two of the elements at least, since what has one number would be shared. */
static part_t sample_of(const row_fit_t *fit) {
  return (part_t){fit->row->group, 0, fit->sample_count, fit->sample};
}

/* Whether all of the sample is inside; and its state. */
static bool look_at_sample(row_fit_t *fit) {
  const problem_t *problem = fit->problem;
  const part_t part = sample_of(fit);
  arena_mark_t mark = arena_mark(problem->arena);
  fast_row_t rows[CASE_RESULTS_MAX];
  evaluate(fit, &part, false, rows);
  bool are_inside = true;
  size_t n = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, &part, r); i++) {
      size_t at = rows[r].count == 1 ? 0 : i;
      double value = value_at(fit, &part, r, i), half = half_ulp(format_of(fit, r), value);
      element_state_t *state = &fit->states[n++];
      state->half = half;
      state->point = rows[r].point[at];
      state->is_inside = holds(rows[r].low[at], rows[r].high[at], value);
      double least = state->is_inside ? 0 : -(double)INFINITY;
      double up = reach(half, value, true), down = reach(half, value, false);
      state->up = fmax(value + up - rows[r].unrounded_low[at], least);
      state->down = fmax(rows[r].unrounded_high[at] - (value - down), least);
      are_inside = are_inside && state->is_inside;
    }
  }
  fit->state_count = n;
  arena_rewind(problem->arena, mark);
  return are_inside;
}

/* ---- The whole row --------------------------------------------------------------------------- */

/* The elements that are farthest outside, in halves of their last places. */
typedef struct outside {
  size_t count;
  size_t terms[JOIN_MAX];
  double gaps[JOIN_MAX];
} outside_t;

static void note_outside(outside_t *outside, size_t term, double gap) {
  if (outside->count == JOIN_MAX && !(gap > outside->gaps[JOIN_MAX - 1])) return;
  if (outside->count < JOIN_MAX) outside->count++;
  size_t i = outside->count - 1;
  for (; i > 0 && outside->gaps[i - 1] < gap; i--) {
    outside->terms[i] = outside->terms[i - 1];
    outside->gaps[i] = outside->gaps[i - 1];
  }
  outside->terms[i] = term;
  outside->gaps[i] = gap;
}

/* Whether all of the row is inside; and else what is not. */
static bool look_at_row(const row_fit_t *fit, bool is_recording, outside_t *out_outside) {
  const problem_t *problem = fit->problem;
  arena_mark_t mark = arena_mark(problem->arena);
  fast_row_t rows[CASE_RESULTS_MAX];
  evaluate(fit, fit->row, is_recording, rows);
  *out_outside = (outside_t){.count = 0};
  bool are_inside = true;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    size_t count = part_result_count(problem, fit->row, r);
    for (size_t i = 0; i < count; i++) {
      size_t at = rows[r].count == 1 ? 0 : i;
      double value = fit->values[r][i];
      if (holds(rows[r].low[at], rows[r].high[at], value)) continue;
      are_inside = false;
      double gap = fmax(rows[r].low[at] - value, value - rows[r].high[at]);
      if (count > 1) note_outside(out_outside, i, gap / half_ulp(format_of(fit, r), value));
    }
  }
  arena_rewind(problem->arena, mark);
  return are_inside;
}

static bool is_in_sample(const row_fit_t *fit, size_t term) {
  for (size_t i = 0; i < fit->sample_count; i++) {
    if (fit->sample[i] == term) return true;
  }
  return false;
}

static void join_sample(row_fit_t *fit, const outside_t *outside) {
  for (size_t i = 0; i < outside->count && fit->sample_count < SAMPLE_MAX; i++) {
    if (!is_in_sample(fit, outside->terms[i])) fit->sample[fit->sample_count++] = outside->terms[i];
  }
}

static void start_sample(row_fit_t *fit, const outside_t *outside) {
  size_t count = fit->row->count, step = (count + SAMPLE_START - 1) / SAMPLE_START;
  for (size_t i = 0; i < count; i += step) fit->sample[fit->sample_count++] = i;
  join_sample(fit, outside);
}

/* ---- Where to go ----------------------------------------------------------------------------- */

static void find_dimensions(row_fit_t *fit, bool with_steps) {
  fit->dimension_count = 0;
  for (size_t k = 0; k < fit->points->count && fit->dimension_count < DIMENSIONS_MAX; k++) {
    const shared_point_t *point = &fit->points->points[k];
    bool is_moved = point->low < point->high && (point->is_given || with_steps);
    if (is_moved) fit->dimensions[fit->dimension_count++] = k;
  }
}

/* How the elements move with each number, by differences. */
static void find_gradients(row_fit_t *fit) {
  const part_t part = sample_of(fit);
  const problem_t *problem = fit->problem;
  for (size_t n = 0; n < fit->state_count; n++) fit->states[n].length = 0;
  for (size_t d = 0; d < fit->dimension_count; d++) {
    double *place = &fit->points->points[fit->dimensions[d]].place, before = *place;
    double step = before > 0 ? -0.5 : 0.5;
    *place += step;
    arena_mark_t mark = arena_mark(problem->arena);
    fast_row_t rows[CASE_RESULTS_MAX];
    evaluate(fit, &part, false, rows);
    size_t n = 0;
    for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
      for (size_t i = 0; i < part_result_count(problem, &part, r); i++) {
        element_state_t *state = &fit->states[n++];
        double gradient = (rows[r].point[rows[r].count == 1 ? 0 : i] - state->point) / step;
        state->gradient[d] = isfinite(gradient) ? gradient : 0;
        state->length += state->gradient[d] * state->gradient[d];
      }
    }
    arena_rewind(problem->arena, mark);
    *place = before;
  }
}

/* The element that is farthest outside, where the numbers have gone some way, in lengths of its
 * gradient. */
static element_state_t *farthest_outside(const row_fit_t *fit) {
  element_state_t *farthest = NULL;
  double most = 0;
  for (size_t n = 0; n < fit->state_count; n++) {
    element_state_t *state = &fit->states[n];
    double gap = fmax(state->moved - state->up, -state->moved - state->down);
    if (state->length == 0 || gap * gap <= most * state->length || gap <= 0) continue;
    most = gap * gap / state->length;
    farthest = state;
  }
  return farthest;
}

/* Goes from one element that is outside to another, each time to where that is inside by a quarter
 * of its set: projections onto half spaces [Agmon 1954, Motzkin and Schoenberg 1954]. */
static void project(row_fit_t *fit) {
  for (size_t n = 0; n < fit->state_count; n++) fit->states[n].moved = 0;
  double depth = 0.5; /* Of the way from the end of a set to its middle: less and less. */
  for (int i = 0; i < PROJECTIONS_MAX; i++, depth *= 0.9) {
    const element_state_t *state = farthest_outside(fit);
    if (state == NULL) return;
    double width = fmax(state->up + state->down, 0), middle = (state->up - state->down) / 2;
    double inside = width / 2 * (1 - depth);
    double aim = state->moved > state->up ? middle + inside : middle - inside;
    double factor = (aim - state->moved) / state->length;
    for (size_t d = 0; d < fit->dimension_count; d++) {
      double *place = &fit->points->points[fit->dimensions[d]].place;
      double next = CLAMP(*place + factor * state->gradient[d], -1, 1), way = next - *place;
      *place = next;
      for (size_t n = 0; way != 0 && n < fit->state_count; n++) {
        fit->states[n].moved += way * fit->states[n].gradient[d];
      }
    }
  }
}

/* How far the elements of the sample are outside, in halves of their last places, together. */
static double find_excess(const row_fit_t *fit) {
  double sum = 0;
  for (size_t n = 0; n < fit->state_count; n++) {
    const element_state_t *state = &fit->states[n];
    if (!state->is_inside) sum += fmax(0x1p-6, -fmin(state->up, state->down) / state->half);
  }
  return sum;
}

/* Moves the numbers until all of the sample is inside, or nothing comes nearer. */
static bool fit_sample(row_fit_t *fit) {
  double before = INFINITY;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    if (look_at_sample(fit)) return true;
    double excess = find_excess(fit);
    if (excess > before / 2) return false;
    before = excess;
    if (round == 0) find_gradients(fit);
    project(fit);
  }
  return look_at_sample(fit);
}

/* Takes the neighbour of a number that brings all of the sample inside, or else nearest. */
static bool try_neighbours(row_fit_t *fit, shared_point_t *point, int farthest,
                           double *inout_excess) {
  int start = point->ulps, best = start;
  for (int way = -1; way <= 1; way += 2) {
    for (int ulps = 1; ulps <= farthest; ulps *= 2) {
      point->ulps = start + way * ulps;
      if (look_at_sample(fit)) return true;
      double excess = find_excess(fit);
      if (excess > 2 * *inout_excess) break;
      if (excess >= *inout_excess) continue;
      *inout_excess = excess;
      best = point->ulps;
    }
  }
  point->ulps = best;
  return false;
}

/* With the numbers of binary32 that are nearest to those that were found: what most implementations
 * have. */
static bool fit_nearest(row_fit_t *fit, int farthest, int sweeps) {
  shared_points_start_nearest(fit->points);
  bool are_inside = look_at_sample(fit);
  double excess = find_excess(fit);
  for (int sweep = 0; sweep < sweeps && !are_inside; sweep++) {
    double before = excess;
    for (size_t k = 0; k < fit->points->count && !are_inside; k++) {
      if (shared_point_has_neighbours(&fit->points->points[k])) {
        are_inside = try_neighbours(fit, &fit->points->points[k], farthest, &excess);
      }
    }
    if (excess == before) break;
  }
  return are_inside;
}

static bool fit_row(row_fit_t *fit, outside_t *outside) {
  for (int whole_rows = 0; whole_rows < WHOLE_ROWS_MAX; whole_rows++) {
    bool is_fitted = false, is_nearest_fitted = false;
    if (whole_rows == 0 && fit->row->count <= SMALL_ROW) {
      is_fitted = look_at_sample(fit);
      is_nearest_fitted = fit_nearest(fit, 2, 1);
      fit->points->is_nearest = is_nearest_fitted;
    }
    if (!is_nearest_fitted) {
      is_fitted = fit_sample(fit);
      is_nearest_fitted = fit_nearest(fit, NEIGHBOURS_MAX, SWEEPS_MAX);
    }
    if (is_nearest_fitted && look_at_row(fit, false, outside)) return true;
    fit->points->is_nearest = false;
    if (is_fitted && look_at_row(fit, false, outside)) return true;
    if (!is_fitted && !is_nearest_fitted) return false;
    size_t before = fit->sample_count;
    join_sample(fit, outside);
    if (fit->sample_count == before) return false;
  }
  return false;
}

/* ---- All ------------------------------------------------------------------------------------- */

bool fast_row_is_explained(const problem_t *problem, const variant_t *variant, const part_t *row,
                           const double *const *values) {
  arena_mark_t mark = arena_mark(problem->arena);
  row_fit_t fit = {.problem = problem, .variant = variant, .row = row, .values = values};
  fit.points = ARENA_NEW_ARRAY(problem->arena, shared_points_t, 1);
  shared_points_init(fit.points, PERMITTED(problem->contract, accum_wider) == ACCUM_WIDER_YES);
  outside_t outside;
  bool is_explained = look_at_row(&fit, true, &outside);
  bool is_known = true;
  for (size_t k = 0; k < fit.points->count; k++) {
    is_known = is_known && isfinite(fit.points->points[k].value);
  }
  if (!is_explained && is_known) {
    size_t states = (SAMPLE_MAX + 1) * CASE_RESULTS_MAX;
    fit.states = ARENA_NEW_ARRAY(problem->arena, element_state_t, states);
    start_sample(&fit, &outside);
    for (int with_steps = 0; with_steps < 2 && !is_explained; with_steps++) {
      find_dimensions(&fit, with_steps != 0);
      is_explained = fit_row(&fit, &outside);
    }
  }
  arena_rewind(problem->arena, mark);
  return is_explained;
}
