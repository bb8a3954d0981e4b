/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy shrinking of a broken instance: axis sizes one by one from the smallest or by bisection,
 * layouts and parameters, with fresh data where the old no longer shows the break. */
#include "harness/invariance/shrink.h"

#include <string.h>

#include "harness/gen/gen.h"

enum {
  ROUNDS_MAX = 8,
  FRESH_DATA = 8,        /* Data sets tried besides the instance's own. */
  TRIED_ONE_BY_ONE = 16, /* Sizes of an axis, from the smallest; longer ones are bisected. */
};

typedef struct shrink {
  const invariance_shrink_options_t *options;
  rng_t rng;
  arena_t arenas[2]; /* The best instance lives in arenas[at]. */
  int at;
  arena_t scratch; /* Of one candidate. */
  invariance_instance_t best;
  invariance_check_t check; /* Of `best`. */
  uint32_t checks;
} shrink_t;

static bool is_over(const shrink_t *shrink) {
  const invariance_shrink_options_t *options = shrink->options;
  if (options->stop != NULL && *options->stop != 0) return true;
  return shrink->checks >= options->checks_max;
}

static void keep(shrink_t *shrink, const invariance_instance_t *instance,
                 const invariance_check_t *check) {
  shrink->at = 1 - shrink->at;
  arena_reset(&shrink->arenas[shrink->at]);
  shrink->best = invariance_copy(instance, &shrink->arenas[shrink->at]);
  shrink->check = *check;
}

static bool breaks(shrink_t *shrink, const invariance_instance_t *candidate,
                   invariance_check_t *out_check) {
  shrink->checks++;
  arena_mark_t mark = arena_mark(&shrink->scratch);
  invariance_check_afresh(shrink->options->executor, candidate, shrink->options->executions,
                          &shrink->scratch, out_check);
  arena_rewind(&shrink->scratch, mark);
  return out_check->outcome == INVARIANCE_OUTCOME_broken;
}

/* Takes the candidate if it breaks, on its own data or on new ones: whether rounding shows depends
 * on the numbers, and what is sought depends on sizes.  A number that differs does not become a
 * zero whose sign does. */
static bool accept(shrink_t *shrink, invariance_instance_t *candidate) {
  invariance_check_t check;
  for (int i = 0; i <= FRESH_DATA && !is_over(shrink); i++) {
    gen_regime_t regime = i % 2 == 0 ? REGIME_uniform : REGIME_cancelling;
    if (i > 0) gen_data_in_regime(&shrink->rng, regime, &candidate->base);
    if (!breaks(shrink, candidate, &check)) continue;
    if (check.difference.is_sign_of_zero && !shrink->check.difference.is_sign_of_zero) continue;
    keep(shrink, candidate, &check);
    return true;
  }
  return false;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* The index of the differing element along each axis; 0 where its result does not have the axis. */
static void locate(const shrink_t *shrink, int64_t out_indices[AXES_MAX]) {
  const invariance_difference_t *difference = &shrink->check.difference;
  const axes_t *axes = &shrink->best.axes;
  const axis_list_t *list = &axes->results[difference->result];
  const type_t *type = &shrink->best.base.program.results[difference->result];
  size_t element = difference->base_component / type->element->components;
  memset(out_indices, 0, AXES_MAX * sizeof *out_indices);
  for (uint32_t i = list->count; i-- > 0;) {
    size_t size = (size_t)axes->items[list->axes[i]].size;
    out_indices[list->axes[i]] = (int64_t)(element % size);
    element /= size;
  }
}

/* Indices first, first + 1, ... of an axis that has `period` of them; over again if it gets longer.
 */
static const size_t *window(int64_t first, int64_t size, int64_t period, arena_t *arena) {
  size_t *from = ARENA_NEW_ARRAY(arena, size_t, (size_t)size);
  for (int64_t i = 0; i < size; i++) from[i] = (size_t)((first + i) % period);
  return from;
}

/* The best instance with the given sizes and layout of its base, in scratch.  Entries are kept from
 * around the one that differs. */
static bool make_candidate(shrink_t *shrink, const axes_t *axes,
                           invariance_instance_t *out_candidate) {
  const invariance_instance_t *best = &shrink->best;
  arena_reset(&shrink->scratch);
  *out_candidate = *best;
  out_candidate->axes = *axes;
  int64_t indices[AXES_MAX];
  locate(shrink, indices);
  axes_selection_t selection = {0};
  bool is_counted = invariance_is_counted(best->property);
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    int64_t size = axes->items[axis].size;
    int64_t period = best->axes.items[axis].size;
    bool keeps_first = (is_counted && axis == best->axis) || size > period;
    int64_t first = keeps_first ? 0 : MIN(indices[axis], period - size);
    selection.from[axis] = window(first, size, period, &shrink->scratch);
  }
  return axes_view(&best->base, &best->axes, &selection, &out_candidate->axes, &shrink->scratch,
                   &out_candidate->base);
}

static bool has_axis(const invariance_instance_t *instance, uint32_t axis) {
  invariance_kind_t kind = invariance_table[instance->property].kind;
  bool speaks_of_one =
      invariance_is_counted(instance->property) || kind == INVARIANCE_KIND_POSITION;
  return speaks_of_one && instance->axis == axis;
}

static bool try_size(shrink_t *shrink, uint32_t axis, int64_t size) {
  axes_t axes = shrink->best.axes;
  axes.items[axis].size = size;
  invariance_instance_t candidate;
  if (!make_candidate(shrink, &axes, &candidate)) return false;
  if (has_axis(&candidate, axis)) {
    candidate.count = MIN(candidate.count, size - 1);
    candidate.shift = MIN(candidate.shift, size - 1);
  }
  return accept(shrink, &candidate);
}

static bool shrink_axis(shrink_t *shrink, uint32_t axis) {
  int64_t first = has_axis(&shrink->best, axis) ? 2 : 1;
  int64_t holds = first - 1; /* The largest size that was found not to break. */
  int64_t size = shrink->best.axes.items[axis].size;
  while (holds + 1 < size && holds + 1 < first + TRIED_ONE_BY_ONE && !is_over(shrink)) {
    if (try_size(shrink, axis, holds + 1)) return true;
    holds++;
  }
  bool is_changed = false;
  while (shrink->best.axes.items[axis].size - holds > 1 && !is_over(shrink)) {
    int64_t middle = holds + (shrink->best.axes.items[axis].size - holds) / 2;
    if (try_size(shrink, axis, middle)) {
      is_changed = true;
    } else {
      holds = middle;
    }
  }
  return is_changed;
}

/* The smallest count, or the smallest shift. */
static bool shrink_parameter(shrink_t *shrink) {
  invariance_kind_t kind = invariance_table[shrink->best.property].kind;
  bool is_count = invariance_is_counted(shrink->best.property);
  if (!is_count && kind != INVARIANCE_KIND_POSITION) return false;
  int64_t present = is_count ? shrink->best.count : shrink->best.shift;
  for (int64_t value = 1; value < MIN(present, TRIED_ONE_BY_ONE) && !is_over(shrink); value++) {
    invariance_instance_t candidate;
    if (!make_candidate(shrink, &shrink->best.axes, &candidate)) return false;
    *(is_count ? &candidate.count : &candidate.shift) = value;
    if (accept(shrink, &candidate)) return true;
  }
  return false;
}

/* Two axes of one role become one that is as long as both: five entries may be fewer than two times
 * three. */
static bool merge_axes(shrink_t *shrink, uint32_t into, uint32_t from) {
  axes_t axes = shrink->best.axes;
  if (into == from || has_axis(&shrink->best, from)) return false;
  if (axes.items[into].role != axes.items[from].role) return false;
  if (axes.items[into].size < 2 || axes.items[from].size < 2) return false;
  axes.items[into].size *= axes.items[from].size;
  axes.items[from].size = 1;
  invariance_instance_t candidate;
  return make_candidate(shrink, &axes, &candidate) && accept(shrink, &candidate);
}

static bool merge_all(shrink_t *shrink) {
  bool is_changed = false;
  for (uint32_t into = 0; into < shrink->best.axes.count; into++) {
    for (uint32_t from = 0; from < shrink->best.axes.count; from++) {
      is_changed |= merge_axes(shrink, into, from);
    }
  }
  return is_changed;
}

static void list_remove(axis_list_t *list, uint32_t axis) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->axes[i] != axis) list->axes[kept++] = list->axes[i];
  }
  list->count = kept;
}

static bool drop_axis(shrink_t *shrink, uint32_t axis) {
  axes_t axes = shrink->best.axes;
  bool is_listed = false;
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) {
    is_listed |= axis_list_find(&axes.operands[i], axis) >= 0;
    list_remove(&axes.operands[i], axis);
  }
  if (!is_listed || axes.items[axis].size != 1) return false;
  invariance_instance_t candidate;
  if (!make_candidate(shrink, &axes, &candidate)) return false;
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) list_remove(&candidate.operands[i], axis);
  return accept(shrink, &candidate);
}

/* ---- Layouts --------------------------------------------------------------------------------- */

/* The usual order: rows before terms before columns. */
static int place_of(const axes_t *axes, uint32_t axis) {
  static const int of_role[AXIS_ROLE_COUNT] = {
      [AXIS_BATCH] = 0, [AXIS_ROW] = 1, [AXIS_TERM] = 2, [AXIS_COLUMN] = 3};
  return of_role[axes->items[axis].role] * AXES_MAX + (int)axis;
}

static bool list_sort(const axes_t *axes, axis_list_t *list) {
  bool is_changed = false;
  for (uint32_t i = 1; i < list->count; i++) {
    for (uint32_t j = i; j > 0; j--) {
      uint32_t axis = list->axes[j];
      if (place_of(axes, list->axes[j - 1]) <= place_of(axes, axis)) break;
      list->axes[j] = list->axes[j - 1];
      list->axes[j - 1] = axis;
      is_changed = true;
    }
  }
  return is_changed;
}

/* Lays the base out in the usual order. */
static bool straighten(shrink_t *shrink) {
  axes_t axes = shrink->best.axes;
  bool is_changed = false;
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) {
    is_changed |= list_sort(&axes, &axes.operands[i]);
  }
  invariance_instance_t candidate;
  return is_changed && make_candidate(shrink, &axes, &candidate) && accept(shrink, &candidate);
}

/* Leaves one more operand as it is in the base. */
static bool change_fewer_operands(shrink_t *shrink) {
  if (invariance_table[shrink->best.property].kind != INVARIANCE_KIND_LAYOUT) return false;
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX && !is_over(shrink); i++) {
    const axis_list_t *list = &shrink->best.axes.operands[i];
    if (axis_list_equal(list, &shrink->best.operands[i])) continue;
    invariance_instance_t candidate;
    if (!make_candidate(shrink, &shrink->best.axes, &candidate)) return false;
    candidate.operands[i] = *list;
    if (accept(shrink, &candidate)) return true;
  }
  return false;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* One pass over everything that can be made smaller: terms after the rest, the property's own axis
 * last, so that where it begins to break is found on an instance that is small already. */
static bool shrink_once(shrink_t *shrink) {
  bool is_changed = shrink_parameter(shrink);
  is_changed |= merge_all(shrink);
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t axis = 0; axis < shrink->best.axes.count; axis++) {
      bool is_own = has_axis(&shrink->best, axis);
      bool is_term = shrink->best.axes.items[axis].role == AXIS_TERM;
      if (pass != (is_own ? 2 : is_term ? 1 : 0)) continue;
      is_changed |= shrink_axis(shrink, axis);
      if (!is_own) is_changed |= drop_axis(shrink, axis);
    }
  }
  is_changed |= straighten(shrink);
  is_changed |= change_fewer_operands(shrink);
  return is_changed;
}

void invariance_shrink(const invariance_shrink_options_t *options,
                       const invariance_instance_t *instance, const invariance_check_t *check,
                       arena_t *arena, invariance_instance_t *out_instance,
                       invariance_check_t *out_check) {
  shrink_t shrink = {.options = options, .rng = rng_make(options->seed)};
  arena_init(&shrink.arenas[0]);
  arena_init(&shrink.arenas[1]);
  arena_init(&shrink.scratch);
  keep(&shrink, instance, check);
  for (int round = 0; round < ROUNDS_MAX && !is_over(&shrink); round++) {
    if (!shrink_once(&shrink)) break;
  }
  *out_instance = invariance_copy(&shrink.best, arena);
  *out_check = shrink.check;
  arena_deinit(&shrink.arenas[0]);
  arena_deinit(&shrink.arenas[1]);
  arena_deinit(&shrink.scratch);
}
