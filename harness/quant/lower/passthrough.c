/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that keep parameters, which the fixed and the integer form do alike: on what is stored. */
#include "harness/quant/lower/attribute.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

/* What a step sees of a state. */
static type_t seen_type(const region_export_t *self, const inner_state_t *state) {
  bool is_typed = self->exporter->lowering == QUANT_LOWERING_fixed &&
                  state->kind == INNER_QUANTIZED && state->axis == -1;
  return is_typed ? state->type : type_plain(&state->type);
}

/* The step of an op whose operands have these states and whose result is like the first of them. */
static status_t emit_kept(region_export_t *self, const quant_op_t *op,
                          const inner_state_t *operands, inner_state_t *inout_result,
                          failure_t *error) {
  program_t program = op->program;
  uint32_t tensors[CASE_OPERANDS_MAX];
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = seen_type(self, &operands[i]);
    tensors[i] = state_tensor(self->exporter, &operands[i]);
  }
  program.results[0] = seen_type(self, inout_result);
  const new_step_t step = {.program = &program,
                           .operands = tensors,
                           .names = &inout_result->name,
                           .declared = &inout_result->type};
  uint32_t tensor;
  STATUS_TRY(exporter_emit(self->exporter, &step, &tensor, error));
  inout_result->tensor = (int32_t)tensor;
  return STATUS_OK;
}

/* A state with the elements of another, over the shape of inner tensor `inner`. */
static inner_state_t reshaped(const region_export_t *self, const inner_state_t *like,
                              uint32_t inner, int32_t axis) {
  inner_state_t state = *like;
  const type_t *shape = &self->region->inners[inner].type;
  state.type = quantized_like(shape, like->type.element, like->type.quantization);
  if (axis != like->axis && like->type.quantization != NULL) {
    quantization_t *moved = arena_alloc(self->exporter->arena, sizeof *moved);
    *moved = *like->type.quantization;
    moved->axis = axis;
    state.type.quantization = moved;
  }
  state.axis = axis;
  state.tensor = QUANT_NONE;
  state.constant = NULL;
  state.name = region_name(self, inner, NULL);
  return state;
}

status_t region_move(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t *operand = &self->states[op->operands[0]];
  arena_t *arena = self->exporter->arena;
  int32_t axis = quant_movement_axis(&op->program, operand->axis, arena);
  if (operand->axis >= 0 && axis < 0) {
    return status_fail(error, STATUS_UNSUPPORTED, "%s does not keep the quantization dimension",
                       op->program.op->name);
  }
  inner_state_t result = reshaped(self, operand, op->results[0], axis);
  if (operand->constant != NULL) {
    result.constant = quant_fold_movement(&op->program, operand->constant, &result.type, arena);
  } else if (operand->kind == INNER_FLOAT) {
    return status_fail(error, STATUS_UNSUPPORTED, "%s of a float", op->program.op->name);
  } else {
    STATUS_TRY(emit_kept(self, op, operand, &result, error));
  }
  self->states[op->results[0]] = result;
  return STATUS_OK;
}

/* The parameters that operands are given to meet: the result's derived ones, whose range clamps at
 * last anyway, or those that all of them already have.  With the parameters of one operand the
 * others might be clamped where the result is not. */
static status_t find_meeting(const region_export_t *self, const quant_op_t *op,
                             const element_t **out_storage, const quantization_t **out_parameters,
                             failure_t *error) {
  const inner_state_t *first = &self->states[op->operands[0]];
  *out_parameters = region_target(self, op->results[0], out_storage);
  if (*out_parameters != NULL) return STATUS_OK;
  bool are_alike = first->kind == INNER_QUANTIZED && first->axis == -1;
  for (uint32_t i = 1; i < op->program.operand_count && are_alike; i++) {
    const inner_state_t *state = &self->states[op->operands[i]];
    are_alike = state->kind == INNER_QUANTIZED && state->type.element == first->type.element &&
                quantization_equal(state->type.quantization, first->type.quantization);
  }
  if (!are_alike) {
    return status_fail(error, STATUS_UNSUPPORTED, "%s: no port tells its result's parameters",
                       op->program.op->name);
  }
  *out_storage = first->type.element;
  *out_parameters = first->type.quantization;
  return STATUS_OK;
}

static status_t meet(region_export_t *self, const quant_op_t *op, const element_t *storage,
                     const quantization_t *parameters, inner_state_t *out_states,
                     failure_t *error) {
  for (uint32_t i = 0; i < op->program.operand_count; i++) {
    const inner_state_t *state = &self->states[op->operands[i]];
    if (state_has_nan(state)) {
      return status_fail(error, STATUS_UNSUPPORTED, "no integer stands for NaN");
    }
    const type_t type = quantized_like(&state->type, storage, parameters);
    STATUS_TRY(state_to_quantized(self->exporter, state, &type, &out_states[i], error));
  }
  return STATUS_OK;
}

/* The largest bound: that of the result, all of whose elements are elements of the operands. */
static uint64_t largest_bound(const inner_state_t *states, uint32_t count) {
  uint64_t bound = 0;
  for (uint32_t i = 0; i < count; i++) bound = MAX(bound, states[i].bound);
  return bound;
}

static status_t emit_met(region_export_t *self, const quant_op_t *op, const inner_state_t *states,
                         failure_t *error) {
  inner_state_t result = reshaped(self, &states[0], op->results[0], states[0].axis);
  result.bound = largest_bound(states, op->program.operand_count);
  STATUS_TRY(emit_kept(self, op, states, &result, error));
  self->states[op->results[0]] = result;
  return STATUS_OK;
}

status_t region_concatenate(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const element_t *storage;
  const quantization_t *parameters;
  inner_state_t states[CASE_OPERANDS_MAX];
  STATUS_TRY(find_meeting(self, op, &storage, &parameters, error));
  STATUS_TRY(meet(self, op, storage, parameters, states, error));
  return emit_met(self, op, states, error);
}

/* Whether a constant beside a tensor is clamped by the tensor's range where that decides: a maximum
 * with what is above all of the range, a minimum with what is below. */
static bool is_cut_off(const inner_state_t *beside, const inner_state_t *constant,
                       bool is_maximum) {
  const quantization_t *quantization = beside->type.quantization;
  for (size_t i = 0; i < type_element_count(&constant->type); i++) {
    size_t channel = quant_channel(&constant->type, beside->axis, i);
    int64_t end = is_maximum ? quantization->storage_max : quantization->storage_min;
    double limit =
        (double)(end - quantization->zero_points[channel]) * quantization->scales[channel];
    double value = quant_float_at(constant->constant, i);
    if (is_maximum ? value > limit : value < limit) return true;
  }
  return false;
}

/* Gives a constant of floats the parameters of the tensor beside it.  Where the result ends in a
 * port of the same parameters, that clamps as well, and no harm is done. */
static status_t join_constant(region_export_t *self, const quant_op_t *op,
                              const inner_state_t *beside, const inner_state_t *constant,
                              inner_state_t *out_state, failure_t *error) {
  bool is_known = state_is_constant_float(constant) && !state_has_nan(constant) &&
                  beside->type.quantization != NULL;
  if (!is_known) {
    return status_fail(error, STATUS_UNSUPPORTED, "no integer stands for the constant");
  }
  const element_t *storage = NULL;
  const quantization_t *target = region_target(self, op->results[0], &storage);
  bool is_at_last = target != NULL && storage == beside->type.element &&
                    quantization_equal(target, beside->type.quantization);
  bool is_maximum = op_is(op, "maximum") || op_reduces_by(self, op, "maximum");
  if (!is_at_last && is_cut_off(beside, constant, is_maximum)) {
    return status_fail(error, STATUS_UNSUPPORTED, "the constant lies beyond the storage range");
  }
  const type_t type =
      quantized_like(&constant->type, beside->type.element, beside->type.quantization);
  STATUS_TRY(state_to_quantized(self->exporter, constant, &type, out_state, error));
  out_state->kind = beside->kind;
  return STATUS_OK;
}

status_t region_extremum(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t *lhs = &self->states[op->operands[0]];
  const inner_state_t *rhs = &self->states[op->operands[1]];
  inner_state_t states[CASE_OPERANDS_MAX] = {*lhs, *rhs};
  bool are_alike =
      lhs->kind == rhs->kind && type_equal(&lhs->type, &rhs->type) && state_scales_equal(lhs, rhs);
  if (lhs->kind != INNER_FLOAT && state_is_constant_float(rhs)) {
    STATUS_TRY(join_constant(self, op, lhs, rhs, &states[1], error));
  } else if (rhs->kind != INNER_FLOAT && state_is_constant_float(lhs)) {
    STATUS_TRY(join_constant(self, op, rhs, lhs, &states[0], error));
  } else if (lhs->kind == INNER_FLOAT || rhs->kind == INNER_FLOAT) {
    return status_fail(error, STATUS_UNSUPPORTED, "%s of a float", op->program.op->name);
  } else if (!are_alike) {
    const element_t *storage;
    const quantization_t *parameters;
    STATUS_TRY(find_meeting(self, op, &storage, &parameters, error));
    STATUS_TRY(meet(self, op, storage, parameters, states, error));
  }
  return emit_met(self, op, states, error);
}

status_t region_reduce_extremum(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t *operand = &self->states[op->operands[0]];
  if (operand->kind == INNER_FLOAT || operand->axis != -1) {
    return status_fail(error, STATUS_UNSUPPORTED, "%s of what is no tensor with one scale",
                       op->program.op->name);
  }
  inner_state_t states[CASE_OPERANDS_MAX] = {*operand};
  const inner_state_t *init = &self->states[op->operands[1]];
  STATUS_TRY(join_constant(self, op, operand, init, &states[1], error));
  return emit_met(self, op, states, error);
}
