/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a step with a planted fault of a fused kernel. */
#include "oracles/ops/module/fused.h"

#include <math.h>

/* ---- What stands around a step --------------------------------------------------------------- */

const module_step_t *fused_operand(const fused_t *fused, uint32_t operand, const char *name) {
  const module_step_t *step = fused_step(fused);
  if (operand >= step->program.operand_count) return NULL;
  const module_step_t *before = module_definition(fused->faulty->module, step->operands[operand]);
  return before != NULL && module_step_is(before, name) ? before : NULL;
}

const module_step_t *fused_computed(const fused_t *fused, uint32_t operand) {
  const module_step_t *step = fused_step(fused);
  if (operand >= step->program.operand_count) return NULL;
  const module_step_t *before = module_definition(fused->faulty->module, step->operands[operand]);
  return before != NULL && !module_step_moves(before) ? before : NULL;
}

const tensor_t *fused_value(const fused_t *fused, const module_step_t *step, uint32_t operand) {
  return &fused->faulty->values[step->operands[operand]];
}

bool fused_is_elementwise(const module_step_t *step) {
  static const char *const names[] = {"add",     "subtract", "multiply",
                                      "maximum", "minimum",  "negate"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (module_step_is(step, names[i])) return true;
  }
  return false;
}

bool fused_is_number(const fused_t *fused, uint32_t operand, double *out_number) {
  const module_t *module = fused->faulty->module;
  module_value_t value = fused_step(fused)->operands[operand];
  const module_step_t *before = module_definition(module, value);
  if (before != NULL && module_step_is(before, "broadcast_in_dim")) value = before->operands[0];
  const tensor_t *constant = module_constant(module, value);
  if (constant == NULL || constant->type.quantization != NULL) return false;
  size_t count = type_element_count(&constant->type);
  for (size_t i = 1; i < count; i++) {
    if (fused_number(constant, i) != fused_number(constant, 0)) return false;
  }
  if (count > 0) *out_number = fused_number(constant, 0);
  return count > 0;
}

bool fused_is_returned(const fused_t *fused) {
  const module_t *module = fused->faulty->module;
  for (uint32_t i = 0; i < module->return_count; i++) {
    if (module->returns[i] == fused_step(fused)->results[0]) return true;
  }
  return false;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

tensor_t *fused_edit(fused_t *fused, uint32_t operand) {
  arena_t *arena = fused->faulty->call->arena;
  tensor_t *copy = arena_alloc(arena, sizeof *copy);
  *copy = tensor_make(arena, &fused->program.operands[operand]);
  size_t bytes = type_bytes(&copy->type);
  if (bytes > 0) memcpy(copy->data, fused->operands[operand]->data, bytes);
  fused->operands[operand] = copy;
  return copy;
}

double fused_number(const tensor_t *tensor, size_t element) {
  const element_t *type = tensor->type.element;
  uint64_t bits = element_load(type, tensor->data, element);
  if (type->format != NULL) return format_to_double(type->format, bits);
  bool is_signed = type->kind == ELEMENT_SIGNED;
  return is_signed ? (double)element_signed_value(type, bits) : (double)bits;
}

void fused_store(tensor_t *inout_tensor, size_t element, double number) {
  const element_t *type = inout_tensor->type.element;
  uint64_t bits = type->format != NULL ? format_from_double(type->format, number)
                                       : (uint64_t)(int64_t)number & element_mask(type);
  element_store(type, inout_tensor->data, element, bits);
}

void fused_copy_element(const tensor_t *from, size_t from_element, tensor_t *inout_to,
                        size_t element) {
  const element_t *type = inout_to->type.element;
  element_store(type, inout_to->data, element, element_load(type, from->data, from_element));
}

void fused_finish(fused_t *fused, const tensor_t *result) {
  size_t bytes = type_bytes(&fused->results[0].type);
  if (bytes > 0) memcpy(fused->results[0].data, result->data, bytes);
  fused->is_done = true;
}

bool fused_are_alike(const type_t *a, const type_t *b) {
  bool is_alike = a->element == b->element && a->rank == b->rank;
  for (uint32_t i = 0; i < a->rank && is_alike; i++) is_alike = a->dims[i] == b->dims[i];
  return is_alike;
}

/* ---- The run --------------------------------------------------------------------------------- */

static const fused_fault_t *find_fault(fault_t fault) {
  const fused_fault_t *const families[] = {fused_elementwise_faults, fused_reduction_faults,
                                           fused_product_faults, fused_movement_faults,
                                           fused_quantized_faults};
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    for (const fused_fault_t *row = families[i]; row->fault != FAULT_NONE; row++) {
      if (row->fault == fault) return row;
    }
  }
  return NULL;
}

status_t module_simulate_fused(const module_faulty_step_t *faulty, tensor_t *inout_results,
                               bool *out_is_known) {
  const fused_fault_t *fault = find_fault(faulty->schedule->fault);
  *out_is_known = fault != NULL;
  if (fault == NULL) return STATUS_OK;
  fused_t fused = {.faulty = faulty, .program = faulty->step->program, .results = inout_results};
  for (uint32_t i = 0; i < fused.program.operand_count; i++) {
    fused.operands[i] = &faulty->values[faulty->step->operands[i]];
  }
  if (fault->before != NULL) fault->before(&fused);
  if (fused.is_done) return STATUS_OK;
  STATUS_TRY(module_simulate_program(faulty->call, &fused.program, fused.operands, faulty->schedule,
                                     inout_results));
  if (fault->after != NULL) fault->after(&fused);
  return STATUS_OK;
}
