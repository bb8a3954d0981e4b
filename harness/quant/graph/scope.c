/* SPDX-License-Identifier: Apache-2.0 */
/* Groups values and regions of a flattened graph by the call they came from, and gives the values
 * that cross a call's border their local names, for printing. */
#include "harness/quant/graph/scope.h"

/* ---- What stands where ----------------------------------------------------------------------- */

scope_t *scope_at(const printer_t *printer, int32_t call) {
  return &printer->scopes[call == QUANT_NONE ? (int32_t)printer->graph->call_count : call];
}

const char *scope_local_part(const char *name) {
  const char *end = strrchr(name, '/');
  return end == NULL ? name : end + 1;
}

/* Whether the name stands directly in the scope. */
static bool is_local(const scope_t *scope, const char *name) {
  const char *end = strrchr(name, '/');
  size_t size = end == NULL ? 0 : (size_t)(end - name);
  return size == scope->name_size && memcmp(name, scope->name, size) == 0;
}

/* Whether the name stands in the call or deeper. */
static bool is_inside(const scope_t *scope, const char *name) {
  return strncmp(name, scope->name, scope->name_size) == 0 && name[scope->name_size] == '/';
}

static scope_t *scope_of_name(const printer_t *printer, const char *name) {
  const char *end = strrchr(name, '/');
  if (end == NULL) return scope_at(printer, QUANT_NONE);
  g_autofree char *prefix = g_strndup(name, (size_t)(end - name));
  gpointer found = g_hash_table_lookup(printer->call_names, prefix);
  return scope_at(printer, (int32_t)GPOINTER_TO_UINT(found) - 1);
}

static void open_scope(scope_t *scope, const quant_call_t *call) {
  *scope = (scope_t){.call = call, .name = call == NULL ? "" : call->name};
  scope->name_size = strlen(scope->name);
  scope->values = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  scope->regions = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  scope->calls = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  scope->arguments = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  scope->results = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  scope->argument_names = g_array_new(FALSE, FALSE, sizeof(const char *));
  scope->result_names = g_array_new(FALSE, FALSE, sizeof(const char *));
  scope->formals = g_hash_table_new(g_direct_hash, g_direct_equal);
  scope->taken = g_hash_table_new(g_str_hash, g_str_equal);
}

static void close_scope(scope_t *scope) {
  g_array_free(scope->values, TRUE);
  g_array_free(scope->regions, TRUE);
  g_array_free(scope->calls, TRUE);
  g_array_free(scope->arguments, TRUE);
  g_array_free(scope->results, TRUE);
  g_array_free(scope->argument_names, TRUE);
  g_array_free(scope->result_names, TRUE);
  g_hash_table_destroy(scope->formals);
  g_hash_table_destroy(scope->taken);
}

/* Everything by the scope that it stands in, in order of declaration. */
static void fill_scopes(printer_t *printer) {
  const quant_graph_t *graph = printer->graph;
  for (uint32_t c = 0; c <= graph->call_count; c++) {
    open_scope(&printer->scopes[c], c == graph->call_count ? NULL : &graph->calls[c]);
  }
  for (uint32_t c = 0; c < graph->call_count; c++) {
    g_hash_table_insert(printer->call_names, (gpointer)(uintptr_t)graph->calls[c].name,
                        GUINT_TO_POINTER(c + 1));
    g_hash_table_add(printer->bases, (gpointer)(uintptr_t)graph->calls[c].subprogram);
    g_array_append_val(scope_at(printer, graph->calls[c].parent)->calls, c);
  }
  for (uint32_t v = 0; v < graph->value_count; v++) {
    scope_t *scope = scope_of_name(printer, graph->values[v].name);
    g_array_append_val(scope->values, v);
    g_hash_table_add(scope->taken, (gpointer)(uintptr_t)scope_local_part(graph->values[v].name));
  }
  for (uint32_t r = 0; r < graph->region_count; r++) {
    g_array_append_val(scope_at(printer, graph->regions[r].call)->regions, r);
  }
}

/* ---- What calls take and give ---------------------------------------------------------------- */

/* What the value is called in the scope. */
const char *scope_name_of(const printer_t *printer, const scope_t *scope, uint32_t value) {
  const char *name = printer->graph->values[value].name;
  if (is_local(scope, name)) return scope_local_part(name);
  return g_hash_table_lookup(scope->formals, GUINT_TO_POINTER(value + 1));
}

/* Makes a value from around an argument or a result, by the name wanted or a new one.  One that is
 * an argument twice has two names, of which the first is used. */
static void add_formal(printer_t *printer, scope_t *scope, uint32_t value, bool is_result,
                       const char *wanted) {
  const char *name = wanted;
  for (uint32_t n = 1; name == NULL || g_hash_table_contains(scope->taken, name); n++) {
    char text[32];
    g_snprintf(text, sizeof text, "%s.%u", is_result ? "result" : "argument", n);
    name = g_string_chunk_insert_const(printer->names, text);
  }
  g_hash_table_add(scope->taken, (gpointer)(uintptr_t)name);
  gpointer key = GUINT_TO_POINTER(value + 1);
  if (!g_hash_table_contains(scope->formals, key)) {
    g_hash_table_insert(scope->formals, key, (gpointer)(uintptr_t)name);
  }
  g_array_append_val(is_result ? scope->results : scope->arguments, value);
  g_array_append_val(is_result ? scope->result_names : scope->argument_names, name);
}

static bool is_made_inside(const printer_t *printer, const scope_t *scope, uint32_t value) {
  int32_t producer = printer->graph->values[value].producer;
  return producer != QUANT_NONE && is_inside(scope, printer->graph->regions[producer].name);
}

/* A value that something in the scope touches: from around, it is an argument or a result. */
static void touch(printer_t *printer, scope_t *scope, uint32_t value) {
  if (scope->call == NULL || scope_name_of(printer, scope, value) != NULL) return;
  add_formal(printer, scope, value, is_made_inside(printer, scope, value), NULL);
}

/* What the call was declared with comes first, where it still fits. */
static void touch_declared(printer_t *printer, scope_t *scope) {
  const quant_call_t *call = scope->call;
  for (uint32_t i = 0; i < call->argument_count + call->result_count; i++) {
    uint32_t value = call->values[i];
    bool is_result = i >= call->argument_count;
    if (is_made_inside(printer, scope, value) != is_result) continue;
    bool is_known = g_hash_table_contains(scope->formals, GUINT_TO_POINTER(value + 1));
    if (is_result && is_known) continue;
    add_formal(printer, scope, value, is_result, call->formals[i]);
  }
}

void scope_find_formals(printer_t *printer, scope_t *scope) {
  const quant_graph_t *graph = printer->graph;
  if (scope->call != NULL) touch_declared(printer, scope);
  for (uint32_t i = 0; i < scope->regions->len; i++) {
    const quant_region_t *region = &graph->regions[g_array_index(scope->regions, uint32_t, i)];
    for (uint32_t port = 0; port < quant_port_count(region); port++) {
      touch(printer, scope, region->ports[port].value);
    }
  }
  for (uint32_t i = 0; i < scope->calls->len; i++) {
    const scope_t *inner = &printer->scopes[g_array_index(scope->calls, uint32_t, i)];
    for (uint32_t a = 0; a < inner->arguments->len; a++) {
      touch(printer, scope, g_array_index(inner->arguments, uint32_t, a));
    }
    for (uint32_t r = 0; r < inner->results->len; r++) {
      touch(printer, scope, g_array_index(inner->results, uint32_t, r));
    }
  }
}

/* ---- All of them ----------------------------------------------------------------------------- */

void scopes_open(printer_t *printer, const quant_graph_t *graph) {
  *printer = (printer_t){.graph = graph,
                         .scopes = g_new0(scope_t, graph->call_count + 1),
                         .call_names = g_hash_table_new(g_str_hash, g_str_equal),
                         .subprograms = g_hash_table_new(g_str_hash, g_str_equal),
                         .bases = g_hash_table_new(g_str_hash, g_str_equal),
                         .counts = g_hash_table_new(g_str_hash, g_str_equal),
                         .names = g_string_chunk_new(1 << 12),
                         .definitions = g_string_new(NULL)};
  fill_scopes(printer);
}

void scopes_close(printer_t *printer) {
  for (uint32_t c = 0; c <= printer->graph->call_count; c++) close_scope(&printer->scopes[c]);
  g_free(printer->scopes);
  g_hash_table_destroy(printer->call_names);
  g_hash_table_destroy(printer->subprograms);
  g_hash_table_destroy(printer->bases);
  g_hash_table_destroy(printer->counts);
  g_string_chunk_free(printer->names);
  g_string_free(printer->definitions, TRUE);
}
