/* SPDX-License-Identifier: Apache-2.0 */
/* Subprograms: their types are found from the callees up, then each call gets a copy. */
#include "harness/quant/graph/text.h"

static block_t *block_at(const graph_parser_t *parser, uint32_t index) {
  return g_ptr_array_index(parser->blocks, index);
}

static block_value_t *value_at(const block_t *block, uint32_t index) {
  return &g_array_index(block->values, block_value_t, index);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static status_t resolve(graph_parser_t *parser, block_t *block, failure_t *error);

static status_t find_callee(graph_parser_t *parser, block_call_t *call, failure_t *error) {
  gpointer found = g_hash_table_lookup(parser->subprograms, call->subprogram);
  if (found == NULL) {
    return graph_fail(call->position, error, "there is no subprogram called %s", call->subprogram);
  }
  call->callee = GPOINTER_TO_UINT(found);
  block_t *callee = block_at(parser, call->callee);
  if (callee->is_open) {
    return graph_fail(call->position, error, "subprogram %s calls itself", call->subprogram);
  }
  if (call->argument_count != callee->argument_count ||
      call->result_count != callee->results->len) {
    return graph_fail(call->position, error,
                      "subprogram %s has %u arguments and %u results, the call %u and %u",
                      call->subprogram, callee->argument_count, callee->results->len,
                      call->argument_count, call->result_count);
  }
  return resolve(parser, callee, error);
}

static void add_totals(block_t *block, uint64_t regions, uint64_t parts) {
  block->region_total = MIN(block->region_total + regions, GRAPH_EXPANDED_REGIONS_MAX + 1);
  block->part_total = MIN(block->part_total + parts, GRAPH_EXPANDED_PARTS_MAX + 1);
}

/* The caller's values get the types that the subprogram's results have. */
static status_t resolve_call(graph_parser_t *parser, block_t *block, block_call_t *call,
                             failure_t *error) {
  STATUS_TRY(find_callee(parser, call, error));
  const block_t *callee = block_at(parser, call->callee);
  for (uint32_t i = 0; i < call->result_count; i++) {
    uint32_t result = g_array_index(callee->results, named_t, i).index;
    value_at(block, call->values[call->argument_count + i].index)->type =
        value_at(callee, result)->type;
  }
  block->depth = MAX(block->depth, callee->depth + 1);
  if (block->depth > QUANT_CALL_DEPTH_MAX) {
    return graph_fail(call->position, error, "calls are nested more than %d deep",
                      (int)QUANT_CALL_DEPTH_MAX);
  }
  add_totals(block, callee->region_total,
             callee->part_total + 1 + call->argument_count + call->result_count);
  return STATUS_OK;
}

static status_t check_arguments(const graph_parser_t *parser, const block_t *block,
                                const block_call_t *call, failure_t *error) {
  const block_t *callee = block_at(parser, call->callee);
  for (uint32_t i = 0; i < call->argument_count; i++) {
    const block_value_t *formal = value_at(callee, i);
    const block_value_t *actual = value_at(block, call->values[i].index);
    if (type_equal(&formal->type, &actual->type)) continue;
    return graph_fail(call->values[i].position, error, "%s is of another type than argument %s",
                      actual->name, formal->name);
  }
  return STATUS_OK;
}

/* A region's inputs are of the types of their values; the operands of an op in no region are of
 * those that its line says. */
static status_t resolve_inputs(block_t *block, failure_t *error) {
  for (uint32_t r = 0; r < block->regions->len; r++) {
    block_region_t *region = &g_array_index(block->regions, block_region_t, r);
    for (uint32_t port = 0; port < region->region.input_count; port++) {
      const type_t *type = &value_at(block, region->ports[port].value)->type;
      if (region->region.is_op && !type_equal(&region->inners[port].type, type)) {
        return graph_fail(region->port_names[port].position, error,
                          "%s is of another type than operand %u", region->port_names[port].name,
                          port);
      }
      region->inners[port].type = *type;
    }
    add_totals(block, 1, quant_port_count(&region->region) + region->region.inner_count);
  }
  return STATUS_OK;
}

/* Called for callees before it goes on, so that its depth is theirs and one more; the limit on
 * depth is checked on the way back, so what bounds the way down is the number of open blocks. */
static status_t resolve(graph_parser_t *parser, block_t *block, failure_t *error) {
  if (block->is_resolved) return STATUS_OK;
  if (parser->open_count > QUANT_CALL_DEPTH_MAX) {
    return graph_fail(block->position, error, "calls are nested more than %d deep",
                      (int)QUANT_CALL_DEPTH_MAX);
  }
  block->is_open = true;
  parser->open_count++;
  add_totals(block, 0, block->values->len);
  for (uint32_t c = 0; c < block->calls->len; c++) {
    block_call_t *call = &g_array_index(block->calls, block_call_t, c);
    STATUS_TRY(resolve_call(parser, block, call, error));
  }
  for (uint32_t c = 0; c < block->calls->len; c++) {
    const block_call_t *call = &g_array_index(block->calls, block_call_t, c);
    STATUS_TRY(check_arguments(parser, block, call, error));
  }
  STATUS_TRY(resolve_inputs(block, error));
  parser->open_count--;
  block->is_open = false;
  block->is_resolved = true;
  return STATUS_OK;
}

status_t graph_resolve(graph_parser_t *parser, failure_t *error) {
  /* Subprograms that nobody calls are checked too. */
  for (uint32_t i = 0; i < parser->blocks->len; i++) {
    STATUS_TRY(resolve(parser, block_at(parser, i), error));
  }
  const block_t *graph = block_at(parser, 0);
  if (graph->region_total <= GRAPH_EXPANDED_REGIONS_MAX &&
      graph->part_total <= GRAPH_EXPANDED_PARTS_MAX) {
    return STATUS_OK;
  }
  return graph_fail(graph->position, error,
                    "with calls replaced by what they call, the graph has more than %d regions or "
                    "%d values, ports and tensors",
                    (int)GRAPH_EXPANDED_REGIONS_MAX, (int)GRAPH_EXPANDED_PARTS_MAX);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* One copy of a block. */
typedef struct copy {
  graph_parser_t *parser;
  quant_builder_t *builder;
  const block_t *block;
  const char *scope; /* "outer/inner/", or "". */
  uint32_t *values;  /* By value of the block: the graph's. */
} copy_t;

/* The name with its scope in front, in `out_name`. */
static status_t scoped_name(const copy_t *copy, const char *name, position_t position,
                            char out_name[QUANT_NAME_BYTES_MAX + 1], failure_t *error) {
  int size = g_snprintf(out_name, QUANT_NAME_BYTES_MAX + 1, "%s%s", copy->scope, name);
  if (size <= QUANT_NAME_BYTES_MAX) return STATUS_OK;
  return graph_fail(position, error, "with its calls in front, the name %.80s has over %d bytes",
                    name, (int)QUANT_NAME_BYTES_MAX);
}

/* Adds what is not the caller's. */
static status_t copy_values(const copy_t *copy, failure_t *error) {
  static const quant_value_role_t roles[] = {
      [BLOCK_INPUT] = QUANT_INPUT,
      [BLOCK_CONSTANT] = QUANT_CONSTANT,
      [BLOCK_MADE] = QUANT_RESULT,
      [BLOCK_CALLED] = QUANT_RESULT,
  };
  for (uint32_t v = copy->block->argument_count; v < copy->block->values->len; v++) {
    const block_value_t *value = value_at(copy->block, v);
    if (copy->block->is_subprogram && value->is_returned) continue;
    char name[QUANT_NAME_BYTES_MAX + 1];
    STATUS_TRY(scoped_name(copy, value->name, value->position, name, error));
    copy->values[v] = quant_builder_add_value(copy->builder, roles[value->kind], name, &value->type,
                                              &value->spec, value->constant);
    g_array_append_val(copy->parser->value_positions, value->position);
  }
  return STATUS_OK;
}

static status_t copy_regions(const copy_t *copy, failure_t *error) {
  for (uint32_t r = 0; r < copy->block->regions->len; r++) {
    const block_region_t *region = &g_array_index(copy->block->regions, block_region_t, r);
    char name[QUANT_NAME_BYTES_MAX + 1];
    STATUS_TRY(scoped_name(copy, region->region.name, region->position, name, error));
    quant_port_t ports[QUANT_PORTS_MAX];
    for (uint32_t port = 0; port < quant_port_count(&region->region); port++) {
      ports[port] = region->ports[port];
      ports[port].value = copy->values[ports[port].value];
    }
    quant_region_t added = region->region;
    added.name = name;
    added.ports = ports;
    (void)quant_builder_add_region(copy->builder, &added);
    g_array_append_val(copy->parser->region_positions, region->position);
  }
  return STATUS_OK;
}

static status_t copy_block(const copy_t *copy, failure_t *error);

static void add_call(const copy_t *copy, const block_call_t *call, const block_t *callee,
                     const char *name, const uint32_t *values) {
  uint32_t count = call->argument_count + call->result_count;
  const char **formals = g_new(const char *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    formals[i] = i < call->argument_count
                     ? value_at(callee, i)->name
                     : g_array_index(callee->results, named_t, i - call->argument_count).name;
  }
  quant_call_t added = {.name = name,
                        .subprogram = call->subprogram,
                        .argument_count = call->argument_count,
                        .result_count = call->result_count,
                        .values = values,
                        .formals = formals};
  (void)quant_builder_add_call(copy->builder, &added);
  g_array_append_val(copy->parser->call_positions, call->position);
  g_free(formals);
}

/* The callee's arguments and results are the caller's values. */
static status_t copy_callee(const copy_t *copy, const block_call_t *call, failure_t *error) {
  const block_t *callee = block_at(copy->parser, call->callee);
  char scope[QUANT_NAME_BYTES_MAX + 2];
  STATUS_TRY(scoped_name(copy, call->name, call->position, scope, error));
  uint32_t count = call->argument_count + call->result_count;
  uint32_t *actuals = g_new(uint32_t, count + 1);
  uint32_t *values = g_new(uint32_t, callee->values->len + 1);
  for (uint32_t i = 0; i < count; i++) {
    actuals[i] = copy->values[call->values[i].index];
    uint32_t formal = i < call->argument_count
                          ? i
                          : g_array_index(callee->results, named_t, i - call->argument_count).index;
    values[formal] = actuals[i];
  }
  add_call(copy, call, callee, scope, actuals);
  g_strlcat(scope, "/", sizeof scope);
  copy_t inner = {.parser = copy->parser,
                  .builder = copy->builder,
                  .block = callee,
                  .scope = scope,
                  .values = values};
  status_t status = copy_block(&inner, error);
  g_free(values);
  g_free(actuals);
  return status;
}

/* Calls of calls: no deeper than graph_resolve() lets them be. */
static status_t copy_block(const copy_t *copy, failure_t *error) {
  STATUS_TRY(copy_values(copy, error));
  STATUS_TRY(copy_regions(copy, error));
  for (uint32_t c = 0; c < copy->block->calls->len; c++) {
    const block_call_t *call = &g_array_index(copy->block->calls, block_call_t, c);
    STATUS_TRY(copy_callee(copy, call, error));
  }
  return STATUS_OK;
}

status_t graph_expand(graph_parser_t *parser, quant_builder_t *builder, failure_t *error) {
  const block_t *graph = block_at(parser, 0);
  uint32_t *values = g_new(uint32_t, graph->values->len + 1);
  copy_t copy = {
      .parser = parser, .builder = builder, .block = graph, .scope = "", .values = values};
  status_t status = copy_block(&copy, error);
  if (status == STATUS_OK) {
    for (uint32_t i = 0; i < graph->results->len; i++) {
      quant_builder_add_output(builder, values[g_array_index(graph->results, named_t, i).index]);
    }
  }
  g_free(values);
  return status;
}
