/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of an all_reduce: the processes are the terms, one axis of all tensors and always the first;
 * all other dimensions of each operand are batches of its own. */
#include <string.h>

#include "oracles/ops/collective/op/op.h"

enum { PROCESSES = 0 };

static uint32_t count_axes(const program_t *program) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < program->operand_count; i++) count += program->operands[i].rank - 1;
  return count;
}

void all_reduce_axes(const program_t *program, axes_t *out_axes) {
  uint32_t count = count_axes(program);
  out_axes->count = count;
  if (count > AXES_MAX) return;
  out_axes->items[PROCESSES] = (axis_t){AXIS_TERM, program->operands[0].dims[0]};
  uint32_t axis = 1;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *operand = &program->operands[i];
    axis_list_t list = {.count = operand->rank, .axes = {PROCESSES}};
    for (uint32_t dim = 1; dim < operand->rank; dim++) {
      out_axes->items[axis] = (axis_t){AXIS_BATCH, operand->dims[dim]};
      list.axes[dim] = axis++;
    }
    out_axes->operands[i] = out_axes->results[i] = list;
  }
}

/* The groups that are left of the first `replicas` of all, or processes. */
static void cut_groups(int64_t named, replica_groups_t *groups) {
  replica_groups_t cut = {.group_count = 0};
  uint32_t place = 0;
  for (uint32_t group = 0; group < groups->group_count; group++) {
    uint32_t size = 0;
    for (uint32_t i = 0; i < groups->sizes[group]; i++) {
      int64_t id = groups->ids[place++];
      if (id >= named) continue;
      cut.ids[cut.id_count++] = id;
      size++;
    }
    if (size > 0) cut.sizes[cut.group_count++] = size;
  }
  *groups = cut;
}

/* The processes' axis is the first one of a list, whatever the caller made of it: none may be
 * there, if there is one process. */
static void put_processes_first(axis_list_t *list) {
  axis_list_t sorted = {.count = 1, .axes = {PROCESSES}};
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->axes[i] != PROCESSES) sorted.axes[sorted.count++] = list->axes[i];
  }
  *list = sorted;
}

static type_t reshape(const type_t *type, const axes_t *axes, const axis_list_t *list) {
  type_t out = *type;
  out.rank = list->count;
  for (uint32_t dim = 0; dim < list->count; dim++) {
    out.dims[dim] = axes->items[list->axes[dim]].size;
  }
  return out;
}

void all_reduce_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                          program_t *out_program) {
  collective_attributes_t *attributes = ARENA_NEW_ARRAY(arena, collective_attributes_t, 1);
  *attributes = *collective_attributes(program);
  int64_t processes = inout_axes->items[PROCESSES].size;
  bool names_processes = collective_grouping(attributes) == GROUPING_FLATTENED_IDS;
  int64_t named = names_processes ? processes : processes / collective_partitions(attributes);
  cut_groups(named, &attributes->groups);
  out_program->attributes = attributes;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    axis_list_t *list = &inout_axes->operands[i];
    put_processes_first(list);
    inout_axes->results[i] = *list;
    out_program->operands[i] = reshape(&program->operands[i], inout_axes, list);
    out_program->results[i] = reshape(&program->results[i], inout_axes, list);
  }
}
