/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of propagation: matches every region to a kernel of the target, refuses regions without
 * one, visits regions from the work list until nothing changes, then counts open ports and shared
 * rescales. */
#include "harness/quant/propagate/propagate.h"

#include <math.h>
#include <string.h>

#include "harness/quant/propagate/state.h"

/* ---- Refusals -------------------------------------------------------------------------------- */

void quant_refuse(quant_run_t *run, uint32_t region, const char *text) {
  const quant_region_t *shape = &run->graph->regions[region];
  quant_region_result_t *result = &run->propagation->regions[region];
  result->refusal = arena_copy_text(run->arena, text, strlen(text));
  result->row = NULL;
  result->signature = NULL;
  for (uint32_t port = 0; port < quant_port_count(shape); port++) {
    const type_t *type = &run->graph->values[shape->ports[port].value].type;
    result->ports[port] = (quant_port_result_t){.spec = quant_spec_of_type(type)};
  }
}

/* ---- Before the first visit ------------------------------------------------------------------ */

/* The kernel that every target has: it takes whatever its ports are given. */
static const quant_signature_port_t rescale_ports[] = {
    {.name = "input", .kind = QUANT_PORT_WILDCARD, .axis = -1},
    {.name = "output", .kind = QUANT_PORT_WILDCARD, .axis = -1, .is_output = true},
};
static const quant_target_row_t rescale_row = {
    .kernel = QUANT_RESCALE_KERNEL, .port_count = 2, .ports = rescale_ports};

/* The graph, without what a fault makes the look-up of rows blind to. */
static quant_graph_t seen_graph(const quant_run_t *run) {
  quant_graph_t seen = *run->graph;
  quant_spec_kind_t unseen = run->fault == QUANT_FAULT_parameters_unseen ? QUANT_SPEC_UNIFORM
                             : run->fault == QUANT_FAULT_bits_unseen     ? QUANT_SPEC_ANY
                                                                         : QUANT_SPEC_OPEN;
  if (unseen == QUANT_SPEC_OPEN) return seen;
  quant_value_t *values = ARENA_NEW_ARRAY(run->arena, quant_value_t, seen.value_count);
  for (uint32_t i = 0; i < seen.value_count; i++) {
    values[i] = seen.values[i];
    if (values[i].spec.kind == unseen) values[i].spec = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  }
  seen.values = values;
  return seen;
}

/* Finds the row of a region and the signature of its ports. */
static status_t match_region(quant_run_t *run, uint32_t region, const quant_target_row_t **out_row,
                             quant_signature_port_t out_ports[QUANT_PORTS_MAX], failure_t *error) {
  const quant_region_t *shape = &run->graph->regions[region];
  if (strcmp(shape->kernel, QUANT_RESCALE_KERNEL) != 0) {
    quant_graph_t seen = seen_graph(run);
    return quant_target_match(run->table, &seen, region, out_row, out_ports, error);
  }
  *out_row = &rescale_row;
  for (uint32_t port = 0; port < quant_port_count(shape); port++) {
    out_ports[port] = rescale_ports[port];
    const quant_spec_t *constraint = quant_port_constraint(run->graph, &shape->ports[port]);
    const quant_value_t *value = &run->graph->values[shape->ports[port].value];
    if (constraint->kind != QUANT_SPEC_KEEP && quant_value_is_float(value)) continue;
    out_ports[port].kind = QUANT_PORT_FLOAT;
    bool is_narrow = quant_spec_narrows(constraint, &value->type);
    out_ports[port].storage = is_narrow ? constraint->expressed : NULL;
  }
  return STATUS_OK;
}

/* STATUS_UNSUPPORTED if the port is to hold a constant that no storage value stands for. */
static status_t check_constant(const quant_run_t *run, const quant_region_t *region, uint32_t port,
                               const quant_signature_port_t *signature, failure_t *error) {
  const quant_value_t *value = &run->graph->values[region->ports[port].value];
  if (signature->kind == QUANT_PORT_FLOAT || value->constant == NULL) return STATUS_OK;
  const element_t *element = value->type.element;
  size_t elements = type_element_count(&value->type);
  for (size_t i = 0; i < elements; i++) {
    uint64_t bits = element_load(element, value->constant->data, i);
    if (isfinite(format_to_double(element->format, bits))) continue;
    return status_fail(error, STATUS_UNSUPPORTED,
                       "region %s (%s): port %s holds constant %s, whose element %zu is no finite "
                       "number",
                       region->name, region->kernel, signature->name, value->name, i);
  }
  return STATUS_OK;
}

static status_t begin_region(quant_run_t *run, uint32_t region, failure_t *error) {
  const quant_region_t *shape = &run->graph->regions[region];
  quant_region_result_t *result = &run->propagation->regions[region];
  uint32_t count = quant_port_count(shape);
  result->ports = arena_alloc_zeroed(run->arena, count * sizeof *result->ports);
  quant_signature_port_t signature[QUANT_PORTS_MAX];
  failure_t failure;
  status_t status = match_region(run, region, &result->row, signature, &failure);
  for (uint32_t port = 0; status == STATUS_OK && port < count; port++) {
    status = check_constant(run, shape, port, &signature[port], &failure);
  }
  if (status == STATUS_UNSUPPORTED) {
    quant_refuse(run, region, failure.text);
    return STATUS_OK;
  }
  if (status != STATUS_OK) {
    return status_fail(error, status, "region %s: %s", shape->name, failure.text);
  }
  result->signature = ARENA_NEW_ARRAY(run->arena, quant_signature_port_t, count);
  memcpy(result->signature, signature, count * sizeof *signature);
  for (uint32_t port = 0; port < count; port++) {
    if (signature[port].kind != QUANT_PORT_FLOAT) continue;
    const type_t *type = &run->graph->values[shape->ports[port].value].type;
    bool is_widened = run->fault == QUANT_FAULT_widen_float_ports;
    result->ports[port].spec =
        is_widened ? quant_spec_of_type(type) : quant_port_float_spec(&signature[port], type);
  }
  work_list_add(&run->list, region);
  return STATUS_OK;
}

static void begin_values(quant_run_t *run) {
  const quant_graph_t *graph = run->graph;
  quant_propagation_t *propagation = run->propagation;
  propagation->values = ARENA_NEW_ARRAY(run->arena, quant_spec_t, graph->value_count);
  propagation->value_setters = ARENA_NEW_ARRAY(run->arena, quant_setter_t, graph->value_count);
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const quant_value_t *value = &graph->values[i];
    bool is_settled = value->spec.kind == QUANT_SPEC_UNIFORM && value->constant == NULL;
    propagation->value_setters[i] = (quant_setter_t){.region = QUANT_NONE};
    propagation->values[i] = is_settled ? value->spec : (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  }
}

/* ---- At the fixed point ---------------------------------------------------------------------- */

/* Whether a settled port wants other parameters than its value has. */
static bool is_conflict(const quant_run_t *run, const quant_port_t *shape,
                        const quant_port_result_t *port) {
  const quant_spec_t *value = &run->propagation->values[shape->value];
  return port->spec.kind == QUANT_SPEC_UNIFORM && value->kind == QUANT_SPEC_UNIFORM &&
         !quant_spec_equal(&port->spec, value);
}

/* Whether a port that conflicts gets a rescale of its own. */
static bool is_own_rescale(const quant_run_t *run, const quant_region_t *shape, uint32_t port,
                           const quant_spec_t *spec, GHashTable *rescales) {
  if (port >= shape->input_count) return true;
  bool is_new;
  quant_rescale_shared(rescales, shape->ports[port].value, shape->call, spec, run->arena, &is_new);
  return is_new;
}

static void end_region(quant_run_t *run, uint32_t region, GHashTable *rescales) {
  const quant_region_t *shape = &run->graph->regions[region];
  quant_propagation_t *propagation = run->propagation;
  quant_region_result_t *result = &propagation->regions[region];
  if (run->blocked[region] != NULL) quant_refuse(run, region, run->blocked[region]);
  if (result->refusal != NULL) {
    propagation->plain_count += shape->is_op;
    propagation->refused_count += !shape->is_op;
    return;
  }
  for (uint32_t i = 0; i < quant_port_count(shape); i++) {
    quant_port_result_t *port = &result->ports[i];
    port->is_rescaled = is_conflict(run, &shape->ports[i], port);
    if (port->is_rescaled && is_own_rescale(run, shape, i, &port->spec, rescales)) {
      propagation->rescale_count++;
    }
    bool is_float = result->signature[i].kind == QUANT_PORT_FLOAT;
    propagation->open_count += port->spec.kind == QUANT_SPEC_OPEN && !is_float;
  }
}

/* Regions in the order in which they are visited. */
static const uint32_t *visiting_order(const quant_run_t *run) {
  if (run->fault != QUANT_FAULT_declaration_order) return quant_graph_order(run->graph, run->arena);
  uint32_t *order = ARENA_NEW_ARRAY(run->arena, uint32_t, run->graph->region_count);
  for (uint32_t i = 0; i < run->graph->region_count; i++) order[i] = i;
  return order;
}

status_t quant_propagate(const quant_graph_t *graph, const quant_target_t *table,
                         quant_fault_t fault, arena_t *arena, quant_propagation_t *out_propagation,
                         failure_t *error) {
  uint32_t regions = graph->region_count;
  quant_propagation_t propagation = {
      .graph = graph,
      .table = table,
      .regions = arena_alloc_zeroed(arena, regions * sizeof(quant_region_result_t)),
  };
  quant_run_t run = {
      .graph = graph,
      .table = table,
      .fault = fault,
      .arena = arena,
      .propagation = &propagation,
      .blocked = arena_alloc_zeroed(arena, regions * sizeof(char *)),
  };
  run.list = work_list_make(visiting_order(&run), regions, arena);
  begin_values(&run);
  for (uint32_t i = 0; i < regions; i++) STATUS_TRY(begin_region(&run, i, error));
  for (uint32_t region; work_list_take(&run.list, &region);) {
    STATUS_TRY(quant_visit_region(&run, region, error));
  }
  g_autoptr(GHashTable) rescales = quant_rescales_begin();
  for (uint32_t i = 0; i < regions; i++) end_region(&run, i, rescales);
  propagation.is_fully_quantized =
      propagation.refused_count == 0 && propagation.open_count == 0 && propagation.plain_count == 0;
  *out_propagation = propagation;
  return STATUS_OK;
}
