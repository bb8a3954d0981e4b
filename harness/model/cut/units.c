/* SPDX-License-Identifier: Apache-2.0 */
/* Makes chosen units of a case a case of their own: its free axes become one. */
#include <string.h>

#include "harness/model/cut/parts.h"
#include "harness/model/op.h"

/* ---- Units ----------------------------------------------------------------------------------- */

static bool is_free(const cut_t *cut, uint32_t axis) {
  for (uint32_t i = 0; i < cut->free_count; i++) {
    if (cut->free[i] == axis) return true;
  }
  return false;
}

static bool has_free(const cut_t *cut, const axis_list_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (is_free(cut, list->axes[i])) return true;
  }
  return false;
}

size_t cut_unit_of(const cut_t *cut, uint32_t result, size_t element) {
  const axis_list_t *list = &cut->axes.results[result];
  size_t indices[AXES_MAX] = {0};
  for (uint32_t i = list->count; i-- > 0;) {
    const size_t size = (size_t)cut->axes.items[list->axes[i]].size;
    indices[list->axes[i]] = element % size;
    element /= size;
  }
  size_t unit = 0;
  for (uint32_t i = 0; i < cut->free_count; i++) {
    unit = unit * (size_t)cut->axes.items[cut->free[i]].size + indices[cut->free[i]];
  }
  return unit;
}

/* Elements of a tensor that one unit has. */
static size_t count_terms(const cut_t *cut, const axis_list_t *list) {
  size_t count = 1;
  for (uint32_t i = 0; i < list->count; i++) {
    if (!is_free(cut, list->axes[i])) count *= (size_t)cut->axes.items[list->axes[i]].size;
  }
  return count;
}

size_t cut_unit_terms(const cut_t *cut, const program_t *program) {
  size_t most = 1;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    most = MAX(most, count_terms(cut, &cut->axes.operands[i]));
  }
  return most;
}

size_t cut_unit_components(const cut_t *cut, const program_t *program) {
  size_t sum = 0;
  for (uint32_t i = 0; i < program->result_count; i++) {
    sum += count_terms(cut, &cut->axes.results[i]) * program->results[i].element->components;
  }
  return sum;
}

void cut_mark_unit(const cut_t *cut, const cut_block_t *block, const type_t *type, uint32_t result,
                   size_t unit, uint8_t *inout_marks) {
  const axis_list_t *list = &cut->axes.results[result];
  int64_t indices[AXES_MAX] = {0};
  for (uint32_t i = cut->free_count; i-- > 0;) {
    const uint32_t axis = cut->free[i];
    const size_t size = (size_t)cut->axes.items[axis].size;
    indices[axis] = (int64_t)(unit % size) - block->first[axis];
    unit /= size;
  }
  const size_t components = type->element->components;
  const size_t terms = count_terms(cut, list);
  for (size_t term = 0; term < terms; term++) {
    size_t element = 0;
    for (uint32_t i = 0; i < list->count; i++) {
      const uint32_t axis = list->axes[i];
      element = element * (size_t)block->size[axis] + (size_t)indices[axis];
    }
    memset(inout_marks + element * components, 1, components);
    for (uint32_t i = list->count; i-- > 0;) {
      const uint32_t axis = list->axes[i];
      if (is_free(cut, axis)) continue;
      if (++indices[axis] < block->size[axis]) break;
      indices[axis] = 0;
    }
  }
}

/* ---- Their program --------------------------------------------------------------------------- */

/* The list without the free axes, but with `joined` in the place of that axis or, of an axis that
 * is new, at the front. */
static bool join_list(const cut_t *cut, uint32_t joined, axis_list_t *inout_list) {
  const axis_list_t before = *inout_list;
  if (!has_free(cut, &before)) return true;
  axis_list_t *list = inout_list;
  list->count = 0;
  bool is_there = false;
  if (joined == cut->axes.count) {
    list->axes[list->count++] = joined;
    is_there = true;
  }
  for (uint32_t i = 0; i < before.count; i++) {
    const uint32_t axis = before.axes[i];
    if (axis != joined && is_free(cut, axis)) continue;
    is_there |= axis == joined;
    if (list->count == TYPE_RANK_MAX) return false;
    list->axes[list->count++] = axis;
  }
  return is_there;
}

/* Where attributes list the batches, units are a new one; else the first of the free axes stands
 * for all. */
static bool join_axes(const cut_t *cut, size_t count, const program_t *program, axes_t *out_view,
                      uint32_t *out_joined) {
  *out_view = cut->axes;
  const bool is_new = cut->axes.is_listed[AXIS_BATCH];
  *out_joined = is_new ? cut->axes.count : cut->free[0];
  if (is_new && cut->axes.count == AXES_MAX) return false;
  if (is_new) out_view->count++;
  for (uint32_t i = 0; i < cut->free_count; i++) out_view->items[cut->free[i]].size = 1;
  out_view->items[*out_joined].size = (int64_t)count;
  if (is_new) out_view->items[*out_joined].role = AXIS_BATCH;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!join_list(cut, *out_joined, &out_view->operands[i])) return false;
  }
  return true;
}

/* Whether a result of the units has what it is expected to have. */
static bool is_joined(const cut_t *cut, uint32_t joined, const axes_t *view, uint32_t result) {
  axis_list_t expected = cut->axes.results[result];
  return join_list(cut, joined, &expected) && axis_list_equal(&expected, &view->results[result]);
}

/* Whether scales run along the axes along which they ran: where dimensions go, others get their
 * numbers. */
static bool keep_scales(const axis_list_t *lists, const axis_list_t *view_lists,
                        const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const quantization_t *quantization = types[i].quantization;
    if (quantization == NULL || quantization->axis < 0) continue;
    const uint32_t dim = (uint32_t)quantization->axis;
    if (dim >= view_lists[i].count || view_lists[i].axes[dim] != lists[i].axes[dim]) return false;
  }
  return true;
}

/* ---- Their data ------------------------------------------------------------------------------ */

/* How elements of a tensor go from the whole to the units, or back. */
typedef struct passage {
  size_t term_count;
  const size_t *from_terms; /* Offsets in the whole, and among the units. */
  const size_t *to_terms;
  bool is_dense;                 /* Both are 0, 1, 2, ... */
  size_t free_strides[AXES_MAX]; /* In the whole, by number of the free axis. */
  size_t unit_stride;
} passage_t;

static void find_strides(const axis_list_t *list, const axes_t *axes,
                         size_t out_strides[AXES_MAX]) {
  memset(out_strides, 0, AXES_MAX * sizeof *out_strides);
  size_t stride = 1;
  for (uint32_t i = list->count; i-- > 0;) {
    out_strides[list->axes[i]] = stride;
    stride *= (size_t)axes->items[list->axes[i]].size;
  }
}

static passage_t find_passage(const cut_t *cut, const axis_list_t *list, const axes_t *view,
                              const axis_list_t *view_list, uint32_t joined, arena_t *arena) {
  passage_t passage = {.term_count = count_terms(cut, list), .is_dense = true};
  size_t from[AXES_MAX], to[AXES_MAX], indices[AXES_MAX] = {0};
  find_strides(list, &cut->axes, from);
  find_strides(view_list, view, to);
  for (uint32_t i = 0; i < cut->free_count; i++) {
    passage.free_strides[i] = from[cut->free[i]];
  }
  passage.unit_stride = to[joined];
  size_t *from_terms = ARENA_NEW_ARRAY(arena, size_t, passage.term_count);
  size_t *to_terms = ARENA_NEW_ARRAY(arena, size_t, passage.term_count);
  for (size_t term = 0; term < passage.term_count; term++) {
    from_terms[term] = to_terms[term] = 0;
    for (uint32_t i = 0; i < list->count; i++) {
      const uint32_t axis = list->axes[i];
      if (is_free(cut, axis)) continue;
      from_terms[term] += indices[axis] * from[axis];
      to_terms[term] += indices[axis] * to[axis];
    }
    passage.is_dense &= from_terms[term] == term && to_terms[term] == term;
    for (uint32_t i = list->count; i-- > 0;) {
      const uint32_t axis = list->axes[i];
      if (is_free(cut, axis)) continue;
      if (++indices[axis] < (size_t)cut->axes.items[axis].size) break;
      indices[axis] = 0;
    }
  }
  passage.from_terms = from_terms;
  passage.to_terms = to_terms;
  return passage;
}

static size_t find_base(const cut_t *cut, const passage_t *passage, size_t unit) {
  size_t base = 0;
  for (uint32_t i = cut->free_count; i-- > 0;) {
    const size_t size = (size_t)cut->axes.items[cut->free[i]].size;
    base += unit % size * passage->free_strides[i];
    unit /= size;
  }
  return base;
}

static void copy_terms(const passage_t *passage, size_t begin, size_t end, const uint8_t *from,
                       uint8_t *to, size_t bytes) {
  if (passage->is_dense) {
    memcpy(to + begin * bytes, from + begin * bytes, (end - begin) * bytes);
    return;
  }
  for (size_t k = begin; k < end; k++) {
    memcpy(to + passage->to_terms[k] * bytes, from + passage->from_terms[k] * bytes, bytes);
  }
}

/* By blocks of terms, so that what units share is read while it is in the cache: terms of a column
 * lie a row apart. */
static void copy_units(const cut_t *cut, const passage_t *passage, const cut_units_t *units,
                       const tensor_t *whole, uint8_t *out, arena_t *arena) {
  enum { BLOCK = 64 };
  const size_t bytes = element_bytes(whole->type.element);
  const size_t count = units->count;
  size_t *bases = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) bases[i] = find_base(cut, passage, units->items[i]);
  for (size_t begin = 0; begin < passage->term_count; begin += BLOCK) {
    const size_t end = MIN(begin + BLOCK, passage->term_count);
    for (size_t i = 0; i < count; i++) {
      copy_terms(passage, begin, end, whole->data + bases[i] * bytes,
                 out + i * passage->unit_stride * bytes, bytes);
    }
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

typedef struct joining {
  const cut_t *cut;
  const cut_units_t *units;
  axes_t view;
  uint32_t joined;
  arena_t *arena;
} joining_t;

static tensor_t take_tensor(const joining_t *joining, const axis_list_t *list,
                            const axis_list_t *view_list, const tensor_t *whole,
                            const type_t *type) {
  const cut_t *cut = joining->cut;
  if (!has_free(cut, list)) return (tensor_t){.type = *type, .data = whole->data};
  const tensor_t taken = tensor_make(joining->arena, type);
  const arena_mark_t mark = arena_mark(joining->arena);
  const passage_t passage =
      find_passage(cut, list, &joining->view, view_list, joining->joined, joining->arena);
  copy_units(cut, &passage, joining->units, whole, taken.data, joining->arena);
  arena_rewind(joining->arena, mark);
  return taken;
}

/* The program of so many units; false if there is none. */
static bool join_program(const program_t *program, size_t count, joining_t *inout_joining,
                         program_t *out_program) {
  joining_t *joining = inout_joining;
  const cut_t *cut = joining->cut;
  axes_t *view = &joining->view;
  if (!join_axes(cut, count, program, view, &joining->joined)) return false;
  if (!axes_program(program, view, joining->arena, out_program)) return false;
  if (!cut_keeps_types(program, out_program)) return false;
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!is_joined(cut, joining->joined, view, i)) return false;
  }
  return keep_scales(cut->axes.operands, view->operands, program->operands,
                     program->operand_count) &&
         keep_scales(cut->axes.results, view->results, program->results, program->result_count);
}

bool cut_can_join(const cut_t *cut, const program_t *program) {
  if (cut->axes.link_count > 0) return false;
  arena_t arena;
  arena_init(&arena);
  joining_t joining = {.cut = cut, .arena = &arena};
  program_t joined;
  bool can_join = join_program(program, 1, &joining, &joined);
  arena_deinit(&arena);
  return can_join;
}

bool cut_take_units(const cut_t *cut, const cut_subject_t *subject, const cut_units_t *units,
                    arena_t *arena, case_t *out_case, tensor_t out_results[CASE_RESULTS_MAX]) {
  const program_t *program = &subject->instance->program;
  if (!cut->joins_units) {
    if (units->count != 1) return false;
    const cut_block_t block = cut_unit_block(cut, units->items[0]);
    return cut_take_block(cut, subject, &block, arena, out_case, out_results);
  }
  joining_t joining = {.cut = cut, .units = units, .arena = arena};
  *out_case = (case_t){0};
  if (!join_program(program, units->count, &joining, &out_case->program)) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_case->operands[i] =
        take_tensor(&joining, &cut->axes.operands[i], &joining.view.operands[i],
                    &subject->instance->operands[i], &out_case->program.operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = take_tensor(&joining, &cut->axes.results[i], &joining.view.results[i],
                                 &subject->results[i], &out_case->program.results[i]);
  }
  return true;
}

size_t cut_units_to_whole(const cut_t *cut, const cut_units_t *units, const program_t *program,
                          uint32_t result, size_t component) {
  if (!cut->joins_units) {
    const cut_block_t block = cut_unit_block(cut, units->items[0]);
    return cut_block_to_whole(cut, &block, program, result, component);
  }
  axes_t view;
  uint32_t joined;
  const size_t components = program->results[result].element->components;
  const axis_list_t *list = &cut->axes.results[result];
  axis_list_t view_list = *list;
  if (!join_axes(cut, units->count, program, &view, &joined) ||
      !join_list(cut, joined, &view_list)) {
    return component;
  }
  size_t element = component / components, strides[AXES_MAX], place = 0, unit = 0;
  find_strides(list, &cut->axes, strides);
  for (uint32_t i = view_list.count; i-- > 0;) {
    const uint32_t axis = view_list.axes[i];
    const size_t index = element % (size_t)view.items[axis].size;
    element /= (size_t)view.items[axis].size;
    if (axis == joined) {
      unit = units->items[index];
    } else {
      place += index * strides[axis];
    }
  }
  for (uint32_t i = cut->free_count; i-- > 0;) {
    const size_t size = (size_t)cut->axes.items[cut->free[i]].size;
    place += unit % size * strides[cut->free[i]];
    unit /= size;
  }
  return place * components + component % components;
}
