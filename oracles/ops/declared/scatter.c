/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a step brought to places of another one that a third gives: added to what is there, in
 * any order, or put in the place of it, any of those that go to one place (theory.md, T203). */
#include "oracles/ops/declared/scatter.h"

#include <string.h>

/* What comes to each number of the step: numbers of the updates by their places in their row. */
typedef struct targets {
  size_t count;         /* Of numbers of the step. */
  const size_t *base;   /* Of each, the place in the row that is scattered to. */
  const size_t *first;  /* Those of number i are comers[first[i]] to comers[first[i + 1] - 1], */
  const size_t *comers; /* in the order of the places that they come from. */
  const bool *is_open;  /* Nobody knows what comes to it. */
} targets_t;

/* Rows of updates, one for each tuple along the indices that are kept. */
typedef struct sources {
  size_t rows, terms;
  size_t extent; /* Of the index that is scattered along. */
  const size_t *updates;
  const size_t *places; /* In the row of integers. */
  integer_row_t integers;
  bool is_bounded;
  bool is_model;
} sources_t;

/* The place that an update goes to, or `extent` if none. */
static size_t target_of(const sources_t *sources, size_t update) {
  const integer_row_t *row = &sources->integers;
  const integer_set_t *set = &row->sets[row->count == 1 ? 0 : sources->places[update]];
  bool is_inside = set->low >= 0 && set->low < (integer_t)sources->extent;
  return is_inside ? (size_t)set->low : sources->extent;
}

/* Whether it is not known where some update of a row goes: one that a file says is inside and that
 * is not may do anything. */
static bool is_row_open(const sources_t *sources, size_t row) {
  for (size_t i = row * sources->terms; i < (row + 1) * sources->terms; i++) {
    const integer_row_t *integers = &sources->integers;
    const integer_set_t *set = &integers->sets[integers->count == 1 ? 0 : sources->places[i]];
    if (!integer_set_is_point(set)) return true;
    bool is_outside = target_of(sources, i) == sources->extent;
    if (is_outside && sources->is_bounded && !sources->is_model) return true;
  }
  return false;
}

static sources_t find_sources(run_t *run, const step_t *step, size_t update_count) {
  const uint32_t kept = step->mask & run->declaration->inner & ~(1U << step->index);
  const uint32_t along = kept | step->over;
  sources_t sources = {.rows = declared_extent(run->declaration, &run->binding, kept),
                       .terms = declared_extent(run->declaration, &run->binding, step->over),
                       .extent = run->binding.extent[step->index],
                       .integers = run_integers(run, step->c),
                       .is_bounded = step->is_bounded,
                       .is_model = run->formula->schedule != NULL};
  size_t count;
  const uint32_t of_updates = update_count == 1 ? 0 : run_inner(run, step->b);
  const uint32_t of_places = sources.integers.count == 1 ? 0 : run_inner(run, step->c);
  sources.updates = run_places(run, of_updates, along, step->over, 0, &count);
  sources.places = run_places(run, of_places, along, step->over, 0, &count);
  return sources;
}

/* Sorts the updates of a row by where they go: numbers `row * extent` and on of the targets.
 * `left` is for as many numbers as the index has places. */
static void sort_row(const sources_t *sources, size_t row, size_t *left, size_t *first,
                     size_t *comers) {
  const size_t begin = row * sources->terms, end = begin + sources->terms;
  size_t *ends = &first[row * sources->extent + 1], at = first[row * sources->extent];
  memset(left, 0, sources->extent * sizeof *left);
  for (size_t i = begin; i < end; i++) {
    const size_t target = target_of(sources, i);
    if (target < sources->extent) left[target]++;
  }
  for (size_t v = 0; v < sources->extent; v++) ends[v] = at += left[v];
  for (size_t i = begin; i < end; i++) {
    const size_t target = target_of(sources, i);
    if (target < sources->extent) comers[ends[target] - left[target]--] = sources->updates[i];
  }
}

/* Of a step whose row that is scattered to has so many numbers, and that of the updates: rows along
 * the index, one for each tuple of the others. */
static targets_t find_targets(run_t *run, const step_t *step, size_t base_count,
                              size_t update_count) {
  const uint32_t to = step->mask & run->declaration->inner, bit = 1U << step->index;
  arena_t *arena = run->formula->arena;
  const sources_t sources = find_sources(run, step, update_count);
  targets_t targets = {.count = 0};
  const uint32_t of_base = base_count == 1 ? 0 : run_inner(run, step->a);
  targets.base = run_places(run, of_base, to, bit, 0, &targets.count);
  size_t *first = ARENA_NEW_ARRAY(arena, size_t, targets.count + 1);
  size_t *comers = ARENA_NEW_ARRAY(arena, size_t, MAX(sources.rows * sources.terms, 1));
  bool *is_open = ARENA_NEW_ARRAY(arena, bool, MAX(targets.count, 1));
  size_t *left = ARENA_NEW_ARRAY(arena, size_t, MAX(sources.extent, 1));
  first[0] = 0;
  for (size_t row = 0; row < sources.rows && targets.count > 0; row++) {
    const bool is_unknown = is_row_open(&sources, row);
    for (size_t v = 0; v < sources.extent; v++) is_open[row * sources.extent + v] = is_unknown;
    sort_row(&sources, row, left, first, comers);
  }
  targets.first = first;
  targets.comers = comers;
  targets.is_open = is_open;
  return targets;
}

/* Rows along the index are put back in the order of the indices: where number i of the step is. */
static const size_t *find_order(const run_t *run, const step_t *step) {
  const uint32_t to = step->mask & run->declaration->inner, bit = 1U << step->index;
  size_t count,
      *order = ARENA_NEW_ARRAY(run->formula->arena, size_t,
                               MAX(declared_extent(run->declaration, &run->binding, to), 1));
  const size_t *places = run_places(run, to, to, bit, 0, &count);
  for (size_t i = 0; i < count; i++) order[places[i]] = i;
  return order;
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* All numbers of a step along its inner indices, and those of a product as two factors. */
typedef struct factors {
  row_t a, b;
  bool are_products;
} factors_t;

static row_t pick_one(run_t *run, row_t row, const size_t *place) {
  return formula_pick(run->formula, row, place, 1);
}

/* A product and a number, added: the places of both. */
static row_t add_product(run_t *run, const factors_t *joined, const size_t places[2]) {
  return formula_multiply_add(run->formula, pick_one(run, joined->a, &places[0]),
                              pick_one(run, joined->b, &places[0]),
                              pick_one(run, joined->a, &places[1]));
}

static row_t whole(run_t *run, uint16_t step, uint32_t mask) {
  const row_t value = run_value(run, step);
  size_t count;
  const size_t *places =
      run_places(run, value.count == 1 ? 0 : run_inner(run, step), mask, 0, 0, &count);
  return formula_pick(run->formula, value, places, count);
}

static factors_t find_factors(run_t *run, uint16_t number) {
  const step_t *step = &run->meaning->steps[number];
  const uint32_t mask = run_inner(run, number);
  if (step->kind == STEP_MULTIPLY) {
    const row_t a = whole(run, step->a, mask);
    return (factors_t){a, whole(run, step->b, mask), true};
  }
  const row_t a = whole(run, number, mask);
  const size_t *zeros = arena_alloc_zeroed(run->formula->arena, MAX(a.count, 1) * sizeof(size_t));
  const row_t ones = formula_pick(run->formula, formula_number(run->formula, 1), zeros, a.count);
  return (factors_t){a, ones, false};
}

/* The sum of a number that is scattered to and all that comes to it, products perhaps unrounded. */
static row_t sum_of(run_t *run, const targets_t *targets, size_t i, const factors_t *joined,
                    const factors_t *base, bool are_products) {
  const size_t first = targets->first[i], count = targets->first[i + 1] - first + 1;
  size_t *places = ARENA_NEW_ARRAY(run->formula->arena, size_t, count);
  places[0] = targets->base[i];
  for (size_t k = 1; k < count; k++) places[k] = base->a.count + targets->comers[first + k - 1];
  if (count == 2 && base->are_products != are_products) {
    const size_t reversed[] = {places[1], places[0]};
    return add_product(run, joined, base->are_products ? places : reversed);
  }
  const row_t a = formula_pick(run->formula, joined->a, places, count);
  if (!base->are_products && !are_products) return formula_sum(run->formula, a);
  return formula_sum_of_products(run->formula, a,
                                 formula_pick(run->formula, joined->b, places, count));
}

static row_t add_updates(run_t *run, const step_t *step) {
  formula_t *formula = run->formula;
  const factors_t base = find_factors(run, step->a), updates = find_factors(run, step->b);
  const row_t of_a[] = {base.a, updates.a}, of_b[] = {base.b, updates.b};
  const factors_t joined = {formula_join(formula, of_a, 2), formula_join(formula, of_b, 2), true};
  const targets_t targets = find_targets(run, step, base.a.count, updates.a.count);
  row_t *rows = ARENA_NEW_ARRAY(formula->arena, row_t, targets.count + 2);
  size_t row_count = 2, *places = ARENA_NEW_ARRAY(formula->arena, size_t, MAX(targets.count, 1));
  rows[0] = whole(run, step->a, run_inner(run, step->a));
  rows[1] = formula_anything(formula);
  const size_t *order = find_order(run, step);
  for (size_t i = 0; i < targets.count; i++) {
    const size_t t = order[i];
    places[i] = targets.is_open[t] ? base.a.count : targets.base[t];
    if (targets.is_open[t] || targets.first[t] == targets.first[t + 1]) continue;
    places[i] = base.a.count + row_count - 1;
    rows[row_count++] = sum_of(run, &targets, t, &joined, &base, updates.are_products);
  }
  return formula_pick(formula, formula_join(formula, rows, row_count), places, targets.count);
}

/* The update number `ahead` that comes to each, or the last of them; what was there if none. */
static row_t pick_comers(run_t *run, const targets_t *targets, const size_t *order, row_t joined,
                         size_t base_count, size_t ahead) {
  size_t *places = ARENA_NEW_ARRAY(run->formula->arena, size_t, MAX(targets->count, 1));
  for (size_t i = 0; i < targets->count; i++) {
    const size_t t = order[i], first = targets->first[t], end = targets->first[t + 1];
    places[i] = targets->is_open[t] ? joined.count - 1
                : first == end      ? targets->base[t]
                                    : base_count + targets->comers[MIN(first + ahead, end - 1)];
  }
  return formula_pick(run->formula, joined, places, targets->count);
}

static row_t replace_by_updates(run_t *run, const step_t *step) {
  formula_t *formula = run->formula;
  const row_t base = run_value(run, step->a), updates = run_value(run, step->b);
  const row_t parts[] = {base, updates, formula_anything(formula)};
  const row_t joined = formula_join(formula, parts, 3);
  const targets_t targets = find_targets(run, step, base.count, updates.count);
  const size_t *order = find_order(run, step);
  size_t most = 1;
  for (size_t i = 0; i < targets.count; i++) {
    most = MAX(most, targets.first[i + 1] - targets.first[i]);
  }
  row_t made = pick_comers(run, &targets, order, joined, base.count, 0);
  for (size_t ahead = 1; ahead < most; ahead++) {
    const row_t other = pick_comers(run, &targets, order, joined, base.count, ahead);
    made = formula_either(formula, made, other);
  }
  return made;
}

row_t run_scatter(run_t *run, const step_t *step) {
  return step->kind == STEP_SCATTER_ADD ? add_updates(run, step) : replace_by_updates(run, step);
}

/* ---- Integers -------------------------------------------------------------------------------- */

integer_row_t run_scatter_integers(run_t *run, const step_t *step) {
  const integer_row_t base = run_integers(run, step->a), updates = run_integers(run, step->b);
  const targets_t targets = find_targets(run, step, base.count, updates.count);
  const size_t *order = find_order(run, step);
  integer_set_t *sets = ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(targets.count, 1));
  for (size_t i = 0; i < targets.count; i++) {
    const size_t t = order[i];
    sets[i] = base.sets[targets.base[t]];
    for (size_t k = targets.first[t]; k < targets.first[t + 1]; k++) {
      const integer_set_t *comer = &updates.sets[targets.comers[k]];
      if (step->kind == STEP_SCATTER_ADD) {
        sets[i] = integer_set_apply(step->type, INTEGER_ADD, sets[i], *comer);
      } else {
        sets[i] = k == targets.first[t] ? *comer : integer_set_unite(sets[i], *comer);
      }
    }
    if (targets.is_open[t]) sets[i] = integer_set_everything(step->type);
  }
  return (integer_row_t){targets.count, sets};
}
