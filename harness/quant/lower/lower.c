/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over regions, and what stands between them. */
#include "harness/quant/lower/export.h"

#include <string.h>

#include "harness/quant/graph/unique_name.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

static const tensor_t *fold_value(exporter_t *exporter, uint32_t value, const type_t *type) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%u ", value);
  type_print(type, text);
  char *key = g_string_free(text, FALSE);
  const tensor_t *known = g_hash_table_lookup(exporter->folded, key);
  if (known != NULL) {
    g_free(key);
    return known;
  }
  const tensor_t *data = exporter->graph->values[value].constant;
  tensor_t *made = arena_alloc(exporter->arena, sizeof *made);
  const quant_value_t *declared = &exporter->graph->values[value];
  const type_t stored = quant_spec_apply(&declared->spec, &declared->type);
  if (stored.quantization == NULL) data = quant_tensor_round(data, stored.element, exporter->arena);
  *made = type->quantization == NULL ? *quant_tensor_round(data, type->element, exporter->arena)
                                     : *quant_tensor_quantize(data, type, exporter->arena);
  g_hash_table_insert(exporter->folded, key, made);
  return made;
}

/* Notes that a tensor stands for a value. */
static void name_value(exporter_t *exporter, uint32_t value, uint32_t tensor) {
  quant_step_tensor_t *made = &g_array_index(exporter->tensors, quant_step_tensor_t, tensor);
  if (made->value == QUANT_NONE) made->value = (int32_t)value;
}

/* A value with the parameters of a UNIFORM spec, or stored as the float of a KEEP spec; in high
 * precision for any other. */
static status_t get_value(exporter_t *exporter, uint32_t value, const quant_spec_t *spec,
                          inner_state_t *out_state, failure_t *error) {
  const quant_value_t *declared = &exporter->graph->values[value];
  const type_t wanted = quant_spec_apply(spec, &declared->type);
  bool is_quantized = wanted.quantization != NULL;
  const char *name = declared->name;
  if (declared->constant != NULL) {
    const tensor_t *data = fold_value(exporter, value, &wanted);
    *out_state = is_quantized ? state_of_quantized(exporter, INNER_QUANTIZED, &wanted, QUANT_NONE,
                                                   data, name)
                              : state_of_float(&wanted, QUANT_NONE, data, name);
    return STATUS_OK;
  }
  int32_t tensor = exporter->values[value];
  const type_t *type = exporter_type(exporter, (uint32_t)tensor);
  inner_state_t state = type->quantization != NULL ? state_of_quantized(exporter, INNER_QUANTIZED,
                                                                        type, tensor, NULL, name)
                                                   : state_of_float(type, tensor, NULL, name);
  uint32_t found;
  if (is_quantized) {
    STATUS_TRY(state_to_quantized(exporter, &state, &wanted, out_state, error));
    found = state_tensor(exporter, out_state);
  } else {
    STATUS_TRY(state_to_type(exporter, &state, &wanted, &found, error));
    *out_state = state_of_float(&wanted, (int32_t)found, NULL, name);
  }
  name_value(exporter, value, found);
  return STATUS_OK;
}

/* The tensor that a region makes for a value, which gets its name unless it has another already. */
static void set_value(exporter_t *exporter, uint32_t value, uint32_t tensor) {
  exporter->values[value] = (int32_t)tensor;
  quant_step_tensor_t *made = &g_array_index(exporter->tensors, quant_step_tensor_t, tensor);
  if (made->value != QUANT_NONE || made->constant != NULL) return;
  made->value = (int32_t)value;
  const char *name = exporter->graph->values[value].name;
  if (g_hash_table_contains(exporter->names, name)) return;
  g_hash_table_remove(exporter->names, made->name);
  made->name = name;
  unique_names_take(exporter->names, name);
}

/* Likewise, stored as a narrower float where the value is annotated so. */
static status_t store_value(exporter_t *exporter, uint32_t value, uint32_t tensor,
                            failure_t *error) {
  const quant_value_t *declared = &exporter->graph->values[value];
  const type_t from = *exporter_type(exporter, tensor);
  const type_t wanted = quant_spec_apply(&declared->spec, &declared->type);
  if (quant_spec_narrows(&declared->spec, &declared->type) && from.quantization == NULL) {
    const tensor_conversion_t conversion = {
        .tensor = tensor, .from = &from, .to = &wanted, .name = declared->name};
    STATUS_TRY(exporter_convert(exporter, &conversion, &tensor, error));
  }
  set_value(exporter, value, tensor);
  return STATUS_OK;
}

/* ---- Rescales -------------------------------------------------------------------------------- */

static bool is_rescale(const quant_region_t *region) {
  return strcmp(region->kernel, QUANT_RESCALE_KERNEL) == 0 && region->op_count == 0 &&
         region->input_count == 1 && region->output_count == 1;
}

static bool is_per_tensor(const quant_spec_t *spec) {
  return spec->kind == QUANT_SPEC_UNIFORM && spec->uniform->axis == -1;
}

static status_t export_rescale(exporter_t *exporter, const quant_region_t *region,
                               failure_t *error) {
  inner_state_t state;
  const quant_port_t *from = &region->ports[0], *to = &region->ports[1];
  STATUS_TRY(get_value(exporter, from->value, &from->spec, &state, error));
  const type_t type = quant_spec_apply(&to->spec, &exporter->graph->values[to->value].type);
  uint32_t tensor;
  if (type.quantization != NULL) {
    STATUS_TRY(state_to_quantized(exporter, &state, &type, &state, error));
    tensor = state_tensor(exporter, &state);
  } else {
    STATUS_TRY(state_to_type(exporter, &state, &type, &tensor, error));
  }
  return store_value(exporter, to->value, tensor, error);
}

/* The rescale that is all that uses a value, with parameters per tensor that are those of `spec` on
 * its side; or NULL. */
static const quant_region_t *sole_rescale(const exporter_t *exporter, uint32_t value,
                                          const quant_spec_t *spec) {
  const quant_value_t *made = &exporter->graph->values[value];
  if (made->is_output || made->use_count != 1) return NULL;
  const quant_region_t *region = &exporter->graph->regions[made->uses[0].region];
  if (!is_rescale(region) || !is_per_tensor(&region->ports[1].spec)) return NULL;
  return quant_spec_equal(&region->ports[0].spec, spec) ? region : NULL;
}

/* The storage value of other parameters that is nearest to what an end stands for, within their
 * range. */
static bool move_end(const quantization_t *from, const quantization_t *to, int64_t end,
                     int64_t *out_end) {
  int64_t moved;
  exact_scale_t scale = exact_scale_of(from->scales[0]), other = exact_scale_of(to->scales[0]);
  if (!exact_scale_round(end - from->zero_points[0], scale, other, &moved)) return false;
  *out_end = CLAMP(moved + to->zero_points[0], to->storage_min, to->storage_max);
  return true;
}

/* What an accumulator that becomes `value` is scaled to at last: past rescales that are its only
 * users.  Clamping stays that of all of them: rounding is monotone, so that clamping before it is
 * clamping behind it by ends that are rounded alike.  Returns the value that is made; the rescales
 * merged are in inout_merged. */
static uint32_t follow_rescales(exporter_t *exporter, uint32_t value, const quant_spec_t *spec,
                                scaling_target_t *out_target, GArray *inout_merged) {
  const type_t shape = exporter->graph->values[value].type;
  type_t type = quant_spec_apply(spec, &shape);
  *out_target = scaling_target_of(exporter, &type);
  while (is_per_tensor(spec)) {
    const quant_region_t *rescale = sole_rescale(exporter, value, spec);
    if (rescale == NULL) break;
    const quant_spec_t *next = &rescale->ports[1].spec;
    int64_t *ends = ARENA_NEW_ARRAY(exporter->arena, int64_t, 2);
    bool has_ends = move_end(spec->uniform, next->uniform, out_target->lows[0], &ends[0]) &&
                    move_end(spec->uniform, next->uniform, out_target->highs[0], &ends[1]);
    if (!has_ends) break;
    *out_target = (scaling_target_t){
        .type = quant_spec_apply(next, &shape), .lows = &ends[0], .highs = &ends[1]};
    g_array_append_val(inout_merged, exporter->graph->values[value].uses[0].region);
    value = rescale->ports[1].value;
    spec = next;
  }
  return value;
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* Whether its ports say how they are stored, and one of them otherwise than in high precision. */
static bool is_quantized_region(const quant_graph_t *graph, const quant_region_t *region) {
  bool has_uniform = false;
  for (uint32_t i = 0; i < quant_port_count(region); i++) {
    quant_spec_kind_t kind = region->ports[i].spec.kind;
    if (kind != QUANT_SPEC_UNIFORM && kind != QUANT_SPEC_KEEP) return false;
    const type_t *type = &graph->values[region->ports[i].value].type;
    has_uniform = has_uniform || kind == QUANT_SPEC_UNIFORM ||
                  quant_spec_narrows(&region->ports[i].spec, type);
  }
  return has_uniform;
}

/* In high precision the specs of ports say nothing. */
static const quant_spec_t *spec_of(const quant_port_t *port, bool is_quantized) {
  static const quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
  return is_quantized ? &port->spec : &open;
}

static status_t begin_region(region_export_t *self, bool is_quantized, failure_t *error) {
  exporter_t *exporter = self->exporter;
  const quant_region_t *region = self->region;
  for (uint32_t i = 0; i < region->inner_count; i++) {
    const quant_inner_t *inner = &region->inners[i];
    if (i < region->input_count) {
      const quant_port_t *port = &region->ports[i];
      STATUS_TRY(
          get_value(exporter, port->value, spec_of(port, is_quantized), &self->states[i], error));
    } else if (inner->constant != NULL) {
      self->states[i] =
          state_of_float(&inner->type, QUANT_NONE, inner->constant, region_name(self, i, NULL));
    }
  }
  return STATUS_OK;
}

static status_t end_port(region_export_t *self, const inner_state_t *state,
                         const quant_port_t *port, bool is_quantized, failure_t *error) {
  exporter_t *exporter = self->exporter;
  const quant_spec_t *spec = spec_of(port, is_quantized);
  const type_t type = quant_spec_apply(spec, &exporter->graph->values[port->value].type);
  uint32_t tensor, value = port->value;
  if (type.quantization == NULL && state->kind == INNER_ACCUMULATOR &&
      exporter->lowering == QUANT_LOWERING_integer) {
    return status_fail(error, STATUS_UNSUPPORTED, "an output stays in high precision");
  }
  if (type.quantization == NULL) {
    STATUS_TRY(state_to_type(exporter, state, &type, &tensor, error));
  } else if (state->kind == INNER_ACCUMULATOR && exporter->lowering == QUANT_LOWERING_integer) {
    scaling_target_t target;
    GArray *merged = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    value = follow_rescales(exporter, port->value, spec, &target, merged);
    const char *name = exporter->graph->values[value].name;
    status_t status = state_scale(exporter, state, &target, name, &tensor, error);
    for (guint i = 0; i < merged->len && status == STATUS_OK; i++) {
      uint32_t region = g_array_index(merged, uint32_t, i);
      exporter->is_region_done[region] = true;
      g_array_append_val(exporter->merged, region);
      exporter->counts.merged_scalings++;
    }
    g_array_unref(merged);
    STATUS_TRY(status);
  } else {
    inner_state_t found;
    STATUS_TRY(state_to_quantized(exporter, state, &type, &found, error));
    tensor = state_tensor(exporter, &found);
  }
  return store_value(exporter, value, tensor, error);
}

static status_t export_op(region_export_t *self, const quant_op_t *op, quant_lowering_t lowering,
                          bool is_quantized, failure_t *error) {
  exporter_t *exporter = self->exporter;
  if (lowering == QUANT_LOWERING_integer) return region_integer_op(self, op, error);
  if (lowering == QUANT_LOWERING_fixed) {
    exporter_mark_t mark = exporter_mark(exporter);
    status_t status = region_fixed_op(self, op, error);
    if (status != STATUS_UNSUPPORTED) return status;
    exporter_rewind(exporter, mark);
    status = region_narrow_op(self, op, error);
    if (status != STATUS_UNSUPPORTED) return status;
    exporter_rewind(exporter, mark);
  }
  if (is_quantized) exporter->counts.float_ops++;
  return region_float_op(self, op, error);
}

/* In one form, throughout. */
static status_t export_body(exporter_t *exporter, const quant_region_t *region,
                            quant_lowering_t lowering, bool is_quantized, failure_t *error) {
  region_export_t self = {.exporter = exporter, .region = region};
  self.states = arena_alloc_zeroed(exporter->arena, region->inner_count * sizeof(inner_state_t));
  STATUS_TRY(begin_region(&self, is_quantized, error));
  for (uint32_t i = 0; i < region->op_count; i++) {
    STATUS_TRY(export_op(&self, &region->ops[i], lowering, is_quantized, error));
  }
  for (uint32_t i = 0; i < region->output_count; i++) {
    const quant_port_t *port = &region->ports[region->input_count + i];
    const inner_state_t *state = &self.states[region->returns[i]];
    STATUS_TRY(end_port(&self, state, port, is_quantized, error));
  }
  return STATUS_OK;
}

static status_t export_region(exporter_t *exporter, uint32_t number, failure_t *error) {
  const quant_region_t *region = &exporter->graph->regions[number];
  bool is_quantized = is_quantized_region(exporter->graph, region);
  if (exporter->is_region_done[number]) return STATUS_OK;
  exporter->region = (int32_t)number;
  if (is_rescale(region) && is_quantized) return export_rescale(exporter, region, error);
  if (!is_quantized || exporter->lowering == QUANT_LOWERING_float) {
    return export_body(exporter, region, QUANT_LOWERING_float, is_quantized, error);
  }
  exporter_mark_t mark = exporter_mark(exporter);
  status_t status = export_body(exporter, region, exporter->lowering, true, error);
  if (status != STATUS_UNSUPPORTED) return status;
  exporter_rewind(exporter, mark);
  return export_body(exporter, region, QUANT_LOWERING_float, true, error);
}

/* ---- All ------------------------------------------------------------------------------------- */

static status_t add_inputs(exporter_t *exporter, const uint32_t **out_inputs, failure_t *error) {
  const quant_graph_t *graph = exporter->graph;
  uint32_t *inputs = ARENA_NEW_ARRAY(exporter->arena, uint32_t, graph->input_count);
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const quant_value_t *value = &graph->values[graph->inputs[i]];
    inputs[i] = exporter_add_tensor(exporter, value->name, &value->type, NULL);
    STATUS_TRY(store_value(exporter, graph->inputs[i], inputs[i], error));
  }
  *out_inputs = inputs;
  return STATUS_OK;
}

static status_t add_outputs(exporter_t *exporter, uint32_t *out_tensors, failure_t *error) {
  static const quant_spec_t open = {.kind = QUANT_SPEC_OPEN};
  const quant_graph_t *graph = exporter->graph;
  exporter->region = QUANT_NONE;
  for (uint32_t i = 0; i < graph->output_count; i++) {
    inner_state_t state;
    STATUS_TRY(get_value(exporter, graph->outputs[i], &open, &state, error));
    out_tensors[i] = state_tensor(exporter, &state);
  }
  return STATUS_OK;
}

static void finish(const exporter_t *exporter, quant_steps_t *out_steps) {
  size_t tensor_bytes = exporter->tensors->len * sizeof(quant_step_tensor_t);
  size_t step_bytes = exporter->steps->len * sizeof(quant_step_t);
  quant_step_tensor_t *tensors = arena_alloc(exporter->arena, tensor_bytes);
  quant_step_t *steps = arena_alloc(exporter->arena, step_bytes);
  if (tensor_bytes > 0) memcpy(tensors, exporter->tensors->data, tensor_bytes);
  if (step_bytes > 0) memcpy(steps, exporter->steps->data, step_bytes);
  out_steps->graph = exporter->graph;
  out_steps->lowering = exporter->lowering;
  out_steps->tensor_count = exporter->tensors->len;
  out_steps->tensors = tensors;
  out_steps->step_count = exporter->steps->len;
  out_steps->steps = steps;
  out_steps->counts = exporter->counts;
}

static status_t export_all(exporter_t *exporter, quant_steps_t *out_steps, failure_t *error) {
  const quant_graph_t *graph = exporter->graph;
  quant_steps_t steps = {.inputs = NULL};
  STATUS_TRY(add_inputs(exporter, &steps.inputs, error));
  const uint32_t *order = quant_graph_order(graph, exporter->arena);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    failure_t reason = {0};
    status_t status = export_region(exporter, order[i], &reason);
    if (status == STATUS_OK) continue;
    return status_fail(error, status, "region %s cannot be exported: %s",
                       graph->regions[order[i]].name, reason.text);
  }
  uint32_t *outputs = ARENA_NEW_ARRAY(exporter->arena, uint32_t, graph->output_count);
  STATUS_TRY(add_outputs(exporter, outputs, error));
  steps.outputs = outputs;
  finish(exporter, &steps);
  *out_steps = steps;
  return STATUS_OK;
}

status_t quant_export(const quant_graph_t *graph, quant_lowering_t lowering, arena_t *arena,
                      quant_steps_t *out_steps, failure_t *error) {
  exporter_t exporter;
  exporter_init(&exporter, graph, lowering, arena);
  status_t status = export_all(&exporter, out_steps, error);
  exporter_deinit(&exporter);
  return status;
}
