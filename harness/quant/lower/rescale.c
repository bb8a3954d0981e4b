/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling in integers: what an accumulator stands for, as storage of a quantized type. */
#include <string.h>

#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

enum { BITS_MAX = 31, PRODUCT_BITS = 62 };

/* A tensor that goes through elementwise ops with constants, each a value for each channel. */
typedef struct chain {
  exporter_t *exporter;
  const char *name;
  const element_t *element; /* Of the tensor now. */
  type_t shape;
  int32_t axis; /* Of channels, or -1. */
  uint32_t count;
  uint32_t tensor;
} chain_t;

static bool all_are(const int64_t *values, uint32_t count, int64_t value) {
  for (uint32_t i = 0; i < count; i++) {
    if (values[i] != value) return false;
  }
  return true;
}

static type_t chain_type(const chain_t *chain) {
  return type_make(chain->element, chain->shape.rank, chain->shape.dims);
}

/* "NAME.multiply": what is made on the way. */
static const char *chain_name(const chain_t *chain, const char *op_name) {
  char *text = g_strdup_printf("%s%s", chain->name, strchr(op_name, '.'));
  const char *kept = arena_copy_text(chain->exporter->arena, text, strlen(text));
  g_free(text);
  return kept;
}

/* The constant operand of the next op. */
static uint32_t chain_constant(const chain_t *chain, const int64_t *values, const char *name) {
  exporter_t *exporter = chain->exporter;
  if (all_are(values, chain->count, values[0])) {
    return exporter_splat(exporter, chain->element, &chain->shape, values[0]);
  }
  const tensor_t *data =
      quant_tensor_of_channels(chain->element, &chain->shape, chain->axis, values, exporter->arena);
  return exporter_constant(exporter, name, data);
}

static status_t chain_op(chain_t *chain, const char *op_name, const int64_t *values,
                         failure_t *error) {
  const type_t type = chain_type(chain);
  const char *name = chain_name(chain, op_name);
  simple_op_t op = {.name = op_name, .operand_count = 2, .seen = {type, type}, .result = type};
  op.operands[0] = chain->tensor;
  op.operands[1] = chain_constant(chain, values, name);
  return exporter_emit_simple(chain->exporter, &op, name, &type, &chain->tensor, error);
}

/* `declared` is the type of the result's tensor; NULL where that is plain. */
static status_t chain_convert(chain_t *chain, const element_t *element, const type_t *declared,
                              failure_t *error) {
  if (chain->element == element) return STATUS_OK;
  simple_op_t op = {.name = "stablehlo.convert", .operand_count = 1, .operands = {chain->tensor}};
  op.seen[0] = chain_type(chain);
  chain->element = element;
  op.result = chain_type(chain);
  const char *name = declared == NULL ? chain_name(chain, op.name) : chain->name;
  return exporter_emit_simple(chain->exporter, &op, name, declared == NULL ? &op.result : declared,
                              &chain->tensor, error);
}

/* ---- Centering ------------------------------------------------------------------------------- */

static inner_state_t centered_constant(exporter_t *exporter, const inner_state_t *state,
                                       const type_t *type) {
  const quantization_t *quantization = state->type.quantization;
  tensor_t *data = arena_alloc(exporter->arena, sizeof *data);
  *data = tensor_make(exporter->arena, type);
  for (size_t i = 0; i < type_element_count(type); i++) {
    size_t channel = quant_channel(type, state->axis, i);
    int64_t value = quant_integer_at(state->constant, i) - quantization->zero_points[channel];
    element_store(type->element, data->data, i, (uint64_t)value & element_mask(type->element));
  }
  inner_state_t result = *state;
  result.constant = data;
  return result;
}

status_t state_to_centered(exporter_t *exporter, const inner_state_t *state,
                           inner_state_t *out_state, failure_t *error) {
  if (state->kind == INNER_FLOAT) {
    return status_fail(error, STATUS_UNSUPPORTED, "an operand is in high precision");
  }
  *out_state = *state;
  if (state->kind == INNER_ACCUMULATOR) return STATUS_OK;
  const quantization_t *quantization = state->type.quantization;
  const element_t *element = element_named(state->bound > INT32_MAX ? "i64" : "i32");
  const type_t type = type_make(element, state->type.rank, state->type.dims);
  if (state->constant != NULL) {
    *out_state = centered_constant(exporter, state, &type);
  } else {
    chain_t chain = {.exporter = exporter,
                     .name = state->name,
                     .element = state->type.element,
                     .shape = state->type,
                     .axis = state->axis,
                     .count = quantization->count,
                     .tensor = state_tensor(exporter, state)};
    STATUS_TRY(chain_convert(&chain, element, NULL, error));
    if (!all_are(quantization->zero_points, quantization->count, 0)) {
      STATUS_TRY(chain_op(&chain, "stablehlo.subtract", quantization->zero_points, error));
    }
    out_state->tensor = (int32_t)chain.tensor;
  }
  out_state->kind = INNER_ACCUMULATOR;
  out_state->type = type;
  return STATUS_OK;
}

status_t state_widen(exporter_t *exporter, inner_state_t *inout_state, const element_t *element,
                     failure_t *error) {
  const type_t type = type_make(element, inout_state->type.rank, inout_state->type.dims);
  uint32_t tensor = state_tensor(exporter, inout_state);
  const tensor_conversion_t conversion = {
      .tensor = tensor, .from = &inout_state->type, .to = &type, .name = inout_state->name};
  STATUS_TRY(exporter_convert(exporter, &conversion, &tensor, error));
  inout_state->tensor = (int32_t)tensor;
  inout_state->type = type;
  inout_state->constant = NULL;
  return STATUS_OK;
}

/* ---- Scaling --------------------------------------------------------------------------------- */

scaling_target_t scaling_target_of(exporter_t *exporter, const type_t *type) {
  const quantization_t *quantization = type->quantization;
  int64_t *ends = ARENA_NEW_ARRAY(exporter->arena, int64_t, 2 * (size_t)quantization->count);
  for (uint32_t i = 0; i < quantization->count; i++) {
    ends[i] = quantization->storage_min;
    ends[quantization->count + i] = quantization->storage_max;
  }
  return (scaling_target_t){.type = *type, .lows = ends, .highs = ends + quantization->count};
}

/* What is multiplied by, added, and shifted by, for each channel of accumulator or target. */
typedef struct scaling {
  int32_t axis;
  uint32_t count;
  int64_t *multipliers;
  int64_t *halves; /* Half of what is shifted out. */
  int64_t *shifts;
  int64_t *zero_points;
  int64_t *lows;
  int64_t *highs;
} scaling_t;

static scaling_t make_scaling(exporter_t *exporter, const inner_state_t *state,
                              const scaling_target_t *target) {
  const quantization_t *to = target->type.quantization;
  scaling_t scaling = {.axis = MAX(state->axis, to->axis),
                       .count = MAX(state->scale_count, to->count)};
  int64_t **const lists[] = {&scaling.multipliers, &scaling.halves, &scaling.shifts,
                             &scaling.zero_points, &scaling.lows,   &scaling.highs};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
    *lists[i] = ARENA_NEW_ARRAY(exporter->arena, int64_t, scaling.count);
  }
  for (uint32_t i = 0; i < scaling.count; i++) {
    uint32_t channel = to->count == 1 ? 0 : i;
    scaling.zero_points[i] = to->zero_points[channel];
    scaling.lows[i] = target->lows[channel];
    scaling.highs[i] = target->highs[channel];
  }
  return scaling;
}

static uint32_t multiplier_bits(uint64_t bound) {
  uint32_t bits = bound == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(bound);
  if (bits >= PRODUCT_BITS) return 0;
  return MIN(BITS_MAX, PRODUCT_BITS - bits);
}

/* Quotients of scales: all of them powers of two, or all as multipliers. */
static status_t find_multipliers(const inner_state_t *state, const quantization_t *to,
                                 scaling_t *inout_scaling, failure_t *error) {
  bool are_shifts = true;
  for (uint32_t i = 0; i < inout_scaling->count; i++) {
    exact_scale_t from = state->scales[state->scale_count == 1 ? 0 : i];
    int32_t shift;
    exact_scale_t scale = exact_scale_of(to->scales[to->count == 1 ? 0 : i]);
    are_shifts = are_shifts && exact_scale_ratio_is_shift(from, scale, &shift);
  }
  uint32_t bits = multiplier_bits(state->bound);
  if (!are_shifts && bits < 2) {
    return status_fail(error, STATUS_UNSUPPORTED, "products may not fit i64");
  }
  for (uint32_t i = 0; i < inout_scaling->count; i++) {
    exact_scale_t from = state->scales[state->scale_count == 1 ? 0 : i];
    exact_scale_t scale = exact_scale_of(to->scales[to->count == 1 ? 0 : i]);
    multiplier_t found = {.multiplier = 1};
    if (are_shifts) {
      (void)exact_scale_ratio_is_shift(from, scale, &found.shift);
    } else if (!multiplier_make(from, scale, bits, &found)) {
      return status_fail(error, STATUS_UNSUPPORTED, "a scale is too much finer than the sums'");
    }
    inout_scaling->multipliers[i] = found.multiplier;
    inout_scaling->shifts[i] = found.shift;
    inout_scaling->halves[i] = found.shift == 0 ? 0 : INT64_C(1) << (found.shift - 1);
  }
  return STATUS_OK;
}

/* Multiplication and rounding shift, as far as they are needed. */
static status_t emit_scaling(chain_t *chain, const scaling_t *scaling, failure_t *error) {
  bool is_scaled = !all_are(scaling->multipliers, scaling->count, 1);
  bool is_shifted = !all_are(scaling->shifts, scaling->count, 0);
  if (!is_scaled && !is_shifted) {
    chain->exporter->counts.merged_scalings++;
    return STATUS_OK;
  }
  if (is_scaled) {
    STATUS_TRY(chain_op(chain, "stablehlo.multiply", scaling->multipliers, error));
  }
  STATUS_TRY(chain_op(chain, "stablehlo.add", scaling->halves, error));
  return chain_op(chain, "stablehlo.shift_right_arithmetic", scaling->shifts, error);
}

status_t state_scale(exporter_t *exporter, const inner_state_t *state,
                     const scaling_target_t *target, const char *name, uint32_t *out_tensor,
                     failure_t *error) {
  const quantization_t *to = target->type.quantization;
  if (state->axis >= 0 && to->axis >= 0 && state->axis != to->axis) {
    return status_fail(error, STATUS_UNSUPPORTED, "the sums' channels are not the result's");
  }
  scaling_t scaling = make_scaling(exporter, state, target);
  STATUS_TRY(find_multipliers(state, to, &scaling, error));
  inner_state_t wide = *state;
  const element_t *i64 = element_named("i64"), *storage = target->type.element;
  STATUS_TRY(state_widen(exporter, &wide, i64, error));
  chain_t chain = {.exporter = exporter,
                   .name = name,
                   .element = i64,
                   .shape = target->type,
                   .axis = scaling.axis,
                   .count = scaling.count,
                   .tensor = (uint32_t)wide.tensor};
  STATUS_TRY(emit_scaling(&chain, &scaling, error));
  if (!all_are(scaling.zero_points, scaling.count, 0)) {
    STATUS_TRY(chain_op(&chain, "stablehlo.add", scaling.zero_points, error));
  }
  STATUS_TRY(chain_op(&chain, "stablehlo.maximum", scaling.lows, error));
  STATUS_TRY(chain_op(&chain, "stablehlo.minimum", scaling.highs, error));
  STATUS_TRY(chain_convert(&chain, storage, &target->type, error));
  *out_tensor = chain.tensor;
  return STATUS_OK;
}

static status_t rescale(exporter_t *exporter, const tensor_conversion_t *conversion,
                        uint32_t *out_tensor, failure_t *error) {
  inner_state_t state = state_of_quantized(exporter, INNER_QUANTIZED, conversion->from,
                                           (int32_t)conversion->tensor, NULL, conversion->name);
  STATUS_TRY(state_to_centered(exporter, &state, &state, error));
  const scaling_target_t target = scaling_target_of(exporter, conversion->to);
  return state_scale(exporter, &state, &target, conversion->name, out_tensor, error);
}

status_t exporter_rescale(exporter_t *exporter, const tensor_conversion_t *conversion,
                          uint32_t *out_tensor, failure_t *error) {
  *out_tensor = conversion->tensor;
  if (type_equal(conversion->from, conversion->to)) return STATUS_OK;
  const exporter_mark_t mark = exporter_mark(exporter);
  status_t status = rescale(exporter, conversion, out_tensor, error);
  if (status == STATUS_UNSUPPORTED) {
    exporter_rewind(exporter, mark);
    return exporter_convert(exporter, conversion, out_tensor, error);
  }
  if (exporter->steps->len != mark.step_count) exporter->counts.requantizations++;
  return status;
}
