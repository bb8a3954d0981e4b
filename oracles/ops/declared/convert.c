/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a declared op that make floats of integers or of floats (theory.md, T155, T204). */
#include "oracles/ops/declared/convert.h"

/* Any number in the place of those that were made of integers that may be any of their type. */
static row_t without_unknown(run_t *run, const step_t *step, integer_row_t from, row_t made) {
  const integer_set_t all = integer_set_everything(run->meaning->steps[step->a].type);
  const row_t rows[] = {made, formula_anything(run->formula)};
  size_t *places = ARENA_NEW_ARRAY(run->formula->arena, size_t, MAX(from.count, 1));
  bool has_unknown = false;
  for (size_t i = 0; i < from.count; i++) {
    bool is_unknown = from.sets[i].low == all.low && from.sets[i].high == all.high;
    places[i] = is_unknown ? made.count : i;
    has_unknown |= is_unknown;
  }
  if (!has_unknown) return made;
  return formula_pick(run->formula, formula_join(run->formula, rows, 2), places, from.count);
}

/* Integers as floats, or floats rounded to another type of them. */
row_t run_convert(run_t *run, const step_t *step) {
  bool is_float = run->meaning->steps[step->a].type == NULL;
  if (is_float) return formula_convert(run->formula, step->format, run_value(run, step->a));
  integer_row_t from = run_integers(run, step->a);
  row_t made = formula_from_integers(run->formula, step->format, from.sets, from.count);
  return step->keeps_unknown ? without_unknown(run, step, from, made) : made;
}
