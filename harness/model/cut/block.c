/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a case into blocks: ranges of indices along its free axes. */
#include <string.h>

#include "harness/model/cut/parts.h"
#include "harness/model/op.h"

/* ---- How a program is cut -------------------------------------------------------------------- */

static bool is_fixed(const program_t *program) {
  uint32_t dynamic = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    dynamic |= program->operands[i].dynamic_dims;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    dynamic |= program->results[i].dynamic_dims;
  }
  return dynamic == 0;
}

/* Each dimension is along an axis of its own. */
static bool is_listed(const axis_list_t *lists, const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (lists[i].count != types[i].rank) return false;
  }
  return true;
}

static bool is_scaled_along(const axis_list_t *lists, const type_t *types, uint32_t count,
                            uint32_t axis) {
  for (uint32_t i = 0; i < count; i++) {
    const quantization_t *quantization = types[i].quantization;
    if (quantization == NULL || quantization->axis < 0) continue;
    if (lists[i].axes[quantization->axis] == axis) return true;
  }
  return false;
}

/* A part selects elements, not scales. */
static bool is_scaled(const program_t *program, const axes_t *axes, uint32_t axis) {
  return is_scaled_along(axes->operands, program->operands, program->operand_count, axis) ||
         is_scaled_along(axes->results, program->results, program->result_count, axis);
}

/* Free axes are those of the first result that are not combined; all results must have them. */
static bool find_free(const program_t *program, cut_t *cut) {
  const axis_list_t *list = &cut->axes.results[0];
  for (uint32_t i = 0; i < list->count; i++) {
    const axis_t *axis = &cut->axes.items[list->axes[i]];
    if (axis->size == 0) return false;
    bool is_free = axis->role != AXIS_TERM && !is_scaled(program, &cut->axes, list->axes[i]);
    if (is_free) cut->free[cut->free_count++] = list->axes[i];
  }
  cut->unit_count = 1;
  for (uint32_t i = 0; i < cut->free_count; i++) {
    cut->unit_count *= (size_t)cut->axes.items[cut->free[i]].size;
    for (uint32_t r = 0; r < program->result_count; r++) {
      if (axis_list_find(&cut->axes.results[r], cut->free[i]) < 0) return false;
    }
  }
  return cut->free_count > 0;
}

/* Elements of all tensors that a block of these sizes has. */
typedef struct extent {
  double operands;
  double components;
} extent_t;

static double count_along(const axis_list_t *list, const int64_t *sizes) {
  double count = 1;
  for (uint32_t i = 0; i < list->count; i++) count *= (double)sizes[list->axes[i]];
  return count;
}

static extent_t find_extent(const cut_t *cut, const program_t *program, const int64_t *sizes) {
  extent_t extent = {0, 0};
  int64_t gathered[AXES_MAX];
  cut_gathered_sizes(cut, sizes, gathered);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    extent.operands += count_along(&cut->axes.operands[i], gathered);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    extent.components +=
        count_along(&cut->axes.results[i], sizes) * (double)program->results[i].element->components;
  }
  return extent;
}

/* Halves the axis that leaves the fewest elements, of several the slowest running one, until a
 * block is small enough or a unit. */
static void choose_chunks(const program_t *program, cut_t *cut) {
  int64_t *chunk = cut->chunk;
  for (uint32_t i = 0; i < cut->axes.count; i++) chunk[i] = cut->axes.items[i].size;
  double operands = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    operands += count_along(&cut->axes.operands[i], chunk);
  }
  const double least_max = CUT_OPERANDS_MIN, most_max = CUT_OPERANDS_MAX;
  const double operands_max = CLAMP(operands / 8, least_max, most_max);
  const double components_max = CUT_COMPONENTS_MAX;
  for (;;) {
    const extent_t now = find_extent(cut, program, chunk);
    if (now.components <= components_max && now.operands <= operands_max) return;
    int best = -1;
    double least = now.operands + now.components;
    for (uint32_t i = 0; i < cut->free_count; i++) {
      const int64_t size = chunk[cut->free[i]];
      chunk[cut->free[i]] = cut_fit_chunk(cut, cut->free[i], (size + 1) / 2);
      const extent_t halved = find_extent(cut, program, chunk);
      chunk[cut->free[i]] = size;
      if (size == 1 || halved.operands + halved.components >= least) continue;
      least = halved.operands + halved.components;
      best = (int)cut->free[i];
    }
    if (best < 0) return;
    chunk[best] = cut_fit_chunk(cut, (uint32_t)best, (chunk[best] + 1) / 2);
  }
}

static size_t count_chunks(const cut_t *cut, uint32_t axis) {
  return (size_t)((cut->axes.items[axis].size + cut->chunk[axis] - 1) / cut->chunk[axis]);
}

void cut_count_blocks(cut_t *inout_cut) {
  inout_cut->block_count = 1;
  for (uint32_t i = 0; i < inout_cut->free_count; i++) {
    inout_cut->block_count *= count_chunks(inout_cut, inout_cut->free[i]);
  }
}

bool cut_init(const program_t *program, cut_t *out_cut) {
  memset(out_cut, 0, sizeof *out_cut);
  if (!is_fixed(program) || !axes_of_parts(program, &out_cut->axes)) return false;
  const axes_t *axes = &out_cut->axes;
  if (!is_listed(axes->operands, program->operands, program->operand_count) ||
      !is_listed(axes->results, program->results, program->result_count) ||
      !find_free(program, out_cut)) {
    return false;
  }
  choose_chunks(program, out_cut);
  cut_count_blocks(out_cut);
  out_cut->joins_units = cut_can_join(out_cut, program);
  return true;
}

/* ---- Where blocks lie ------------------------------------------------------------------------ */

cut_block_t cut_block(const cut_t *cut, size_t number) {
  cut_range_t own;
  for (uint32_t i = cut->free_count; i-- > 0;) {
    const uint32_t axis = cut->free[i];
    const size_t chunks = count_chunks(cut, axis);
    own.first[axis] = (int64_t)(number % chunks) * cut->chunk[axis];
    own.size[axis] = MIN(cut->chunk[axis], cut->axes.items[axis].size - own.first[axis]);
    number /= chunks;
  }
  return cut_block_make(cut, &own);
}

cut_block_t cut_unit_block(const cut_t *cut, size_t unit) {
  cut_range_t own;
  for (uint32_t i = cut->free_count; i-- > 0;) {
    const uint32_t axis = cut->free[i];
    const size_t size = (size_t)cut->axes.items[axis].size;
    own.first[axis] = (int64_t)(unit % size);
    own.size[axis] = 1;
    unit /= size;
  }
  return cut_block_make(cut, &own);
}

/* The indices along the axes of a list; 0 along the others. */
static void find_indices(const axis_list_t *list, const int64_t *sizes, size_t element,
                         int64_t out_indices[AXES_MAX]) {
  memset(out_indices, 0, AXES_MAX * sizeof *out_indices);
  for (uint32_t i = list->count; i-- > 0;) {
    const size_t size = (size_t)sizes[list->axes[i]];
    out_indices[list->axes[i]] = (int64_t)(element % size);
    element /= size;
  }
}

static size_t find_element(const axis_list_t *list, const int64_t *sizes, const int64_t *indices) {
  size_t element = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    element = element * (size_t)sizes[list->axes[i]] + (size_t)indices[list->axes[i]];
  }
  return element;
}

static void whole_sizes(const cut_t *cut, int64_t out_sizes[AXES_MAX]) {
  for (uint32_t i = 0; i < cut->axes.count; i++) out_sizes[i] = cut->axes.items[i].size;
}

size_t cut_block_of(const cut_t *cut, const program_t *program, uint32_t result, size_t component) {
  int64_t sizes[AXES_MAX], indices[AXES_MAX];
  whole_sizes(cut, sizes);
  const size_t components = program->results[result].element->components;
  find_indices(&cut->axes.results[result], sizes, component / components, indices);
  size_t number = 0;
  for (uint32_t i = 0; i < cut->free_count; i++) {
    const uint32_t axis = cut->free[i];
    number = number * count_chunks(cut, axis) + (size_t)(indices[axis] / cut->chunk[axis]);
  }
  return number;
}

size_t cut_block_of_unit(const cut_t *cut, size_t unit) {
  size_t number = 0, scale = 1;
  for (uint32_t i = cut->free_count; i-- > 0;) {
    const uint32_t axis = cut->free[i];
    const size_t size = (size_t)cut->axes.items[axis].size;
    number += unit % size / (size_t)cut->chunk[axis] * scale;
    scale *= count_chunks(cut, axis);
    unit /= size;
  }
  return number;
}

size_t cut_block_to_whole(const cut_t *cut, const cut_block_t *block, const program_t *program,
                          uint32_t result, size_t component) {
  int64_t sizes[AXES_MAX], indices[AXES_MAX];
  whole_sizes(cut, sizes);
  const size_t components = program->results[result].element->components;
  const axis_list_t *list = &cut->axes.results[result];
  find_indices(list, block->size, component / components, indices);
  for (uint32_t i = 0; i < cut->axes.count; i++) indices[i] += block->first[i];
  return find_element(list, sizes, indices) * components + component % components;
}

size_t cut_whole_to_block(const cut_t *cut, const cut_block_t *block, const program_t *program,
                          uint32_t result, size_t component) {
  int64_t sizes[AXES_MAX], indices[AXES_MAX];
  whole_sizes(cut, sizes);
  const size_t components = program->results[result].element->components;
  const axis_list_t *list = &cut->axes.results[result];
  find_indices(list, sizes, component / components, indices);
  for (uint32_t i = 0; i < cut->axes.count; i++) indices[i] -= block->first[i];
  return find_element(list, block->size, indices) * components + component % components;
}

/* ---- Taking one ------------------------------------------------------------------------------ */

/* The part of a tensor that a block has: borrowed where it is dense, else copied by the runs that
 * are. */
static tensor_t take_box(const cut_t *cut, const axis_list_t *list, const tensor_t *whole,
                         const type_t *type, const cut_block_t *block, arena_t *arena) {
  const size_t bytes = element_bytes(whole->type.element);
  int64_t sizes[AXES_MAX], indices[AXES_MAX];
  whole_sizes(cut, sizes);
  memcpy(indices, block->first, sizeof indices);
  uint32_t inner = list->count; /* Dimensions from here on lie densely, with the one before. */
  size_t run = 1;
  while (inner > 0) {
    const uint32_t axis = list->axes[--inner];
    run *= (size_t)block->size[axis];
    if (block->size[axis] != sizes[axis]) break;
  }
  size_t runs = 1;
  for (uint32_t i = 0; i < inner; i++) runs *= (size_t)block->size[list->axes[i]];
  const uint8_t *from = whole->data + find_element(list, sizes, indices) * bytes;
  if (runs == 1) return (tensor_t){.type = *type, .data = whole->data + (from - whole->data)};
  tensor_t taken = tensor_make(arena, type);
  for (size_t i = 0; i < runs; i++) {
    from = whole->data + find_element(list, sizes, indices) * bytes;
    memcpy(taken.data + i * run * bytes, from, run * bytes);
    for (uint32_t d = inner; d-- > 0;) {
      const uint32_t axis = list->axes[d];
      if (++indices[axis] < block->first[axis] + block->size[axis]) break;
      indices[axis] = block->first[axis];
    }
  }
  return taken;
}

static bool keep_types(const type_t *whole, const type_t *part, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (whole[i].element != part[i].element) return false;
    if (!quantization_equal(whole[i].quantization, part[i].quantization)) return false;
  }
  return true;
}

bool cut_keeps_types(const program_t *whole, const program_t *part) {
  return keep_types(whole->operands, part->operands, whole->operand_count) &&
         keep_types(whole->results, part->results, whole->result_count);
}

bool cut_take_block(const cut_t *cut, const cut_subject_t *subject, const cut_block_t *block,
                    arena_t *arena, case_t *out_case, tensor_t out_results[CASE_RESULTS_MAX]) {
  const program_t *program = &subject->instance->program;
  axes_t view = cut->axes;
  for (uint32_t i = 0; i < view.count; i++) view.items[i].size = block->size[i];
  memcpy(view.links, block->links, sizeof view.links);
  *out_case = (case_t){0};
  if (!axes_program(program, &view, arena, &out_case->program)) return false;
  if (!cut_keeps_types(program, &out_case->program)) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    out_case->operands[i] = take_box(cut, &cut->axes.operands[i], &subject->instance->operands[i],
                                     &out_case->program.operands[i], block, arena);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!axis_list_equal(&view.results[i], &cut->axes.results[i])) return false;
    out_results[i] = take_box(cut, &cut->axes.results[i], &subject->results[i],
                              &out_case->program.results[i], block, arena);
  }
  return true;
}
