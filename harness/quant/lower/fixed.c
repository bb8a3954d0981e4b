/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed form: ops on quantized types, and plain i32 on accumulators. */
#include <math.h>

#include "harness/quant/lower/attribute.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

static const uint64_t I32_BOUND = UINT64_C(1) << 31; /* Of magnitudes: these and more may wrap. */

static status_t refuse(const quant_op_t *op, failure_t *error, const char *reason) {
  return status_fail(error, STATUS_UNSUPPORTED, "%s: %s", op->program.op->name, reason);
}

/* The accumulator's type over a shape: i32 whose zero points are 0.  NULL where a scale is no
 * positive number of the expressed type. */
static const quantization_t *accumulator_of(exporter_t *exporter, const element_t *expressed,
                                            int32_t axis, uint32_t count, const double *scales) {
  for (uint32_t i = 0; i < count; i++) {
    if (!(scales[i] > 0) || !isfinite(scales[i])) return NULL;
  }
  quantization_t *quantization = arena_alloc(exporter->arena, sizeof *quantization);
  *quantization = (quantization_t){
      .expressed = expressed,
      .storage_min = INT32_MIN,
      .storage_max = INT32_MAX,
      .axis = axis,
      .count = count,
      .scales = scales,
      .zero_points = arena_alloc_zeroed(exporter->arena, count * sizeof(int64_t)),
  };
  return quantization;
}

static void set_accumulator(region_export_t *self, uint32_t inner, const type_t *type,
                            uint32_t tensor, uint64_t bound) {
  inner_state_t state = state_of_quantized(self->exporter, INNER_ACCUMULATOR, type, (int32_t)tensor,
                                           NULL, region_name(self, inner, NULL));
  state.bound = bound;
  self->states[inner] = state;
}

static void set_quantized(region_export_t *self, uint32_t inner, const type_t *type,
                          uint32_t tensor) {
  self->states[inner] = state_of_quantized(self->exporter, INNER_QUANTIZED, type, (int32_t)tensor,
                                           NULL, region_name(self, inner, NULL));
}

/* An op with one result as a step: what its operands are, and the type of the result's tensor. */
typedef struct op_step {
  const quant_op_t *op;
  const inner_state_t *operands;
  const type_t *result;
  bool is_plain; /* It sees integers, not quantized types. */
} op_step_t;

static status_t emit(region_export_t *self, const op_step_t *step, uint32_t *out_tensor,
                     failure_t *error) {
  const quant_op_t *op = step->op;
  program_t program = op->program;
  uint32_t tensors[CASE_OPERANDS_MAX];
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const inner_state_t *operand = &step->operands[i];
    program.operands[i] = step->is_plain ? type_plain(&operand->type) : operand->type;
    tensors[i] = state_tensor(self->exporter, operand);
  }
  program.results[0] = step->is_plain ? type_plain(step->result) : *step->result;
  const char *name = region_name(self, op->results[0], NULL);
  const new_step_t added = {
      .program = &program, .operands = tensors, .names = &name, .declared = step->result};
  return exporter_emit(self->exporter, &added, out_tensor, error);
}

/* ---- convolution, dot_general ---------------------------------------------------------------- */

/* What the result is where it is not the port itself: the product of the scales, rounded to the
 * expressed type, by channel of the right operand. */
static status_t contract_to_accumulator(region_export_t *self, const quant_op_t *op,
                                        const inner_state_t *states, uint64_t bound,
                                        failure_t *error) {
  exporter_t *exporter = self->exporter;
  const quantization_t *lhs = states[0].type.quantization, *rhs = states[1].type.quantization;
  int32_t axis = quant_contraction_axis(&op->program, rhs->axis, exporter->arena);
  if (rhs->axis >= 0 && axis < 0) return refuse(op, error, "its weights' scales are no channels'");
  double *scales = ARENA_NEW_ARRAY(exporter->arena, double, rhs->count);
  for (uint32_t i = 0; i < rhs->count; i++) {
    scales[i] = format_round_double(rhs->expressed->format, lhs->scales[0] * rhs->scales[i]);
  }
  const quantization_t *quantization =
      accumulator_of(exporter, rhs->expressed, axis, rhs->count, scales);
  if (quantization == NULL) return refuse(op, error, "the product of its scales is no number");
  const type_t type = quantized_like(&op->program.results[0], element_named("i32"), quantization);
  const op_step_t step = {.op = op, .operands = states, .result = &type};
  uint32_t tensor;
  STATUS_TRY(emit(self, &step, &tensor, error));
  set_accumulator(self, op->results[0], &type, tensor, bound);
  return STATUS_OK;
}

static status_t fixed_contract(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t states[] = {self->states[op->operands[0]], self->states[op->operands[1]]};
  if (states[0].kind != INNER_QUANTIZED || states[1].kind != INNER_QUANTIZED) {
    return refuse(op, error, "its operands are not both quantized");
  }
  uint64_t terms = quant_contraction_terms(&op->program, self->exporter->arena);
  uint64_t product = states[0].bound * states[1].bound; /* Below 2^66 only for i32 storage. */
  bool may_wrap = states[0].bound >= I32_BOUND || states[1].bound >= I32_BOUND ||
                  product >= I32_BOUND || terms * product >= I32_BOUND;
  if (may_wrap) return refuse(op, error, "its sums may not fit i32");
  const quant_spec_t *spec = region_port_spec(self, op->results[0]);
  if (spec != NULL && spec->kind == QUANT_SPEC_UNIFORM) {
    const type_t type = quant_spec_apply(spec, &op->program.results[0]);
    const op_step_t step = {.op = op, .operands = states, .result = &type};
    uint32_t tensor;
    if (emit(self, &step, &tensor, NULL) == STATUS_OK) {
      set_quantized(self, op->results[0], &type, tensor);
      return STATUS_OK;
    }
  }
  return contract_to_accumulator(self, op, states, terms * product, error);
}

/* ---- add, multiply --------------------------------------------------------------------------- */

/* Of two quantized tensors, with the parameters of the port that it ends in. */
static status_t combine_quantized(region_export_t *self, const quant_op_t *op,
                                  const inner_state_t *states, failure_t *error) {
  if (states[0].kind != INNER_QUANTIZED || states[1].kind != INNER_QUANTIZED) {
    return refuse(op, error, "its operands are not both quantized");
  }
  const element_t *storage;
  const quantization_t *target = region_target(self, op->results[0], &storage);
  if (target == NULL) return refuse(op, error, "no port tells its result's parameters");
  const type_t type = quantized_like(&op->program.results[0], storage, target);
  const op_step_t step = {.op = op, .operands = states, .result = &type};
  uint32_t tensor;
  STATUS_TRY(emit(self, &step, &tensor, error));
  set_quantized(self, op->results[0], &type, tensor);
  return STATUS_OK;
}

/* What is added to an accumulator has its parameters, and is added as plain i32. */
static status_t add_to_accumulator(region_export_t *self, const quant_op_t *op,
                                   const inner_state_t *accumulator, const inner_state_t *other,
                                   failure_t *error) {
  inner_state_t states[] = {*accumulator, *other};
  bool is_alike = other->kind != INNER_FLOAT && type_equal(&accumulator->type, &other->type);
  if (!is_alike) {
    if (other->constant == NULL || state_has_nan(other)) {
      return refuse(op, error, "what is added to the accumulator has other parameters");
    }
    STATUS_TRY(state_to_quantized(self->exporter, other, &accumulator->type, &states[1], error));
  }
  uint64_t bound = states[0].bound + states[1].bound;
  if (bound >= I32_BOUND) return refuse(op, error, "its sum may not fit i32");
  const op_step_t step = {
      .op = op, .operands = states, .result = &accumulator->type, .is_plain = true};
  uint32_t tensor;
  STATUS_TRY(emit(self, &step, &tensor, error));
  set_accumulator(self, op->results[0], &accumulator->type, tensor, bound);
  return STATUS_OK;
}

static status_t fixed_add(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t states[] = {self->states[op->operands[0]], self->states[op->operands[1]]};
  if (states[0].kind == INNER_ACCUMULATOR) {
    return add_to_accumulator(self, op, &states[0], &states[1], error);
  }
  if (states[1].kind == INNER_ACCUMULATOR) {
    return add_to_accumulator(self, op, &states[1], &states[0], error);
  }
  return combine_quantized(self, op, states, error);
}

/* A positive factor that is the same for all elements only changes what the integers stand for. */
static status_t scale_by(region_export_t *self, const quant_op_t *op, const inner_state_t *state,
                         double factor, failure_t *error) {
  exporter_t *exporter = self->exporter;
  const quantization_t *old = state->type.quantization;
  double *scales = ARENA_NEW_ARRAY(exporter->arena, double, old->count);
  for (uint32_t i = 0; i < old->count; i++) {
    scales[i] = format_round_double(old->expressed->format, old->scales[i] * factor);
    if (!(scales[i] > 0) || !isfinite(scales[i])) {
      return refuse(op, error, "the product of its scales is no number");
    }
  }
  quantization_t *quantization = arena_alloc(exporter->arena, sizeof *quantization);
  *quantization = *old;
  quantization->scales = scales;
  const type_t type = quantized_like(&state->type, state->type.element, quantization);
  inner_state_t result =
      state_of_quantized(exporter, state->kind, &type, state->tensor, state->constant, state->name);
  result.bound = state->bound;
  self->states[op->results[0]] = result;
  exporter->counts.merged_scalings++;
  return STATUS_OK;
}

static status_t fixed_multiply(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t states[] = {self->states[op->operands[0]], self->states[op->operands[1]]};
  for (int side = 0; side < 2; side++) {
    const inner_state_t *state = &states[side];
    double factor;
    if (state->kind == INNER_FLOAT) continue;
    if (state_is_positive_splat(&states[1 - side], &factor)) {
      return scale_by(self, op, state, factor, error);
    }
  }
  return combine_quantized(self, op, states, error);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Sums of quantized elements accumulate in i32 with their scale. */
static status_t fixed_sum(region_export_t *self, const quant_op_t *op, failure_t *error) {
  exporter_t *exporter = self->exporter;
  const inner_state_t *operand = &self->states[op->operands[0]];
  if (operand->kind == INNER_FLOAT || operand->axis != -1) {
    return refuse(op, error, "it sums no tensor with one scale");
  }
  if (!state_is_zero(&self->states[op->operands[1]]))
    return refuse(op, error, "it starts not at 0");
  uint64_t terms = quant_reduction_terms(&op->program, exporter->arena);
  if (operand->bound >= I32_BOUND || terms * operand->bound >= I32_BOUND) {
    return refuse(op, error, "its sums may not fit i32");
  }
  const quantization_t *own = operand->type.quantization;
  const quantization_t *quantization = accumulator_of(exporter, own->expressed, -1, 1, own->scales);
  const type_t type = quantized_like(&op->program.results[0], element_named("i32"), quantization);
  const type_t scalar = quantized_like(&op->program.operands[1], operand->type.element, own);
  inner_state_t states[] = {*operand, self->states[op->operands[1]]};
  STATUS_TRY(state_to_quantized(exporter, &states[1], &scalar, &states[1], error));
  const op_step_t step = {.op = op,
                          .operands = states,
                          .result = &type,
                          .is_plain = operand->kind == INNER_ACCUMULATOR};
  uint32_t tensor;
  STATUS_TRY(emit(self, &step, &tensor, error));
  set_accumulator(self, op->results[0], &type, tensor, terms * operand->bound);
  return STATUS_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

typedef status_t lower_t(region_export_t *self, const quant_op_t *op, failure_t *error);

status_t region_fixed_op(region_export_t *self, const quant_op_t *op, failure_t *error) {
  static const struct {
    const char *name;
    lower_t *lower;
  } rows[] = {
      {"convolution", fixed_contract},
      {"dot_general", fixed_contract},
      {"add", fixed_add},
      {"multiply", fixed_multiply},
      {"maximum", region_extremum},
      {"minimum", region_extremum},
      {"reshape", region_move},
      {"transpose", region_move},
      {"broadcast_in_dim", region_move},
      {"concatenate", region_concatenate},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (op_is(op, rows[i].name)) return rows[i].lower(self, op, error);
  }
  if (op_reduces_by(self, op, "add")) return fixed_sum(self, op, error);
  bool is_extremum = op_reduces_by(self, op, "maximum") || op_reduces_by(self, op, "minimum");
  if (is_extremum) return region_reduce_extremum(self, op, error);
  return refuse(op, error, "it has no quantized form");
}
