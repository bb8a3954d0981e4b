/* SPDX-License-Identifier: Apache-2.0 */
/* Draws an instance of an invariance property (axis, count, shift or layout) and makes the second
 * case by an axis view of the first. */
#include "harness/invariance/instance.h"

#include <string.h>

#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"

const invariance_row_t invariance_table[INVARIANCE_COUNT] = {
#define INVARIANCE(name, spelling, kind, role, noun, summary) \
  {spelling, INVARIANCE_KIND_##kind, role, noun, summary},
#include "harness/invariance/properties.def"
#undef INVARIANCE
};

bool invariance_is_counted(invariance_property_t property) {
  invariance_kind_t kind = invariance_table[property].kind;
  return kind == INVARIANCE_KIND_COUNT || kind == INVARIANCE_KIND_SIZES;
}

bool invariance_has_two_cases(invariance_property_t property) {
  invariance_kind_t kind = invariance_table[property].kind;
  return invariance_is_counted(property) || kind == INVARIANCE_KIND_POSITION ||
         kind == INVARIANCE_KIND_LAYOUT;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* One of the axes of that role that have two entries at least. */
static bool draw_axis(rng_t *rng, const axes_t *axes, axis_role_t role, uint32_t *out_axis) {
  uint32_t fitting[AXES_MAX];
  uint32_t count = 0;
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    if (axes->items[axis].role == role && axes->items[axis].size > 1) fitting[count++] = axis;
  }
  if (count == 0) return false;
  *out_axis = fitting[rng_below(rng, count)];
  return true;
}

/* The outermost axis of that role that has two entries at least: cutting it short leaves every
 * entry, counted over all axes of the role, where it was. */
static bool find_outer_axis(const axes_t *axes, axis_role_t role, uint32_t *out_axis) {
  const axis_list_t *list = &axes->results[0];
  for (uint32_t i = 0; i < list->count; i++) {
    const axis_t *axis = &axes->items[list->axes[i]];
    if (axis->role != role || axis->size < 2) continue;
    *out_axis = list->axes[i];
    return true;
  }
  return false;
}

/* One entry is left one time in two: programs for vectors are often written apart. */
static int64_t draw_count(rng_t *rng, int64_t size) {
  return rng_one_in(rng, 2) ? 1 : rng_between(rng, 1, size - 1);
}

/* Makes the size of an axis unknown, of a role of which there is one: they are tried in an order
 * that is drawn. */
static bool draw_unknown_size(rng_t *rng, const axes_t *axes, invariance_instance_t *instance) {
  static const axis_role_t roles[] = {AXIS_BATCH, AXIS_ROW, AXIS_COLUMN};
  size_t first = rng_below(rng, G_N_ELEMENTS(roles));
  for (size_t i = 0; i < G_N_ELEMENTS(roles); i++) {
    axis_role_t role = roles[(first + i) % G_N_ELEMENTS(roles)];
    if (!find_outer_axis(axes, role, &instance->axis)) continue;
    if (!dynamic_mark(&instance->base.program, 1u << instance->axis)) continue;
    instance->count = draw_count(rng, axes->items[instance->axis].size);
    return true;
  }
  return false;
}

static void shuffle(rng_t *rng, axis_list_t *list) {
  for (uint32_t i = list->count; i > 1; i--) {
    uint32_t other = (uint32_t)rng_below(rng, i);
    uint32_t axis = list->axes[i - 1];
    list->axes[i - 1] = list->axes[other];
    list->axes[other] = axis;
  }
}

/* Puts the axes of a role that is not listed back into the order that they have in `original`: the
 * terms and the result elements keep their numbers. */
static void keep_order(const axes_t *axes, axis_role_t role, const axis_list_t *original,
                       axis_list_t *list) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    if (axes->items[list->axes[i]].role != role) continue;
    while (axes->items[original->axes[next]].role != role) next++;
    list->axes[i] = original->axes[next++];
  }
}

/* One operand in two keeps its layout, so that each is seen to matter by itself. */
static bool draw_layout(rng_t *rng, const axes_t *axes, invariance_instance_t *instance) {
  bool is_changed = false;
  memcpy(instance->operands, axes->operands, sizeof instance->operands);
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) {
    axis_list_t *list = &instance->operands[i];
    if (list->count < 2 || rng_one_in(rng, 2)) continue;
    shuffle(rng, list);
    for (axis_role_t role = 0; role < AXIS_ROLE_COUNT; role++) {
      if (!axes->is_listed[role]) keep_order(axes, role, &axes->operands[i], list);
    }
    is_changed |= !axis_list_equal(list, &axes->operands[i]);
  }
  return is_changed;
}

/* Whether two elements of a result have one value by the op's definition. */
static bool shares_values(const program_t *program) {
  if (program->op->leaders == NULL) return false;
  bool shares = false;
  arena_t arena;
  arena_init(&arena);
  for (uint32_t result = 0; result < program->result_count && !shares; result++) {
    const size_t *leaders = program->op->leaders(program, result, &arena);
    size_t count = type_element_count(&program->results[result]);
    for (size_t i = 0; i < count && !shares; i++) shares = leaders[i] != i;
  }
  arena_deinit(&arena);
  return shares;
}

bool invariance_draw(rng_t *rng, invariance_property_t property, const case_t *base,
                     const axes_t *axes, invariance_instance_t *out_instance) {
  enum { LAYOUTS_TRIED = 4 };
  const invariance_row_t *row = &invariance_table[property];
  invariance_instance_t *instance = out_instance;
  *instance = (invariance_instance_t){.property = property, .base = *base, .axes = *axes};
  switch (row->kind) {
    case INVARIANCE_KIND_COUNT:
      if (!find_outer_axis(axes, row->role, &instance->axis)) return false;
      instance->count = draw_count(rng, axes->items[instance->axis].size);
      return true;
    case INVARIANCE_KIND_SIZES:
      return draw_unknown_size(rng, axes, instance);
    case INVARIANCE_KIND_POSITION:
      if (!draw_axis(rng, axes, row->role, &instance->axis)) return false;
      instance->shift = rng_between(rng, 1, axes->items[instance->axis].size - 1);
      return true;
    case INVARIANCE_KIND_LAYOUT:
      for (int i = 0; i < LAYOUTS_TRIED; i++) {
        if (draw_layout(rng, axes, instance)) return true;
      }
      return false;
    case INVARIANCE_KIND_REPLICAS:
      return shares_values(&base->program);
    case INVARIANCE_KIND_RUNS:
    case INVARIANCE_KIND_COMPILES:
    default:
      return true;
  }
}

/* ---- The other case -------------------------------------------------------------------------- */

static const size_t *rotate(int64_t size, int64_t shift, arena_t *arena) {
  size_t *from = ARENA_NEW_ARRAY(arena, size_t, (size_t)size);
  for (int64_t i = 0; i < size; i++) from[(i + shift) % size] = (size_t)i;
  return from;
}

/* An op may lay out operands alike that were to differ, and so undo the change. */
static bool is_same_layout(const axes_t *axes, const axes_t *view) {
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) {
    if (!axis_list_equal(&axes->operands[i], &view->operands[i])) return false;
  }
  return true;
}

bool invariance_make_other(const invariance_instance_t *instance, arena_t *arena,
                           invariance_other_t *out_other) {
  axes_t view = instance->axes;
  axes_selection_t selection = {0};
  invariance_kind_t kind = invariance_table[instance->property].kind;
  if (invariance_is_counted(instance->property)) view.items[instance->axis].size = instance->count;
  if (kind == INVARIANCE_KIND_POSITION) {
    selection.from[instance->axis] =
        rotate(view.items[instance->axis].size, instance->shift, arena);
  }
  if (kind == INVARIANCE_KIND_LAYOUT) {
    memcpy(view.operands, instance->operands, sizeof view.operands);
  }
  if (!axes_view(&instance->base, &instance->axes, &selection, &view, arena,
                 &out_other->instance)) {
    return false;
  }
  if (kind == INVARIANCE_KIND_LAYOUT && is_same_layout(&instance->axes, &view)) return false;
  for (uint32_t i = 0; i < instance->base.program.result_count; i++) {
    out_other->element_map[i] = axes_result_map(&instance->axes, &selection, &view, i, arena);
  }
  return true;
}

invariance_instance_t invariance_copy(const invariance_instance_t *instance, arena_t *arena) {
  invariance_instance_t copy = *instance;
  copy.base = case_copy(arena, &instance->base);
  return copy;
}

double invariance_work(const invariance_instance_t *instance) {
  double work = 1;
  for (uint32_t i = 0; i < instance->axes.count; i++) {
    work *= (double)instance->axes.items[i].size;
  }
  return work;
}
