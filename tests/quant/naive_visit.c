/* SPDX-License-Identifier: Apache-2.0 */
/* Second implementation of propagation, written from the documentation with plain loops and no
 * shared code for rules or work lists, and its comparison with the real one. */
#include "tests/quant/naive_propagation.h"

#include <math.h>
#include <string.h>

#include "tests/quant/naive_rules.h"

/* ---- Offers ---------------------------------------------------------------------------------- */

static bool from_range(const place_t *place, uint32_t port, int32_t axis, uint32_t count,
                       const double *minima, const double *maxima, quant_spec_t *out_spec) {
  const quant_signature_port_t *signature = &place->known->signature[port];
  if (naive_is_rescale(place->region)) return false;
  quant_range_request_t request = {
      place->graph->values[place->region->ports[port].value].type.element,
      signature->storage,
      signature->storage_min,
      signature->storage_max,
      signature->is_symmetric,
      axis,
      count,
      minima,
      maxima};
  return quant_spec_from_range(&request, place->arena, out_spec, NULL) == STATUS_OK;
}

static bool from_data(const place_t *place, uint32_t port, const tensor_t *data,
                      quant_spec_t *out_spec) {
  int32_t axis = place->known->signature[port].axis;
  if (axis >= (int32_t)data->type.rank || (axis >= 0 && data->type.dims[axis] == 0)) axis = -1;
  int64_t entries = axis < 0 ? 1 : data->type.dims[axis];
  if (entries > TYPE_SCALES_MAX) {
    axis = -1;
    entries = 1;
  }
  double *minima = ARENA_NEW_ARRAY(place->arena, double, (size_t)entries);
  double *maxima = ARENA_NEW_ARRAY(place->arena, double, (size_t)entries);
  for (int64_t entry = 0; entry < entries; entry++) {
    minima[entry] = maxima[entry] = 0;
    for (size_t i = 0; i < type_element_count(&data->type); i++) {
      size_t rest = i; /* The row-major index of element i, dimension by dimension. */
      int64_t index = 0;
      for (int32_t d = (int32_t)data->type.rank - 1; d >= axis && d >= 0; d--) {
        index = (int64_t)(rest % (size_t)data->type.dims[d]);
        rest /= (size_t)data->type.dims[d];
      }
      if (axis >= 0 && index != entry) continue;
      uint64_t bits = element_load(data->type.element, data->data, i);
      double number = format_to_double(data->type.element->format, bits);
      if (number < minima[entry]) minima[entry] = number;
      if (number > maxima[entry]) maxima[entry] = number;
    }
  }
  return from_range(place, port, axis, (uint32_t)entries, minima, maxima, out_spec);
}

/* What the n-th source offers the port. */
static bool find_offer(const place_t *place, uint32_t port, quant_source_t source,
                       quant_spec_t *out_spec) {
  const quant_port_t *shape = &place->region->ports[port];
  const quant_value_t *value = &place->graph->values[shape->value];
  const quant_spec_t *hint = shape->spec.kind != QUANT_SPEC_OPEN ? &shape->spec : &value->spec;
  bool is_there = false;
  if (source == QUANT_SOURCE_VALUE) {
    *out_spec = value->constant == NULL ? place->naive->values[shape->value] : value->spec;
    is_there = out_spec->kind == QUANT_SPEC_UNIFORM;
  } else if (source == QUANT_SOURCE_CALIBRATION && hint->kind == QUANT_SPEC_CALIBRATED) {
    is_there = from_range(place, port, -1, 1, &hint->minimum, &hint->maximum, out_spec);
  } else if (source == QUANT_SOURCE_DATA && value->constant != NULL) {
    is_there = from_data(place, port, value->constant, out_spec);
  }
  return is_there && naive_is_admitted(place, port, out_spec);
}

/* The port whose offer is tried after that of `last` (the count of ports: before all): calibrations
 * from the widest to the narrowest, else by number. */
static uint32_t next_port(const place_t *place, quant_source_t source, uint32_t last) {
  uint32_t count = quant_port_count(place->region), next = count;
  if (source != QUANT_SOURCE_CALIBRATION) return last == count ? 0 : last + 1;
  double widths[QUANT_PORTS_MAX];
  for (uint32_t port = 0; port < count; port++) {
    const quant_port_t *shape = &place->region->ports[port];
    const quant_spec_t *own = &shape->spec, *of_value = &place->graph->values[shape->value].spec;
    const quant_spec_t *hint = own->kind != QUANT_SPEC_OPEN ? own : of_value;
    double low = hint->minimum < 0 ? hint->minimum : 0,
           high = hint->maximum > 0 ? hint->maximum : 0;
    widths[port] = hint->kind == QUANT_SPEC_CALIBRATED ? high - low : -1;
  }
  for (uint32_t port = 0; port < count; port++) {
    bool is_later = last == count || widths[port] < widths[last] ||
                    (!(widths[port] > widths[last]) && port > last);
    if (is_later && (next == count || widths[port] > widths[next])) next = port;
  }
  return next;
}

/* Finds the first offer that fits, and adds it with all that follows; out_contradicts tells whether
 * one was in contradiction with a rule. */
static bool add_offer(const place_t *place, knowledge_t *inout, bool *out_contradicts) {
  uint32_t count = quant_port_count(place->region);
  *out_contradicts = false;
  for (quant_source_t source = QUANT_SOURCE_VALUE; source <= QUANT_SOURCE_DATA; source++) {
    for (uint32_t port = next_port(place, source, count); port < count;
         port = next_port(place, source, port)) {
      quant_spec_t offer;
      if (naive_is_known(inout, port)) continue;
      if (place->known->signature[port].kind == QUANT_PORT_FLOAT) continue;
      if (!find_offer(place, port, source, &offer)) continue;
      knowledge_t thought = *inout;
      thought.specs[port] = offer;
      thought.is_guess[port] = true;
      thought.sources[port] = source;
      finding_t finding = naive_think(place, true, &thought);
      if (finding == FINDING_CONTRADICTS) *out_contradicts = true;
      if (finding != FINDING_FITS) continue;
      memset(thought.is_guess, 0, sizeof thought.is_guess);
      *inout = thought;
      return true;
    }
  }
  return false;
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* The storage type of a wildcard follows its value's parameters, until the port has its own. */
static void follow_values(const quant_graph_t *graph, naive_propagation_t *inout, uint32_t region) {
  naive_region_t *known = &inout->regions[region];
  const quant_region_t *shape = &graph->regions[region];
  for (uint32_t port = 0; port < quant_port_count(shape) && known->row->port_count > 0; port++) {
    bool is_input = port < shape->input_count; /* Outputs are told from the end. */
    uint32_t from_end = is_input ? 0 : quant_port_count(shape) - port;
    uint32_t row_port = is_input ? port : known->row->port_count - from_end;
    if (is_input && row_port >= known->row->port_count) row_port = known->row->port_count - 1;
    while (is_input && known->row->ports[row_port].is_output) row_port--;
    const quant_spec_t *value = &inout->values[shape->ports[port].value];
    if (known->row->ports[row_port].kind != QUANT_PORT_WILDCARD) continue;
    if (known->signature[port].kind == QUANT_PORT_FLOAT) continue;
    if (known->ports[port].spec.kind != QUANT_SPEC_OPEN) continue;
    if (shape->ports[port].spec.kind != QUANT_SPEC_OPEN) continue;
    if (value->kind != QUANT_SPEC_UNIFORM) continue;
    known->signature[port].storage = value->storage;
    known->signature[port].storage_min = value->storage_min;
    known->signature[port].storage_max = value->storage_max;
  }
}

/* What a visit would find out now: the ports' parameters, or that the region is refused; and
 * whether an open port has an offer that contradicts a rule. */
static bool visit(const place_t *place, knowledge_t *out, bool *out_contradicts) {
  *out = (knowledge_t){0};
  for (uint32_t port = 0; port < quant_port_count(place->region); port++) {
    const quant_spec_t *own = &place->region->ports[port].spec;
    if (place->known->ports[port].spec.kind == QUANT_SPEC_UNIFORM) {
      out->specs[port] = place->known->ports[port].spec;
      out->sources[port] = place->known->ports[port].source;
    } else if (own->kind == QUANT_SPEC_UNIFORM) {
      out->specs[port] = *own;
      out->sources[port] = QUANT_SOURCE_PORT;
    }
  }
  if (naive_think(place, false, out) != FINDING_FITS) return false;
  while (add_offer(place, out, out_contradicts)) continue;
  return true;
}

static place_t place_of(const quant_graph_t *graph, const naive_propagation_t *naive,
                        uint32_t region, arena_t *arena) {
  return (place_t){graph, naive, &graph->regions[region], &naive->regions[region], arena};
}

static void refuse(const quant_graph_t *graph, naive_propagation_t *inout, uint32_t region) {
  inout->regions[region].is_refused = true;
  for (uint32_t port = 0; port < quant_port_count(&graph->regions[region]); port++) {
    const type_t *type = &graph->values[graph->regions[region].ports[port].value].type;
    inout->regions[region].ports[port] = (naive_port_t){.spec = quant_spec_of_type(type)};
  }
}

static void settle_value(const quant_graph_t *graph, naive_propagation_t *inout, uint32_t index,
                         const quant_spec_t *spec) {
  const quant_value_t *value = &graph->values[index];
  if (value->constant != NULL || value->spec.kind == QUANT_SPEC_KEEP) return;
  if (inout->values[index].kind == QUANT_SPEC_UNIFORM) return;
  bool is_narrow =
      value->spec.kind == QUANT_SPEC_ANY &&
      (spec->storage_min > value->spec.storage_min || spec->storage_max < value->spec.storage_max);
  if (!is_narrow) inout->values[index] = *spec;
}

/* Visits the region and returns whether that changed anything. */
static bool visit_changes(const quant_graph_t *graph, naive_propagation_t *inout, uint32_t region,
                          arena_t *arena) {
  if (inout->regions[region].is_refused) return false;
  follow_values(graph, inout, region);
  place_t place = place_of(graph, inout, region, arena);
  knowledge_t found;
  bool contradicts;
  if (!visit(&place, &found, &contradicts)) {
    refuse(graph, inout, region);
    return true;
  }
  bool changes = false;
  for (uint32_t port = 0; port < quant_port_count(place.region); port++) {
    naive_port_t *known = &inout->regions[region].ports[port];
    if (!naive_is_known(&found, port) || known->spec.kind != QUANT_SPEC_OPEN) continue;
    known->spec = found.specs[port];
    known->source = found.sources[port];
    settle_value(graph, inout, place.region->ports[port].value, &known->spec);
    changes = true;
  }
  return changes;
}

static bool has_unfit_constant(const quant_graph_t *graph, const quant_region_t *region,
                               const naive_region_t *known) {
  for (uint32_t port = 0; port < region->input_count; port++) {
    const tensor_t *data = graph->values[region->ports[port].value].constant;
    if (data == NULL || known->signature[port].kind == QUANT_PORT_FLOAT) continue;
    for (size_t i = 0; i < type_element_count(&data->type); i++) {
      uint64_t bits = element_load(data->type.element, data->data, i);
      if (!isfinite(format_to_double(data->type.element->format, bits))) return true;
    }
  }
  return false;
}

static const quant_target_row_t no_rules = {.kernel = "rescale"};

static void begin(const quant_graph_t *graph, const quant_target_t *table,
                  naive_propagation_t *inout, uint32_t index) {
  const quant_region_t *region = &graph->regions[index];
  naive_region_t *known = &inout->regions[index];
  *known = (naive_region_t){.row = &no_rules};
  for (uint32_t port = 0; port < quant_port_count(region) && naive_is_rescale(region); port++) {
    const quant_port_t *shape = &region->ports[port];
    const quant_spec_t *own =
        shape->spec.kind != QUANT_SPEC_OPEN ? &shape->spec : &graph->values[shape->value].spec;
    known->signature[port].kind =
        own->kind == QUANT_SPEC_KEEP ? QUANT_PORT_FLOAT : QUANT_PORT_WILDCARD;
    bool is_narrow =
        own->kind == QUANT_SPEC_KEEP && own->expressed != graph->values[shape->value].type.element;
    if (is_narrow) known->signature[port].storage = own->expressed;
  }
  if (!naive_is_rescale(region) &&
      quant_target_match(table, graph, index, &known->row, known->signature, NULL) != STATUS_OK) {
    refuse(graph, inout, index);
  } else if (has_unfit_constant(graph, region, known)) {
    refuse(graph, inout, index);
  }
  for (uint32_t port = 0; port < quant_port_count(region) && !known->is_refused; port++) {
    const type_t *type = &graph->values[region->ports[port].value].type;
    if (known->signature[port].kind == QUANT_PORT_FLOAT) {
      known->ports[port].spec = quant_spec_of_type(type);
      const element_t *stored = known->signature[port].storage;
      if (stored != NULL) known->ports[port].spec.expressed = stored;
    }
  }
}

/* The order of visits: by depth, found by walking back, then by name. */
static uint32_t depth_of(const quant_graph_t *graph, uint32_t region) {
  uint32_t depth = 0;
  for (uint32_t port = 0; port < graph->regions[region].input_count; port++) {
    int32_t producer = graph->values[graph->regions[region].ports[port].value].producer;
    if (producer == QUANT_NONE) continue;
    uint32_t below = depth_of(graph, (uint32_t)producer) + 1;
    if (below > depth) depth = below;
  }
  return depth;
}

static bool comes_before(const quant_graph_t *graph, uint32_t a, uint32_t b) {
  uint32_t left = depth_of(graph, a), right = depth_of(graph, b);
  return left < right ||
         (left == right && strcmp(graph->regions[a].name, graph->regions[b].name) < 0);
}

static uint32_t *sorted_regions(const quant_graph_t *graph, arena_t *arena) {
  uint32_t *order = ARENA_NEW_ARRAY(arena, uint32_t, graph->region_count);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    uint32_t place = i;
    for (; place > 0 && comes_before(graph, i, order[place - 1]); place--) {
      order[place] = order[place - 1];
    }
    order[place] = i;
  }
  return order;
}

static void finish(const quant_graph_t *graph, naive_propagation_t *inout, uint32_t region,
                   arena_t *arena) {
  if (inout->regions[region].is_refused) return;
  follow_values(graph, inout, region);
  place_t place = place_of(graph, inout, region, arena);
  knowledge_t found;
  bool contradicts = false;
  visit(&place, &found, &contradicts);
  if (contradicts) refuse(graph, inout, region);
  for (uint32_t port = 0; port < quant_port_count(place.region); port++) {
    naive_port_t *known = &inout->regions[region].ports[port];
    const quant_spec_t *value = &inout->values[place.region->ports[port].value];
    known->is_conflict = known->spec.kind == QUANT_SPEC_UNIFORM &&
                         value->kind == QUANT_SPEC_UNIFORM &&
                         !naive_same_parameters(&known->spec, value);
  }
}

naive_propagation_t naive_propagate(const quant_graph_t *graph, const quant_target_t *table,
                                    arena_t *arena) {
  naive_propagation_t naive = {
      .regions = ARENA_NEW_ARRAY(arena, naive_region_t, graph->region_count),
      .values = arena_alloc_zeroed(arena, graph->value_count * sizeof(quant_spec_t)),
  };
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const quant_value_t *value = &graph->values[i];
    if (value->constant == NULL && value->spec.kind == QUANT_SPEC_UNIFORM) {
      naive.values[i] = value->spec;
    }
  }
  for (uint32_t i = 0; i < graph->region_count; i++) begin(graph, table, &naive, i);
  const uint32_t *order = sorted_regions(graph, arena);
  for (uint32_t i = 0; i < graph->region_count;) {
    i = visit_changes(graph, &naive, order[i], arena) ? 0 : i + 1;
  }
  for (uint32_t i = 0; i < graph->region_count; i++) finish(graph, &naive, i, arena);
  return naive;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool agree(const quant_spec_t *a, const quant_spec_t *b) {
  if (a->kind != b->kind) return false;
  return a->kind != QUANT_SPEC_UNIFORM || naive_same_parameters(a, b);
}

static const char *say(arena_t *arena, const char *what, const char *name, uint32_t port) {
  g_autofree char *text = g_strdup_printf("%s of %s, port %u", what, name, port);
  return arena_copy_text(arena, text, strlen(text));
}

const char *naive_difference(const naive_propagation_t *naive,
                             const quant_propagation_t *propagation, arena_t *arena) {
  const quant_graph_t *graph = propagation->graph;
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const naive_region_t *mine = &naive->regions[i];
    const quant_region_result_t *other = &propagation->regions[i];
    const char *name = graph->regions[i].name;
    if (mine->is_refused != (other->refusal != NULL)) return say(arena, "refusal", name, 0);
    for (uint32_t port = 0; port < quant_port_count(&graph->regions[i]); port++) {
      const naive_port_t *a = &mine->ports[port];
      const quant_port_result_t *b = &other->ports[port];
      if (!agree(&a->spec, &b->spec)) return say(arena, "parameters", name, port);
      if (a->source != b->source) return say(arena, "source", name, port);
      if (a->is_conflict != b->is_rescaled) return say(arena, "conflict", name, port);
    }
  }
  for (uint32_t i = 0; i < graph->value_count; i++) {
    if (agree(&naive->values[i], &propagation->values[i])) continue;
    return say(arena, "value", graph->values[i].name, 0);
  }
  return NULL;
}
