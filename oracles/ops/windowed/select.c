/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements a window may select, by one tree (with faults) or by all in-order or any-order
 * trees. Comparison with NaN is not transitive, so in-order survivors are computed for every
 * contiguous range; without NaN a single fold suffices. */
#include "oracles/ops/windowed/select.h"

#include <math.h>

#include "generated/windowed_faults.h"
#include "oracles/exact/error_bound.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* A value as `compare` sees it: storage integers of a quantized type are in the order of what they
 * stand for. */
typedef struct value {
  bool is_nan;
  double real;    /* Of floats, */
  int64_t number; /* of all others, moved by 2^63 if they are unsigned. */
} value_t;

struct selector {
  windowed_select_t select;
  const value_t *plain;   /* Of each element of the operand, */
  const value_t *flushed; /* and where subnormal numbers compare as zeros. */
  bool has_nan;
};

static value_t load_value(const tensor_t *operand, size_t index) {
  const element_t *element = operand->type.element;
  uint64_t bits = element_load(element, operand->data, index);
  if (element->format != NULL) {
    double real = format_to_double(element->format, bits);
    return (value_t){.is_nan = isnan(real), .real = real};
  }
  if (element->kind == ELEMENT_SIGNED) {
    return (value_t){.number = element_signed_value(element, bits)};
  }
  return (value_t){.number = (int64_t)(bits ^ (UINT64_C(1) << 63))};
}

const selector_t *selector_make(const case_t *instance, arena_t *arena) {
  const tensor_t *operand = &instance->operands[SELECT_OPERAND];
  const format_t *format = operand->type.element->format;
  double normal = format == NULL ? 0 : format_smallest_normal(format);
  size_t count = type_element_count(&operand->type);
  value_t *plain = ARENA_NEW_ARRAY(arena, value_t, count);
  value_t *flushed = ARENA_NEW_ARRAY(arena, value_t, count);
  bool has_nan = false;
  for (size_t i = 0; i < count; i++) {
    flushed[i] = plain[i] = load_value(operand, i);
    has_nan |= plain[i].is_nan;
    if (fabs(plain[i].real) < normal) flushed[i].real = 0;
  }
  selector_t *selector = ARENA_NEW_ARRAY(arena, selector_t, 1);
  *selector = (selector_t){.select = windowed_attributes(&instance->program)->select,
                           .plain = plain,
                           .flushed = flushed,
                           .has_nan = has_nan};
  return selector;
}

bool selector_has_nan(const selector_t *selector) { return selector->has_nan; }

/* Whether `select` keeps `a` beside `b`: never where one of them is NaN. */
static bool keeps(windowed_select_t select, const value_t *a, const value_t *b) {
  if (a->is_nan || b->is_nan) return false;
  bool above = a->real > b->real || a->number > b->number;
  bool below = a->real < b->real || a->number < b->number;
  switch (select) {
    case WINDOWED_SELECT_GE:
      return !below;
    case WINDOWED_SELECT_GT:
      return above;
    case WINDOWED_SELECT_LE:
      return !above;
    default:
      return below;
  }
}

/* ---- One tree -------------------------------------------------------------------------------- */

static windowed_select_t other_tie(windowed_select_t select) {
  static const windowed_select_t others[] = {WINDOWED_SELECT_GT, WINDOWED_SELECT_GE,
                                             WINDOWED_SELECT_LT, WINDOWED_SELECT_LE};
  return others[select];
}

static value_t magnitude(value_t value) {
  value.real = fabs(value.real);
  if (value.number < 0 && value.number > INT64_MIN) value.number = -value.number;
  return value;
}

int64_t selector_fold(const selector_t *selector, const int64_t *elements, size_t count,
                      fault_t fault) {
  windowed_select_t select = selector->select;
  if (fault == FAULT_select_later_tie) select = other_tie(select);
  int64_t selected = -1;
  bool has_any = false;
  value_t best = {.is_nan = false};
  for (size_t i = 0; i < count && fault == FAULT_select_from_zero && selected < 0; i++) {
    selected = elements[i];
    has_any = selected >= 0;
  }
  for (size_t i = 0; i < count; i++) {
    bool is_padding = elements[i] < 0;
    if (is_padding && fault != FAULT_select_takes_padding) continue;
    value_t value = {.is_nan = false};
    if (!is_padding) value = selector->plain[elements[i]];
    if (fault == FAULT_select_by_magnitude) value = magnitude(value);
    if (has_any && fault == FAULT_select_skips_nan && value.is_nan) continue;
    bool replaces_nan = fault == FAULT_select_skips_nan && best.is_nan;
    if (has_any && !replaces_nan && keeps(select, &best, &value)) continue;
    best = value;
    selected = is_padding ? 0 : elements[i];
    has_any = true;
  }
  return selected;
}

/* ---- All trees ------------------------------------------------------------------------------- */

enum { TREES_MAX = 24 }; /* Elements of a window whose trees are all tried. */

/* The elements of a window that are there, and their values. */
typedef struct candidates {
  windowed_select_t select;
  size_t count;
  int64_t *elements;
  value_t *values;
  bool has_nan;
} candidates_t;

/* The candidates from the worst to the best: bit `i` of a set is the one at places[i].  Equal ones
 * are next to one another. */
typedef struct ranking {
  size_t places[TREES_MAX];
  uint32_t better[TREES_MAX]; /* Of bit i: those that are better than it; */
  uint32_t equal[TREES_MAX];  /* those that are equal to it, with itself. */
  bool is_strict;             /* Equal ones are not kept: gt, lt. */
} ranking_t;

/* Some candidates; those that are NaN apart. */
typedef struct outcomes {
  uint32_t numbers;
  uint32_t nans;
} outcomes_t;

static bool is_strict(windowed_select_t select) {
  return select == WINDOWED_SELECT_GT || select == WINDOWED_SELECT_LT;
}

/* By insertion, NaN behind all numbers. */
static void sort_places(const candidates_t *candidates, windowed_select_t strict,
                        size_t places[TREES_MAX]) {
  const value_t *values = candidates->values;
  size_t numbers = 0;
  for (size_t i = 0; i < candidates->count; i++) {
    if (values[i].is_nan) continue;
    size_t place = numbers++;
    for (; place > 0 && keeps(strict, &values[places[place - 1]], &values[i]); place--) {
      places[place] = places[place - 1];
    }
    places[place] = i;
  }
  for (size_t i = 0; i < candidates->count; i++) {
    if (values[i].is_nan) places[numbers++] = i;
  }
}

static void rank(const candidates_t *candidates, ranking_t *out_ranking) {
  const size_t *places = out_ranking->places;
  const value_t *values = candidates->values;
  windowed_select_t strict = candidates->select;
  out_ranking->is_strict = is_strict(strict);
  if (!out_ranking->is_strict) strict = other_tie(strict);
  sort_places(candidates, strict, out_ranking->places);
  for (size_t i = 0; i < candidates->count; i++) {
    out_ranking->better[i] = out_ranking->equal[i] = 0;
    for (size_t j = 0; j < candidates->count; j++) {
      const value_t *own = &values[places[i]], *other = &values[places[j]];
      uint32_t bit = UINT32_C(1) << j;
      if (keeps(strict, other, own)) out_ranking->better[i] |= bit;
      if (keeps(other_tie(strict), other, own) && !keeps(strict, other, own)) {
        out_ranking->equal[i] |= bit;
      }
    }
  }
}

/* Which candidates can come out of a node with any of `left` and any of `right` below it: a right
 * one beside NaN, or where some left one does not keep it out, which the worst does least; a left
 * one where it keeps out some right one. */
static outcomes_t join(const ranking_t *ranking, outcomes_t left, outcomes_t right) {
  outcomes_t joined = {.numbers = 0, .nans = right.nans};
  if (left.nans != 0) joined.numbers |= right.numbers;
  if (left.numbers == 0 || right.numbers == 0) return joined;
  int worst_left = __builtin_ctz(left.numbers);
  int worst_right = __builtin_ctz(right.numbers);
  uint32_t let_in = ranking->better[worst_left];
  uint32_t kept = ranking->better[worst_right];
  if (ranking->is_strict) {
    let_in |= ranking->equal[worst_left];
  } else {
    kept |= ranking->equal[worst_right];
  }
  joined.numbers |= (right.numbers & let_in) | (left.numbers & kept);
  return joined;
}

/* Which candidates some in-order tree selects, marked: of every range, from its parts. */
static void try_trees(const candidates_t *candidates, arena_t *arena, bool *inout_is_choice) {
  size_t count = candidates->count;
  ranking_t ranking;
  rank(candidates, &ranking);
  arena_mark_t mark = arena_mark(arena);
  outcomes_t *sets = arena_alloc_zeroed(arena, count * count * sizeof *sets);
  for (size_t bit = 0; bit < count; bit++) {
    size_t place = ranking.places[bit];
    outcomes_t *own = &sets[place * count + place];
    *(candidates->values[place].is_nan ? &own->nans : &own->numbers) = UINT32_C(1) << bit;
  }
  for (size_t first = count; first-- > 0;) {
    for (size_t last = first + 1; last < count; last++) {
      outcomes_t *whole = &sets[first * count + last];
      for (size_t split = first; split < last; split++) {
        outcomes_t part =
            join(&ranking, sets[first * count + split], sets[(split + 1) * count + last]);
        whole->numbers |= part.numbers;
        whole->nans |= part.nans;
      }
    }
  }
  outcomes_t all = sets[count - 1];
  for (size_t bit = 0; bit < count; bit++) {
    if (((all.numbers | all.nans) >> bit & 1) != 0) inout_is_choice[ranking.places[bit]] = true;
  }
  arena_rewind(arena, mark);
}

/* Marks what some in-order tree selects.  Without NaN every tree selects what a left fold does: the
 * first (last) of the equal extremes.  Windows too large to try their trees may give anything where
 * they hold NaN. */
static void mark_in_order(const candidates_t *candidates, arena_t *arena, bool *inout_is_choice) {
  if (candidates->has_nan && candidates->count <= TREES_MAX) {
    try_trees(candidates, arena, inout_is_choice);
    return;
  }
  size_t best = 0;
  for (size_t i = 0; i < candidates->count; i++) {
    bool kept = keeps(candidates->select, &candidates->values[best], &candidates->values[i]);
    if (i > 0 && !kept) best = i;
    if (candidates->has_nan) inout_is_choice[i] = true;
  }
  inout_is_choice[best] = true;
}

/* Whether no other candidate is better. */
static bool is_extreme(const candidates_t *candidates, size_t index) {
  windowed_select_t select = candidates->select;
  windowed_select_t weak = is_strict(select) ? other_tie(select) : select;
  for (size_t i = 0; i < candidates->count; i++) {
    if (!keeps(weak, &candidates->values[index], &candidates->values[i])) return false;
  }
  return true;
}

static candidates_t candidates_make(const selector_t *selector, const int64_t *elements,
                                    size_t size, bool flushes, arena_t *arena) {
  candidates_t candidates = {
      .select = selector->select,
      .elements = ARENA_NEW_ARRAY(arena, int64_t, size),
      .values = ARENA_NEW_ARRAY(arena, value_t, size),
  };
  for (size_t i = 0; i < size; i++) {
    if (elements[i] < 0) continue;
    value_t value = (flushes ? selector->flushed : selector->plain)[elements[i]];
    candidates.elements[candidates.count] = elements[i];
    candidates.values[candidates.count++] = value;
    candidates.has_nan |= value.is_nan;
  }
  return candidates;
}

static void choose(const candidates_t *candidates, const bool *is_choice, selection_t *selection,
                   arena_t *arena) {
  int64_t *choices = ARENA_NEW_ARRAY(arena, int64_t, candidates->count);
  selection->count = 0;
  for (size_t i = 0; i < candidates->count; i++) {
    if (is_choice[i]) choices[selection->count++] = candidates->elements[i];
  }
  selection->choices = choices;
}

static bool window_has_nan(const selector_t *selector, const int64_t *elements, size_t size) {
  for (size_t i = 0; i < size && selector->has_nan; i++) {
    if (elements[i] >= 0 && selector->plain[elements[i]].is_nan) return true;
  }
  return false;
}

static selection_t selection_make(const selector_t *selector, const int64_t *elements, size_t size,
                                  select_level_t level, arena_t *arena) {
  selection_t selection = {.folded = selector_fold(selector, elements, size, FAULT_NONE),
                           .count = 1};
  if (level == SELECT_IN_ORDER && !window_has_nan(selector, elements, size)) return selection;
  candidates_t plain = candidates_make(selector, elements, size, false, arena);
  candidates_t flushed = candidates_make(selector, elements, size, true, arena);
  if (plain.count < 2) return selection;
  bool *is_choice = arena_alloc_zeroed(arena, plain.count * sizeof *is_choice);
  mark_in_order(&plain, arena, is_choice);
  if (level >= SELECT_FLUSHED) mark_in_order(&flushed, arena, is_choice);
  for (size_t i = 0; i < plain.count && level == SELECT_ANY_ORDER; i++) {
    /* In any order a NaN can be joined to all others, and then to any element, which comes out. */
    is_choice[i] |= plain.has_nan || is_extreme(&flushed, i);
  }
  choose(&plain, is_choice, &selection, arena);
  return selection;
}

const selection_t *selector_choices(const selector_t *selector, const window_elements_t *windows,
                                    select_level_t level, arena_t *arena) {
  selection_t *selections = ARENA_NEW_ARRAY(arena, selection_t, windows->window_count);
  for (size_t i = 0; i < windows->window_count; i++) {
    const int64_t *elements = windows->elements + i * windows->size;
    selections[i] = selection_make(selector, elements, windows->size, level, arena);
  }
  return selections;
}
