/* SPDX-License-Identifier: Apache-2.0 */
/* Going back: quantized regions as ops in high precision, between casts (theory.md, T170, says what
 * that gains). */
#include <string.h>

#include "harness/quant/fuse/unfuse.h"
#include "harness/quant/graph/unique_name.h"

/* ---- Casts ----------------------------------------------------------------------------------- */

/* A rescale from one value to another, with what specs these have. */
static void add_rescale(unfuser_t *unfuser, const char *name, uint32_t from, uint32_t to) {
  quant_port_t *ports = ARENA_NEW_ARRAY(unfuser->arena, quant_port_t, 2);
  ports[0] = (quant_port_t){from, g_array_index(unfuser->specs, quant_spec_t, from)};
  ports[1] = (quant_port_t){to, g_array_index(unfuser->specs, quant_spec_t, to)};
  quant_region_t *region = ARENA_NEW_ARRAY(unfuser->arena, quant_region_t, 1);
  *region = (quant_region_t){.name = name,
                             .kernel = QUANT_RESCALE_KERNEL,
                             .input_count = 1,
                             .output_count = 1,
                             .ports = ports};
  g_ptr_array_add(unfuser->rescales, region);
}

static bool is_quantized(const unfuser_t *unfuser, uint32_t value) {
  const quant_value_t *declared = &unfuser->graph->values[value];
  return declared->spec.kind == QUANT_SPEC_UNIFORM && declared->constant == NULL;
}

/* A value in high precision beside a quantized one, with a new name. */
static uint32_t add_high(unfuser_t *unfuser, uint32_t value, int32_t call, const char *tail,
                         const char **out_name) {
  const quant_value_t *declared = &unfuser->graph->values[value];
  const char *head = call_prefix(unfuser->graph, call, unfuser->arena);
  *out_name = unique_name(unfuser->names, head, name_in_call(unfuser->graph, value, call), tail,
                          QUANT_NAME_BYTES_MAX, unfuser->arena);
  const quant_spec_t keep = quant_spec_of_type(&declared->type);
  return unfuse_add_value(unfuser, QUANT_RESULT, *out_name, &declared->type, &keep, NULL);
}

/* The input of an op that was in a region: in high precision. */
uint32_t unfuse_cast_input(unfuser_t *unfuser, uint32_t value, int32_t call) {
  if (!unfuser->has_casts || !is_quantized(unfuser, value)) return value;
  g_autofree char *text = g_strdup_printf("%u %d", value, call);
  gpointer found = g_hash_table_lookup(unfuser->casts, text);
  if (found != NULL) return GPOINTER_TO_UINT(found) - 1;
  const char *name;
  uint32_t made = add_high(unfuser, value, call, ".dcast", &name);
  add_rescale(unfuser, name, value, made);
  const char *key = arena_copy_text(unfuser->arena, text, strlen(text));
  g_hash_table_insert(unfuser->casts, (gpointer)(uintptr_t)key, GUINT_TO_POINTER(made + 1));
  return made;
}

/* What an op is to make for a value: the value, or what is quantized to it. */
uint32_t unfuse_cast_output(unfuser_t *unfuser, uint32_t value, int32_t call) {
  if (!unfuser->has_casts || !is_quantized(unfuser, value)) return value;
  const char *name;
  uint32_t made = add_high(unfuser, value, call, ".float", &name);
  const char *cast = unique_name(unfuser->names, call_prefix(unfuser->graph, call, unfuser->arena),
                                 name_in_call(unfuser->graph, value, call), ".qcast",
                                 QUANT_NAME_BYTES_MAX, unfuser->arena);
  add_rescale(unfuser, cast, made, value);
  return made;
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

status_t quant_revert(const quant_graph_t *graph, const bool *is_wanted, arena_t *arena,
                      quant_graph_t *out_graph, GString *out_notes, failure_t *error) {
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    bool has_parameters = false;
    for (uint32_t p = 0; p < quant_port_count(region); p++) {
      has_parameters |= region->ports[p].spec.kind == QUANT_SPEC_UNIFORM;
    }
    if (!is_wanted[r] || has_parameters) continue;
    return status_fail(error, STATUS_INVALID,
                       "region %s (%s) is not quantized, so that there is nothing to take back",
                       region->name, region->kernel);
  }
  unfuser_t unfuser = {.graph = graph,
                       .is_wanted = is_wanted,
                       .has_casts = true,
                       .arena = arena,
                       .notes = out_notes};
  return unfuse_rebuild(&unfuser, out_graph, error);
}
