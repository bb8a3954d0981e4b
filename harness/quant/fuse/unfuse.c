/* SPDX-License-Identifier: Apache-2.0 */
/* Regions taken apart into ops in no region. */
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/fuse/unfuse.h"
#include "harness/quant/graph/parts.h"
#include "harness/quant/graph/unique_name.h"

static bool takes_apart(const unfuser_t *unfuser, uint32_t index) {
  const quant_region_t *region = &unfuser->graph->regions[index];
  if (region->is_op || strcmp(region->kernel, QUANT_RESCALE_KERNEL) == 0) return false;
  return unfuser->is_wanted == NULL || unfuser->is_wanted[index];
}

/* ---- Values ---------------------------------------------------------------------------------- */

uint32_t unfuse_add_value(unfuser_t *unfuser, quant_value_role_t role, const char *name,
                          const type_t *type, const quant_spec_t *spec, const tensor_t *constant) {
  uint32_t index = quant_builder_add_value(unfuser->builder, role, name, type, spec, constant);
  g_hash_table_insert(unfuser->values, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(index + 1));
  g_array_append_vals(unfuser->specs, spec, 1);
  g_array_append_val(unfuser->constants, constant);
  return index;
}

/* Says that a constraint has no place any more, if it has none. */
static void note_spec(unfuser_t *unfuser, const quant_region_t *region, uint32_t value,
                      const quant_spec_t *own, const quant_spec_t *kept) {
  if (own->kind == QUANT_SPEC_OPEN || quant_spec_equal(kept, own)) return;
  g_string_append_printf(unfuser->notes, "region %s: constraint ", region->name);
  quant_spec_print(own, unfuser->notes);
  g_string_append_printf(unfuser->notes, " on %s is left out; the value has ",
                         unfuser->graph->values[value].name);
  quant_spec_print(kept, unfuser->notes);
  g_string_append_c(unfuser->notes, '\n');
}

/* A constraint that a port has for itself goes to its value, if that has none and no other one
 * differs.  That a port is in high precision is what ops in no region are. */
static void move_spec(unfuser_t *unfuser, const quant_region_t *region, uint32_t value,
                      const quant_spec_t *own, quant_spec_t *specs) {
  bool is_narrow = quant_spec_narrows(own, &unfuser->graph->values[value].type);
  if (own->kind == QUANT_SPEC_OPEN || (own->kind == QUANT_SPEC_KEEP && !is_narrow)) return;
  if (specs[value].kind == QUANT_SPEC_OPEN) specs[value] = *own;
  note_spec(unfuser, region, value, own, &specs[value]);
}

static quant_spec_t *move_specs(unfuser_t *unfuser, const uint32_t *order) {
  const quant_graph_t *graph = unfuser->graph;
  quant_spec_t *specs = ARENA_NEW_ARRAY(unfuser->arena, quant_spec_t, graph->value_count + 1);
  for (uint32_t v = 0; v < graph->value_count; v++) specs[v] = graph->values[v].spec;
  for (uint32_t i = 0; i < graph->region_count && !unfuser->has_casts; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    if (!takes_apart(unfuser, order[i])) continue;
    for (uint32_t p = 0; p < quant_port_count(region); p++) {
      move_spec(unfuser, region, region->ports[p].value, &region->ports[p].spec, specs);
    }
    for (uint32_t i_out = 0; i_out < region->output_count; i_out++) {
      uint32_t inner = region->returns[i_out];
      uint32_t value = region->ports[region->input_count + i_out].value;
      if (inner >= region->input_count) {
        note_spec(unfuser, region, value, &region->inners[inner].spec, &specs[value]);
      }
    }
  }
  return specs;
}

static void add_old_values(unfuser_t *unfuser, const quant_spec_t *specs) {
  const quant_graph_t *graph = unfuser->graph;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_value_t *value = &graph->values[v];
    quant_value_role_t role = value->constant != NULL         ? QUANT_CONSTANT
                              : value->producer == QUANT_NONE ? QUANT_INPUT
                                                              : QUANT_RESULT;
    unfuse_add_value(unfuser, role, value->name, &value->type, &specs[v], value->constant);
    unique_names_take(unfuser->names, value->name);
  }
  for (uint32_t i = 0; i < graph->output_count; i++) {
    quant_builder_add_output(unfuser->builder, graph->outputs[i]);
  }
}

/* ---- Ops that are the same ------------------------------------------------------------------- */

static bool programs_equal(const program_t *a, const program_t *b) {
  g_autoptr(GString) line_a = g_string_new(NULL);
  g_autoptr(GString) line_b = g_string_new(NULL);
  program_print(a, line_a);
  program_print(b, line_b);
  return g_string_equal(line_a, line_b);
}

static void place(unfuser_t *unfuser, uint32_t value, const program_t *program,
                  const uint32_t *operands) {
  placed_t *placed = arena_alloc(unfuser->arena, sizeof *placed);
  *placed = (placed_t){.program = program, .operands = operands};
  g_hash_table_insert(unfuser->placed, GUINT_TO_POINTER(value + 1), placed);
}

static bool find_named(const unfuser_t *unfuser, const char *name, uint32_t *out_value) {
  gpointer found = g_hash_table_lookup(unfuser->values, name);
  if (found == NULL) return false;
  *out_value = GPOINTER_TO_UINT(found) - 1;
  return true;
}

/* Whether a value of that name is there that the op would make: copies of one op come together. */
static bool is_placed(const unfuser_t *unfuser, const char *name, const program_t *program,
                      const uint32_t *operands, const quant_spec_t *spec, uint32_t *out_value) {
  if (program->result_count != 1 || !find_named(unfuser, name, out_value)) return false;
  const placed_t *placed = g_hash_table_lookup(unfuser->placed, GUINT_TO_POINTER(*out_value + 1));
  if (placed == NULL || !programs_equal(placed->program, program)) return false;
  if (!quant_spec_equal(&g_array_index(unfuser->specs, quant_spec_t, *out_value), spec)) {
    return false;
  }
  return memcmp(placed->operands, operands, program->operand_count * sizeof operands[0]) == 0;
}

static bool is_same_constant(const unfuser_t *unfuser, const char *name, const quant_inner_t *inner,
                             uint32_t *out_value) {
  if (!find_named(unfuser, name, out_value)) return false;
  const tensor_t *known = g_array_index(unfuser->constants, const tensor_t *, *out_value);
  return known != NULL && type_equal(&known->type, &inner->type) &&
         memcmp(known->data, inner->constant->data, type_bytes(&inner->type)) == 0 &&
         quant_spec_equal(&g_array_index(unfuser->specs, quant_spec_t, *out_value), &inner->spec);
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* A region while it is taken apart. */
typedef struct taken {
  unfuser_t *unfuser;
  const quant_region_t *region;
  const char *prefix;  /* Of names in its call. */
  uint32_t *values;    /* By inner: the value that it has become. */
  const char **locals; /* By output: what its value is called in the call. */
  uint32_t *outputs;   /* By output: the value to be made. */
  bool *is_made;       /* By output. */
} taken_t;

/* The output that an inner tensor is first; output_count if it is none. */
static uint32_t output_of(const quant_region_t *region, uint32_t inner) {
  uint32_t output = 0;
  while (output < region->output_count && region->returns[output] != inner) output++;
  return output;
}

static const char *scoped(const taken_t *taken, const char *local) {
  g_autofree char *text = g_strconcat(taken->prefix, local, NULL);
  return arena_copy_text(taken->unfuser->arena, text, strlen(text));
}

static const char *new_name(const taken_t *taken, const char *local) {
  unfuser_t *unfuser = taken->unfuser;
  return unique_name(unfuser->names, taken->prefix, local, "", QUANT_NAME_BYTES_MAX,
                     unfuser->arena);
}

static void place_constants(taken_t *taken) {
  const quant_region_t *region = taken->region;
  for (uint32_t i = region->input_count; i < region->inner_count; i++) {
    const quant_inner_t *inner = &region->inners[i];
    if (inner->constant == NULL) continue;
    if (is_same_constant(taken->unfuser, scoped(taken, inner->name), inner, &taken->values[i])) {
      continue;
    }
    taken->values[i] =
        unfuse_add_value(taken->unfuser, QUANT_CONSTANT, new_name(taken, inner->name), &inner->type,
                         &inner->spec, inner->constant);
  }
}

static void add_op(taken_t *taken, const program_t *program, const char *name,
                   const uint32_t *operands, const uint32_t *results) {
  unfuser_t *unfuser = taken->unfuser;
  quant_builder_add_op(unfuser->builder, name, program, operands, results);
  if (program->result_count == 1) place(unfuser, results[0], program, operands);
}

static void place_op(taken_t *taken, const quant_op_t *op) {
  unfuser_t *unfuser = taken->unfuser;
  const quant_region_t *region = taken->region;
  const program_t *program = &op->program;
  uint32_t *operands = ARENA_NEW_ARRAY(unfuser->arena, uint32_t, program->operand_count + 1);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    operands[i] = taken->values[op->operands[i]];
  }
  const quant_inner_t *first = &region->inners[op->results[0]];
  bool is_returned = output_of(region, op->results[0]) < region->output_count;
  uint32_t known;
  if (!is_returned &&
      is_placed(unfuser, scoped(taken, first->name), program, operands, &first->spec, &known)) {
    taken->values[op->results[0]] = known;
    return;
  }
  uint32_t results[CASE_RESULTS_MAX];
  const char *name = NULL;
  for (uint32_t i = 0; i < program->result_count; i++) {
    uint32_t index = op->results[i], output = output_of(region, index);
    const quant_inner_t *inner = &region->inners[index];
    const char *own = NULL;
    if (output < region->output_count) {
      results[i] = taken->outputs[output];
      taken->is_made[output] = true;
      own = scoped(taken, taken->locals[output]);
    } else {
      own = new_name(taken, inner->name);
      results[i] = unfuse_add_value(unfuser, QUANT_RESULT, own, &inner->type, &inner->spec, NULL);
    }
    if (i == 0) name = own;
    taken->values[index] = results[i];
  }
  add_op(taken, program, name, operands, results);
}

/* An output that no op makes for itself: an input or a constant, or one that is returned twice. */
static status_t place_identity(taken_t *taken, uint32_t output, failure_t *error) {
  unfuser_t *unfuser = taken->unfuser;
  uint32_t *from = ARENA_NEW_ARRAY(unfuser->arena, uint32_t, 1);
  uint32_t inner = taken->region->returns[output];
  *from = taken->values[inner];
  g_autoptr(GString) line = g_string_new("stablehlo.reshape ");
  type_print(&taken->region->inners[inner].type, line);
  g_string_append(line, " -> ");
  type_print(&taken->region->inners[inner].type, line);
  program_t *program = arena_alloc(unfuser->arena, sizeof *program);
  STATUS_TRY(program_parse((str_t){line->str, line->len}, unfuser->arena, program, NULL, error));
  add_op(taken, program, scoped(taken, taken->locals[output]), from, &taken->outputs[output]);
  return STATUS_OK;
}

static status_t take_apart(unfuser_t *unfuser, const quant_region_t *region, failure_t *error) {
  arena_t *arena = unfuser->arena;
  taken_t taken = {.unfuser = unfuser,
                   .region = region,
                   .prefix = call_prefix(unfuser->graph, region->call, arena),
                   .values = ARENA_NEW_ARRAY(arena, uint32_t, region->inner_count + 1),
                   .locals = ARENA_NEW_ARRAY(arena, const char *, region->output_count + 1),
                   .outputs = ARENA_NEW_ARRAY(arena, uint32_t, region->output_count + 1),
                   .is_made = arena_alloc_zeroed(arena, region->output_count + 1)};
  for (uint32_t i = 0; i < region->input_count; i++) {
    taken.values[i] = unfuse_cast_input(unfuser, region->ports[i].value, region->call);
  }
  for (uint32_t i = 0; i < region->output_count; i++) {
    uint32_t value = region->ports[region->input_count + i].value;
    taken.locals[i] = name_in_call(unfuser->graph, value, region->call);
    taken.outputs[i] = unfuse_cast_output(unfuser, value, region->call);
  }
  place_constants(&taken);
  for (uint32_t i = 0; i < region->op_count; i++) place_op(&taken, &region->ops[i]);
  for (uint32_t i = 0; i < region->output_count; i++) {
    if (!taken.is_made[i]) STATUS_TRY(place_identity(&taken, i, error));
  }
  return STATUS_OK;
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* Regions and ops that stay. */
static void keep_regions(unfuser_t *unfuser) {
  const quant_graph_t *graph = unfuser->graph;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    if (takes_apart(unfuser, r)) continue;
    quant_builder_add_region(unfuser->builder, region);
    if (!region->is_op) {
      unique_names_take(unfuser->names, region->name);
      continue;
    }
    if (region->output_count != 1) continue;
    uint32_t *operands = ARENA_NEW_ARRAY(unfuser->arena, uint32_t, region->input_count + 1);
    for (uint32_t p = 0; p < region->input_count; p++) operands[p] = region->ports[p].value;
    place(unfuser, region->ports[region->input_count].value, &region->ops[0].program, operands);
  }
}

static status_t fill(unfuser_t *unfuser, failure_t *error) {
  const quant_graph_t *graph = unfuser->graph;
  const uint32_t *order = quant_graph_order(graph, unfuser->arena);
  add_old_values(unfuser, move_specs(unfuser, order));
  for (uint32_t c = 0; c < graph->call_count; c++) {
    quant_builder_add_call(unfuser->builder, &graph->calls[c]);
  }
  keep_regions(unfuser);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    if (!takes_apart(unfuser, order[i])) continue;
    STATUS_TRY(take_apart(unfuser, &graph->regions[order[i]], error));
  }
  for (uint32_t i = 0; i < unfuser->rescales->len; i++) {
    quant_builder_add_region(unfuser->builder, g_ptr_array_index(unfuser->rescales, i));
  }
  return STATUS_OK;
}

status_t unfuse_rebuild(unfuser_t *unfuser, quant_graph_t *out_graph, failure_t *error) {
  unfuser->builder = quant_builder_new(unfuser->graph->name, unfuser->arena);
  unfuser->values = g_hash_table_new(g_str_hash, g_str_equal);
  unfuser->names = unique_names_begin();
  unfuser->specs = g_array_new(FALSE, FALSE, sizeof(quant_spec_t));
  unfuser->constants = g_array_new(FALSE, FALSE, sizeof(const tensor_t *));
  unfuser->placed = g_hash_table_new(g_direct_hash, g_direct_equal);
  unfuser->casts = g_hash_table_new(g_str_hash, g_str_equal);
  unfuser->rescales = g_ptr_array_new();
  status_t status = fill(unfuser, error);
  if (status == STATUS_OK) {
    status = quant_builder_finish(unfuser->builder, out_graph, error);
  } else {
    quant_builder_abandon(unfuser->builder);
  }
  g_ptr_array_free(unfuser->rescales, TRUE);
  g_hash_table_destroy(unfuser->casts);
  g_hash_table_destroy(unfuser->placed);
  g_array_free(unfuser->constants, TRUE);
  g_array_free(unfuser->specs, TRUE);
  g_hash_table_destroy(unfuser->names);
  g_hash_table_destroy(unfuser->values);
  return status;
}

status_t quant_unfuse(const quant_graph_t *graph, const bool *is_wanted, arena_t *arena,
                      quant_graph_t *out_graph, GString *out_notes, failure_t *error) {
  unfuser_t unfuser = {.graph = graph, .is_wanted = is_wanted, .arena = arena, .notes = out_notes};
  return unfuse_rebuild(&unfuser, out_graph, error);
}
