/* SPDX-License-Identifier: Apache-2.0 */
/* Joins regions: takes them apart, fuses what comes of it, and keeps of that what is made of whole
 * regions alone and fits the parameters that are there; all others stay as they were. */
#include "harness/quant/fuse/join.h"

#include <string.h>

#include "harness/quant/propagate/propagate.h"

typedef struct joining {
  const quant_graph_t *graph;
  const quant_target_t *table;
  arena_t *arena;
  bool *is_wanted; /* By region: it is taken apart. */
} joining_t;

static bool is_kernel(const quant_region_t *region) {
  return !region->is_op && strcmp(region->kernel, QUANT_RESCALE_KERNEL) != 0;
}

static int32_t find_value(const quant_graph_t *graph, const char *name) {
  for (uint32_t v = 0; v < graph->value_count; v++) {
    if (strcmp(graph->values[v].name, name) == 0) return (int32_t)v;
  }
  return QUANT_NONE;
}

/* ---- What a region of the fused graph is made of --------------------------------------------- */

/* Marks the region and those before it whose results are no values of the fused graph. */
static void mark_parts(const joining_t *self, const quant_graph_t *fused, uint32_t r, bool *parts) {
  const quant_region_t *region = &self->graph->regions[r];
  parts[r] = true;
  for (uint32_t i = 0; i < region->input_count; i++) {
    const quant_value_t *value = &self->graph->values[region->ports[i].value];
    if (value->producer == QUANT_NONE || find_value(fused, value->name) != QUANT_NONE) continue;
    mark_parts(self, fused, (uint32_t)value->producer, parts);
  }
}

/* By region of the graph; NULL unless it is made of several, each of them whole. */
static const bool *find_parts(const joining_t *self, const quant_graph_t *fused,
                              const quant_region_t *region) {
  const quant_value_t *output = &fused->values[region->ports[region->input_count].value];
  int32_t value = find_value(self->graph, output->name);
  if (value == QUANT_NONE || self->graph->values[value].producer == QUANT_NONE) return NULL;
  bool *parts = arena_alloc_zeroed(self->arena, self->graph->region_count + 1);
  mark_parts(self, fused, (uint32_t)self->graph->values[value].producer, parts);
  uint32_t count = 0, ops = 0;
  for (uint32_t r = 0; r < self->graph->region_count; r++) {
    if (!parts[r]) continue;
    if (!self->is_wanted[r]) return NULL;
    count++;
    ops += self->graph->regions[r].op_count;
  }
  return count > 1 && ops == region->op_count ? parts : NULL;
}

/* ---- Whether parameters fit ------------------------------------------------------------------ */

/* By region of the fused graph: it has a kernel, and no port of it wants what its value has not. */
static status_t find_fitting(const joining_t *self, const quant_graph_t *fused, bool **out_fits,
                             failure_t *error) {
  quant_propagation_t propagation;
  STATUS_TRY(
      quant_propagate(fused, self->table, QUANT_FAULT_none, self->arena, &propagation, error));
  bool *fits = arena_alloc_zeroed(self->arena, fused->region_count + 1);
  for (uint32_t r = 0; r < fused->region_count; r++) {
    const quant_region_t *region = &fused->regions[r];
    fits[r] = propagation.regions[r].row != NULL;
    for (uint32_t i = 0; i < region->input_count + region->output_count && fits[r]; i++) {
      if (propagation.regions[r].ports[i].is_rescaled) fits[r] = false;
    }
  }
  *out_fits = fits;
  return STATUS_OK;
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* Takes apart, fuses, and lists what is joined. */
static status_t try_once(const joining_t *self, quant_joining_t *out, failure_t *error) {
  quant_graph_t *apart = arena_alloc(self->arena, sizeof *apart);
  quant_fusion_t fusion;
  bool *fits;
  GString *notes = g_string_new(NULL);
  status_t status = quant_unfuse(self->graph, self->is_wanted, self->arena, apart, notes, error);
  g_string_free(notes, TRUE);
  STATUS_TRY(status);
  STATUS_TRY(quant_fuse(apart, self->table, QUANT_FUSE_FAULT_none, self->arena, &fusion, error));
  STATUS_TRY(find_fitting(self, &fusion.fused, &fits, error));
  quant_joint_t *joints =
      ARENA_NEW_ARRAY(self->arena, quant_joint_t, fusion.fused.region_count + 1);
  out->joint_count = 0;
  for (uint32_t r = 0; r < fusion.fused.region_count; r++) {
    const quant_region_t *region = &fusion.fused.regions[r];
    if (!is_kernel(region) || !fits[r]) continue;
    const bool *parts = find_parts(self, &fusion.fused, region);
    if (parts == NULL) continue;
    joints[out->joint_count++] = (quant_joint_t){region->name, region->kernel, parts};
  }
  out->joints = joints;
  out->joined = fusion.fused;
  return STATUS_OK;
}

/* Takes apart only what was joined; whether that is less than before. */
static bool want_less(joining_t *self, const quant_joining_t *found) {
  bool is_less = false;
  for (uint32_t r = 0; r < self->graph->region_count; r++) {
    bool is_part = false;
    for (uint32_t i = 0; i < found->joint_count; i++) is_part |= found->joints[i].parts[r];
    is_less |= self->is_wanted[r] && !is_part;
    self->is_wanted[r] = is_part;
  }
  return is_less;
}

status_t quant_join(const quant_graph_t *graph, const quant_target_t *table, arena_t *arena,
                    quant_joining_t *out_joining, failure_t *error) {
  joining_t self = {.graph = graph,
                    .table = table,
                    .arena = arena,
                    .is_wanted = arena_alloc_zeroed(arena, graph->region_count + 1)};
  for (uint32_t r = 0; r < graph->region_count; r++) {
    self.is_wanted[r] = is_kernel(&graph->regions[r]);
  }
  quant_joining_t found = {.graph = graph, .table = table};
  do {
    STATUS_TRY(try_once(&self, &found, error));
  } while (want_less(&self, &found) && found.joint_count > 0);
  if (found.joint_count == 0) found.joined = *graph;
  *out_joining = found;
  return STATUS_OK;
}

/* ---- In words -------------------------------------------------------------------------------- */

/* What joins two parts, with the parameters that it had. */
static void explain_between(const quant_joining_t *joining, const quant_joint_t *joint,
                            GString *out_text) {
  const quant_graph_t *graph = joining->graph;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_value_t *value = &graph->values[v];
    bool is_made = value->producer != QUANT_NONE && joint->parts[value->producer];
    if (!is_made || find_value(&joining->joined, value->name) != QUANT_NONE) continue;
    g_string_append_printf(out_text, "  %s is inside", value->name);
    if (value->spec.kind != QUANT_SPEC_OPEN) {
      g_string_append(out_text, ": no kernel stores it as ");
      quant_spec_print(&value->spec, out_text);
      g_string_append(out_text, " any more");
    }
    g_string_append_c(out_text, '\n');
  }
}

void quant_join_explain(const quant_joining_t *joining, GString *out_text) {
  uint32_t parts = 0;
  for (uint32_t i = 0; i < joining->joint_count; i++) {
    const quant_joint_t *joint = &joining->joints[i];
    g_string_append_printf(out_text, "region %s (%s): joined of", joint->region, joint->kernel);
    for (uint32_t r = 0; r < joining->graph->region_count; r++) {
      if (!joint->parts[r]) continue;
      const quant_region_t *region = &joining->graph->regions[r];
      g_string_append_printf(out_text, " %s (%s)", region->name, region->kernel);
      parts++;
    }
    g_string_append_c(out_text, '\n');
    explain_between(joining, joint, out_text);
  }
  g_string_append_printf(out_text, "joined: %u regions of %u\n", joining->joint_count, parts);
}
