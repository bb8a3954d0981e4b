/* SPDX-License-Identifier: Apache-2.0 */
/* The integer form: bodies on plain integers, whose scales are kept exactly and applied at last. */
#include <math.h>

#include "harness/quant/lower/attribute.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

static const uint64_t I32_BOUND = UINT64_C(1) << 31; /* Of magnitudes: these and more may wrap. */
static const uint64_t I64_BOUND = UINT64_C(1) << 61;

static status_t refuse(const quant_op_t *op, failure_t *error, const char *reason) {
  return status_fail(error, STATUS_UNSUPPORTED, "%s: %s", op->program.op->name, reason);
}

/* The operands without zero points; each scaling of an operand is pushed forward so. */
static status_t center(region_export_t *self, const quant_op_t *op, uint32_t count,
                       inner_state_t *out_states, failure_t *error) {
  for (uint32_t i = 0; i < count; i++) {
    const inner_state_t *state = &self->states[op->operands[i]];
    STATUS_TRY(state_to_centered(self->exporter, state, &out_states[i], error));
    if (state->kind == INNER_QUANTIZED) self->exporter->counts.merged_scalings++;
  }
  return STATUS_OK;
}

/* The op on integers of one element type; the result is `like` but for its type and tensor. */
static status_t emit(region_export_t *self, const quant_op_t *op, const inner_state_t *operands,
                     const inner_state_t *like, failure_t *error) {
  program_t program = op->program;
  uint32_t tensors[CASE_OPERANDS_MAX];
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = operands[i].type;
    tensors[i] = state_tensor(self->exporter, &operands[i]);
  }
  const type_t *shape = &op->program.results[0];
  program.results[0] = type_make(operands[0].type.element, shape->rank, shape->dims);
  inner_state_t result = *like;
  result.name = region_name(self, op->results[0], NULL);
  const new_step_t step = {.program = &program,
                           .operands = tensors,
                           .names = &result.name,
                           .declared = &program.results[0]};
  uint32_t tensor;
  STATUS_TRY(exporter_emit(self->exporter, &step, &tensor, error));
  result.tensor = (int32_t)tensor;
  result.constant = NULL;
  result.type = program.results[0];
  self->states[op->results[0]] = result;
  return STATUS_OK;
}

/* Gives a state the products of scales: one of the two has one scale only. */
static bool multiply_scales(exporter_t *exporter, const inner_state_t *a, const inner_state_t *b,
                            inner_state_t *out_like) {
  const inner_state_t *many = a->scale_count > 1 ? a : b, *one = a->scale_count > 1 ? b : a;
  if (one->scale_count != 1) return false;
  exact_scale_t *scales = ARENA_NEW_ARRAY(exporter->arena, exact_scale_t, many->scale_count);
  for (uint32_t i = 0; i < many->scale_count; i++) {
    if (!exact_scale_multiply(many->scales[i], one->scales[0], &scales[i])) return false;
  }
  *out_like = *many;
  out_like->scales = scales;
  return true;
}

/* ---- convolution, dot_general ---------------------------------------------------------------- */

static status_t integer_contract(region_export_t *self, const quant_op_t *op, failure_t *error) {
  inner_state_t states[2], like;
  STATUS_TRY(center(self, op, 2, states, error));
  uint64_t terms = quant_contraction_terms(&op->program, self->exporter->arena);
  uint64_t product = states[0].bound * states[1].bound;
  bool may_wrap = states[0].bound >= I32_BOUND || states[1].bound >= I32_BOUND ||
                  product >= I32_BOUND || terms * product >= I32_BOUND;
  if (may_wrap) return refuse(op, error, "its sums may not fit i32");
  int32_t axis = quant_contraction_axis(&op->program, states[1].axis, self->exporter->arena);
  bool is_by_channel = states[0].axis == -1 && (states[1].axis == -1 || axis >= 0);
  if (!is_by_channel || !multiply_scales(self->exporter, &states[0], &states[1], &like)) {
    return refuse(op, error, "its products have no one scale by channel");
  }
  like.axis = axis;
  like.bound = terms * product;
  return emit(self, op, states, &like, error);
}

/* ---- Constants as integers ------------------------------------------------------------------- */

/* The integers that constants become: of the scales of `like` times 2^-finer, within +-limit. */
typedef struct integer_grid {
  const inner_state_t *like;
  int32_t finer;
  int64_t limit;
} integer_grid_t;

/* A constant over the shape of grid->like as integers of the grid, rounded to nearest even and held
 * within its limit; its bound.  STATUS_UNSUPPORTED for NaN. */
static status_t round_constant(exporter_t *exporter, const inner_state_t *constant,
                               const integer_grid_t *grid, inner_state_t *out_state,
                               failure_t *error) {
  const inner_state_t *like = grid->like;
  const int64_t limit = grid->limit;
  const type_t type = type_make(element_named("i64"), constant->type.rank, constant->type.dims);
  tensor_t *data = arena_alloc(exporter->arena, sizeof *data);
  *data = tensor_make(exporter->arena, &type);
  *out_state = *like;
  out_state->bound = 0;
  for (size_t i = 0; i < type_element_count(&type); i++) {
    size_t channel = quant_channel(&type, like->axis, i);
    exact_scale_t scale = exact_scale_shift(like->scales[channel], -grid->finer);
    int64_t rounded = 0;
    bool is_small, is_negative;
    if (constant->kind == INNER_FLOAT) {
      double value = quant_float_at(constant->constant, i);
      if (isnan(value)) return status_fail(error, STATUS_UNSUPPORTED, "a constant is NaN");
      is_negative = value < 0;
      is_small = isfinite(value) && exact_scale_round_double(value, scale, &rounded);
    } else {
      size_t own = quant_channel(&type, constant->axis, i);
      int64_t stored = quant_integer_at(constant->constant, i);
      int64_t zero =
          constant->kind == INNER_ACCUMULATOR ? 0 : constant->type.quantization->zero_points[own];
      is_negative = stored < zero;
      is_small = exact_scale_round(stored - zero, constant->scales[own], scale, &rounded);
    }
    if (!is_small) rounded = is_negative ? -limit : limit;
    rounded = CLAMP(rounded, -limit, limit);
    element_store(type.element, data->data, i, (uint64_t)rounded);
    uint64_t magnitude = (uint64_t)(rounded < 0 ? -rounded : rounded);
    out_state->bound = MAX(out_state->bound, magnitude);
  }
  out_state->kind = INNER_ACCUMULATOR;
  out_state->type = type;
  out_state->tensor = QUANT_NONE;
  out_state->constant = data;
  out_state->name = constant->name;
  return STATUS_OK;
}

/* Integers as `element`, which holds them: constants anew, others by a conversion. */
static status_t as_element(exporter_t *exporter, inner_state_t *inout_state,
                           const element_t *element, failure_t *error) {
  if (inout_state->type.element == element) return STATUS_OK;
  if (inout_state->constant == NULL) return state_widen(exporter, inout_state, element, error);
  const type_t type = type_make(element, inout_state->type.rank, inout_state->type.dims);
  tensor_t *data = arena_alloc(exporter->arena, sizeof *data);
  *data = tensor_make(exporter->arena, &type);
  for (size_t i = 0; i < type_element_count(&type); i++) {
    int64_t value = quant_integer_at(inout_state->constant, i);
    element_store(element, data->data, i, (uint64_t)value & element_mask(element));
  }
  inout_state->constant = data;
  inout_state->type = type;
  inout_state->tensor = QUANT_NONE;
  return STATUS_OK;
}

/* Both in i32 if that holds results up to the bound, else in i64. */
static status_t as_one_element(region_export_t *self, const quant_op_t *op, uint64_t bound,
                               inner_state_t *inout_states, failure_t *error) {
  if (bound >= I64_BOUND) return refuse(op, error, "its results may not fit i64");
  const element_t *i64 = element_named("i64");
  bool is_wide = bound >= I32_BOUND;
  for (int i = 0; i < 2; i++) {
    bool is_kept_wide = inout_states[i].type.element == i64 && inout_states[i].constant == NULL;
    is_wide = is_wide || is_kept_wide || inout_states[i].bound >= I32_BOUND;
  }
  const element_t *element = is_wide ? i64 : element_named("i32");
  STATUS_TRY(as_element(self->exporter, &inout_states[0], element, error));
  return as_element(self->exporter, &inout_states[1], element, error);
}

/* ---- add ------------------------------------------------------------------------------------- */

/* Multiplies by round(scale / target * 2^finer) for each channel; constants are rounded there at
 * once. */
static status_t align(region_export_t *self, const inner_state_t *state,
                      const inner_state_t *target, int32_t finer, inner_state_t *out_state,
                      failure_t *error) {
  exporter_t *exporter = self->exporter;
  if (state->constant != NULL) {
    const integer_grid_t grid = {.like = target, .finer = finer, .limit = INT64_C(1) << 60};
    return round_constant(exporter, state, &grid, out_state, error);
  }
  const element_t *i64 = element_named("i64");
  int64_t *multipliers = ARENA_NEW_ARRAY(exporter->arena, int64_t, state->scale_count);
  int64_t largest = 0;
  for (uint32_t i = 0; i < state->scale_count; i++) {
    bool is_small = exact_scale_round(INT64_C(1) << finer, state->scales[i], target->scales[0],
                                      &multipliers[i]);
    if (!is_small || multipliers[i] >= (int64_t)I32_BOUND) {
      return status_fail(error, STATUS_UNSUPPORTED, "a multiplier has more than 31 bits");
    }
    largest = MAX(largest, multipliers[i]);
  }
  *out_state = *state;
  if (largest > 0 && state->bound > I64_BOUND / (uint64_t)largest) {
    return status_fail(error, STATUS_UNSUPPORTED, "products may not fit i64");
  }
  out_state->bound = state->bound * (uint64_t)largest;
  STATUS_TRY(state_widen(exporter, out_state, i64, error));
  const tensor_t *data =
      quant_tensor_of_channels(i64, &state->type, state->axis, multipliers, exporter->arena);
  simple_op_t op = {.name = "stablehlo.multiply",
                    .operand_count = 2,
                    .operands = {(uint32_t)out_state->tensor},
                    .seen = {out_state->type, out_state->type},
                    .result = out_state->type};
  op.operands[1] = state->scale_count == 1
                       ? exporter_splat(exporter, i64, &state->type, multipliers[0])
                       : exporter_constant(exporter, state->name, data);
  uint32_t tensor;
  STATUS_TRY(exporter_emit_simple(exporter, &op, state->name, &out_state->type, &tensor, error));
  out_state->tensor = (int32_t)tensor;
  return STATUS_OK;
}

/* Of scales that differ: both as integers of the port's scale times 2^-finer, in i64, with the
 * largest `finer` at which multipliers have 31 bits and the sum 61.  A multiplier is off by at most
 * 1/2, so that the sum is off by at most 2^-(finer + 1) (bound of a + bound of b) steps of the port
 * (a constant by 2^-(finer + 1)): no more than 2^-8, or this is refused. */
static status_t add_aligned(region_export_t *self, const quant_op_t *op,
                            const inner_state_t *operands, failure_t *error) {
  enum { FINER_MAX = 60, ERROR_BITS = 8 };
  exporter_t *exporter = self->exporter;
  const element_t *storage;
  const quantization_t *parameters = region_target(self, op->results[0], &storage);
  if (parameters == NULL) return refuse(op, error, "no port tells its result's parameters");
  const type_t type = quantized_like(&op->program.results[0], storage, parameters);
  const inner_state_t target =
      state_of_quantized(exporter, INNER_ACCUMULATOR, &type, QUANT_NONE, NULL, NULL);
  uint64_t bounds = operands[0].bound + operands[1].bound + 1;
  int32_t finer_min =
      ERROR_BITS - 1 + 64 - __builtin_clzll(bounds); /* 2^(finer + 1 - 8) > bounds */
  for (int32_t finer = FINER_MAX; finer >= finer_min; finer--) {
    exporter_mark_t mark = exporter_mark(exporter);
    inner_state_t states[2];
    status_t status = align(self, &operands[0], &target, finer, &states[0], error);
    if (status == STATUS_OK) {
      status = align(self, &operands[1], &target, finer, &states[1], error);
    }
    bool fits =
        status == STATUS_OK && states[0].bound < I64_BOUND / 2 && states[1].bound < I64_BOUND / 2;
    if (!fits) {
      exporter_rewind(exporter, mark);
      continue;
    }
    inner_state_t like = target;
    exact_scale_t *scale = ARENA_NEW_ARRAY(exporter->arena, exact_scale_t, 1);
    *scale = exact_scale_shift(target.scales[0], -finer);
    like.scales = scale;
    like.kind = INNER_ACCUMULATOR;
    like.bound = states[0].bound + states[1].bound;
    STATUS_TRY(as_element(exporter, &states[0], element_named("i64"), error));
    STATUS_TRY(as_element(exporter, &states[1], element_named("i64"), error));
    return emit(self, op, states, &like, error);
  }
  return refuse(op, error, "its operands' scales are too far apart");
}

static status_t integer_add(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const inner_state_t *operands[] = {&self->states[op->operands[0]],
                                     &self->states[op->operands[1]]};
  inner_state_t states[2];
  for (int i = 0; i < 2; i++) {
    bool is_constant = operands[i]->constant != NULL;
    states[i] = *operands[i];
    if (is_constant) continue;
    STATUS_TRY(state_to_centered(self->exporter, operands[i], &states[i], error));
    if (operands[i]->kind == INNER_QUANTIZED) self->exporter->counts.merged_scalings++;
  }
  int constant = states[1].constant != NULL ? 1 : 0;
  bool has_constant = states[constant].constant != NULL;
  if (has_constant && states[1 - constant].constant != NULL) {
    return refuse(op, error, "both operands are constants");
  }
  bool is_fine = operands[1 - constant]->kind == INNER_ACCUMULATOR;
  if (has_constant && is_fine) {
    const integer_grid_t grid = {.like = &states[1 - constant], .limit = (int64_t)I64_BOUND};
    STATUS_TRY(round_constant(self->exporter, operands[constant], &grid, &states[constant], error));
  } else if (has_constant || !state_scales_equal(&states[0], &states[1])) {
    return add_aligned(self, op, states, error);
  }
  uint64_t bound = states[0].bound + states[1].bound;
  STATUS_TRY(as_one_element(self, op, bound, states, error));
  inner_state_t sum = states[0];
  sum.bound = bound;
  return emit(self, op, states, &sum, error);
}

/* ---- multiply -------------------------------------------------------------------------------- */

static status_t integer_multiply(region_export_t *self, const quant_op_t *op, failure_t *error) {
  exporter_t *exporter = self->exporter;
  for (int side = 0; side < 2; side++) {
    const inner_state_t *state = &self->states[op->operands[side]];
    double factor;
    if (state->kind == INNER_FLOAT) continue;
    if (!state_is_positive_splat(&self->states[op->operands[1 - side]], &factor)) continue;
    inner_state_t like, result;
    const exact_scale_t scale = exact_scale_of(factor);
    const inner_state_t one = {.axis = -1, .scale_count = 1, .scales = &scale};
    STATUS_TRY(state_to_centered(exporter, state, &result, error));
    if (!multiply_scales(exporter, &result, &one, &like)) {
      return refuse(op, error, "the product of its scales has no exact form");
    }
    if (state->kind == INNER_QUANTIZED) exporter->counts.merged_scalings++;
    exporter->counts.merged_scalings++;
    result.scales = like.scales;
    self->states[op->results[0]] = result;
    return STATUS_OK;
  }
  inner_state_t states[2], like;
  STATUS_TRY(center(self, op, 2, states, error));
  bool fits = states[0].bound < I32_BOUND && states[1].bound < I32_BOUND &&
              states[0].bound * states[1].bound < I32_BOUND;
  if (!fits) return refuse(op, error, "its products may not fit i32");
  if (!multiply_scales(exporter, &states[0], &states[1], &like)) {
    return refuse(op, error, "its products have no one scale by channel");
  }
  like.bound = states[0].bound * states[1].bound;
  return emit(self, op, states, &like, error);
}

/* ---- Extrema, sums --------------------------------------------------------------------------- */

/* maximum or minimum of an accumulator and a constant.  A constant beyond all accumulators on the
 * side where it decides nothing may be held there; on the other side it has to be exact. */
static status_t integer_extremum(region_export_t *self, const quant_op_t *op, failure_t *error) {
  int place = self->states[op->operands[0]].kind == INNER_ACCUMULATOR ? 0 : 1;
  const inner_state_t *state = &self->states[op->operands[place]];
  const inner_state_t *other = &self->states[op->operands[1 - place]];
  if (state->kind != INNER_ACCUMULATOR || other->constant == NULL) {
    return region_extremum(self, op, error);
  }
  inner_state_t states[2];
  int64_t limit = state->type.element == element_named("i64") ? (int64_t)I64_BOUND : INT32_MAX;
  states[place] = *state;
  const integer_grid_t grid = {.like = state, .limit = limit};
  STATUS_TRY(round_constant(self->exporter, other, &grid, &states[1 - place], error));
  bool is_maximum = op_is(op, "maximum");
  uint64_t bound = state->bound;
  const tensor_t *data = states[1 - place].constant;
  for (size_t i = 0; i < type_element_count(&data->type); i++) {
    int64_t value = quant_integer_at(data, i), toward = is_maximum ? value : -value;
    if (toward == limit) return refuse(op, error, "its constant is beyond the integers");
    if (toward > 0) bound = MAX(bound, (uint64_t)toward);
  }
  STATUS_TRY(as_element(self->exporter, &states[1 - place], state->type.element, error));
  inner_state_t extremum = *state;
  extremum.bound = bound;
  return emit(self, op, states, &extremum, error);
}

static status_t integer_sum(region_export_t *self, const quant_op_t *op, failure_t *error) {
  inner_state_t states[2];
  STATUS_TRY(center(self, op, 1, states, error));
  if (states[0].axis != -1) return refuse(op, error, "it sums no tensor with one scale");
  if (!state_is_zero(&self->states[op->operands[1]]))
    return refuse(op, error, "it starts not at 0");
  uint64_t terms = quant_reduction_terms(&op->program, self->exporter->arena);
  bool fits = states[0].bound < I32_BOUND && terms * states[0].bound < I32_BOUND;
  if (!fits) return refuse(op, error, "its sums may not fit i32");
  const integer_grid_t grid = {.like = &states[0], .limit = 1};
  STATUS_TRY(
      round_constant(self->exporter, &self->states[op->operands[1]], &grid, &states[1], error));
  STATUS_TRY(as_element(self->exporter, &states[1], states[0].type.element, error));
  inner_state_t sum = states[0];
  sum.bound = terms * states[0].bound;
  return emit(self, op, states, &sum, error);
}

/* ---- All ------------------------------------------------------------------------------------- */

typedef status_t lower_t(region_export_t *self, const quant_op_t *op, failure_t *error);

status_t region_integer_op(region_export_t *self, const quant_op_t *op, failure_t *error) {
  static const struct {
    const char *name;
    lower_t *lower;
  } rows[] = {
      {"convolution", integer_contract},
      {"dot_general", integer_contract},
      {"add", integer_add},
      {"multiply", integer_multiply},
      {"maximum", integer_extremum},
      {"minimum", integer_extremum},
      {"reshape", region_move},
      {"transpose", region_move},
      {"broadcast_in_dim", region_move},
      {"concatenate", region_concatenate},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (op_is(op, rows[i].name)) return rows[i].lower(self, op, error);
  }
  if (op_reduces_by(self, op, "add")) return integer_sum(self, op, error);
  bool is_extremum = op_reduces_by(self, op, "maximum") || op_reduces_by(self, op, "minimum");
  if (is_extremum) return region_reduce_extremum(self, op, error);
  return refuse(op, error, "it has no integer form");
}
