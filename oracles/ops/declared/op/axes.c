/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of an op that a file declares: its indices, of a group one for each dimension.  Those that
 * tell problems apart are batches.  Nothing is told of an op in which a number depends on where it
 * stands, or on how many problems there are, nor where one dimension joins several indices. */
#include "harness/model/axes.h"

#include <string.h>

#include "oracles/ops/declared/declared.h"

static bool joins_indices(const declared_tensor_t *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t d = 0; d < tensors[i].count; d++) {
      if (tensors[i].dimensions[d].count != 1) return true;
    }
  }
  return false;
}

/* Whether a step tells places along an index, or counts problems. */
static bool depends_on_places(const declaration_t *declaration, const step_t *step) {
  bool is_of_problems = (declaration->inner >> step->index & 1) == 0;
  return step->kind == STEP_INDEX || step->kind == STEP_GATHER || step_scatters(step->kind) ||
         (step->kind == STEP_COUNT && is_of_problems);
}

bool declared_tells_axes(const declaration_t *declaration) {
  if (joins_indices(declaration->operands, declaration->operand_count) ||
      joins_indices(declaration->results, declaration->result_count)) {
    return false;
  }
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    const declared_formula_t *formula = &declaration->formulas[f];
    for (uint32_t i = 0; i < formula->step_count; i++) {
      if (depends_on_places(declaration, &formula->steps[i])) return false;
    }
  }
  return true;
}

/* The number of the first axis of each index; in all there are `first[index_count]`. */
static void number_axes(const declaration_t *declaration, const binding_t *binding,
                        uint32_t first[DECLARED_INDICES_MAX + 1]) {
  first[0] = 0;
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    first[i + 1] = first[i] + (declaration->indices[i].is_group ? binding->group[i].count : 1);
  }
}

static axis_list_t list_axes(const declared_tensor_t *tensor, const uint32_t first[]) {
  axis_list_t list = {.count = 0};
  for (uint32_t d = 0; d < tensor->count; d++) {
    uint8_t index = tensor->dimensions[d].indices[0];
    for (uint32_t axis = first[index]; axis < first[index + 1]; axis++) {
      list.axes[list.count++] = axis;
    }
  }
  return list;
}

static void set_lists(const declaration_t *declaration, const uint32_t first[],
                      axes_t *inout_axes) {
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    inout_axes->operands[i] = list_axes(&declaration->operands[i], first);
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    inout_axes->results[i] = list_axes(&declaration->results[i], first);
  }
}

void declared_axes(const program_t *program, axes_t *out_axes) {
  const declaration_t *declaration = declared_of(program);
  uint32_t first[DECLARED_INDICES_MAX + 1];
  binding_t binding;
  out_axes->count = AXES_MAX + 1;
  if (!declared_bind(program, &binding)) return;
  number_axes(declaration, &binding, first);
  out_axes->count = first[declaration->index_count];
  if (out_axes->count > AXES_MAX) return;
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    bool is_inner = (declaration->inner >> i & 1) != 0;
    for (uint32_t axis = first[i]; axis < first[i + 1]; axis++) {
      size_t size = declaration->indices[i].is_group
                        ? (size_t)binding.group[i].dims[axis - first[i]]
                        : binding.extent[i];
      out_axes->items[axis] =
          (axis_t){.role = is_inner ? AXIS_TERM : AXIS_BATCH, .size = (int64_t)size};
    }
  }
  set_lists(declaration, first, out_axes);
}

static void set_sizes(const axes_t *axes, const axis_list_t *lists, uint32_t count, type_t *types) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t d = 0; d < lists[i].count; d++) {
      types[i].dims[d] = axes->items[lists[i].axes[d]].size;
    }
  }
}

void declared_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                        program_t *out_program) {
  (void)arena;
  axes_t own = {0};
  declared_axes(program, &own);
  bool is_kept = own.count <= AXES_MAX;
  for (uint32_t i = 0; i < program->operand_count && is_kept; i++) {
    is_kept = axis_list_equal(&own.operands[i], &inout_axes->operands[i]);
  }
  if (!is_kept) { /* Dimensions have the order of the file: no program has another. */
    out_program->operand_count = 0;
    return;
  }
  memcpy(inout_axes->results, own.results, sizeof own.results);
  set_sizes(inout_axes, own.operands, program->operand_count, out_program->operands);
  set_sizes(inout_axes, own.results, program->result_count, out_program->results);
}
