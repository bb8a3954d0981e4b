/* SPDX-License-Identifier: Apache-2.0 */
/* Names and the calls that they stand in. */
#include <string.h>

#include "harness/quant/fuse/state.h"

const char *local_name(const char *name) {
  const char *end = strrchr(name, '/');
  return end == NULL ? name : end + 1;
}

const char *name_in_call(const quant_graph_t *graph, uint32_t value, int32_t call) {
  const char *name = graph->values[value].name;
  if (call == QUANT_NONE || value_is_in_call(graph, value, call)) return local_name(name);
  const quant_call_t *made_by = &graph->calls[call];
  for (uint32_t i = 0; i < made_by->argument_count + made_by->result_count; i++) {
    if (made_by->values[i] == value) return made_by->formals[i];
  }
  return local_name(name);
}

const char *call_prefix(const quant_graph_t *graph, int32_t call, arena_t *arena) {
  if (call == QUANT_NONE) return "";
  g_autofree char *text = g_strconcat(graph->calls[call].name, "/", NULL);
  return arena_copy_text(arena, text, strlen(text));
}

bool value_is_in_call(const quant_graph_t *graph, uint32_t value, int32_t call) {
  const char *name = graph->values[value].name;
  size_t size = (size_t)(local_name(name) - name);
  const char *wanted = call == QUANT_NONE ? "" : graph->calls[call].name;
  size_t wanted_size = strlen(wanted);
  return size == (wanted_size == 0 ? 0 : wanted_size + 1) && memcmp(name, wanted, wanted_size) == 0;
}
