/* SPDX-License-Identifier: Apache-2.0 */
/* What the properties share: a region seen with its signature and settled ports, reconstructed
 * from definitions and independent of the propagation code, and tests of what its ports admit. */
#include <math.h>

#include "harness/quant/check/parts.h"

static const quant_spec_t OPEN = {.kind = QUANT_SPEC_OPEN};

const quant_region_t *property_made_region(const quant_trial_t *trial, const char *name) {
  const quant_graph_t *graph = &trial->materialized;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    if (!region->is_op && g_str_equal(region->name, name)) return region;
  }
  return NULL;
}

const quant_value_t *property_made_value(const quant_trial_t *trial, const char *name) {
  const quant_graph_t *graph = &trial->materialized;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    if (g_str_equal(graph->values[v].name, name)) return &graph->values[v];
  }
  return NULL;
}

uint32_t property_value_visit(const quant_trial_t *trial, uint32_t value) {
  const quant_setter_t setter = trial->propagation.value_setters[value];
  if (setter.region == QUANT_NONE) return 0;
  return trial->propagation.regions[setter.region].ports[setter.port].visit;
}

/* Whether the row says nothing of what is stored on a port, nor does the port's own spec. */
static bool is_free(const property_view_t *view, uint32_t port) {
  uint32_t row_port = quant_row_port(view->row, view->region->input_count, port);
  return view->row->ports[row_port].kind == QUANT_PORT_WILDCARD &&
         view->signature[port].kind == QUANT_PORT_STORAGE &&
         view->region->ports[port].spec.kind == QUANT_SPEC_OPEN;
}

/* A free port is stored as its value is, if that had parameters before the port had. */
static void complete_free_port(property_view_t *view, uint32_t port) {
  uint32_t index = view->region->ports[port].value;
  const quant_value_t *value = &view->trial->graph->values[index];
  const quant_value_t *made = property_made_value(view->trial, value->name);
  if (value->constant != NULL || made == NULL || made->spec.kind != QUANT_SPEC_UNIFORM) return;
  uint32_t visit = view->result->ports[port].visit;
  if (visit > 0 && property_value_visit(view->trial, index) >= visit) return;
  view->signature[port].storage = made->spec.storage;
  view->signature[port].storage_min = made->spec.storage_min;
  view->signature[port].storage_max = made->spec.storage_max;
}

bool property_view(const quant_trial_t *trial, uint32_t region, property_view_t *out_view) {
  const quant_region_t *shape = &trial->graph->regions[region];
  const quant_region_t *made = property_made_region(trial, shape->name);
  property_view_t view = {.trial = trial,
                          .region = shape,
                          .result = &trial->propagation.regions[region],
                          .port_count = quant_port_count(shape)};
  if (view.result->refusal != NULL || made == NULL || quant_port_count(made) != view.port_count) {
    return false;
  }
  if (quant_target_match(trial->table, trial->graph, region, &view.row, view.signature, NULL) !=
      STATUS_OK) {
    return false;
  }
  *out_view = view;
  for (uint32_t p = 0; p < view.port_count; p++) {
    const quant_spec_t *spec = &made->ports[p].spec;
    if (is_free(out_view, p)) complete_free_port(out_view, p);
    out_view->states[p] = (quant_port_state_t){
        .signature = &out_view->signature[p],
        .settled = spec->kind == QUANT_SPEC_UNIFORM ? *spec : OPEN,
        .settled_by = view.result->ports[p].source,
        .type = &trial->graph->values[shape->ports[p].value].type,
    };
  }
  return true;
}

bool property_is_wide_enough(const quant_spec_t *any, const quant_spec_t *uniform) {
  return any->kind != QUANT_SPEC_ANY ||
         (uniform->storage_min <= any->storage_min && uniform->storage_max >= any->storage_max);
}

bool property_admits(const property_view_t *view, uint32_t port, const quant_spec_t *spec) {
  const quant_port_state_t *state = &view->states[port];
  return state->signature->kind == QUANT_PORT_STORAGE &&
         quant_port_admits(state->signature, spec, NULL) == STATUS_OK &&
         quant_spec_check(spec, state->type, NULL) == STATUS_OK &&
         property_is_wide_enough(
             quant_port_constraint(view->trial->graph, &view->region->ports[port]), spec);
}

/* `ranges` has axis, count, minima and maxima; what they are for is the port's. */
static quant_spec_t spec_of_ranges(const property_view_t *view, uint32_t port,
                                   const quant_range_request_t *ranges, arena_t *arena) {
  const quant_signature_port_t *signature = view->states[port].signature;
  quant_range_request_t request = *ranges;
  request.expressed = view->states[port].type->element;
  request.storage = signature->storage;
  request.storage_min = signature->storage_min;
  request.storage_max = signature->storage_max;
  request.is_symmetric = signature->is_symmetric;
  quant_spec_t spec;
  return quant_spec_from_range(&request, arena, &spec, NULL) == STATUS_OK ? spec : OPEN;
}

/* Index along dimension `axis` of an element by its row-major index. */
static size_t index_along(const type_t *type, uint32_t axis, size_t element) {
  for (uint32_t d = type->rank - 1; d > axis; d--) element /= (size_t)type->dims[d];
  return element % (size_t)type->dims[axis];
}

static quant_spec_t spec_of_data(const property_view_t *view, uint32_t port,
                                 const tensor_t *constant, arena_t *arena) {
  const type_t *type = &constant->type;
  int32_t axis = view->states[port].signature->axis;
  uint32_t count = axis < 0 ? 1 : (uint32_t)type->dims[axis];
  double *minima = arena_alloc_zeroed(arena, count * sizeof(double));
  double *maxima = arena_alloc_zeroed(arena, count * sizeof(double));
  for (size_t i = 0; i < type_element_count(type); i++) {
    double number =
        format_to_double(type->element->format, element_load(type->element, constant->data, i));
    size_t entry = axis < 0 ? 0 : index_along(type, (uint32_t)axis, i);
    if (number < minima[entry]) minima[entry] = number;
    if (number > maxima[entry]) maxima[entry] = number;
  }
  const quant_range_request_t ranges = {
      .axis = axis, .count = count, .minima = minima, .maxima = maxima};
  return spec_of_ranges(view, port, &ranges, arena);
}

quant_spec_t property_offer(const property_view_t *view, uint32_t port, quant_source_t source,
                            arena_t *arena) {
  const quant_graph_t *graph = view->trial->graph;
  const quant_port_t *shape = &view->region->ports[port];
  const quant_value_t *value = &graph->values[shape->value];
  if (view->states[port].signature->kind != QUANT_PORT_STORAGE) return OPEN;
  quant_spec_t offer = OPEN;
  if (source == QUANT_SOURCE_VALUE) {
    const quant_value_t *made = property_made_value(view->trial, value->name);
    offer = made == NULL || value->constant != NULL ? value->spec : made->spec;
  } else if (source == QUANT_SOURCE_CALIBRATION) {
    const quant_spec_t *own = shape->spec.kind == QUANT_SPEC_OPEN ? &value->spec : &shape->spec;
    if (own->kind == QUANT_SPEC_CALIBRATED) {
      const quant_range_request_t range = {
          .axis = -1, .count = 1, .minima = &own->minimum, .maxima = &own->maximum};
      offer = spec_of_ranges(view, port, &range, arena);
    }
  } else if (value->constant != NULL) {
    offer = spec_of_data(view, port, value->constant, arena);
  }
  bool is_taken = offer.kind == QUANT_SPEC_UNIFORM && property_admits(view, port, &offer);
  return is_taken ? offer : OPEN;
}

status_t property_check_rules(const property_view_t *view, failure_t *error) {
  for (uint32_t i = 0; i < view->row->rule_count; i++) {
    const quant_rule_use_t *use = &view->row->rules[i];
    uint32_t ports[QUANT_PORTS_MAX];
    uint32_t count = quant_rule_ports(use, view->row, view->region->input_count, ports);
    failure_t failure = {.text = ""};
    if (use->rule->check(use, ports, count, view->states, &failure) == STATUS_OK) continue;
    return status_fail(error, STATUS_INVALID, "%s breaks %s: %s", view->region->name,
                       use->rule->name, failure.text);
  }
  return STATUS_OK;
}

status_t property_derive_all(property_view_t *view, arena_t *arena, failure_t *error) {
  uint32_t updated = 1;
  /* Each round but the last derives a port or takes one back; more would be for ever. */
  for (uint32_t round = 0; updated != 0 && round < 4 * QUANT_PORTS_MAX; round++) {
    updated = 0;
    for (uint32_t i = 0; i < view->row->rule_count; i++) {
      const quant_rule_use_t *use = &view->row->rules[i];
      uint32_t ports[QUANT_PORTS_MAX];
      uint32_t count = quant_rule_ports(use, view->row, view->region->input_count, ports);
      quant_derivation_t derivation = {
          .use = use, .ports = ports, .port_count = count, .states = view->states, .arena = arena};
      STATUS_TRY(use->rule->derive(&derivation, error));
      updated |= derivation.updated;
    }
  }
  if (updated != 0) return status_fail(error, STATUS_INVALID, "rules derive for ever");
  return STATUS_OK;
}

void property_point(property_view_t *view) {
  for (uint32_t p = 0; p < view->port_count; p++) view->states[p].signature = &view->signature[p];
}

bool property_is_hopeless(const quant_trial_t *trial, uint32_t region, arena_t *arena) {
  const quant_region_t *shape = &trial->graph->regions[region];
  property_view_t view = {.trial = trial, .region = shape, .port_count = quant_port_count(shape)};
  if (quant_target_match(trial->table, trial->graph, region, &view.row, view.signature, NULL) !=
      STATUS_OK) {
    return true;
  }
  for (uint32_t p = 0; p < view.port_count; p++) {
    if (is_free(&view, p)) return false; /* It depends on what else is settled first. */
    const quant_spec_t *own = &shape->ports[p].spec;
    bool is_set = own->kind == QUANT_SPEC_UNIFORM;
    view.states[p] = (quant_port_state_t){
        .signature = &view.signature[p],
        .settled = is_set ? *own : OPEN,
        .settled_by = is_set ? QUANT_SOURCE_PORT : QUANT_SOURCE_NONE,
        .type = &trial->graph->values[shape->ports[p].value].type,
    };
  }
  return property_derive_all(&view, arena, NULL) != STATUS_OK;
}
