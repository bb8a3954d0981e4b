/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the elements of a row with numbers that are shared, and tells which of these numbers
 * matter. */
#include "oracles/composite/rows/shared_row.h"

#include <glib.h>
#include <math.h>

#include "oracles/formula/enclosed_set.h"

enum { CHUNK_TERMS = 512 };

/* ---- Evaluations ----------------------------------------------------------------------------- */

static void evaluate(shared_row_t *row, const part_t *part, shared_mode_t mode,
                     row_t results[CASE_RESULTS_MAX]) {
  const problem_t *problem = &row->problem;
  row->evaluated += part->count;
  shared_numbers_start(&row->shared, mode);
  const enclosing_t settings = {.is_unbounded =
                                    problem->formulas[row->variant.formula].is_unbounded};
  const evaluation_t evaluation = {
      .evaluator = &shared_evaluator, .settings = &settings, .shared = &row->shared.as_shared};
  problem_evaluate(problem, part, &row->variant, &evaluation, results);
}

shared_row_t shared_row_make(const problem_t *problem, const variant_t *variant, const part_t *part,
                             const tensor_t *results, arena_t *arena) {
  shared_row_t row = {.problem = *problem, .variant = *variant, .row = *part, .results = results};
  shared_numbers_init(&row.shared, arena);
  arena_mark_t mark = arena_mark(problem->arena);
  row_t ignored[CASE_RESULTS_MAX];
  evaluate(&row, part, SHARED_RECORD, ignored);
  arena_rewind(problem->arena, mark);
  return row;
}

void shared_row_set_cell(shared_row_t *row, const enclosed_t *cell) {
  for (size_t i = 0; i < row->shared.count; i++) {
    enclosed_copy(row->shared.numbers[i].within, &cell[i]);
  }
}

void shared_row_keep_found(const shared_row_t *row, enclosed_t *out_cell) {
  for (size_t i = 0; i < row->shared.count; i++) {
    enclosed_copy(&out_cell[i], row->shared.numbers[i].found);
  }
}

static uint64_t bits_of(const shared_row_t *row, const part_t *part, uint32_t result,
                        size_t place) {
  size_t index = part_result_element(&row->problem, part, result, place);
  return element_load(row->results[result].type.element, row->results[result].data, index);
}

static const format_t *format_of(const shared_row_t *row, uint32_t result) {
  return row->results[result].type.element->format;
}

/* On which side of its set a number of a result is. */
static int side_of(const shared_row_t *row, const part_t *part, const row_t *rows, uint32_t result,
                   size_t place, value_range_t *out_range) {
  const format_t *format = format_of(row, result);
  *out_range = problem_finish(&row->problem, part, &row->variant, rows, result, place);
  uint64_t bits = bits_of(row, part, result, place);
  bool any_zero = PERMITTED(row->problem.contract, zero_sign) == ZERO_SIGN_ANY;
  if (value_range_holds(out_range, format, bits, any_zero)) return 0;
  return format_to_double(format, bits) < out_range->low ? -1 : 1;
}

bool shared_row_fails(shared_row_t *row, const part_t *elements, shared_mode_t mode,
                      row_sides_t *out_sides) {
  const problem_t *problem = &row->problem;
  arena_mark_t mark = arena_mark(problem->arena);
  row_t rows[CASE_RESULTS_MAX];
  evaluate(row, elements, mode, rows);
  bool fails = mode == SHARED_WITHIN && row->shared.is_empty;
  size_t n = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, elements, r); i++, n++) {
      value_range_t range;
      int side = side_of(row, elements, rows, r, i, &range);
      out_sides->sides[n] = (int8_t)side;
      fails = fails || side != 0;
    }
  }
  arena_rewind(problem->arena, mark);
  return fails;
}

/* ---- The whole row --------------------------------------------------------------------------- */

/* How far a number is outside its set, in widths of that, and at least a little. */
static double gap_of(const value_range_t *range, double value) {
  double width = range->high - range->low;
  if (!(width >= 0)) return (double)INFINITY;
  double gap = value > range->high ? value - range->high : range->low - value;
  return fmax(gap, 0x1p-1074) / fmax(width, 0x1p-1074);
}

static void note_outside(row_outside_t *outside, int side, size_t term, double gap) {
  size_t place = side < 0 ? 0 : 1;
  outside->has_some = true;
  if (gap <= outside->gaps[place]) return;
  outside->gaps[place] = gap;
  outside->terms[place] = term;
}

static void look_outside(const shared_row_t *row, const part_t *part, const row_t *rows,
                         row_outside_t *outside) {
  for (uint32_t r = 0; r < row->problem.instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(&row->problem, part, r); i++) {
      value_range_t range;
      int side = side_of(row, part, rows, r, i, &range);
      if (side == 0) continue;
      double value = format_to_double(format_of(row, r), bits_of(row, part, r, i));
      note_outside(outside, side, part->first + i, gap_of(&range, value));
    }
  }
}

/* A chunk at a time, each of at least two elements: what has one number would be shared. */
row_outside_t shared_row_find_outside(shared_row_t *row, shared_mode_t mode) {
  row_outside_t outside = {.has_some = false};
  size_t first = 0, left = row->row.count;
  while (left > 0) {
    size_t count = MIN(left, (size_t)CHUNK_TERMS);
    if (left - count == 1) count++;
    const part_t chunk = {row->row.group, first, count, NULL};
    arena_mark_t mark = arena_mark(row->problem.arena);
    row_t rows[CASE_RESULTS_MAX];
    evaluate(row, &chunk, mode, rows);
    look_outside(row, &chunk, rows, &outside);
    arena_rewind(row->problem.arena, mark);
    first += count;
    left -= count;
  }
  return outside;
}

static void set_points(shared_row_t *row, const double *points) {
  for (size_t k = 0; k < row->shared.count; k++) {
    enclosed_t *within = row->shared.numbers[k].within;
    mpfr_set_d(within->low, points[k], MPFR_RNDN);
    mpfr_set_d(within->high, points[k], MPFR_RNDN);
  }
}

bool shared_row_holds_at(shared_row_t *row, const double *points, double *out_ends) {
  g_assert(row->row.count <= CHUNK_TERMS);
  const problem_t *problem = &row->problem;
  arena_mark_t mark = arena_mark(problem->arena);
  set_points(row, points);
  row_t rows[CASE_RESULTS_MAX];
  evaluate(row, &row->row, SHARED_WITHIN, rows);
  bool holds = !row->shared.is_empty;
  size_t n = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, &row->row, r); i++, n++) {
      value_range_t range;
      if (side_of(row, &row->row, rows, r, i, &range) != 0) holds = false;
      out_ends[2 * n] = range.low;
      out_ends[2 * n + 1] = range.high;
    }
  }
  arena_rewind(problem->arena, mark);
  return holds;
}

/* ---- What matters ---------------------------------------------------------------------------- */

/* How far results are outside of their sets, on the sides where they are so in the middle of a
 * cell: in the whole cell, where they are less so or not at all, and there. */
typedef struct sensitivity {
  const row_sides_t *sides;
  size_t count;
  double whole[ROW_RESULTS_MAX];
  double middle[ROW_RESULTS_MAX];
} sensitivity_t;

static void measure(shared_row_t *row, const part_t *elements, shared_mode_t mode,
                    sensitivity_t *sensitivity, double out_distances[ROW_RESULTS_MAX]) {
  const problem_t *problem = &row->problem;
  arena_mark_t mark = arena_mark(problem->arena);
  row_t rows[CASE_RESULTS_MAX];
  evaluate(row, elements, mode, rows);
  size_t n = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, elements, r); i++, n++) {
      out_distances[n] = 0;
      int side = sensitivity->sides->sides[n];
      const enclosed_t *set = &rows[r].enclosed[rows[r].count == 1 ? 0 : i];
      if (side == 0 || !set->has_finite) continue;
      LOCAL_NUMBER(distance);
      double value = format_to_double(format_of(row, r), bits_of(row, elements, r, i));
      mpfr_sub_d(distance, side < 0 ? set->low : set->high, value, MPFR_RNDN);
      out_distances[n] = mpfr_get_d(distance, MPFR_RNDN) * -side;
    }
  }
  sensitivity->count = n;
  arena_rewind(problem->arena, mark);
}

/* How much of the way from the whole cell to its middle the sets have come: the sum of shares. */
static double way_gone(shared_row_t *row, const part_t *elements, sensitivity_t *sensitivity) {
  double distances[ROW_RESULTS_MAX], sum = 0;
  measure(row, elements, SHARED_WITHIN, sensitivity, distances);
  for (size_t n = 0; n < sensitivity->count; n++) {
    double whole = sensitivity->whole[n], all = sensitivity->middle[n] - whole;
    if (sensitivity->sides->sides[n] != 0 && all > 0) {
      sum += CLAMP((distances[n] - whole) / all, 0, 1);
    }
  }
  return sum;
}

/* The number that brings them farthest alone: the first of those that do so nearly alike, from
 * which the others follow but for their roundings. */
static bool choose_alone(shared_row_t *row, const part_t *elements, const enclosed_t *cell,
                         sensitivity_t *sensitivity, size_t *out_number) {
  double gone[SHARED_NUMBERS_MAX], farthest = 0, all = 0;
  for (size_t n = 0; n < sensitivity->count; n++) all += sensitivity->sides->sides[n] != 0;
  for (size_t k = 0; k < row->shared.count; k++) {
    gone[k] = 0;
    if (mpfr_equal_p(cell[k].low, cell[k].high)) continue;
    enclosed_t *within = row->shared.numbers[k].within;
    shared_row_set_to_middle(within);
    gone[k] = way_gone(row, elements, sensitivity);
    enclosed_copy(within, &cell[k]);
    farthest = fmax(farthest, gone[k]);
    if (gone[k] >= all * 0.75) break; /* No other can go much farther. */
  }
  if (farthest < 0x1p-6) return false;
  *out_number = 0;
  while (gone[*out_number] < farthest * 0.75) (*out_number)++;
  return true;
}

/* Where none of them matters alone, since a set has its ends from either of two numbers, or is
 * rounded: the one that brings them farther where those before it are points already. */
static bool choose_in_turn(shared_row_t *row, const part_t *elements, const enclosed_t *cell,
                           sensitivity_t *sensitivity, size_t *out_number) {
  double gone = 0, farthest = 0;
  for (size_t k = 0; k < row->shared.count; k++) {
    row->shared.fixed = k + 1;
    double now = way_gone(row, elements, sensitivity);
    bool is_point = mpfr_equal_p(cell[k].low, cell[k].high);
    if (!is_point && now - gone > farthest) {
      farthest = now - gone;
      *out_number = k;
    }
    gone = now;
  }
  row->shared.fixed = 0;
  return farthest > 0;
}

/* The elements with a result that is outside, or any two. */
static part_t find_failed(const shared_row_t *row, const part_t *elements, const row_sides_t *sides,
                          size_t terms[ROW_ELEMENTS_MAX + 2], row_sides_t *out_sides) {
  size_t count = 0;
  const composite_t *composite = row->problem.composite;
  uint32_t result_count = row->problem.instance->program.result_count;
  for (size_t i = 0; i < elements->count; i++) {
    size_t n = 0;
    bool has_failed = false;
    for (uint32_t r = 0; r < result_count; r++) {
      bool is_of_row = composite->result_roles[r] == COMPOSITE_GROUP;
      has_failed = has_failed || (!is_of_row && sides->sides[n + i] != 0);
      n += is_of_row ? 1 : elements->count;
    }
    if (has_failed) terms[count++] = i;
  }
  while (count < 2) terms[count++] = 0;
  size_t from = 0, to = 0;
  for (uint32_t r = 0; r < result_count; r++) {
    bool is_of_row = composite->result_roles[r] == COMPOSITE_GROUP;
    for (size_t i = 0; i < (is_of_row ? 1 : count); i++) {
      out_sides->sides[to++] = sides->sides[from + (is_of_row ? 0 : terms[i])];
    }
    from += is_of_row ? 1 : elements->count;
  }
  for (size_t i = 0; i < count; i++) terms[i] = elements->terms[terms[i]];
  return (part_t){elements->group, 0, count, terms};
}

bool shared_row_choose(shared_row_t *row, const part_t *elements, const enclosed_t *cell,
                       const row_sides_t *sides, size_t *out_number) {
  size_t terms[ROW_ELEMENTS_MAX + 2];
  row_sides_t failed_sides;
  const part_t failed = find_failed(row, elements, sides, terms, &failed_sides);
  sensitivity_t sensitivity = {.sides = &failed_sides};
  shared_row_set_cell(row, cell);
  measure(row, &failed, SHARED_WITHIN, &sensitivity, sensitivity.whole);
  measure(row, &failed, SHARED_MIDDLE, &sensitivity, sensitivity.middle);
  return choose_alone(row, &failed, cell, &sensitivity, out_number) ||
         choose_in_turn(row, &failed, cell, &sensitivity, out_number);
}

void shared_row_set_to_middle(enclosed_t *inout) {
  mpfr_add(inout->low, inout->low, inout->high, MPFR_RNDN);
  mpfr_div_2ui(inout->low, inout->low, 1, MPFR_RNDN);
  mpfr_set(inout->high, inout->low, MPFR_RNDN);
}
