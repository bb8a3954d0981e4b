/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the tensors inside a region while it is exported, and the parameters that are
 * derived for them. */
#include <math.h>
#include <string.h>

#include "harness/quant/lower/attribute.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

const char *region_name(const region_export_t *self, uint32_t inner, const char *suffix) {
  GString *text = g_string_new(self->region->name);
  g_string_append_printf(text, ".%s", self->region->inners[inner].name);
  if (suffix != NULL) g_string_append_printf(text, ".%s", suffix);
  const char *name = arena_copy_text(self->exporter->arena, text->str, text->len);
  g_string_free(text, TRUE);
  return name;
}

type_t type_plain(const type_t *type) { return type_make(type->element, type->rank, type->dims); }

type_t quantized_like(const type_t *shape, const element_t *storage,
                      const quantization_t *quantization) {
  type_t type = type_make(storage, shape->rank, shape->dims);
  type.quantization = quantization;
  return type;
}

/* ---- States ---------------------------------------------------------------------------------- */

inner_state_t state_of_float(const type_t *type, int32_t tensor, const tensor_t *constant,
                             const char *name) {
  return (inner_state_t){.kind = INNER_FLOAT,
                         .type = *type,
                         .tensor = tensor,
                         .constant = constant,
                         .name = name,
                         .axis = -1};
}

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The largest |stored - zero point|: of the data, or of the storage range. */
static uint64_t find_bound(const type_t *type, const tensor_t *constant) {
  const quantization_t *quantization = type->quantization;
  uint64_t bound = 0;
  if (constant != NULL) {
    for (size_t i = 0; i < type_element_count(type); i++) {
      size_t channel = quant_channel(type, quantization->axis, i);
      int64_t difference = quant_integer_at(constant, i) - quantization->zero_points[channel];
      bound = MAX(bound, magnitude(difference));
    }
    return bound;
  }
  for (uint32_t i = 0; i < quantization->count; i++) {
    uint64_t below = magnitude(quantization->storage_min - quantization->zero_points[i]);
    uint64_t above = magnitude(quantization->storage_max - quantization->zero_points[i]);
    bound = MAX(bound, MAX(below, above));
  }
  return bound;
}

inner_state_t state_of_quantized(exporter_t *exporter, inner_kind_t kind, const type_t *type,
                                 int32_t tensor, const tensor_t *constant, const char *name) {
  const quantization_t *quantization = type->quantization;
  exact_scale_t *scales = ARENA_NEW_ARRAY(exporter->arena, exact_scale_t, quantization->count);
  for (uint32_t i = 0; i < quantization->count; i++) {
    scales[i] = exact_scale_of(quantization->scales[i]);
  }
  return (inner_state_t){.kind = kind,
                         .type = *type,
                         .tensor = tensor,
                         .constant = constant,
                         .name = name,
                         .axis = quantization->axis,
                         .scale_count = quantization->count,
                         .scales = scales,
                         .bound = find_bound(type, constant)};
}

uint32_t state_tensor(exporter_t *exporter, const inner_state_t *state) {
  if (state->tensor != QUANT_NONE) return (uint32_t)state->tensor;
  return exporter_constant(exporter, state->name, state->constant);
}

bool state_scales_equal(const inner_state_t *a, const inner_state_t *b) {
  if (a->scale_count != b->scale_count || a->axis != b->axis) return false;
  for (uint32_t i = 0; i < a->scale_count; i++) {
    if (!exact_scale_equal(a->scales[i], b->scales[i])) return false;
  }
  return true;
}

bool state_is_constant_float(const inner_state_t *state) {
  return state->kind == INNER_FLOAT && state->constant != NULL;
}

bool state_has_nan(const inner_state_t *state) {
  if (!state_is_constant_float(state)) return false;
  for (size_t i = 0; i < type_element_count(&state->type); i++) {
    if (isnan(quant_float_at(state->constant, i))) return true;
  }
  return false;
}

bool state_is_positive_splat(const inner_state_t *state, double *out_value) {
  size_t count = type_element_count(&state->type);
  if (!state_is_constant_float(state) || count == 0) return false;
  double value = quant_float_at(state->constant, 0);
  for (size_t i = 1; i < count; i++) {
    if (quant_float_at(state->constant, i) != value) return false;
  }
  *out_value = value;
  return isfinite(value) && value > 0;
}

bool state_is_zero(const inner_state_t *state) {
  if (!state_is_constant_float(state)) return false;
  for (size_t i = 0; i < type_element_count(&state->type); i++) {
    if (quant_float_at(state->constant, i) != 0) return false;
  }
  return true;
}

/* ---- Other parameters ------------------------------------------------------------------------ */

static const char *suffixed(exporter_t *exporter, const char *name, const char *suffix) {
  char *text = g_strdup_printf("%s.%s", name, suffix);
  const char *kept = arena_copy_text(exporter->arena, text, strlen(text));
  g_free(text);
  return kept;
}

status_t state_to_type(exporter_t *exporter, const inner_state_t *state, const type_t *wanted,
                       uint32_t *out_tensor, failure_t *error) {
  if (state_is_constant_float(state) && state->type.element != wanted->element) {
    *out_tensor =
        exporter_constant(exporter, state->name,
                          quant_tensor_round(state->constant, wanted->element, exporter->arena));
    return STATUS_OK;
  }
  uint32_t tensor;
  STATUS_TRY(state_to_float(exporter, state, &tensor, error));
  const type_t from = *exporter_type(exporter, tensor);
  const tensor_conversion_t conversion = {
      .tensor = tensor,
      .from = &from,
      .to = wanted,
      .name = suffixed(exporter, state->name, wanted->element->name)};
  return exporter_convert(exporter, &conversion, out_tensor, error);
}

status_t state_to_float(exporter_t *exporter, const inner_state_t *state, uint32_t *out_tensor,
                        failure_t *error) {
  uint32_t tensor = state_tensor(exporter, state);
  if (state->kind == INNER_FLOAT) {
    *out_tensor = tensor;
    return STATUS_OK;
  }
  type_t type = type_make(state->type.quantization->expressed, state->type.rank, state->type.dims);
  const tensor_conversion_t conversion = {.tensor = tensor,
                                          .from = &state->type,
                                          .to = &type,
                                          .name = suffixed(exporter, state->name, "float")};
  return exporter_convert(exporter, &conversion, out_tensor, error);
}

/* Constants are quantized from the numbers that they stand for. */
static inner_state_t fold_quantized(exporter_t *exporter, const inner_state_t *state,
                                    const type_t *quantized) {
  arena_t *arena = exporter->arena;
  tensor_t typed = {.type = state->type, .data = state->constant->data};
  const tensor_t *floats = state->constant;
  if (state->kind != INNER_FLOAT) floats = quant_tensor_dequantize(&typed, arena);
  const tensor_t *data = quant_tensor_quantize(floats, quantized, arena);
  return state_of_quantized(exporter, INNER_QUANTIZED, quantized, QUANT_NONE, data, state->name);
}

status_t state_to_quantized(exporter_t *exporter, const inner_state_t *state,
                            const type_t *quantized, inner_state_t *out_state, failure_t *error) {
  if (state->kind != INNER_FLOAT && type_equal(&state->type, quantized)) {
    *out_state = *state;
    out_state->kind = INNER_QUANTIZED;
    return STATUS_OK;
  }
  bool is_integer = exporter->lowering == QUANT_LOWERING_integer && state->kind != INNER_FLOAT;
  if (state->constant != NULL && !is_integer) {
    *out_state = fold_quantized(exporter, state, quantized);
    return STATUS_OK;
  }
  uint32_t tensor = state_tensor(exporter, state);
  const char *name = suffixed(exporter, state->name, "quantized");
  type_t from = state->type;
  const element_t *expressed = quantized->quantization->expressed;
  if (state->kind == INNER_FLOAT && from.element != expressed) { /* It is stored as less. */
    from = type_make(expressed, from.rank, from.dims);
    STATUS_TRY(state_to_type(exporter, state, &from, &tensor, error));
  }
  const tensor_conversion_t conversion = {
      .tensor = tensor, .from = &from, .to = quantized, .name = name};
  if (is_integer && state->kind == INNER_ACCUMULATOR) {
    const scaling_target_t target = scaling_target_of(exporter, quantized);
    STATUS_TRY(state_scale(exporter, state, &target, name, &tensor, error));
  } else if (is_integer) {
    STATUS_TRY(exporter_rescale(exporter, &conversion, &tensor, error));
  } else {
    STATUS_TRY(exporter_convert(exporter, &conversion, &tensor, error));
  }
  *out_state =
      state_of_quantized(exporter, INNER_QUANTIZED, quantized, (int32_t)tensor, NULL, name);
  return STATUS_OK;
}

/* ---- Derived parameters ---------------------------------------------------------------------- */

bool op_is(const quant_op_t *op, const char *name) {
  static const char prefix[] = "stablehlo.";
  const char *full = op->program.op->name;
  return strncmp(full, prefix, sizeof prefix - 1) == 0 &&
         strcmp(full + sizeof prefix - 1, name) == 0;
}

bool op_reduces_by(const region_export_t *self, const quant_op_t *op, const char *body) {
  if (!op_is(op, "reduce") && !op_is(op, "reduce_window")) return false;
  arena_t *arena = self->exporter->arena;
  const char *found = quant_attribute(&op->program, "body", arena);
  bool is_plain = quant_attribute(&op->program, "accumulation", arena) == NULL;
  return found != NULL && strcmp(found, body) == 0 && is_plain && op->program.operand_count == 2;
}

static bool keeps_parameters(const region_export_t *self, const quant_op_t *op) {
  static const char *const names[] = {"maximum",   "minimum",          "reshape",
                                      "transpose", "broadcast_in_dim", "concatenate"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (op_is(op, names[i])) return true;
  }
  return op_reduces_by(self, op, "maximum") || op_reduces_by(self, op, "minimum");
}

/* Where an inner tensor goes: how often, and to which op or which output port. */
typedef struct inner_use {
  uint32_t count;
  const quant_op_t *op; /* The last one found, or NULL. */
  uint32_t output;      /* The last one found, where op is NULL. */
} inner_use_t;

static inner_use_t find_use(const quant_region_t *region, uint32_t inner) {
  inner_use_t use = {.count = 0};
  for (uint32_t i = 0; i < region->op_count; i++) {
    const quant_op_t *op = &region->ops[i];
    for (uint32_t j = 0; j < op->program.operand_count; j++) {
      if (op->operands[j] != inner) continue;
      use.count++;
      use.op = op;
    }
  }
  for (uint32_t i = 0; i < region->output_count; i++) {
    if (region->returns[i] != inner) continue;
    use.count++;
    use.op = NULL;
    use.output = i;
  }
  return use;
}

const quant_spec_t *region_port_spec(const region_export_t *self, uint32_t inner) {
  const inner_use_t use = find_use(self->region, inner);
  if (use.count != 1 || use.op != NULL) return NULL;
  return &self->region->ports[self->region->input_count + use.output].spec;
}

const quantization_t *region_target(const region_export_t *self, uint32_t inner,
                                    const element_t **out_storage) {
  const quant_region_t *region = self->region;
  for (;;) {
    const inner_use_t use = find_use(region, inner);
    if (use.count != 1) return NULL;
    if (use.op == NULL) {
      const quant_spec_t *spec = &region->ports[region->input_count + use.output].spec;
      if (spec->kind != QUANT_SPEC_UNIFORM || spec->uniform->axis != -1) return NULL;
      *out_storage = spec->storage;
      return spec->uniform;
    }
    if (!keeps_parameters(self, use.op)) return NULL;
    inner = use.op->results[0];
  }
}
