/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a graph: graph.md.  Lines become blocks, which graph/calls.c puts together. */
#include "harness/quant/graph/text.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

static block_t *open_block(graph_parser_t *parser, const named_t *name, bool is_subprogram) {
  block_t *block = g_new0(block_t, 1);
  block->name = name->name;
  block->position = name->position;
  block->is_subprogram = is_subprogram;
  block->index = g_hash_table_new(g_direct_hash, g_direct_equal);
  block->names = g_hash_table_new(g_direct_hash, g_direct_equal);
  block->values = g_array_new(FALSE, FALSE, sizeof(block_value_t));
  block->regions = g_array_new(FALSE, FALSE, sizeof(block_region_t));
  block->calls = g_array_new(FALSE, FALSE, sizeof(block_call_t));
  block->constraints = g_array_new(FALSE, FALSE, sizeof(block_constraint_t));
  block->results = g_array_new(FALSE, FALSE, sizeof(named_t));
  g_ptr_array_add(parser->blocks, block);
  return block;
}

static void free_block(gpointer pointer) {
  block_t *block = pointer;
  g_hash_table_destroy(block->index);
  g_hash_table_destroy(block->names);
  g_array_free(block->values, TRUE);
  g_array_free(block->regions, TRUE);
  g_array_free(block->calls, TRUE);
  g_array_free(block->constraints, TRUE);
  g_array_free(block->results, TRUE);
  g_free(block);
}

status_t graph_declare(graph_parser_t *parser, const named_t *name, const block_value_t *value,
                       failure_t *error) {
  block_t *block = parser->block;
  gpointer key = (gpointer)(uintptr_t)name->name;
  gpointer found = g_hash_table_lookup(block->index, key);
  if (found != NULL) {
    uint32_t index = GPOINTER_TO_UINT(found) - 1;
    return graph_fail(name->position, error, "line %u has a value called %s already",
                      g_array_index(block->values, block_value_t, index).position.line, name->name);
  }
  block_value_t declared = *value;
  declared.name = name->name;
  declared.position = name->position;
  g_array_append_val(block->values, declared);
  g_hash_table_insert(block->index, key, GUINT_TO_POINTER(block->values->len));
  return STATUS_OK;
}

status_t graph_claim(graph_parser_t *parser, const char *kind, const named_t *name,
                     failure_t *error) {
  char text[QUANT_NAME_BYTES_MAX + 16];
  g_snprintf(text, sizeof text, "%s %s", kind, name->name);
  const char *key = g_string_chunk_insert_const(parser->names, text);
  if (g_hash_table_add(parser->block->names, (gpointer)(uintptr_t)key)) return STATUS_OK;
  return graph_fail(name->position, error, "a %s is called %s already", kind, name->name);
}

/* ---- Looking names up ------------------------------------------------------------------------ */

static status_t look_up(const block_t *block, named_t *name, failure_t *error) {
  gpointer found = g_hash_table_lookup(block->index, name->name);
  if (found == NULL) {
    return graph_fail(name->position, error, "there is no value called %s", name->name);
  }
  name->index = GPOINTER_TO_UINT(found) - 1;
  return STATUS_OK;
}

static block_value_t *value_of(const block_t *block, const named_t *name) {
  return &g_array_index(block->values, block_value_t, name->index);
}

static status_t look_up_regions(const block_t *block, failure_t *error) {
  for (uint32_t r = 0; r < block->regions->len; r++) {
    block_region_t *region = &g_array_index(block->regions, block_region_t, r);
    for (uint32_t port = 0; port < quant_port_count(&region->region); port++) {
      named_t name = region->port_names[port];
      STATUS_TRY(look_up(block, &name, error));
      region->ports[port].value = name.index;
    }
  }
  for (uint32_t c = 0; c < block->calls->len; c++) {
    block_call_t *call = &g_array_index(block->calls, block_call_t, c);
    for (uint32_t i = 0; i < call->argument_count + call->result_count; i++) {
      STATUS_TRY(look_up(block, &call->values[i], error));
    }
  }
  return STATUS_OK;
}

/* What a subprogram returns is a value of its caller, and so is the constraint on it. */
static status_t look_up_results(block_t *block, failure_t *error) {
  for (uint32_t i = 0; i < block->results->len; i++) {
    named_t *name = &g_array_index(block->results, named_t, i);
    STATUS_TRY(look_up(block, name, error));
    block_value_t *value = value_of(block, name);
    bool is_made = value->kind == BLOCK_MADE || value->kind == BLOCK_CALLED;
    if (!is_made || value->is_returned) {
      return graph_fail(name->position, error, "%s %s", name->name,
                        is_made ? "is named twice" : "is made by no region or op");
    }
    value->is_returned = true;
  }
  return STATUS_OK;
}

static status_t look_up_constraints(const block_t *block, failure_t *error) {
  for (uint32_t i = 0; i < block->constraints->len; i++) {
    block_constraint_t *constraint = &g_array_index(block->constraints, block_constraint_t, i);
    named_t *name = &constraint->value;
    STATUS_TRY(look_up(block, name, error));
    block_value_t *value = value_of(block, name);
    bool is_made = value->kind == BLOCK_MADE || value->kind == BLOCK_CALLED;
    bool is_callers = value->kind == BLOCK_ARGUMENT || (block->is_subprogram && value->is_returned);
    const char *wrong = is_callers              ? "is the caller's, and so is the constraint on it"
                        : !is_made              ? "has its constraint where it is declared"
                        : value->is_constrained ? "has its constraint already"
                                                : NULL;
    if (wrong != NULL) return graph_fail(name->position, error, "%s %s", name->name, wrong);
    value->is_constrained = true;
    value->spec = constraint->spec;
  }
  return STATUS_OK;
}

static status_t close_block(block_t *block, failure_t *error) {
  STATUS_TRY(look_up_regions(block, error));
  STATUS_TRY(look_up_results(block, error));
  return look_up_constraints(block, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* "input NAME TYPE [SPEC]", "constant NAME TYPE [SPEC] = DATA" */
static status_t parse_value(graph_parser_t *parser, block_value_kind_t kind, failure_t *error) {
  named_t name;
  block_value_t value = {.kind = kind};
  STATUS_TRY(graph_take_name(parser, &name, error));
  STATUS_TRY(graph_take_type(parser, &value.type, error));
  STATUS_TRY(graph_take_spec(parser, &value.spec, error));
  if (kind == BLOCK_CONSTANT) {
    STATUS_TRY(graph_take_data(parser, &value.type, &value.constant, error));
  }
  STATUS_TRY(graph_expect_end(parser, error));
  return graph_declare(parser, &name, &value, error);
}

/* "value NAME SPEC" */
static status_t parse_constraint(graph_parser_t *parser, failure_t *error) {
  block_constraint_t constraint;
  STATUS_TRY(graph_take_name(parser, &constraint.value, error));
  STATUS_TRY(graph_take_spec(parser, &constraint.spec, error));
  g_array_append_val(parser->block->constraints, constraint);
  return graph_expect_end(parser, error);
}

static status_t parse_output(graph_parser_t *parser, failure_t *error) {
  named_t name;
  STATUS_TRY(graph_take_name(parser, &name, error));
  g_array_append_val(parser->block->results, name);
  return graph_expect_end(parser, error);
}

/* "(" [NAME {"," NAME}] ")" */
static status_t take_list(graph_parser_t *parser, GArray *names, failure_t *error) {
  STATUS_TRY(graph_expect(parser, "(", error));
  if (graph_accept(parser, ")")) return STATUS_OK;
  STATUS_TRY(graph_take_names(parser, names, error));
  return graph_expect(parser, ")", error);
}

/* SUBPROGRAM "(" ... ")" "->" "(" ... ")" */
static status_t parse_call_parts(graph_parser_t *parser, block_call_t *call, GArray *values,
                                 failure_t *error) {
  named_t subprogram;
  STATUS_TRY(graph_take_name(parser, &subprogram, error));
  call->subprogram = subprogram.name;
  STATUS_TRY(take_list(parser, values, error));
  call->argument_count = values->len;
  STATUS_TRY(graph_expect(parser, "->", error));
  STATUS_TRY(take_list(parser, values, error));
  STATUS_TRY(graph_expect_end(parser, error));
  call->result_count = values->len - call->argument_count;
  for (uint32_t i = call->argument_count; i < values->len; i++) {
    block_value_t value = {.kind = BLOCK_CALLED};
    STATUS_TRY(graph_declare(parser, &g_array_index(values, named_t, i), &value, error));
  }
  call->values = graph_keep(parser, values);
  return STATUS_OK;
}

static status_t parse_call(graph_parser_t *parser, position_t position, failure_t *error) {
  named_t name;
  STATUS_TRY(graph_take_name(parser, &name, error));
  STATUS_TRY(graph_claim(parser, "call", &name, error));
  block_call_t call = {.name = name.name, .position = position};
  GArray *values = g_array_new(FALSE, FALSE, sizeof(named_t));
  status_t status = parse_call_parts(parser, &call, values, error);
  if (status == STATUS_OK) g_array_append_val(parser->block->calls, call);
  g_array_free(values, TRUE);
  return status;
}

/* "(" [NAME ":" TYPE {"," NAME ":" TYPE}] ")" "->" "(" NAME ... ")" */
static status_t parse_formals(graph_parser_t *parser, block_t *block, failure_t *error) {
  STATUS_TRY(graph_expect(parser, "(", error));
  bool is_done = graph_accept(parser, ")");
  while (!is_done) {
    named_t name;
    block_value_t value = {.kind = BLOCK_ARGUMENT};
    STATUS_TRY(graph_take_name(parser, &name, error));
    STATUS_TRY(graph_expect(parser, ":", error));
    STATUS_TRY(graph_take_type(parser, &value.type, error));
    STATUS_TRY(graph_declare(parser, &name, &value, error));
    is_done = graph_accept(parser, ")");
    if (!is_done) STATUS_TRY(graph_expect(parser, ",", error));
  }
  block->argument_count = block->values->len;
  STATUS_TRY(graph_expect(parser, "->", error));
  return take_list(parser, block->results, error);
}

static status_t parse_subprogram(graph_parser_t *parser, failure_t *error) {
  named_t name;
  STATUS_TRY(graph_take_name(parser, &name, error));
  if (!g_hash_table_insert(parser->subprograms, (gpointer)(uintptr_t)name.name,
                           GUINT_TO_POINTER(parser->blocks->len))) {
    return graph_fail(name.position, error, "a subprogram is called %s already", name.name);
  }
  if (strlen(name.name) > QUANT_SUBPROGRAM_BYTES_MAX) {
    return graph_fail(name.position, error, "a subprogram's name has at most %d bytes",
                      (int)QUANT_SUBPROGRAM_BYTES_MAX);
  }
  parser->block = open_block(parser, &name, true);
  STATUS_TRY(parse_formals(parser, parser->block, error));
  return graph_expect_end(parser, error);
}

static status_t parse_end(graph_parser_t *parser, failure_t *error) {
  STATUS_TRY(graph_expect_end(parser, error));
  STATUS_TRY(close_block(parser->block, error));
  parser->block = g_ptr_array_index(parser->blocks, 0);
  return STATUS_OK;
}

static status_t parse_line(graph_parser_t *parser, failure_t *error) {
  graph_skip_blanks(parser);
  position_t position = graph_position(parser);
  bool is_subprogram = parser->block->is_subprogram;
  if (graph_keyword(parser, "constant")) return parse_value(parser, BLOCK_CONSTANT, error);
  if (graph_keyword(parser, "value")) return parse_constraint(parser, error);
  if (graph_keyword(parser, "region")) return graph_parse_region(parser, position, error);
  if (graph_keyword(parser, "op")) return graph_parse_op(parser, position, error);
  if (graph_keyword(parser, "call")) return parse_call(parser, position, error);
  if (is_subprogram) {
    if (graph_keyword(parser, "end")) return parse_end(parser, error);
    return graph_fail(position, error,
                      "expected \"constant\", \"value\", \"region\", \"op\", \"call\" or \"end\"");
  }
  if (graph_keyword(parser, "input")) return parse_value(parser, BLOCK_INPUT, error);
  if (graph_keyword(parser, "output")) return parse_output(parser, error);
  if (graph_keyword(parser, "subprogram")) return parse_subprogram(parser, error);
  return graph_fail(position, error,
                    "expected \"input\", \"constant\", \"value\", \"region\", \"op\", \"call\", "
                    "\"output\" or \"subprogram\"");
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static status_t parse_lines(graph_parser_t *parser, failure_t *error) {
  bool is_line;
  STATUS_TRY(graph_next_line(parser, &is_line, error));
  if (!is_line || !graph_keyword(parser, "graph")) {
    position_t begin = {.line = MAX(parser->line, 1U), .column = 1};
    return graph_fail(begin, error, "a graph begins with \"graph NAME\"");
  }
  named_t name;
  STATUS_TRY(graph_take_name(parser, &name, error));
  STATUS_TRY(graph_expect_end(parser, error));
  parser->block = open_block(parser, &name, false);
  block_t *graph = parser->block;
  for (;;) {
    STATUS_TRY(graph_next_line(parser, &is_line, error));
    if (!is_line) break;
    STATUS_TRY(parse_line(parser, error));
  }
  if (parser->block == graph) return close_block(graph, error);
  return graph_fail(parser->block->position, error, "the subprogram has no \"end\"");
}

static position_t position_of(const graph_parser_t *parser, quant_place_t place) {
  switch (place.kind) {
    case QUANT_PLACE_VALUE:
      return g_array_index(parser->value_positions, position_t, place.index);
    case QUANT_PLACE_REGION:
      return g_array_index(parser->region_positions, position_t, place.index);
    case QUANT_PLACE_CALL:
      return g_array_index(parser->call_positions, position_t, place.index);
    case QUANT_PLACE_GRAPH:
      break;
  }
  return (position_t){.line = 1, .column = 1};
}

static status_t build(graph_parser_t *parser, quant_graph_t *out_graph, failure_t *error) {
  STATUS_TRY(graph_resolve(parser, error));
  const block_t *graph = g_ptr_array_index(parser->blocks, 0);
  quant_builder_t *builder = quant_builder_new(graph->name, parser->arena);
  status_t status = graph_expand(parser, builder, error);
  if (status != STATUS_OK) {
    quant_builder_abandon(builder);
    return status;
  }
  quant_place_t place;
  failure_t reason;
  status = quant_builder_finish_at(builder, out_graph, &place, &reason);
  if (status == STATUS_OK) return STATUS_OK;
  return graph_fail(position_of(parser, place), error, "%s", reason.text);
}

status_t quant_graph_parse(str_t text, arena_t *arena, quant_graph_t *out_graph, failure_t *error) {
  if (text.size > GRAPH_TEXT_BYTES_MAX) {
    return status_fail(error, STATUS_INVALID, "a text of %zu bytes is too long: at most %d",
                       text.size, (int)GRAPH_TEXT_BYTES_MAX);
  }
  graph_parser_t parser = {.arena = arena,
                           .names = g_string_chunk_new(1 << 16),
                           .blocks = g_ptr_array_new_with_free_func(free_block),
                           .subprograms = g_hash_table_new(g_direct_hash, g_direct_equal),
                           .rest = text.data,
                           .end = text.data + text.size,
                           .value_positions = g_array_new(FALSE, FALSE, sizeof(position_t)),
                           .region_positions = g_array_new(FALSE, FALSE, sizeof(position_t)),
                           .call_positions = g_array_new(FALSE, FALSE, sizeof(position_t))};
  arena_init(&parser.scratch);
  status_t status = parse_lines(&parser, error);
  if (status == STATUS_OK) status = build(&parser, out_graph, error);
  g_array_free(parser.call_positions, TRUE);
  g_array_free(parser.region_positions, TRUE);
  g_array_free(parser.value_positions, TRUE);
  g_hash_table_destroy(parser.subprograms);
  g_ptr_array_free(parser.blocks, TRUE);
  g_string_chunk_free(parser.names);
  arena_deinit(&parser.scratch);
  return status;
}
