/* SPDX-License-Identifier: Apache-2.0 */
/* What MLIR's ops cannot say of a graph, as attributes of its function:
 * harness/quant/graph/graph.md lists them.  With them a module is read back as the same graph. */
#include "harness/quant/graph/mlir_attributes.h"

#include <stdlib.h>
#include <string.h>

void quant_mlir_print_spec(const quant_spec_t *spec, GString *out_text) {
  bool is_one = spec->kind == QUANT_SPEC_CALIBRATED && !(spec->minimum < spec->maximum);
  if (is_one) g_string_append_c(out_text, '"');
  quant_spec_print(spec, out_text);
  if (is_one) g_string_append_c(out_text, '"');
}

/* A list of entries, of which nothing is printed if there are none. */
typedef struct listed {
  const char *key;
  char opening, closing;
  bool is_begun;
} listed_t;

/* The attributes of one function, of which nothing is printed if there are none. */
typedef struct attributes {
  GString *text;
  bool is_begun;
} attributes_t;

static GString *next_entry(attributes_t *attributes, listed_t *list) {
  if (list->is_begun) {
    g_string_append(attributes->text, ", ");
    return attributes->text;
  }
  g_string_append(attributes->text, attributes->is_begun ? ", " : " attributes {");
  attributes->is_begun = list->is_begun = true;
  g_string_append_printf(attributes->text, "quant.%s = %c", list->key, list->opening);
  return attributes->text;
}

static void close_list(attributes_t *attributes, const listed_t *list) {
  if (list->is_begun) g_string_append_c(attributes->text, list->closing);
}

static int compare_calls(const void *a, const void *b) {
  const quant_call_t *const *first = a, *const *second = b;
  return strcmp((*first)->name, (*second)->name);
}

static void print_strings(const char *key, const char *const *strings, uint32_t count,
                          GString *out_text) {
  g_string_append_printf(out_text, ", %s = [", key);
  for (uint32_t i = 0; i < count; i++) {
    g_string_append_printf(out_text, "%s\"%s\"", i == 0 ? "" : ", ", strings[i]);
  }
  g_string_append_c(out_text, ']');
}

static void print_call(const quant_graph_t *graph, const quant_call_t *call, GString *out_text) {
  uint32_t count = call->argument_count + call->result_count;
  g_autofree const char **values = g_new(const char *, MAX(count, 1));
  for (uint32_t i = 0; i < count; i++) values[i] = graph->values[call->values[i]].name;
  g_string_append_printf(out_text, "{arguments = %u : i64", call->argument_count);
  print_strings("formals", call->formals, count, out_text);
  g_string_append_printf(out_text, ", name = \"%s\", subprogram = \"%s\"", call->name,
                         call->subprogram);
  print_strings("values", values, count, out_text);
  g_string_append_c(out_text, '}');
}

static void print_calls(const quant_graph_t *graph, attributes_t *attributes) {
  listed_t list = {.key = "calls", .opening = '[', .closing = ']'};
  g_autofree const quant_call_t **calls = g_new(const quant_call_t *, MAX(graph->call_count, 1));
  for (uint32_t i = 0; i < graph->call_count; i++) calls[i] = &graph->calls[i];
  qsort(calls, graph->call_count, sizeof calls[0], compare_calls);
  for (uint32_t i = 0; i < graph->call_count; i++) {
    print_call(graph, calls[i], next_entry(attributes, &list));
  }
  close_list(attributes, &list);
}

/* Constraints on tensors inside of regions. */
static void print_inners(const quant_graph_t *graph, const uint32_t *order,
                         attributes_t *attributes) {
  listed_t regions = {.key = "inners", .opening = '{', .closing = '}'};
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    bool is_begun = false;
    for (uint32_t k = 0; !region->is_op && k < region->inner_count; k++) {
      if (region->inners[k].spec.kind == QUANT_SPEC_OPEN) continue;
      GString *text = attributes->text;
      if (is_begun) {
        g_string_append(text, ", ");
      } else {
        g_string_append_printf(next_entry(attributes, &regions), "\"%s\" = {", region->name);
      }
      is_begun = true;
      g_string_append_printf(text, "\"%s\" = ", region->inners[k].name);
      quant_mlir_print_spec(&region->inners[k].spec, text);
    }
    if (is_begun) g_string_append_c(attributes->text, '}');
  }
  close_list(attributes, &regions);
}

/* Where ops stand whose first result is the value of a caller. */
static void print_ops(const quant_graph_t *graph, const uint32_t *order, attributes_t *attributes) {
  listed_t list = {.key = "ops", .opening = '{', .closing = '}'};
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    if (!region->is_op || strcmp(region->name, quant_region_key(graph, region)) == 0) continue;
    g_string_append_printf(next_entry(attributes, &list), "\"%s\" = \"%s\"",
                           quant_region_key(graph, region), region->name);
  }
  close_list(attributes, &list);
}

/* Whether input_specs and output_specs say something else of a port than its own spec. */
static bool is_said_otherwise(const quant_region_t *region) {
  for (uint32_t port = 0; port < quant_port_count(region); port++) {
    if (region->ports[port].spec.kind == QUANT_SPEC_OPEN) return true;
  }
  return false;
}

static void print_ports(const quant_graph_t *graph, const uint32_t *order,
                        attributes_t *attributes) {
  listed_t list = {.key = "ports", .opening = '{', .closing = '}'};
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    if (region->is_op || !is_said_otherwise(region)) continue;
    GString *text = next_entry(attributes, &list);
    g_string_append_printf(text, "\"%s\" = [", region->name);
    for (uint32_t port = 0; port < quant_port_count(region); port++) {
      if (port > 0) g_string_append(text, ", ");
      quant_mlir_print_spec(&region->ports[port].spec, text);
    }
    g_string_append_c(text, ']');
  }
  close_list(attributes, &list);
}

/* Constraints on what regions and ops make. */
static void print_values(const quant_graph_t *graph, const uint32_t *order,
                         attributes_t *attributes) {
  listed_t list = {.key = "values", .opening = '{', .closing = '}'};
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    for (uint32_t port = region->input_count; port < quant_port_count(region); port++) {
      const quant_value_t *value = &graph->values[region->ports[port].value];
      if (value->spec.kind == QUANT_SPEC_OPEN) continue;
      g_string_append_printf(next_entry(attributes, &list), "\"%s\" = ", value->name);
      quant_mlir_print_spec(&value->spec, attributes->text);
    }
  }
  close_list(attributes, &list);
}

void quant_mlir_print_attributes(const quant_graph_t *graph, GString *out_text) {
  arena_t arena;
  arena_init(&arena);
  const uint32_t *order = quant_graph_order(graph, &arena);
  attributes_t attributes = {.text = out_text};
  print_calls(graph, &attributes);
  print_inners(graph, order, &attributes);
  print_ops(graph, order, &attributes);
  print_ports(graph, order, &attributes);
  print_values(graph, order, &attributes);
  if (attributes.is_begun) g_string_append_c(out_text, '}');
  arena_deinit(&arena);
}
