/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of reductions that are fused with what they reduce: tails, padding, rows, and the order of
 * steps. */
#include <math.h>

#include "oracles/ops/module/fused.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/reduce.h"

enum { BLOCK = 4 }; /* Terms that the kernels take at a time. */

/* Whether the step is a plain reduce by that body. */
static bool is_reduce(const fused_t *fused, fold_body_t body) {
  const program_t *program = &fused_step(fused)->program;
  return module_step_is(fused_step(fused), "reduce") && program->result_count == 1 &&
         program->operands[0].quantization == NULL && !reduce_has_written_body(program) &&
         reduce_fold_body(program) == body;
}

static reduce_slices_t slices_of(const fused_t *fused) {
  return reduce_slices_make(&fused_step(fused)->program, fused->faulty->call->arena);
}

/* The second half of the rows reads what was not multiplied yet. */
static void read_unmultiplied(fused_t *fused) {
  if (!is_reduce(fused, FOLD_ADD)) return;
  const module_step_t *product = fused_operand(fused, 0, "multiply");
  if (product == NULL) return;
  reduce_slices_t slices = slices_of(fused);
  tensor_t *input = fused_edit(fused, 0);
  for (size_t row = (slices.output_count + 1) / 2; row < slices.output_count; row++) {
    for (size_t term = 0; term < slices.term_count; term++) {
      size_t element = slices.output_base[row] + slices.term_offset[term];
      fused_copy_element(fused_value(fused, product, 0), element, input, element);
    }
  }
}

/* Terms behind the last whole block are lost. */
static void drop_tail(fused_t *fused) {
  if (!is_reduce(fused, FOLD_ADD) || fused_computed(fused, 0) == NULL) return;
  reduce_slices_t slices = slices_of(fused);
  if (slices.term_count <= BLOCK) return;
  tensor_t *input = fused_edit(fused, 0);
  for (size_t row = 0; row < slices.output_count; row++) {
    for (size_t term = slices.term_count / BLOCK * BLOCK; term < slices.term_count; term++) {
      fused_store(input, slices.output_base[row] + slices.term_offset[term], 0);
    }
  }
}

/* The rest of the last block is zeros, which the maximum sees. */
static void see_padding(fused_t *fused) {
  if (!is_reduce(fused, FOLD_MAXIMUM) || fused_computed(fused, 0) == NULL) return;
  if (slices_of(fused).term_count % BLOCK == 0) return;
  for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
    if (fused_number(&fused->results[0], i) < 0) fused_store(&fused->results[0], i, 0);
  }
}

/* The same of a sum of x + c: each zero has become c. */
static void add_padding(fused_t *fused) {
  if (!is_reduce(fused, FOLD_ADD)) return;
  const module_step_t *sum = fused_operand(fused, 0, "add");
  size_t over = slices_of(fused).term_count % BLOCK;
  if (sum == NULL || over == 0) return;
  fused_t inner = *fused;
  module_faulty_step_t there = *fused->faulty;
  there.step = sum;
  inner.faulty = &there;
  for (uint32_t side = 0; side < 2; side++) {
    double number;
    if (!fused_is_number(&inner, side, &number)) continue;
    for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
      double padded = fused_number(&fused->results[0], i) + (double)(BLOCK - over) * number;
      fused_store(&fused->results[0], i, padded);
    }
    return;
  }
}

/* Of two reductions of one operand the second gives what the first did. */
static void repeat_first(fused_t *fused) {
  const module_t *module = fused->faulty->module;
  const module_step_t *step = fused_step(fused);
  if (!module_step_is(step, "reduce")) return;
  for (const module_step_t *other = module->steps; other != step; other++) {
    bool is_alike = module_step_is(other, "reduce") && other->operands[0] == step->operands[0] &&
                    fused_are_alike(&other->program.results[0], &step->program.results[0]);
    if (!is_alike) continue;
    fused_finish(fused, &fused->faulty->values[other->results[0]]);
    return;
  }
}

/* Along another dimension that is as long. */
static void take_other_dimension(fused_t *fused) {
  const program_t *program = &fused_step(fused)->program;
  if (!module_step_is(fused_step(fused), "reduce") || fused_computed(fused, 0) == NULL) return;
  const type_t *type = &program->operands[0];
  reduce_attributes_t *attributes = arena_alloc(fused->faulty->call->arena, sizeof *attributes);
  *attributes = *reduce_attributes(program);
  if (attributes->dimensions.count != 1) return;
  int64_t own = attributes->dimensions.dims[0];
  for (int64_t dim = 0; dim < (int64_t)type->rank; dim++) {
    if (dim == own || type->dims[dim] != type->dims[own]) continue;
    attributes->dimensions.dims[0] = dim;
    fused->program.attributes = attributes;
    if (program_broken(&fused->program) == NULL) return;
    fused->program.attributes = program->attributes;
  }
}

/* Whether the operand is a maximum with zero, of what. */
static const tensor_t *find_rectified(fused_t *fused) {
  const module_step_t *maximum = fused_operand(fused, 0, "maximum");
  if (maximum == NULL || !is_reduce(fused, FOLD_ADD)) return NULL;
  fused_t inner = *fused;
  module_faulty_step_t there = *fused->faulty;
  there.step = maximum;
  inner.faulty = &there;
  for (uint32_t side = 0; side < 2; side++) {
    double number;
    bool is_zero = fused_is_number(&inner, side, &number) && number == 0;
    if (is_zero) return fused_value(fused, maximum, 1 - side);
  }
  return NULL;
}

/* The maximum with zero is taken of the sum, not of the terms. */
static void read_unrectified(fused_t *fused) {
  const tensor_t *source = find_rectified(fused);
  if (source != NULL) fused->operands[0] = source;
}
static void rectify_sum(fused_t *fused) {
  if (find_rectified(fused) == NULL) return;
  for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
    if (fused_number(&fused->results[0], i) < 0) fused_store(&fused->results[0], i, 0);
  }
}

/* The largest of what is negated is the largest, negated. */
static void read_unnegated(fused_t *fused) {
  bool is_extreme = is_reduce(fused, FOLD_MAXIMUM) || is_reduce(fused, FOLD_MINIMUM);
  const module_step_t *negation = fused_operand(fused, 0, "negate");
  if (is_extreme && negation != NULL) fused->operands[0] = fused_value(fused, negation, 0);
}
static void negate_extreme(fused_t *fused) {
  bool is_extreme = is_reduce(fused, FOLD_MAXIMUM) || is_reduce(fused, FOLD_MINIMUM);
  if (!is_extreme || fused_operand(fused, 0, "negate") == NULL) return;
  for (size_t i = 0; i < type_element_count(&fused->results[0].type); i++) {
    fused_store(&fused->results[0], i, -fused_number(&fused->results[0], i));
  }
}

/* Accumulators of fused maxima and minima start at zero. */
static void start_at_zero(fused_t *fused) {
  const module_step_t *step = fused_step(fused);
  bool is_reduction = module_step_is(step, "reduce") || module_step_is(step, "reduce_window");
  if (!is_reduction || step->program.operand_count != 2 || fused_computed(fused, 0) == NULL) return;
  if (isinf(fused_number(fused->operands[1], 0))) fused_store(fused_edit(fused, 1), 0, 0);
}

/* The last window reads the one before it. */
static void repeat_window(fused_t *fused) {
  const type_t *type = &fused->results[0].type;
  bool is_window = module_step_is(fused_step(fused), "reduce_window") &&
                   fused_computed(fused, 0) != NULL && type->rank == 3 && type->dims[1] > 1;
  if (!is_window) return;
  size_t row = (size_t)type->dims[2], rows = (size_t)type->dims[1];
  for (size_t batch = 0; batch < (size_t)type->dims[0]; batch++) {
    size_t last = (batch * rows + rows - 1) * row;
    for (size_t i = 0; i < row; i++) {
      fused_copy_element(&fused->results[0], last - row + i, &fused->results[0], last + i);
    }
  }
}

const fused_fault_t fused_reduction_faults[] = {
    {FAULT_module_rows_unmultiplied, read_unmultiplied, NULL},
    {FAULT_module_sum_drops_tail, drop_tail, NULL},
    {FAULT_module_maximum_sees_padding, NULL, see_padding},
    {FAULT_module_sum_of_padding, NULL, add_padding},
    {FAULT_module_second_reduction_repeats, repeat_first, NULL},
    {FAULT_module_reduces_other_dimension, take_other_dimension, NULL},
    {FAULT_module_relu_behind_sum, read_unrectified, rectify_sum},
    {FAULT_module_negated_behind_extreme, read_unnegated, negate_extreme},
    {FAULT_module_extreme_starts_at_zero, start_at_zero, NULL},
    {FAULT_module_window_repeats, NULL, repeat_window},
    {FAULT_NONE, NULL, NULL},
};
