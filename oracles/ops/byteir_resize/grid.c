/* SPDX-License-Identifier: Apache-2.0 */
/* Index arithmetic of a resize: strides, per-axis coordinates, the check that the target operand
 * agrees with the result's shape, and the corner elements and weights of a block of result
 * elements. */
#include "oracles/ops/byteir_resize/grid.h"

#include <inttypes.h>
#include <math.h>

#include "generated/byteir_resize_faults.h"
#include "oracles/formula/model.h"
#include "oracles/ops/byteir_resize/integers.h"

resize_grid_t resize_grid_make(const case_t *instance, bool takes_given) {
  const program_t *program = &instance->program;
  const type_t *input = &program->operands[0];
  resize_grid_t grid = {.instance = instance,
                        .rank = input->rank,
                        .count = type_element_count(&program->results[0]),
                        .takes_given = takes_given};
  size_t stride = 1;
  for (uint32_t dim = grid.rank; dim-- > 0;) {
    grid.strides[dim] = stride;
    stride *= (size_t)input->dims[dim];
    grid.axes[dim] = resize_axis_make(instance, dim, takes_given);
  }
  for (uint32_t dim = 0; dim < grid.rank; dim++) {
    if (!resize_axis_is_copied(&grid.axes[dim])) grid.moved[grid.moved_count++] = dim;
  }
  return grid;
}

/* ---- The target ------------------------------------------------------------------------------ */

bool resize_scales_differ(const case_t *instance) {
  const program_t *program = &instance->program;
  if (byteir_resize_attributes(program)->target_mode != RESIZE_SCALE) return false;
  if (byteir_resize_attributes(program)->transformation == RESIZE_ALIGN_CORNERS) return false;
  for (uint32_t dim = 0; dim < program->operands[0].rank; dim++) {
    resize_axis_t axis = resize_axis_make(instance, dim, true);
    if (axis.scale * (double)axis.length != (double)axis.resized) return true;
  }
  return false;
}

static status_t check_scale(const case_t *instance, uint32_t dim, failure_t *error) {
  resize_axis_t axis = resize_axis_make(instance, dim, true);
  bool is_empty = axis.length == 0 && axis.scale >= 0 && isfinite(axis.scale);
  if (is_empty || byteir_resize_scale_gives(axis.scale, axis.length, axis.resized)) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for this target: in f32 and exactly alike, scale %a must make "
                     "%" PRId64 " elements of the %" PRId64 " of dimension %u",
                     axis.scale, axis.resized, axis.length, dim);
}

static status_t check_size(const case_t *instance, uint32_t dim, failure_t *error) {
  const tensor_t *target = &instance->operands[1];
  const element_t *element = target->type.element;
  int64_t size = element_signed_value(element, element_load(element, target->data, dim));
  int64_t resized = instance->program.results[0].dims[dim];
  if (size == resized) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for this target: it asks for %" PRId64
                     " elements of dimension "
                     "%u, of which the result has %" PRId64,
                     size, dim, resized);
}

status_t resize_check_target(const case_t *instance, failure_t *error) {
  const program_t *program = &instance->program;
  bool has_scales = byteir_resize_attributes(program)->target_mode == RESIZE_SCALE;
  for (uint32_t dim = 0; dim < program->operands[0].rank; dim++) {
    STATUS_TRY(has_scales ? check_scale(instance, dim, error) : check_size(instance, dim, error));
  }
  return STATUS_OK;
}

/* ---- Elements -------------------------------------------------------------------------------- */

void resize_positions(const resize_grid_t *grid, size_t component, int64_t out[TYPE_RANK_MAX]) {
  for (uint32_t dim = grid->rank; dim-- > 0;) {
    size_t resized = (size_t)grid->axes[dim].resized;
    out[dim] = (int64_t)(component % resized);
    component /= resized;
  }
}

size_t resize_element(const resize_grid_t *grid, const int64_t indices[TYPE_RANK_MAX]) {
  size_t element = 0;
  for (uint32_t dim = 0; dim < grid->rank; dim++) {
    element += (size_t)indices[dim] * grid->strides[dim];
  }
  return element;
}

/* ---- Rows of cells --------------------------------------------------------------------------- */

resize_track_t resize_track_make(const resize_axis_t *axis, arena_t *arena) {
  size_t count = (size_t)axis->resized;
  return (resize_track_t){.lower = ARENA_NEW_ARRAY(arena, int64_t, count),
                          .upper = ARENA_NEW_ARRAY(arena, int64_t, count),
                          .weight = ARENA_NEW_ARRAY(arena, double, count)};
}

void resize_track_set(const resize_track_t *track, const resize_axis_t *axis, int64_t position,
                      double coordinate, bool clamps_indices) {
  double last = (double)(axis->length - 1);
  if (!clamps_indices) coordinate = CLAMP(coordinate, 0, last);
  double lower = floor(coordinate);
  track->lower[position] = (int64_t)CLAMP(lower, 0, last);
  track->upper[position] = (int64_t)CLAMP(lower + 1, 0, last);
  track->weight[position] = coordinate - lower;
}

/* The input's element at one corner of a result element's cell. */
static size_t special_value_element(const resize_grid_t *grid, const resize_track_t *tracks,
                                    const int64_t positions[TYPE_RANK_MAX], size_t special_value) {
  int64_t indices[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < grid->rank; dim++) indices[dim] = positions[dim];
  for (uint32_t i = 0; i < grid->moved_count; i++) {
    uint32_t dim = grid->moved[i];
    bool is_upper = (special_value >> i & 1) != 0;
    indices[dim] = (is_upper ? tracks[i].upper : tracks[i].lower)[positions[dim]];
  }
  return resize_element(grid, indices);
}

/* The positions of `count` elements from `first` on, one after the other. */
static const int64_t *find_positions(const resize_grid_t *grid, size_t first, size_t count,
                                     arena_t *arena) {
  int64_t *positions = ARENA_NEW_ARRAY(arena, int64_t, count *TYPE_RANK_MAX);
  for (size_t i = 0; i < count; i++) {
    resize_positions(grid, first + i, positions + i * TYPE_RANK_MAX);
  }
  return positions;
}

/* The signed integers of the same size. */
static const element_t *signed_alike(const element_t *element) {
  if (element->bits == 8) return element_named("i8");
  return element_named(element->bits == 16 ? "i16" : "i32");
}

/* Integers become numbers of the working format. */
static row_t load_corners(formula_t *formula, const element_t *element, const uint64_t *bits,
                          size_t count) {
  if (element->format != NULL) return model_load(formula, element->format, bits, count);
  if (formula->schedule->fault == FAULT_resize_reads_as_signed) element = signed_alike(element);
  double *values = ARENA_NEW_ARRAY(formula->arena, double, count);
  for (size_t i = 0; i < count; i++) {
    values[i] = resize_integer_number(element, formula->format, bits[i]);
  }
  return (row_t){.count = count, .values = values};
}

resize_cell_t resize_gather(const resize_grid_t *grid, formula_t *formula,
                            const resize_track_t *tracks, size_t first, size_t count) {
  const tensor_t *input = &grid->instance->operands[0];
  const element_t *element = input->type.element;
  const int64_t *positions = find_positions(grid, first, count, formula->arena);
  resize_cell_t cell = {.axis_count = grid->moved_count};
  uint64_t *bits = ARENA_NEW_ARRAY(formula->arena, uint64_t, count);
  for (size_t special_value = 0; special_value < (size_t)1 << grid->moved_count; special_value++) {
    for (size_t i = 0; i < count; i++) {
      size_t from =
          special_value_element(grid, tracks, positions + i * TYPE_RANK_MAX, special_value);
      bits[i] = element_load(element, input->data, from);
    }
    cell.corners[special_value] = load_corners(formula, element, bits, count);
  }
  for (uint32_t axis = 0; axis < grid->moved_count; axis++) {
    double *weights = ARENA_NEW_ARRAY(formula->arena, double, count);
    for (size_t i = 0; i < count; i++) {
      int64_t position = positions[i * TYPE_RANK_MAX + grid->moved[axis]];
      weights[i] = format_round_double(formula->format, tracks[axis].weight[position]);
    }
    cell.weights[axis] = (row_t){.count = count, .values = weights};
  }
  return cell;
}
