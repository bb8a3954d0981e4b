/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the sums of a row by a compass search: from their exact values it goes whichever way
 * brings the element that is farthest outside of its fast set nearer to it, by shorter and shorter
 * steps. */
#include "oracles/composite/fast_row.h"

#include <glib.h>
#include <math.h>

enum { EVALUATIONS_MAX = 200, SHORTER_STEPS_MAX = 24 };

/* How far a number is outside of a fast set, in widths of that: at most 0 if it surely is inside
 * (theory.md, T113, whatever the widths: they only steer).  Of zeros fast sets hold +0 alone. */
static double excess_of(const fast_row_t *row, size_t place, double value) {
  size_t n = row->count == 1 ? 0 : place;
  double low = row->low[n], high = row->high[n];
  bool has_negative_zero =
      (low == 0 && signbit(low)) || (high == 0 && signbit(high)) || (value == 0 && signbit(value));
  if (has_negative_zero || !(low <= high)) return (double)INFINITY;
  double width = fmax(high - low, fmax(fabs(value) * 0x1p-24, 0x1p-149));
  double excess = fmax(low - value, value - high);
  return isfinite(excess) ? excess / width : (double)INFINITY;
}

/* A row and where the search is. */
typedef struct compass {
  const problem_t *problem;
  const variant_t *variant;
  const part_t *row;
  const tensor_t *results;
  shared_numbers_t *shared;
  size_t evaluations;
} compass_t;

/* The largest excess of all elements, with sums at these offsets. */
static double try_offsets(compass_t *compass, const double offsets[SHARED_OFFSETS_MAX]) {
  const problem_t *problem = compass->problem;
  arena_mark_t mark = arena_mark(problem->arena);
  for (size_t i = 0; i < SHARED_OFFSETS_MAX; i++) compass->shared->offsets[i] = offsets[i];
  compass->shared->sum_count = 0;
  compass->evaluations++;
  fast_row_t rows[CASE_RESULTS_MAX];
  problem_evaluate_fast(problem, compass->row, compass->variant, compass->shared, rows);
  double most = -(double)INFINITY;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const element_t *element = compass->results[r].type.element;
    for (size_t i = 0; i < part_result_count(problem, compass->row, r); i++) {
      size_t index = part_result_element(problem, compass->row, r, i);
      uint64_t bits = element_load(element, compass->results[r].data, index);
      most = fmax(most, excess_of(&rows[r], i, format_to_double(element->format, bits)));
    }
  }
  arena_rewind(problem->arena, mark);
  return most;
}

/* Tries the neighbours of a place, some steps of -1, 0 or 1 away in each direction; goes to the
 * first that is better. */
static bool go_on(compass_t *compass, double step, double offsets[SHARED_OFFSETS_MAX],
                  double *inout_excess) {
  size_t dimensions = compass->shared->sum_count, ways = 1;
  for (size_t i = 0; i < dimensions; i++) ways *= 3;
  for (size_t way = 1; way < ways; way++) {
    double next[SHARED_OFFSETS_MAX] = {0};
    size_t digits = way;
    for (size_t i = 0; i < dimensions; i++, digits /= 3) {
      static const double steps[] = {0, 1, -1};
      next[i] = CLAMP(offsets[i] + step * steps[digits % 3], -1, 1);
    }
    double excess = try_offsets(compass, next);
    if (!(excess < *inout_excess)) continue;
    *inout_excess = excess;
    for (size_t i = 0; i < dimensions; i++) offsets[i] = next[i];
    return true;
  }
  return false;
}

bool fast_row_is_explained(const problem_t *problem, const variant_t *variant, const part_t *row,
                           const tensor_t *results) {
  shared_numbers_t *shared = g_new0(shared_numbers_t, 1);
  compass_t compass = {problem, variant, row, results, shared, 0};
  double offsets[SHARED_OFFSETS_MAX] = {0}, step = 0.5;
  double excess = try_offsets(&compass, offsets);
  bool is_known = isfinite(excess);
  for (int shorter = 0; is_known && excess > 0 && shorter < SHORTER_STEPS_MAX;) {
    if (compass.evaluations >= EVALUATIONS_MAX) break;
    if (go_on(&compass, step, offsets, &excess)) continue;
    step /= 2;
    shorter++;
  }
  g_free(shared);
  return excess <= 0;
}
