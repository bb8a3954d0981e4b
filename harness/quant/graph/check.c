/* SPDX-License-Identifier: Apache-2.0 */
/* Names, scopes and values of graphs. */
#include "harness/quant/graph/parts.h"

/* ---- Names ----------------------------------------------------------------------------------- */

bool quant_is_name(str_t name, bool has_scope) {
  if (name.size == 0 || name.size > QUANT_NAME_BYTES_MAX) return false;
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool is_word = g_ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
    bool is_separator = has_scope && c == '/' && i > 0 && i + 1 < name.size;
    if (!is_word && !is_separator) return false;
  }
  return true;
}

/* Names are shown cut, since one that breaks the rules may be of any length. */
static status_t check_name(const char *name, bool has_scope, const char *kind, failure_t *error) {
  if (quant_is_name(str_from(name), has_scope)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "%s \"%.40s\": a name is 1 to %d letters, digits, '_', '.' or '-'", kind, name,
                     (int)QUANT_NAME_BYTES_MAX);
}

/* Checks a name of its kind and takes it down with its index. */
static status_t take_name(GHashTable *names, const char *name, uint32_t index, const char *kind,
                          failure_t *error) {
  STATUS_TRY(check_name(name, true, kind, error));
  if (g_hash_table_insert(names, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(index))) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID, "%s %s: the name is taken", kind, name);
}

static status_t check_call_names(const quant_call_t *call, failure_t *error) {
  STATUS_TRY(check_name(call->subprogram, false, "subprogram", error));
  if (strlen(call->subprogram) > QUANT_SUBPROGRAM_BYTES_MAX) {
    return status_fail(error, STATUS_INVALID, "subprogram %.40s...: the name has over %d bytes",
                       call->subprogram, (int)QUANT_SUBPROGRAM_BYTES_MAX);
  }
  for (uint32_t i = 0; i < call->argument_count + call->result_count; i++) {
    STATUS_TRY(check_name(call->formals[i], false, "argument", error));
  }
  return STATUS_OK;
}

static status_t take_names(const quant_graph_t *graph, GHashTable *names, quant_place_t *place,
                           failure_t *error) {
  for (uint32_t v = 0; v < graph->value_count; v++) {
    *place = (quant_place_t){.kind = QUANT_PLACE_VALUE, .index = v};
    STATUS_TRY(take_name(names, graph->values[v].name, v, "value", error));
  }
  g_hash_table_remove_all(names);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    *place = (quant_place_t){.kind = QUANT_PLACE_REGION, .index = r};
    /* An op's name is that of a value, and regions may be called like values. */
    STATUS_TRY(graph->regions[r].is_op
                   ? check_name(graph->regions[r].name, true, "op", error)
                   : take_name(names, graph->regions[r].name, r, "region", error));
    STATUS_TRY(check_name(graph->regions[r].kernel, false, "kernel", error));
  }
  g_hash_table_remove_all(names);
  for (uint32_t c = 0; c < graph->call_count; c++) {
    *place = (quant_place_t){.kind = QUANT_PLACE_CALL, .index = c};
    STATUS_TRY(take_name(names, graph->calls[c].name, c, "call", error));
    STATUS_TRY(check_call_names(&graph->calls[c], error));
  }
  return STATUS_OK;
}

status_t quant_check_names(const quant_graph_t *graph, quant_place_t *out_place, failure_t *error) {
  *out_place = (quant_place_t){.kind = QUANT_PLACE_GRAPH};
  STATUS_TRY(check_name(graph->name, false, "graph", error));
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  status_t status = take_names(graph, names, out_place, error);
  g_hash_table_destroy(names);
  return status;
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

/* The call in which "outer/inner/name" stands: "outer/inner"; QUANT_NONE without a scope. */
static status_t find_scope(GHashTable *calls, const char *name, const char *kind, int32_t *out_call,
                           failure_t *error) {
  const char *end = strrchr(name, '/');
  *out_call = QUANT_NONE;
  if (end == NULL) return STATUS_OK;
  char scope[QUANT_NAME_BYTES_MAX + 1];
  size_t size = (size_t)(end - name);
  memcpy(scope, name, size);
  scope[size] = '\0';
  gpointer index;
  if (g_hash_table_lookup_extended(calls, scope, NULL, &index)) {
    *out_call = (int32_t)GPOINTER_TO_UINT(index);
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID, "%s %s: there is no call %s", kind, name, scope);
}

/* Whether a value can be seen by a region or call: it stands in the same call or around it. */
static bool is_visible(const char *value, const char *user) {
  const char *end = strrchr(value, '/');
  return end == NULL || strncmp(value, user, (size_t)(end - value) + 1) == 0;
}

static status_t check_visible(const quant_value_t *value, const char *kind, const char *user,
                              failure_t *error) {
  if (is_visible(value->name, user)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%s %s: value %s belongs to a call that it is not in",
                     kind, user, value->name);
}

static status_t link_regions(const quant_graph_t *graph, GHashTable *calls, quant_region_t *regions,
                             quant_place_t *place, failure_t *error) {
  for (uint32_t r = 0; r < graph->region_count; r++) {
    quant_region_t *region = &regions[r];
    *place = (quant_place_t){.kind = QUANT_PLACE_REGION, .index = r};
    STATUS_TRY(find_scope(calls, region->name, "region", &region->call, error));
    for (uint32_t port = 0; port < quant_port_count(region); port++) {
      STATUS_TRY(
          check_visible(&graph->values[region->ports[port].value], "region", region->name, error));
    }
  }
  return STATUS_OK;
}

static status_t check_depth(const quant_call_t *call, failure_t *error) {
  uint32_t depth = 1;
  for (const char *p = call->name; *p != '\0'; p++) depth += *p == '/';
  if (depth <= QUANT_CALL_DEPTH_MAX) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "call %s: calls are nested over %d deep", call->name,
                     (int)QUANT_CALL_DEPTH_MAX);
}

static status_t link_calls(const quant_graph_t *graph, GHashTable *call_names, quant_call_t *calls,
                           quant_place_t *place, failure_t *error) {
  for (uint32_t c = 0; c < graph->call_count; c++) {
    quant_call_t *call = &calls[c];
    *place = (quant_place_t){.kind = QUANT_PLACE_CALL, .index = c};
    STATUS_TRY(find_scope(call_names, call->name, "call", &call->parent, error));
    STATUS_TRY(check_depth(call, error));
    for (uint32_t i = 0; i < call->argument_count + call->result_count; i++) {
      STATUS_TRY(check_visible(&graph->values[call->values[i]], "call", call->name, error));
    }
  }
  return STATUS_OK;
}

static status_t check_value_scopes(const quant_graph_t *graph, GHashTable *calls,
                                   quant_place_t *place, failure_t *error) {
  for (uint32_t v = 0; v < graph->value_count; v++) {
    *place = (quant_place_t){.kind = QUANT_PLACE_VALUE, .index = v};
    int32_t call;
    STATUS_TRY(find_scope(calls, graph->values[v].name, "value", &call, error));
  }
  for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
    bool is_input = i < graph->input_count;
    uint32_t v = is_input ? graph->inputs[i] : graph->outputs[i - graph->input_count];
    *place = (quant_place_t){.kind = QUANT_PLACE_VALUE, .index = v};
    if (strchr(graph->values[v].name, '/') == NULL) continue;
    return status_fail(error, STATUS_INVALID, "value %s: an %s of the graph is in no call",
                       graph->values[v].name, is_input ? "input" : "output");
  }
  return STATUS_OK;
}

status_t quant_link_scopes(const quant_graph_t *graph, quant_region_t *regions, quant_call_t *calls,
                           quant_place_t *out_place, failure_t *error) {
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  for (uint32_t c = 0; c < graph->call_count; c++) {
    g_hash_table_insert(names, (gpointer)(uintptr_t)calls[c].name, GUINT_TO_POINTER(c));
  }
  status_t status = check_value_scopes(graph, names, out_place, error);
  if (status == STATUS_OK) status = link_calls(graph, names, calls, out_place, error);
  if (status == STATUS_OK) status = link_regions(graph, names, regions, out_place, error);
  g_hash_table_destroy(names);
  return status;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static status_t check_value(const quant_value_t *value, failure_t *error) {
  failure_t reason = {0};
  const type_t *type = &value->type;
  if (type->quantization != NULL) {
    return status_fail(error, STATUS_INVALID,
                       "value %s: is quantized; values are in high precision, and a spec says how "
                       "they are quantized",
                       value->name);
  }
  if (type_check(type, &reason) != STATUS_OK ||
      quant_spec_check(&value->spec, type, &reason) != STATUS_OK) {
    return status_fail(error, STATUS_INVALID, "value %s: %.200s", value->name, reason.text);
  }
  if (value->constant != NULL && !type_equal(&value->constant->type, type)) {
    return status_fail(error, STATUS_INVALID, "value %s: its data are of another type",
                       value->name);
  }
  return STATUS_OK;
}

status_t quant_check_values(const quant_graph_t *graph, quant_place_t *out_place,
                            failure_t *error) {
  for (uint32_t v = 0; v < graph->value_count; v++) {
    *out_place = (quant_place_t){.kind = QUANT_PLACE_VALUE, .index = v};
    STATUS_TRY(check_value(&graph->values[v], error));
  }
  return STATUS_OK;
}
