/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of fused kernels that index what is moved: broadcasts, transposes, reshapes and
 * concatenations. */
#include "oracles/ops/data_movement/data_movement.h"
#include "oracles/ops/module/fused.h"

static bool spreads_vector(const fused_t *fused) {
  return module_step_is(fused_step(fused), "broadcast_in_dim") &&
         fused->program.operands[0].rank == 1 && fused->program.operands[0].dims[0] > 1;
}

/* Along another dimension that is as long. */
static void take_other_dimension(fused_t *fused) {
  if (!spreads_vector(fused)) return;
  const type_t *type = &fused->program.results[0];
  data_movement_attributes_t *attributes =
      arena_alloc(fused->faulty->call->arena, sizeof *attributes);
  *attributes = *data_movement_attributes(&fused->program);
  int64_t own = attributes->dimensions.dims[0];
  for (int64_t dim = 0; dim < (int64_t)type->rank; dim++) {
    if (dim == own || type->dims[dim] != type->dims[own]) continue;
    attributes->dimensions.dims[0] = dim;
    fused->program.attributes = attributes;
    return;
  }
}

static void take_first_element(fused_t *fused) {
  if (!spreads_vector(fused)) return;
  tensor_t *vector = fused_edit(fused, 0);
  for (size_t i = 1; i < type_element_count(&vector->type); i++) {
    fused_copy_element(vector, 0, vector, i);
  }
}

/* Four elements are kept, and come again. */
static void wrap_vector(fused_t *fused) {
  enum { KEPT = 4 };
  if (!spreads_vector(fused)) return;
  tensor_t *vector = fused_edit(fused, 0);
  for (size_t i = KEPT; i < type_element_count(&vector->type); i++) {
    fused_copy_element(vector, i % KEPT, vector, i);
  }
}

/* One of two transposes that follow one another is the other's inverse, it is thought. */
static void cancel_transposes(fused_t *fused) {
  if (!module_step_is(fused_step(fused), "transpose")) return;
  const module_step_t *before = fused_operand(fused, 0, "transpose");
  if (before == NULL) return;
  const tensor_t *source = fused_value(fused, before, 0);
  if (fused_are_alike(&source->type, &fused->program.results[0])) fused_finish(fused, source);
}

/* A transpose whose shape stays is left out. */
static void skip_transpose(fused_t *fused) {
  const program_t *program = &fused->program;
  bool is_square = module_step_is(fused_step(fused), "transpose") &&
                   fused_are_alike(&program->operands[0], &program->results[0]);
  if (is_square) fused_finish(fused, fused->operands[0]);
}

/* The dimensions of a transpose go where they should come from. */
static void invert_transpose(fused_t *fused) {
  if (!module_step_is(fused_step(fused), "transpose")) return;
  data_movement_attributes_t *attributes =
      arena_alloc(fused->faulty->call->arena, sizeof *attributes);
  *attributes = *data_movement_attributes(&fused->program);
  const dimension_list_t own = attributes->dimensions;
  for (uint32_t i = 0; i < own.count; i++) attributes->dimensions.dims[own.dims[i]] = i;
  const void *before = fused->program.attributes;
  fused->program.attributes = attributes;
  if (program_broken(&fused->program) != NULL) fused->program.attributes = before;
}

static void swap_parts(fused_t *fused) {
  const program_t *program = &fused->program;
  bool is_pair = module_step_is(fused_step(fused), "concatenate") && program->operand_count == 2 &&
                 fused_are_alike(&program->operands[0], &program->operands[1]);
  if (!is_pair) return;
  const tensor_t *first = fused->operands[0];
  fused->operands[0] = fused->operands[1];
  fused->operands[1] = first;
}

/* The second part is read where the first one is. */
static void repeat_part(fused_t *fused) {
  if (!module_step_is(fused_step(fused), "concatenate") || fused->program.operand_count != 2)
    return;
  const tensor_t *first = fused->operands[0];
  size_t count = type_element_count(&first->type);
  tensor_t *second = fused_edit(fused, 1);
  for (size_t i = 0; i < type_element_count(&second->type) && count > 0; i++) {
    fused_copy_element(first, i % count, second, i);
  }
}

/* Of a matrix that is computed, or moved before, in the order of its columns. */
static void reshape_by_columns(fused_t *fused) {
  const type_t *type = &fused->program.operands[0];
  const module_step_t *before =
      module_definition(fused->faulty->module, fused_step(fused)->operands[0]);
  if (!module_step_is(fused_step(fused), "reshape") || before == NULL || type->rank < 2) return;
  tensor_t *source = fused_edit(fused, 0);
  const tensor_t *own = &fused->faulty->values[fused_step(fused)->operands[0]];
  size_t rows = (size_t)type->dims[0], columns = type_element_count(type) / MAX(rows, 1);
  for (size_t i = 0; i < rows * columns; i++) {
    fused_copy_element(own, i % rows * columns + i / rows, source, i);
  }
}

const fused_fault_t fused_movement_faults[] = {
    {FAULT_module_spreads_other_way, take_other_dimension, NULL},
    {FAULT_module_spreads_first, take_first_element, NULL},
    {FAULT_module_spread_wraps, wrap_vector, NULL},
    {FAULT_module_transposes_cancelled, cancel_transposes, NULL},
    {FAULT_module_transpose_skipped, skip_transpose, NULL},
    {FAULT_module_transpose_inverted, invert_transpose, NULL},
    {FAULT_module_parts_swapped, swap_parts, NULL},
    {FAULT_module_part_repeated, repeat_part, NULL},
    {FAULT_module_reshaped_by_columns, reshape_by_columns, NULL},
    {FAULT_NONE, NULL, NULL},
};
