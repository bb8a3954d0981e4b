/* SPDX-License-Identifier: Apache-2.0 */
/* Puts each number that is shared at a point. */
#include "oracles/formula/shared/shared_points.h"

#include <glib.h>
#include <math.h>

static shared_points_t *points_of(const formula_t *formula) {
  return (shared_points_t *)formula->shared;
}

static double to_f32(double x) { return (double)(float)x; }

static bool is_f32(double x) { return to_f32(x) == x; }

/* A number of binary32 that the step may give, if one is known. */
static double choose_nearest(const shared_point_t *point) {
  double ulp = ldexp(1, MAX(ilogb(point->start), -126) - 23);
  double value = to_f32(to_f32(point->start) + point->ulps * ulp);
  if (point->start == 0) value = 0;
  value = fmin(fmax(value, point->low), point->high);
  if (is_f32(value)) return value;
  return is_f32(point->low) ? point->low : is_f32(point->high) ? point->high : value;
}

static double choose_value(const shared_points_t *points, const shared_point_t *point) {
  double low = point->low, high = point->high;
  if (!isfinite(low) || !isfinite(high)) return (double)NAN;
  if (points->is_nearest) return choose_nearest(point);
  double value = low + (high - low) * (0.5 + point->place / 2);
  if (!points->is_wide) value = to_f32(value);
  return fmin(fmax(value, low), high);
}

static row_t settle(formula_t *formula, shared_point_t *point) {
  fast_numbers_t *number = ARENA_NEW_ARRAY(formula->arena, fast_numbers_t, 1);
  double *value = ARENA_NEW_ARRAY(formula->arena, double, 1);
  const shared_points_t *points = points_of(formula);
  *value = point->value = choose_value(points, point);
  *number = (fast_numbers_t){.count = 1,
                             .are_points = isfinite(*value),
                             .is_wide = points->is_wide,
                             .low = value,
                             .high = value,
                             .point = value};
  return (row_t){.count = 1, .fast = number};
}

static row_t keep(formula_t *formula, row_t row, bool is_given) {
  shared_points_t *points = points_of(formula);
  g_assert(points->next < SHARED_NUMBERS_MAX);
  shared_point_t *point = &points->points[points->next++];
  if (points->as_shared.is_recording) points->count = points->next;
  point->is_given = is_given;
  point->low = row.fast->low[0];
  point->high = row.fast->high[0];
  return settle(formula, point);
}

static row_t replay(formula_t *formula) {
  shared_points_t *points = points_of(formula);
  g_assert(points->next < points->count && points->points[points->next].is_given);
  return settle(formula, &points->points[points->next++]);
}

void shared_points_init(shared_points_t *out_points, bool is_wide) {
  *out_points = (shared_points_t){
      .as_shared = {.base = &fast_evaluator, .keep = keep, .replay = replay}, .is_wide = is_wide};
}

void shared_points_start(shared_points_t *points, bool is_recording) {
  points->as_shared.is_recording = is_recording;
  points->next = 0;
}

void shared_points_start_nearest(shared_points_t *points) {
  points->is_nearest = true;
  for (size_t k = 0; k < points->count; k++) {
    points->points[k].start = points->points[k].value;
    points->points[k].ulps = 0;
  }
}

bool shared_point_has_neighbours(const shared_point_t *point) {
  double first = is_f32(point->low) ? point->low : to_f32(point->low);
  if (first < point->low) first = (double)nextafterf((float)first, INFINITY);
  return first < point->high && (double)nextafterf((float)first, INFINITY) <= point->high;
}
