/* SPDX-License-Identifier: Apache-2.0 */
/* A region of a graph's text, from its first line to its "end". */
#include "harness/model/op.h"
#include "harness/quant/graph/text.h"

typedef struct region_text {
  graph_parser_t *parser;
  GHashTable *index;  /* Interned name of a tensor inside -> its index + 1. */
  GArray *port_names; /* named_t */
  GArray *ports;      /* quant_port_t */
  GArray *inners;     /* quant_inner_t */
  GArray *ops;        /* quant_op_t */
  GArray *returns;    /* uint32_t */
  uint32_t input_count;
  bool is_rescale;
  bool is_ended;
} region_text_t;

/* ---- Tensors inside -------------------------------------------------------------------------- */

static status_t add_inner(region_text_t *text, const named_t *name, const quant_inner_t *inner,
                          failure_t *error) {
  gpointer key = (gpointer)(uintptr_t)name->name;
  if (g_hash_table_contains(text->index, key)) {
    return graph_fail(name->position, error, "a tensor inside is called %s already", name->name);
  }
  g_array_append_vals(text->inners, inner, 1);
  g_hash_table_insert(text->index, key, GUINT_TO_POINTER(text->inners->len));
  return STATUS_OK;
}

static status_t find_inner(const region_text_t *text, const named_t *name, uint32_t *out_index,
                           failure_t *error) {
  gpointer found = g_hash_table_lookup(text->index, name->name);
  if (found == NULL) {
    return graph_fail(name->position, error, "no line above makes a tensor called %s", name->name);
  }
  *out_index = GPOINTER_TO_UINT(found) - 1;
  return STATUS_OK;
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static status_t add_port(region_text_t *text, const named_t *value, const quant_spec_t *spec,
                         failure_t *error) {
  if (text->ports->len == QUANT_PORTS_MAX) {
    return graph_fail(value->position, error, "a region has at most %d inputs and outputs",
                      (int)QUANT_PORTS_MAX);
  }
  quant_port_t port = {.spec = *spec};
  g_array_append_val(text->ports, port);
  g_array_append_val(text->port_names, *value);
  return STATUS_OK;
}

/* "in VALUE [as NAME] [SPEC]" */
static status_t parse_in(region_text_t *text, position_t position, failure_t *error) {
  graph_parser_t *parser = text->parser;
  if (text->input_count < text->ports->len || text->input_count < text->inners->len) {
    return graph_fail(position, error, "inputs come before all else in a region");
  }
  named_t value, name;
  STATUS_TRY(graph_take_name(parser, &value, error));
  name = value;
  if (graph_keyword(parser, "as")) STATUS_TRY(graph_take_name(parser, &name, error));
  quant_spec_t spec;
  STATUS_TRY(graph_take_spec(parser, &spec, error));
  STATUS_TRY(graph_expect_end(parser, error));
  quant_inner_t inner = {.name = name.name};
  STATUS_TRY(add_inner(text, &name, &inner, error));
  STATUS_TRY(add_port(text, &value, &spec, error));
  text->input_count++;
  return STATUS_OK;
}

/* "out VALUE TYPE [SPEC]" */
static status_t parse_out(region_text_t *text, failure_t *error) {
  graph_parser_t *parser = text->parser;
  named_t name;
  STATUS_TRY(graph_take_name(parser, &name, error));
  block_value_t value = {.kind = BLOCK_MADE};
  STATUS_TRY(graph_take_type(parser, &value.type, error));
  quant_spec_t spec;
  STATUS_TRY(graph_take_spec(parser, &spec, error));
  STATUS_TRY(graph_expect_end(parser, error));
  STATUS_TRY(graph_declare(parser, &name, &value, error));
  return add_port(text, &name, &spec, error);
}

/* ---- Ops ------------------------------------------------------------------------------------- */

static status_t link_op(region_text_t *text, const GArray *results, const GArray *operands,
                        quant_op_t *op, failure_t *error) {
  const program_t *program = &op->program;
  for (uint32_t i = 0; i < operands->len; i++) {
    const named_t *name = &g_array_index(operands, named_t, i);
    STATUS_TRY(find_inner(text, name, &op->operands[i], error));
    const quant_inner_t *inner = &g_array_index(text->inners, quant_inner_t, op->operands[i]);
    bool is_known = inner->type.element != NULL; /* Inputs are compared once all is read. */
    if (is_known && !type_equal(&inner->type, &program->operands[i])) {
      return graph_fail(name->position, error, "%s is of another type than operand %u", name->name,
                        i);
    }
  }
  for (uint32_t i = 0; i < results->len; i++) {
    const named_t *name = &g_array_index(results, named_t, i);
    quant_inner_t inner = {.name = name->name, .type = program->results[i]};
    op->results[i] = text->inners->len;
    STATUS_TRY(add_inner(text, name, &inner, error));
  }
  g_array_append_vals(text->ops, op, 1);
  return STATUS_OK;
}

static status_t parse_op(region_text_t *text, position_t position, failure_t *error) {
  GArray *results = g_array_new(FALSE, FALSE, sizeof(named_t));
  GArray *operands = g_array_new(FALSE, FALSE, sizeof(named_t));
  quant_op_t op = {.operands = {0}};
  status_t status = graph_take_op(text->parser, position, results, operands, &op.program, error);
  if (status == STATUS_OK) status = link_op(text, results, operands, &op, error);
  g_array_free(operands, TRUE);
  g_array_free(results, TRUE);
  return status;
}

/* ---- Other lines ----------------------------------------------------------------------------- */

/* "constant NAME TYPE = DATA" */
static status_t parse_constant(region_text_t *text, failure_t *error) {
  named_t name;
  STATUS_TRY(graph_take_name(text->parser, &name, error));
  quant_inner_t inner = {.name = name.name};
  STATUS_TRY(graph_take_type(text->parser, &inner.type, error));
  STATUS_TRY(graph_take_data(text->parser, &inner.type, &inner.constant, error));
  return add_inner(text, &name, &inner, error);
}

/* "value NAME SPEC" */
static status_t parse_constraint(region_text_t *text, failure_t *error) {
  named_t name;
  uint32_t index = 0;
  quant_spec_t spec;
  STATUS_TRY(graph_take_name(text->parser, &name, error));
  STATUS_TRY(find_inner(text, &name, &index, error));
  STATUS_TRY(graph_take_spec(text->parser, &spec, error));
  STATUS_TRY(graph_expect_end(text->parser, error));
  quant_inner_t *inner = &g_array_index(text->inners, quant_inner_t, index);
  const char *wrong = index < text->input_count             ? "has its constraint at the input"
                      : inner->spec.kind != QUANT_SPEC_OPEN ? "has its constraint already"
                                                            : NULL;
  if (wrong != NULL) return graph_fail(name.position, error, "%s %s", name.name, wrong);
  inner->spec = spec;
  return STATUS_OK;
}

/* "return NAME {"," NAME}" */
static status_t parse_return(region_text_t *text, position_t position, failure_t *error) {
  if (text->returns->len > 0) {
    return graph_fail(position, error, "the region has its return already");
  }
  GArray *names = g_array_new(FALSE, FALSE, sizeof(named_t));
  status_t status = graph_take_names(text->parser, names, error);
  if (status == STATUS_OK) status = graph_expect_end(text->parser, error);
  for (uint32_t i = 0; i < names->len && status == STATUS_OK; i++) {
    uint32_t index = 0;
    status = find_inner(text, &g_array_index(names, named_t, i), &index, error);
    g_array_append_val(text->returns, index);
  }
  g_array_free(names, TRUE);
  return status;
}

static status_t parse_line(region_text_t *text, failure_t *error) {
  graph_parser_t *parser = text->parser;
  graph_skip_blanks(parser);
  position_t position = graph_position(parser);
  if (graph_keyword(parser, "end")) {
    text->is_ended = true;
    return graph_expect_end(parser, error);
  }
  if (graph_keyword(parser, "in")) return parse_in(text, position, error);
  if (graph_keyword(parser, "out")) return parse_out(text, error);
  if (text->is_rescale) {
    return graph_fail(position, error, "a rescale has no lines but \"in\" and \"out\"");
  }
  if (graph_keyword(parser, "constant")) return parse_constant(text, error);
  if (graph_keyword(parser, "op")) return parse_op(text, position, error);
  if (graph_keyword(parser, "value")) return parse_constraint(text, error);
  if (graph_keyword(parser, "return")) return parse_return(text, position, error);
  return graph_fail(position, error,
                    "expected \"in\", \"out\", \"constant\", \"op\", \"value\", \"return\" or "
                    "\"end\"");
}

/* ---- Regions --------------------------------------------------------------------------------- */

static status_t parse_body(region_text_t *text, position_t position, failure_t *error) {
  while (!text->is_ended) {
    bool is_line;
    STATUS_TRY(graph_next_line(text->parser, &is_line, error));
    if (!is_line) return graph_fail(position, error, "the region has no \"end\"");
    STATUS_TRY(parse_line(text, error));
  }
  uint32_t output_count = text->ports->len - text->input_count;
  if (text->is_rescale) {
    if (text->input_count == 1 && output_count == 1) return STATUS_OK;
    return graph_fail(position, error, "a rescale has one input and one output");
  }
  if (text->returns->len == output_count && output_count > 0) return STATUS_OK;
  return graph_fail(position, error, "the region returns %u tensors and has %u outputs",
                    text->returns->len, output_count);
}

/* Ops live as long as the graph, all else until it is built. */
static void add_region(region_text_t *text, position_t position, const char *name,
                       const char *kernel) {
  graph_parser_t *parser = text->parser;
  quant_op_t *ops = ARENA_NEW_ARRAY(parser->arena, quant_op_t, text->ops->len);
  if (text->ops->len > 0) memcpy(ops, text->ops->data, text->ops->len * sizeof ops[0]);
  block_region_t region = {.position = position,
                           .ports = graph_keep(parser, text->ports),
                           .inners = graph_keep(parser, text->inners),
                           .port_names = graph_keep(parser, text->port_names)};
  region.region = (quant_region_t){.name = name,
                                   .kernel = kernel,
                                   .input_count = text->input_count,
                                   .output_count = text->ports->len - text->input_count,
                                   .ports = region.ports,
                                   .inner_count = text->is_rescale ? 0 : text->inners->len,
                                   .inners = region.inners,
                                   .op_count = text->ops->len,
                                   .ops = ops,
                                   .returns = graph_keep(parser, text->returns)};
  g_array_append_val(parser->block->regions, region);
}

static void region_text_free(region_text_t *text) {
  g_hash_table_destroy(text->index);
  g_array_free(text->port_names, TRUE);
  g_array_free(text->ports, TRUE);
  g_array_free(text->inners, TRUE);
  g_array_free(text->ops, TRUE);
  g_array_free(text->returns, TRUE);
}

status_t graph_parse_region(graph_parser_t *parser, position_t position, failure_t *error) {
  named_t name, kernel;
  STATUS_TRY(graph_take_name(parser, &name, error));
  STATUS_TRY(graph_claim(parser, "region", &name, error));
  STATUS_TRY(graph_take_name(parser, &kernel, error));
  STATUS_TRY(graph_expect_end(parser, error));
  region_text_t text = {.parser = parser,
                        .index = g_hash_table_new(g_direct_hash, g_direct_equal),
                        .port_names = g_array_new(FALSE, FALSE, sizeof(named_t)),
                        .ports = g_array_new(FALSE, FALSE, sizeof(quant_port_t)),
                        .inners = g_array_new(FALSE, FALSE, sizeof(quant_inner_t)),
                        .ops = g_array_new(FALSE, FALSE, sizeof(quant_op_t)),
                        .returns = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                        .is_rescale = strcmp(kernel.name, QUANT_RESCALE_KERNEL) == 0};
  status_t status = parse_body(&text, position, error);
  if (status == STATUS_OK) add_region(&text, position, name.name, kernel.name);
  region_text_free(&text);
  return status;
}
