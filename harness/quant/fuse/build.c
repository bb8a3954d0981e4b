/* SPDX-License-Identifier: Apache-2.0 */
/* The fused graph: what is inside of regions leaves the graph, unless something else uses it. */
#include <string.h>

#include "harness/quant/fuse/state.h"
#include "harness/quant/graph/unique_name.h"

typedef struct fuse_writer {
  const fuser_t *fuser;
  const quant_graph_t *graph;
  const quant_match_t *matches;
  uint32_t match_count;
  arena_t *arena;
  uint32_t *uses;      /* By value: what is left to use it, calls and the graph's outputs too. */
  bool *is_inside;     /* By value: gone into a region. */
  uint32_t *value_map; /* By value: in the new graph. */
  quant_builder_t *builder;
} fuse_writer_t;

/* ---- What leaves the graph ------------------------------------------------------------------- */

static void count_uses(fuse_writer_t *writer) {
  const quant_graph_t *graph = writer->graph;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    if (writer->fuser->fates[r].match != QUANT_NONE) continue;
    const quant_region_t *region = &graph->regions[r];
    for (uint32_t p = 0; p < region->input_count; p++) writer->uses[region->ports[p].value]++;
  }
  for (uint32_t m = 0; m < writer->match_count; m++) {
    const quant_match_t *match = &writer->matches[m];
    for (uint32_t i = 0; i < match->input_count; i++) writer->uses[match->inputs[i]]++;
  }
  for (uint32_t c = 0; c < graph->call_count; c++) {
    const quant_call_t *call = &graph->calls[c];
    for (uint32_t i = 0; i < call->argument_count + call->result_count; i++) {
      writer->uses[call->values[i]]++;
    }
  }
  for (uint32_t i = 0; i < graph->output_count; i++) writer->uses[graph->outputs[i]]++;
}

/* An op of constants that regions have copies of is dropped once nothing else uses it; so are the
 * constants that went inside. */
static void drop_unused(fuse_writer_t *writer) {
  const quant_graph_t *graph = writer->graph;
  const uint32_t *order = quant_graph_order(graph, writer->arena);
  for (uint32_t i = graph->region_count; i-- > 0;) {
    quant_op_fate_t *fate = &writer->fuser->fates[order[i]];
    const quant_region_t *region = &graph->regions[order[i]];
    uint32_t made = region->ports[region->input_count].value;
    if (!fate->is_copied || writer->uses[made] > 0) continue;
    fate->is_dropped = true;
    writer->is_inside[made] = true;
    for (uint32_t p = 0; p < region->input_count; p++) writer->uses[region->ports[p].value]--;
  }
  for (uint32_t m = 0; m < writer->match_count; m++) {
    const quant_match_t *match = &writer->matches[m];
    for (uint32_t i = 0; i < match->constant_count; i++) {
      if (writer->uses[match->constants[i]] == 0) writer->is_inside[match->constants[i]] = true;
    }
    for (uint32_t i = 0; i < match->op_count; i++) {
      const quant_region_t *region = &graph->regions[match->ops[i]];
      bool is_copy = writer->fuser->fates[match->ops[i]].is_constant;
      if (is_copy || match->ops[i] == match->root) continue;
      writer->is_inside[region->ports[region->input_count].value] = true;
    }
  }
}

static void write_values(fuse_writer_t *writer) {
  const quant_graph_t *graph = writer->graph;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    const quant_value_t *value = &graph->values[v];
    quant_value_role_t role = value->constant != NULL         ? QUANT_CONSTANT
                              : value->producer == QUANT_NONE ? QUANT_INPUT
                                                              : QUANT_RESULT;
    if (writer->is_inside[v]) continue;
    writer->value_map[v] = quant_builder_add_value(writer->builder, role, value->name, &value->type,
                                                   &value->spec, value->constant);
  }
}

/* With the fault second_use, users of what went inside get what the region makes. */
static void misdirect(fuse_writer_t *writer) {
  if (writer->fuser->fault != QUANT_FUSE_FAULT_second_use) return;
  for (uint32_t m = 0; m < writer->match_count; m++) {
    const quant_match_t *match = &writer->matches[m];
    const quant_region_t *root = &writer->graph->regions[match->root];
    uint32_t made = writer->value_map[root->ports[root->input_count].value];
    for (uint32_t i = 0; i < match->op_count; i++) {
      const quant_region_t *region = &writer->graph->regions[match->ops[i]];
      uint32_t value = region->ports[region->input_count].value;
      if (writer->is_inside[value]) writer->value_map[value] = made;
    }
  }
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* What is inside of one region. */
typedef struct inside {
  const fuse_writer_t *writer;
  const quant_match_t *match;
  GHashTable *names;
  quant_inner_t *inners;
  uint32_t *values; /* By inner: the value that it was; of inputs too. */
  uint32_t count;
} inside_t;

static quant_spec_t kept_spec(const inside_t *inside, const quant_value_t *value) {
  bool is_lost = inside->writer->fuser->fault == QUANT_FUSE_FAULT_constraints_lost;
  return is_lost ? (quant_spec_t){.kind = QUANT_SPEC_OPEN} : value->spec;
}

/* What a value is called where the region stands. */
static const char *local_to(const inside_t *inside, uint32_t value) {
  const quant_graph_t *graph = inside->writer->graph;
  return name_in_call(graph, value, graph->regions[inside->match->root].call);
}

/* A constant, or what an op inside makes: by its own name. */
static void add_inner(inside_t *inside, uint32_t index, bool is_output) {
  const quant_value_t *value = &inside->writer->graph->values[index];
  quant_inner_t *inner = &inside->inners[inside->count];
  *inner = (quant_inner_t){
      .name = local_to(inside, index), .type = value->type, .constant = value->constant};
  if (!is_output) inner->spec = kept_spec(inside, value);
  inside->values[inside->count++] = index;
}

/* Inputs are called as their values, unless something inside is. */
static void name_inputs(inside_t *inside) {
  for (uint32_t i = inside->match->input_count; i < inside->count; i++) {
    unique_names_take(inside->names, inside->inners[i].name);
  }
  for (uint32_t i = 0; i < inside->match->input_count; i++) {
    const quant_value_t *value = &inside->writer->graph->values[inside->match->inputs[i]];
    inside->inners[i] = (quant_inner_t){
        .name = unique_name(inside->names, "", local_to(inside, inside->match->inputs[i]), "",
                            QUANT_NAME_BYTES_MAX, inside->writer->arena),
        .type = value->type};
    inside->values[i] = inside->match->inputs[i];
  }
}

/* What is made inside comes before inputs: an input that is copied inside too is the copy. */
static uint32_t find_inner(const inside_t *inside, uint32_t value) {
  for (uint32_t i = inside->count; i-- > 0;) {
    if (inside->values[i] == value) return i;
  }
  g_assert_not_reached();
}

static const quant_op_t *write_ops(inside_t *inside) {
  const quant_match_t *match = inside->match;
  quant_op_t *ops = ARENA_NEW_ARRAY(inside->writer->arena, quant_op_t, match->op_count);
  for (uint32_t i = 0; i < match->op_count; i++) {
    const quant_region_t *region = &inside->writer->graph->regions[match->ops[i]];
    ops[i].program = region->ops[0].program;
    for (uint32_t p = 0; p < region->input_count; p++) {
      uint32_t input = match->operands[i * CASE_OPERANDS_MAX + p];
      ops[i].operands[p] =
          input < match->input_count ? input : find_inner(inside, region->ports[p].value);
    }
    ops[i].results[0] = find_inner(inside, region->ports[region->input_count].value);
  }
  return ops;
}

static void write_match(fuse_writer_t *writer, const quant_match_t *match) {
  arena_t *arena = writer->arena;
  uint32_t most = match->input_count + match->constant_count + match->op_count;
  inside_t inside = {.writer = writer,
                     .match = match,
                     .names = unique_names_begin(),
                     .inners = ARENA_NEW_ARRAY(arena, quant_inner_t, most),
                     .values = ARENA_NEW_ARRAY(arena, uint32_t, most),
                     .count = match->input_count};
  for (uint32_t i = 0; i < match->constant_count; i++) {
    add_inner(&inside, match->constants[i], false);
  }
  for (uint32_t i = 0; i < match->op_count; i++) {
    const quant_region_t *op = &writer->graph->regions[match->ops[i]];
    add_inner(&inside, op->ports[op->input_count].value, match->ops[i] == match->root);
  }
  name_inputs(&inside);
  const quant_region_t *root = &writer->graph->regions[match->root];
  uint32_t output = root->ports[root->input_count].value;
  quant_port_t ports[QUANT_PORTS_MAX] = {{.value = 0}};
  for (uint32_t i = 0; i < match->input_count; i++) {
    ports[i].value = writer->value_map[match->inputs[i]];
  }
  ports[match->input_count].value = writer->value_map[output];
  uint32_t returned = find_inner(&inside, output);
  const quant_region_t region = {.name = match->region,
                                 .kernel = match->pattern->kernel,
                                 .input_count = match->input_count,
                                 .output_count = 1,
                                 .ports = ports,
                                 .inner_count = inside.count,
                                 .inners = inside.inners,
                                 .op_count = match->op_count,
                                 .ops = write_ops(&inside),
                                 .returns = &returned};
  quant_builder_add_region(writer->builder, &region);
  g_hash_table_destroy(inside.names);
}

static void write_region(fuse_writer_t *writer, const quant_region_t *old) {
  uint32_t count = quant_port_count(old);
  quant_port_t ports[QUANT_PORTS_MAX];
  for (uint32_t p = 0; p < count; p++) {
    ports[p] = old->ports[p];
    ports[p].value = writer->value_map[ports[p].value];
  }
  quant_region_t region = *old;
  region.ports = ports;
  quant_builder_add_region(writer->builder, &region);
}

static void write_calls(fuse_writer_t *writer) {
  for (uint32_t c = 0; c < writer->graph->call_count; c++) {
    quant_call_t call = writer->graph->calls[c];
    uint32_t count = call.argument_count + call.result_count;
    uint32_t *values = ARENA_NEW_ARRAY(writer->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) values[i] = writer->value_map[call.values[i]];
    call.values = values;
    quant_builder_add_call(writer->builder, &call);
  }
}

/* Regions stand where the op that makes their output stood. */
static void write_regions(fuse_writer_t *writer) {
  const quant_graph_t *graph = writer->graph;
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_op_fate_t *fate = &writer->fuser->fates[r];
    if (fate->is_dropped) continue;
    if (fate->match == QUANT_NONE) {
      write_region(writer, &graph->regions[r]);
    } else if (writer->matches[fate->match].root == r) {
      write_match(writer, &writer->matches[fate->match]);
    }
  }
}

status_t fuse_build(const fuser_t *fuser, const quant_match_t *matches, uint32_t match_count,
                    quant_graph_t *out_graph, failure_t *error) {
  const quant_graph_t *graph = fuser->graph;
  arena_t *arena = fuser->arena;
  uint32_t values = graph->value_count + 1;
  fuse_writer_t writer = {.fuser = fuser,
                          .graph = graph,
                          .matches = matches,
                          .match_count = match_count,
                          .arena = arena,
                          .uses = arena_alloc_zeroed(arena, values * sizeof(uint32_t)),
                          .is_inside = arena_alloc_zeroed(arena, values * sizeof(bool)),
                          .value_map = arena_alloc_zeroed(arena, values * sizeof(uint32_t)),
                          .builder = quant_builder_new(graph->name, arena)};
  count_uses(&writer);
  drop_unused(&writer);
  write_values(&writer);
  misdirect(&writer);
  for (uint32_t i = 0; i < graph->output_count; i++) {
    quant_builder_add_output(writer.builder, writer.value_map[graph->outputs[i]]);
  }
  write_calls(&writer);
  write_regions(&writer);
  return quant_builder_finish(writer.builder, out_graph, error);
}
