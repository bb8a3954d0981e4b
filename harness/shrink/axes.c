/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of an op that tells its axes: fewer entries of an axis, fewer axes, the usual layout.
 */
#include "harness/shrink/state.h"

enum {
  BLOCKS_MAX = 8,       /* In which an axis is cut; finer blocks cost more than they save. */
  TRIED_ONE_BY_ONE = 4, /* Sizes from the smallest that fresh data are tried with. */
};

/* An axis of the best case. */
typedef struct place {
  shrink_t *shrink;
  uint32_t axis;
} place_t;

/* The best case with the sizes and operands of `view`, its entries as selected, in scratch. */
static bool make_view(shrink_t *shrink, const axes_t *axes, const axes_selection_t *selection,
                      axes_t *view, case_t *out_case) {
  arena_reset(&shrink->scratch);
  return axes_view(&shrink->best, axes, selection, view, &shrink->scratch, out_case);
}

static bool try_entries(place_t *place, const size_t *kept, size_t count, bool is_fresh_too) {
  shrink_t *shrink = place->shrink;
  axes_t axes;
  axes_of(&shrink->best.program, &axes);
  if (kept[count - 1] >= (size_t)axes.items[place->axis].size) return false;
  axes_t view = axes;
  view.items[place->axis].size = (int64_t)count;
  axes_selection_t selection = {0};
  selection.from[place->axis] = kept;
  case_t candidate;
  return make_view(shrink, &axes, &selection, &view, &candidate) &&
         shrink_try_shape(shrink, &candidate, is_fresh_too);
}

static bool keep_entries(void *context, const size_t *kept, size_t count) {
  return try_entries((place_t *)context, kept, count, false);
}

static size_t axis_size(const shrink_t *shrink, uint32_t axis) {
  axes_t axes;
  axes_of(&shrink->best.program, &axes);
  return (size_t)axes.items[axis].size;
}

/* Whether roundings show depends on the numbers: sizes that the present ones do not get to are
 * tried with others. */
static bool shrink_with_fresh_data(place_t *place) {
  shrink_t *shrink = place->shrink;
  size_t size = axis_size(shrink, place->axis);
  size_t *kept = g_new(size_t, size);
  for (size_t i = 0; i < size; i++) kept[i] = i;
  bool is_changed = false;
  for (size_t fewer = 1; fewer < MIN(size, TRIED_ONE_BY_ONE + 1) && !is_changed; fewer++) {
    is_changed = try_entries(place, kept, fewer, true);
  }
  if (!is_changed && size / 2 > TRIED_ONE_BY_ONE) {
    is_changed = try_entries(place, kept, size / 2, true);
  }
  if (!is_changed && size - 1 > TRIED_ONE_BY_ONE) {
    is_changed = try_entries(place, kept, size - 1, true);
  }
  g_free(kept);
  return is_changed;
}

static bool shrink_axis(shrink_t *shrink, uint32_t axis) {
  place_t place = {.shrink = shrink, .axis = axis};
  size_t size = axis_size(shrink, axis);
  if (size < 2) return false;
  bool is_changed = shrink_leave_out(shrink, size, 1, BLOCKS_MAX, keep_entries, &place);
  while (axis_size(shrink, axis) > 1 && !shrink_is_over(shrink)) {
    if (!shrink_with_fresh_data(&place)) break;
    is_changed = true;
  }
  return is_changed;
}

/* Takes the axes of a set that have one entry out of all operands. */
static bool try_drop(shrink_t *shrink, uint32_t set) {
  axes_t axes;
  axes_of(&shrink->best.program, &axes);
  axes_t view = axes;
  bool is_changed = false;
  for (uint32_t operand = 0; operand < CASE_OPERANDS_MAX; operand++) {
    axis_list_t *list = &view.operands[operand];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
      uint32_t axis = list->axes[i];
      bool is_dropped = (set >> axis & 1) != 0 && axes.items[axis].size == 1;
      if (!is_dropped) list->axes[kept++] = axis;
    }
    is_changed |= kept != list->count;
    list->count = kept;
  }
  const axes_selection_t selection = {0};
  case_t candidate;
  return is_changed && make_view(shrink, &axes, &selection, &view, &candidate) &&
         shrink_try_shape(shrink, &candidate, false);
}

static bool drop_axes(shrink_t *shrink) {
  if (try_drop(shrink, UINT32_MAX)) return true;
  bool is_changed = false;
  for (uint32_t axis = AXES_MAX; axis-- > 0;) {
    is_changed |= try_drop(shrink, 1u << axis);
  }
  return is_changed;
}

/* Two axes of one role become one that is as long as both: rows of 2 times 3 become 6. */
static bool try_merge(shrink_t *shrink, uint32_t into, uint32_t from) {
  axes_t axes;
  axes_of(&shrink->best.program, &axes);
  if (into >= axes.count || from >= axes.count) return false;
  axes_t view = axes;
  size_t size = (size_t)axes.items[into].size;
  size_t merged = size * (size_t)axes.items[from].size;
  if (axes.items[into].role != axes.items[from].role || size < 2 || merged == size) return false;
  view.items[into].size = (int64_t)merged;
  view.items[from].size = 1;
  for (uint32_t operand = 0; operand < CASE_OPERANDS_MAX; operand++) {
    axis_list_t *list = &view.operands[operand];
    int at = axis_list_find(list, from);
    if (at < 0) continue;
    for (uint32_t i = (uint32_t)at + 1; i < list->count; i++) list->axes[i - 1] = list->axes[i];
    list->count--;
  }
  size_t *repeated = g_new(size_t, merged);
  for (size_t i = 0; i < merged; i++) repeated[i] = i % size;
  axes_selection_t selection = {0};
  selection.from[into] = repeated;
  case_t candidate;
  bool is_changed = make_view(shrink, &axes, &selection, &view, &candidate) &&
                    shrink_try_shape(shrink, &candidate, true);
  g_free(repeated);
  return is_changed;
}

static bool merge_axes(shrink_t *shrink) {
  bool is_changed = false;
  axes_t axes;
  axes_of(&shrink->best.program, &axes);
  for (uint32_t into = 0; into < axes.count; into++) {
    for (uint32_t from = into + 1; from < axes.count; from++) {
      is_changed |= try_merge(shrink, into, from);
    }
  }
  return is_changed;
}

static bool sort_list(const axes_t *axes, axis_list_t *list) {
  bool is_changed = false;
  for (uint32_t i = 1; i < list->count; i++) {
    for (uint32_t j = i; j > 0; j--) {
      uint32_t axis = list->axes[j];
      if (shrink_axis_place(axes, list->axes[j - 1]) <= shrink_axis_place(axes, axis)) break;
      list->axes[j] = list->axes[j - 1];
      list->axes[j - 1] = axis;
      is_changed = true;
    }
  }
  return is_changed;
}

/* Lays operands out in the usual order: all of them, or the one. */
static bool try_usual_layout(shrink_t *shrink, uint32_t first, uint32_t end) {
  axes_t axes;
  axes_of(&shrink->best.program, &axes);
  axes_t view = axes;
  bool is_changed = false;
  for (uint32_t i = first; i < end; i++) is_changed |= sort_list(&axes, &view.operands[i]);
  const axes_selection_t selection = {0};
  case_t candidate;
  return is_changed && make_view(shrink, &axes, &selection, &view, &candidate) &&
         shrink_try_shape(shrink, &candidate, true);
}

static bool straighten(shrink_t *shrink) {
  uint32_t count = shrink->best.program.operand_count;
  if (try_usual_layout(shrink, 0, count)) return true;
  bool is_changed = false;
  for (uint32_t i = 0; i < count; i++) is_changed |= try_usual_layout(shrink, i, i + 1);
  return is_changed;
}

bool shrink_axes(shrink_t *shrink) {
  bool is_changed = false;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t axis = 0; axis < AXES_MAX && !shrink_is_over(shrink); axis++) {
      axes_t axes;
      axes_of(&shrink->best.program, &axes);
      if (axis >= axes.count || (axes.items[axis].role == AXIS_TERM) != (pass == 1)) continue;
      is_changed |= shrink_axis(shrink, axis);
    }
  }
  is_changed |= drop_axes(shrink);
  is_changed |= merge_axes(shrink);
  is_changed |= straighten(shrink);
  return is_changed;
}
