/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a step at places that another step gives (theory.md, T201). */
#include "oracles/ops/declared/gather.h"

/* Where what is gathered for each number of the step lies: place 0 along the index, how far apart
 * neighbours along it are, and which places it may be. */
typedef struct wanted {
  size_t count;
  size_t extent; /* Of the index. */
  size_t stride;
  const size_t *base;
  integer_row_t places;
} wanted_t;

static wanted_t find_wanted(run_t *run, const step_t *step, size_t value_count) {
  const uint32_t to = step->mask & run->declaration->inner;
  size_t strides[DECLARED_INDICES_MAX];
  run_strides(run, value_count == 1 ? 0 : run_inner(run, step->a), strides);
  wanted_t wanted = {.count = declared_extent(run->declaration, &run->binding, to),
                     .extent = run->binding.extent[step->index],
                     .stride = strides[step->index]};
  strides[step->index] = 0;
  wanted.base =
      declared_offsets(run->declaration, &run->binding, to, 0, strides, run->formula->arena);
  wanted.places = run_integers_along(run, step->b, to);
  return wanted;
}

/* The places that number `i` may be at; those beyond an end are at it.  False: it may be outside,
 * and the file says that it never is. */
static bool find_range(const wanted_t *wanted, const step_t *step, size_t i, size_t *out_low,
                       size_t *out_high) {
  const integer_set_t *set = &wanted->places.sets[wanted->places.count == 1 ? 0 : i];
  const integer_t last = (integer_t)wanted->extent - 1;
  *out_low = (size_t)CLAMP(set->low, 0, last);
  *out_high = (size_t)CLAMP(set->high, 0, last);
  return !step->is_bounded || (set->low >= 0 && set->high <= last);
}

/* The numbers `ahead` places behind the first that each may be at, or the last of them. */
static row_t pick_ahead(run_t *run, const step_t *step, const wanted_t *wanted, row_t from,
                        size_t of_anything, size_t ahead) {
  size_t *places = ARENA_NEW_ARRAY(run->formula->arena, size_t, MAX(wanted->count, 1));
  const bool is_fast = formula_is_fast(run->formula), is_model = run->formula->schedule != NULL;
  for (size_t i = 0; i < wanted->count; i++) {
    size_t low, high;
    bool is_inside = find_range(wanted, step, i, &low, &high);
    bool is_unknown = (!is_inside && !is_model) || (is_fast && low != high);
    places[i] =
        is_unknown ? of_anything : wanted->base[i] + MIN(low + ahead, high) * wanted->stride;
  }
  return formula_pick(run->formula, from, places, wanted->count);
}

row_t run_gather(run_t *run, const step_t *step) {
  const row_t value = run_value(run, step->a);
  const wanted_t wanted = find_wanted(run, step, value.count);
  const row_t parts[] = {value, formula_anything(run->formula)};
  const row_t joined = formula_join(run->formula, parts, 2);
  row_t made = pick_ahead(run, step, &wanted, joined, value.count, 0);
  if (formula_is_fast(run->formula)) return made;
  size_t most = 0;
  for (size_t i = 0; i < wanted.count; i++) {
    size_t low, high;
    if (find_range(&wanted, step, i, &low, &high)) most = MAX(most, high - low);
  }
  for (size_t ahead = 1; ahead <= most; ahead++) {
    row_t other = pick_ahead(run, step, &wanted, joined, value.count, ahead);
    made = formula_either(run->formula, made, other);
  }
  return made;
}

integer_row_t run_gather_integers(run_t *run, const step_t *step) {
  const integer_row_t value = run_integers(run, step->a);
  const wanted_t wanted = find_wanted(run, step, value.count);
  integer_set_t *sets = ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(wanted.count, 1));
  for (size_t i = 0; i < wanted.count; i++) {
    size_t low, high;
    bool is_inside = find_range(&wanted, step, i, &low, &high);
    sets[i] = value.sets[wanted.base[i] + low * wanted.stride];
    for (size_t place = low + 1; place <= high; place++) {
      sets[i] = integer_set_unite(sets[i], value.sets[wanted.base[i] + place * wanted.stride]);
    }
    if (!is_inside) sets[i] = integer_set_everything(step->type);
  }
  return (integer_row_t){wanted.count, sets};
}

row_t run_pick(run_t *run, const step_t *step) {
  uint32_t from = run_inner(run, step->a), to = step->mask & run->declaration->inner;
  row_t value = run_value(run, step->a);
  if (value.count == 1) return value;
  size_t count;
  size_t *places = run_places(run, from, to, 0, run_start(run, step), &count);
  return formula_pick(run->formula, value, places, count);
}
