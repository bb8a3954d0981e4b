/* SPDX-License-Identifier: Apache-2.0 */
/* Generic views of a case by its axes: builds a case in which axes are shortened, permuted or laid
 * out differently, by mapping each element to the one it comes from. */
#include "harness/model/axes.h"

#include <string.h>

#include "harness/model/any_axes.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"

static bool has_scales_along_axis(const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (types[i].quantization != NULL && types[i].quantization->axis != -1) return true;
  }
  return false;
}

bool axes_of(const program_t *program, axes_t *out_axes) {
  return !program->op->is_compound && axes_of_any(program, out_axes);
}

bool axes_of_any(const program_t *program, axes_t *out_axes) {
  if (program->op->axes == NULL) return false;
  if (has_scales_along_axis(program->operands, program->operand_count)) return false;
  if (has_scales_along_axis(program->results, program->result_count)) return false;
  *out_axes = (axes_t){0};
  program->op->axes(program, out_axes);
  return out_axes->count <= AXES_MAX;
}

bool axes_of_parts(const program_t *program, axes_t *out_axes) {
  const op_t *op = program->op;
  *out_axes = (axes_t){0};
  if (op->is_compound) return false;
  if (op->axes != NULL) {
    op->axes(program, out_axes);
  } else if (op->part_axes != NULL) {
    op->part_axes(program, out_axes);
  } else {
    return false;
  }
  return out_axes->count <= AXES_MAX;
}

type_t axes_type(const type_t *type, const axes_t *axes, const axis_list_t *list) {
  int64_t dims[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < list->count; i++) dims[i] = axes->items[list->axes[i]].size;
  type_t sized = type_make(type->element, list->count, dims);
  sized.quantization = type->quantization;
  return sized;
}

int axis_list_find(const axis_list_t *list, uint32_t axis) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->axes[i] == axis) return (int)i;
  }
  return -1;
}

bool axis_list_equal(const axis_list_t *a, const axis_list_t *b) {
  return a->count == b->count && memcmp(a->axes, b->axes, a->count * sizeof *a->axes) == 0;
}

/* Elements between neighbours along each axis; 0 where the tensor does not have it. */
static void find_strides(const axes_t *axes, const axis_list_t *list,
                         size_t out_strides[AXES_MAX]) {
  memset(out_strides, 0, AXES_MAX * sizeof *out_strides);
  size_t stride = 1;
  for (uint32_t i = list->count; i-- > 0;) {
    out_strides[list->axes[i]] = stride;
    stride *= (size_t)axes->items[list->axes[i]].size;
  }
}

static size_t select_index(const axes_selection_t *selection, uint32_t axis, size_t index) {
  const size_t *from = selection->from[axis];
  return from == NULL ? index : from[index];
}

static size_t count_elements(const axes_t *axes, const axis_list_t *list) {
  size_t count = 1;
  for (uint32_t i = 0; i < list->count; i++) count *= (size_t)axes->items[list->axes[i]].size;
  return count;
}

/* For each element of a tensor laid out as `view_list` the element of one laid out as `list`. */
static const size_t *map_elements(const axes_t *axes, const axis_list_t *list,
                                  const axes_selection_t *selection, const axes_t *view,
                                  const axis_list_t *view_list, arena_t *arena) {
  size_t strides[AXES_MAX];
  find_strides(axes, list, strides);
  size_t start = 0;
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    if (axis_list_find(view_list, axis) < 0) {
      start += select_index(selection, axis, 0) * strides[axis];
    }
  }
  size_t count = count_elements(view, view_list);
  size_t *map = ARENA_NEW_ARRAY(arena, size_t, count);
  size_t indices[TYPE_RANK_MAX] = {0};
  for (size_t element = 0; element < count; element++) {
    map[element] = start;
    for (uint32_t i = 0; i < view_list->count; i++) {
      uint32_t axis = view_list->axes[i];
      map[element] += select_index(selection, axis, indices[i]) * strides[axis];
    }
    for (uint32_t i = view_list->count; i-- > 0;) {
      if (++indices[i] < (size_t)view->items[view_list->axes[i]].size) break;
      indices[i] = 0;
    }
  }
  return map;
}

bool axes_program(const program_t *program, axes_t *inout_view, arena_t *arena,
                  program_t *out_program) {
  *out_program = *program;
  const op_t *op = program->op;
  if (op->with_axes != NULL) {
    op->with_axes(program, inout_view, arena, out_program);
  } else {
    op->with_part_axes(program, inout_view, arena, out_program);
  }
  if (!dynamic_keep(program, inout_view, out_program)) return false;
  failure_t error;
  for (uint32_t i = 0; i < out_program->operand_count; i++) {
    if (type_check(&out_program->operands[i], &error) != STATUS_OK) return false;
  }
  return program_broken(out_program) == NULL;
}

bool axes_view(const case_t *instance, const axes_t *axes, const axes_selection_t *selection,
               axes_t *inout_view, arena_t *arena, case_t *out_case) {
  program_t program;
  if (!axes_program(&instance->program, inout_view, arena, &program)) return false;
  *out_case = case_make(arena, &program);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const tensor_t *from = &instance->operands[i];
    const tensor_t *to = &out_case->operands[i];
    arena_mark_t mark = arena_mark(arena);
    const size_t *map = map_elements(axes, &axes->operands[i], selection, inout_view,
                                     &inout_view->operands[i], arena);
    size_t bytes = element_bytes(from->type.element);
    size_t count = type_element_count(&to->type);
    for (size_t element = 0; element < count; element++) {
      memcpy(to->data + element * bytes, from->data + map[element] * bytes, bytes);
    }
    arena_rewind(arena, mark);
  }
  return true;
}

const size_t *axes_result_map(const axes_t *axes, const axes_selection_t *selection,
                              const axes_t *view, uint32_t result, arena_t *arena) {
  return map_elements(axes, &axes->results[result], selection, view, &view->results[result], arena);
}
