/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of products, norms and softmax that are fused with what they read and what reads them. */
#include "oracles/ops/module/fused.h"

static bool is_dot(const fused_t *fused) {
  return module_step_is(fused_step(fused), "dot_general") &&
         fused->program.operands[0].quantization == NULL;
}

/* Reads a transposed operand as if it were not, where it is square. */
static void leave_out_transpose(fused_t *fused) {
  if (!is_dot(fused)) return;
  for (uint32_t side = 0; side < 2; side++) {
    const module_step_t *transpose = fused_operand(fused, side, "transpose");
    if (transpose == NULL) continue;
    const tensor_t *source = fused_value(fused, transpose, 0);
    if (fused_are_alike(&source->type, &fused->program.operands[side])) {
      fused->operands[side] = source;
    }
  }
}

/* The last term is lost where the left operand is computed. */
static void drop_last_term(fused_t *fused) {
  const type_t *type = &fused->program.operands[0];
  if (!is_dot(fused) || fused_computed(fused, 0) == NULL || type->rank < 2) return;
  size_t terms = (size_t)type->dims[type->rank - 1];
  if (terms < 2) return;
  tensor_t *left = fused_edit(fused, 0);
  for (size_t i = terms - 1; i < type_element_count(type); i += terms) fused_store(left, i, 0);
}

/* All of a batch are multiplied by the first right operand. */
static void repeat_batch(fused_t *fused) {
  const type_t *type = &fused->program.operands[1];
  if (!is_dot(fused) || type->rank != 3) return;
  tensor_t *right = fused_edit(fused, 1);
  size_t size = (size_t)(type->dims[1] * type->dims[2]);
  for (size_t i = size; i < type_element_count(type); i++) {
    fused_copy_element(right, i % size, right, i);
  }
}

/* Of two products of one operand the second takes the first's other one. */
static void repeat_weights(fused_t *fused) {
  const module_t *module = fused->faulty->module;
  const module_step_t *step = fused_step(fused);
  if (!is_dot(fused)) return;
  for (const module_step_t *other = module->steps; other != step; other++) {
    bool is_alike = module_step_is(other, "dot_general") &&
                    other->operands[0] == step->operands[0] &&
                    fused_are_alike(&other->program.operands[1], &step->program.operands[1]);
    if (is_alike) fused->operands[1] = &fused->faulty->values[other->operands[1]];
  }
}

/* A product that is reduced or multiplied next has lost its last row. */
static void repeat_row(fused_t *fused) {
  const type_t *type = &fused->results[0].type;
  if (!is_dot(fused) || fused_is_returned(fused) || type->rank < 2) return;
  size_t columns = (size_t)type->dims[type->rank - 1], count = type_element_count(type);
  if (count < 2 * columns) return;
  for (size_t i = count - columns; i < count; i++) {
    fused_copy_element(&fused->results[0], i - columns, &fused->results[0], i);
  }
}

/* The bias is left out of the last row. */
static void skip_bias(fused_t *fused) {
  const type_t *type = &fused->results[0].type;
  if (!module_step_is(fused_step(fused), "add") || type->rank < 2) return;
  size_t columns = (size_t)type->dims[type->rank - 1], count = type_element_count(type);
  if (count < 2 * columns) return;
  for (uint32_t side = 0; side < 2; side++) {
    bool is_bias = fused_operand(fused, side, "broadcast_in_dim") != NULL &&
                   fused_computed(fused, 1 - side) != NULL;
    for (size_t i = count - columns; i < count && is_bias; i++) {
      fused_copy_element(fused->operands[1 - side], i, &fused->results[0], i);
    }
  }
}

static bool is_composite(const module_step_t *step) {
  return step->program.op->is_composite && step->program.operands[0].quantization == NULL;
}

/* Reads what was not added, or not multiplied, yet. */
static void read_before(fused_t *fused, const char *name) {
  const module_step_t *before = fused_operand(fused, 0, name);
  if (!is_composite(fused_step(fused)) || before == NULL) return;
  const tensor_t *source = fused_value(fused, before, 0);
  if (fused_are_alike(&source->type, &fused->program.operands[0])) fused->operands[0] = source;
}
static void read_unadded(fused_t *fused) { read_before(fused, "add"); }
static void read_unscaled(fused_t *fused) { read_before(fused, "multiply"); }

/* What follows a norm reads what the norm read. */
static void skip_norm(fused_t *fused) {
  const module_t *module = fused->faulty->module;
  const module_step_t *step = fused_step(fused);
  if (!fused_is_elementwise(step)) return;
  for (uint32_t i = 0; i < step->program.operand_count; i++) {
    const module_step_t *before = module_definition(module, step->operands[i]);
    if (before == NULL || !is_composite(before)) continue;
    const tensor_t *source = fused_value(fused, before, 0);
    if (fused_are_alike(&source->type, &fused->program.operands[i])) fused->operands[i] = source;
    return;
  }
}

const fused_fault_t fused_product_faults[] = {
    {FAULT_module_transpose_left_out, leave_out_transpose, NULL},
    {FAULT_module_last_term_dropped, drop_last_term, NULL},
    {FAULT_module_batch_repeated, repeat_batch, NULL},
    {FAULT_module_weights_repeated, repeat_weights, NULL},
    {FAULT_module_product_row_repeated, NULL, repeat_row},
    {FAULT_module_bias_skipped, NULL, skip_bias},
    {FAULT_module_norm_of_unadded, read_unadded, NULL},
    {FAULT_module_norm_of_unscaled, read_unscaled, NULL},
    {FAULT_module_norm_skipped, skip_norm, NULL},
    {FAULT_NONE, NULL, NULL},
};
