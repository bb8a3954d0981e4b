#include "oracles/ops/windowed/windowed_select.h"

#include <math.h>

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
  for (size_t i = 0; i < count; i++) {
    flushed[i] = plain[i] = load_value(operand, i);
    if (fabs(plain[i].real) < normal) flushed[i].real = 0;
  }
  selector_t *selector = ARENA_NEW_ARRAY(arena, selector_t, 1);
  *selector = (selector_t){.select = windowed_attributes(&instance->program)->select,
                           .plain = plain,
                           .flushed = flushed};
  return selector;
}

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

int64_t selector_fold(const selector_t *selector, const int64_t *elements, size_t count,
                      fault_t fault) {
  windowed_select_t select = selector->select;
  if (fault == FAULT_select_later_tie) select = other_tie(select);
  int64_t selected = -1;
  bool has_any = false;
  value_t best = {.is_nan = false};
  for (size_t i = 0; i < count; i++) {
    bool is_padding = elements[i] < 0;
    if (is_padding && fault != FAULT_select_takes_padding) continue;
    value_t value = {.is_nan = false};
    if (!is_padding) value = selector->plain[elements[i]];
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

enum { TREES_MAX = 32 }; /* Elements of a window whose trees are all tried. */

/* The elements of a window that are there, and their values. */
typedef struct candidates {
  windowed_select_t select;
  size_t count;
  int64_t *elements;
  value_t *values;
  bool has_nan;
} candidates_t;

/* Which candidates can come out of a node with any of `left` and any of `right` below it. */
static uint32_t join(const candidates_t *candidates, uint32_t left, uint32_t right) {
  uint32_t joined = 0;
  for (uint32_t a = left; a != 0; a &= a - 1) {
    for (uint32_t b = right; b != 0; b &= b - 1) {
      int i = __builtin_ctz(a), j = __builtin_ctz(b);
      bool kept = keeps(candidates->select, &candidates->values[i], &candidates->values[j]);
      joined |= UINT32_C(1) << (kept ? i : j);
    }
  }
  return joined;
}

/* Which candidates some in-order tree selects, as bits: of every range, from its parts. */
static uint32_t try_trees(const candidates_t *candidates, arena_t *arena) {
  size_t count = candidates->count;
  arena_mark_t mark = arena_mark(arena);
  uint32_t *sets = arena_alloc_zeroed(arena, count * count * sizeof *sets);
  for (size_t first = count; first-- > 0;) {
    sets[first * count + first] = UINT32_C(1) << first;
    for (size_t last = first + 1; last < count; last++) {
      for (size_t split = first; split < last; split++) {
        uint32_t left = sets[first * count + split];
        sets[first * count + last] |= join(candidates, left, sets[(split + 1) * count + last]);
      }
    }
  }
  uint32_t all = sets[count - 1];
  arena_rewind(arena, mark);
  return all;
}

/* Without NaN every in-order tree selects what a left fold does: the first (last) of the equal
 * extremes.  Windows too large to try their trees may give anything where they hold NaN. */
static uint32_t selected_in_order(const candidates_t *candidates, arena_t *arena) {
  if (candidates->has_nan) return try_trees(candidates, arena);
  size_t best = 0;
  for (size_t i = 1; i < candidates->count; i++) {
    bool kept = keeps(candidates->select, &candidates->values[best], &candidates->values[i]);
    if (!kept) best = i;
  }
  return UINT32_C(1) << best;
}

/* Whether no other candidate is better. */
static bool is_extreme(const candidates_t *candidates, size_t index) {
  windowed_select_t select = candidates->select;
  bool is_strict = select == WINDOWED_SELECT_GT || select == WINDOWED_SELECT_LT;
  windowed_select_t weak = is_strict ? other_tie(select) : select;
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

static bool has_nan(const selector_t *selector, const int64_t *elements, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (elements[i] >= 0 && selector->plain[elements[i]].is_nan) return true;
  }
  return false;
}

static selection_t selection_make(const selector_t *selector, const int64_t *elements, size_t size,
                                  select_level_t level, arena_t *arena) {
  selection_t selection = {.folded = selector_fold(selector, elements, size, FAULT_NONE),
                           .count = 1};
  if (level == SELECT_IN_ORDER && !has_nan(selector, elements, size)) return selection;
  candidates_t plain = candidates_make(selector, elements, size, false, arena);
  candidates_t flushed = candidates_make(selector, elements, size, true, arena);
  if (plain.count < 2) return selection;
  bool *is_choice = arena_alloc_zeroed(arena, plain.count * sizeof *is_choice);
  /* In any order a NaN can be joined to all others, and then to any element, which comes out. */
  bool takes_any = plain.has_nan && (level == SELECT_ANY_ORDER || plain.count > TREES_MAX);
  bool takes_extremes =
      level == SELECT_ANY_ORDER || (level == SELECT_FLUSHED && plain.count > TREES_MAX);
  uint32_t in_order = 0;
  if (!takes_any && plain.count <= TREES_MAX) {
    in_order = selected_in_order(&plain, arena);
    if (level >= SELECT_FLUSHED) in_order |= selected_in_order(&flushed, arena);
  }
  for (size_t i = 0; i < plain.count; i++) {
    is_choice[i] = takes_any || plain.elements[i] == selection.folded ||
                   (i < TREES_MAX && (in_order >> i & 1) != 0) ||
                   (takes_extremes && is_extreme(&flushed, i));
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
