/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the outcome of a propagation in sentences: the origin of every port's parameters, the
 * reasons for rescales and refusals, and a summary. */
#include "harness/quant/propagate/explain.h"

#include <inttypes.h>
#include <string.h>

void quant_explain_port_name(const quant_propagation_t *propagation, uint32_t region, uint32_t port,
                             GString *out_text) {
  const quant_region_t *row = &propagation->graph->regions[region];
  const quant_region_result_t *result = &propagation->regions[region];
  bool is_input = port < row->input_count;
  uint32_t number = is_input ? port : port - row->input_count;
  g_string_append_printf(out_text, "%s %s", row->name, is_input ? "input" : "output");
  if (result->row == NULL) {
    g_string_append_printf(out_text, " %" PRIu32, number);
    return;
  }
  uint32_t place = quant_row_port(result->row, row->input_count, port);
  const quant_signature_port_t *signature = &result->row->ports[place];
  g_string_append_printf(out_text, " '%s'", signature->name);
  if (signature->is_repeated) g_string_append_printf(out_text, " %" PRIu32, number);
}

/* Who gave a value its parameters. */
static void explain_value(const quant_propagation_t *propagation, uint32_t value,
                          GString *out_text) {
  const quant_setter_t setter = propagation->value_setters[value];
  if (setter.region == QUANT_NONE) {
    g_string_append(out_text, "as annotated");
    return;
  }
  const quant_port_result_t *port = &propagation->regions[setter.region].ports[setter.port];
  g_string_append(out_text, "set by ");
  quant_explain_port_name(propagation, (uint32_t)setter.region, setter.port, out_text);
  g_string_append_printf(out_text, " in visit %" PRIu32, port->visit);
}

void quant_explain_source(const quant_propagation_t *propagation, uint32_t region, uint32_t port,
                          GString *out_text) {
  const quant_graph_t *graph = propagation->graph;
  const quant_region_result_t *result = &propagation->regions[region];
  const quant_port_result_t *got = &result->ports[port];
  const quant_value_t *value = &graph->values[graph->regions[region].ports[port].value];
  switch (got->source) {
    case QUANT_SOURCE_PORT:
      g_string_append(out_text, "the port's own annotation");
      return;
    case QUANT_SOURCE_RULE:
      g_string_append_printf(out_text, "rule %s%s%s (table %s, kernel of line %" PRIu32 ")",
                             got->rule->rule->name, got->rule->function == NULL ? "" : " ",
                             got->rule->function == NULL ? "" : got->rule->function_name,
                             propagation->table->name, result->row->line);
      return;
    case QUANT_SOURCE_VALUE:
      g_string_append_printf(out_text, "value %s, ", value->name);
      explain_value(propagation, graph->regions[region].ports[port].value, out_text);
      return;
    case QUANT_SOURCE_CALIBRATION: {
      const quant_spec_t *spec = quant_port_constraint(graph, &graph->regions[region].ports[port]);
      g_string_append_printf(out_text, "calibration of %s, %.9g to %.9g", value->name,
                             spec->minimum, spec->maximum);
      return;
    }
    case QUANT_SOURCE_DATA:
      g_string_append_printf(out_text, "the data of constant %s", value->name);
      return;
    case QUANT_SOURCE_NONE:
    default:
      break;
  }
  if (result->row == NULL) {
    g_string_append(out_text, "the region is refused");
  } else if (got->spec.kind == QUANT_SPEC_KEEP) {
    bool is_narrow = quant_spec_narrows(&got->spec, &value->type);
    g_string_append(out_text,
                    is_narrow ? "the kernel stores it so" : "the kernel takes high precision here");
  } else {
    g_string_append(out_text, "nothing is known of it");
  }
}

void quant_explain_region(const quant_propagation_t *propagation, uint32_t region,
                          GString *out_text) {
  const quant_region_t *row = &propagation->graph->regions[region];
  const quant_region_result_t *result = &propagation->regions[region];
  if (row->is_op) {
    g_string_append_printf(out_text, "op %s (%s): in no region, stays in high precision\n",
                           row->name, row->kernel);
    return;
  }
  g_string_append_printf(out_text, "region %s (%s): ", row->name, row->kernel);
  if (result->refusal != NULL) {
    g_string_append_printf(out_text, "stays in high precision: %s\n", result->refusal);
  } else if (strcmp(row->kernel, QUANT_RESCALE_KERNEL) == 0) {
    g_string_append(out_text, "every target has it\n");
  } else {
    g_string_append_printf(out_text, "row of line %" PRIu32 " of table %s\n", result->row->line,
                           propagation->table->name);
  }
  for (uint32_t i = 0; i < quant_port_count(row); i++) {
    g_string_append(out_text, "  ");
    quant_explain_port_name(propagation, region, i, out_text);
    g_string_append_printf(out_text,
                           " = %s: ", propagation->graph->values[row->ports[i].value].name);
    quant_spec_print(&result->ports[i].spec, out_text);
    g_string_append(out_text, ", by ");
    quant_explain_source(propagation, region, i, out_text);
    g_string_append(out_text, result->ports[i].is_rescaled ? "; rescaled\n" : "\n");
  }
}

static void explain_conflict(const quant_propagation_t *propagation, uint32_t region_index,
                             uint32_t port_index, uint32_t number, GString *out_text) {
  const quant_graph_t *graph = propagation->graph;
  const quant_region_t *region = &graph->regions[region_index];
  const quant_port_result_t *port = &propagation->regions[region_index].ports[port_index];
  uint32_t value = region->ports[port_index].value;
  bool is_input = port_index < region->input_count;
  g_string_append_printf(out_text, "conflict %" PRIu32 ": value %s ", number,
                         graph->values[value].name);
  g_string_append(out_text, is_input ? "into " : "out of ");
  quant_explain_port_name(propagation, region_index, port_index, out_text);
  g_string_append_printf(out_text, "\n  the value has  ");
  quant_spec_print(&propagation->values[value], out_text);
  g_string_append(out_text, ", ");
  explain_value(propagation, value, out_text);
  g_string_append_printf(out_text, "\n  the port has   ");
  quant_spec_print(&port->spec, out_text);
  g_string_append_printf(out_text, ", in visit %" PRIu32 " by ", port->visit);
  quant_explain_source(propagation, region_index, port_index, out_text);
  g_string_append(out_text, "\n  so a rescale stands ");
  g_string_append(out_text, is_input ? "before the port" : "behind the port");
  g_string_append(out_text, "; none is needed if ");
  if (port->source == QUANT_SOURCE_RULE || port->source == QUANT_SOURCE_PORT) {
    g_string_append_printf(out_text, "value %s is annotated with what the port has\n",
                           graph->values[value].name);
  } else {
    g_string_append(out_text, "the port's own annotation is what the value has\n");
  }
}

uint32_t quant_explain_conflicts(const quant_propagation_t *propagation, GString *out_text) {
  const quant_graph_t *graph = propagation->graph;
  uint32_t count = 0;
  for (uint32_t region = 0; region < graph->region_count; region++) {
    for (uint32_t port = 0; port < quant_port_count(&graph->regions[region]); port++) {
      if (!propagation->regions[region].ports[port].is_rescaled) continue;
      if (count > 0) g_string_append_c(out_text, '\n');
      explain_conflict(propagation, region, port, ++count, out_text);
    }
  }
  return count;
}

static bool has_parameters(const quant_propagation_t *propagation, uint32_t region, uint32_t port) {
  return propagation->regions[region].ports[port].spec.kind == QUANT_SPEC_UNIFORM;
}

/* Whether a value has no parameters although a port that it is attached to has: it asks for more
 * bits than the port has. */
static bool asks_for_more(const quant_propagation_t *propagation, uint32_t index) {
  const quant_value_t *value = &propagation->graph->values[index];
  bool may_ask = value->spec.kind == QUANT_SPEC_ANY && value->constant == NULL &&
                 propagation->values[index].kind == QUANT_SPEC_OPEN;
  if (!may_ask) return false;
  if (value->producer != QUANT_NONE &&
      has_parameters(propagation, (uint32_t)value->producer, value->producer_port)) {
    return true;
  }
  for (uint32_t i = 0; i < value->use_count; i++) {
    if (has_parameters(propagation, value->uses[i].region, value->uses[i].port)) return true;
  }
  return false;
}

static void explain_narrow_ports(const quant_propagation_t *propagation, GString *out_text) {
  const quant_graph_t *graph = propagation->graph;
  bool is_first = true;
  for (uint32_t i = 0; i < graph->value_count; i++) {
    if (!asks_for_more(propagation, i)) continue;
    g_string_append(out_text, is_first ? "values without parameters, as they ask for more bits "
                                         "than their ports have: "
                                       : ", ");
    g_string_append_printf(out_text, "%s ", graph->values[i].name);
    quant_spec_print(&graph->values[i].spec, out_text);
    is_first = false;
  }
  if (!is_first) g_string_append_c(out_text, '\n');
}

void quant_explain_summary(const quant_propagation_t *propagation, GString *out_text) {
  const quant_graph_t *graph = propagation->graph;
  g_string_append_printf(out_text,
                         "%s: ", propagation->is_fully_quantized ? "fully quantized" : "quantized");
  g_string_append_printf(
      out_text,
      "%" PRIu32 " regions, %" PRIu32 " refused, %" PRIu32
      " quantizable ports without parameters, %" PRIu32 " rescales, %" PRIu32 " visits",
      graph->region_count - propagation->plain_count, propagation->refused_count,
      propagation->open_count, propagation->rescale_count, propagation->visit_count);
  if (propagation->plain_count > 0) {
    g_string_append_printf(out_text, "; %" PRIu32 " ops in no region", propagation->plain_count);
  }
  g_string_append_c(out_text, '\n');
  explain_narrow_ports(propagation, out_text);
}
