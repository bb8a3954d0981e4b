/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of a graph's text: inside of regions, and those that stand in no region. */
#include "harness/model/op.h"
#include "harness/quant/graph/text.h"

/* ---- What is written of an op ---------------------------------------------------------------- */

/* The op's program line: its name and what follows the operands, blanks made single.  `columns` are
 * those of its bytes in the text. */
static void rebuild_line(const scan_t *name, size_t name_size, const scan_t *rest, GString *line,
                         GArray *columns) {
  for (size_t i = 0; i < name_size; i++) {
    uint32_t column = (uint32_t)(scan_column(name) + i);
    g_string_append_c(line, name->cursor[i]);
    g_array_append_val(columns, column);
  }
  bool is_after_blank = true;
  for (scan_t scan = *rest; !scan_at_end(&scan); scan.cursor++) {
    bool is_blank = g_ascii_isspace(*scan.cursor);
    uint32_t column = (uint32_t)scan_column(&scan);
    if (!is_blank && is_after_blank) {
      g_string_append_c(line, ' ');
      g_array_append_val(columns, column);
    }
    if (!is_blank) {
      g_string_append_c(line, *scan.cursor);
      g_array_append_val(columns, column);
    }
    is_after_blank = is_blank;
  }
}

static status_t parse_program(graph_parser_t *parser, const scan_t *name, size_t name_size,
                              program_t *out_program, failure_t *error) {
  GString *line = g_string_new(NULL);
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  rebuild_line(name, name_size, &parser->scan, line, columns);
  failure_t reason = {0};
  status_t status =
      program_parse((str_t){line->str, line->len}, parser->arena, out_program, NULL, &reason);
  if (reason.column != 0) {
    size_t in_line = reason.column - 1;
    reason.column = in_line < columns->len ? g_array_index(columns, uint32_t, in_line)
                                           : (size_t)(parser->scan.end - parser->scan.begin) + 1;
  }
  g_array_free(columns, TRUE);
  g_string_free(line, TRUE);
  STATUS_TRY(graph_pass(parser, status, &reason, error));
  parser->scan.cursor = parser->scan.end;
  return STATUS_OK;
}

/* "(" [NAME {"," NAME}] ")" */
static status_t parse_operands(graph_parser_t *parser, GArray *names, failure_t *error) {
  STATUS_TRY(graph_expect(parser, "(", error));
  if (graph_accept(parser, ")")) return STATUS_OK;
  STATUS_TRY(graph_take_names(parser, names, error));
  return graph_expect(parser, ")", error);
}

/* NAME {"," NAME} "=" OP "(" ... ")" ATTRIBUTES TYPES "->" TYPES */
status_t graph_take_op(graph_parser_t *parser, position_t position, GArray *results,
                       GArray *operands, program_t *out_program, failure_t *error) {
  STATUS_TRY(graph_take_names(parser, results, error));
  STATUS_TRY(graph_expect(parser, "=", error));
  graph_skip_blanks(parser);
  scan_t name = parser->scan;
  size_t name_size = scan_until(&parser->scan, " \t\r(").size;
  STATUS_TRY(parse_operands(parser, operands, error));
  STATUS_TRY(parse_program(parser, &name, name_size, out_program, error));
  if (operands->len == out_program->operand_count && results->len == out_program->result_count) {
    return STATUS_OK;
  }
  return graph_fail(
      position, error, "%u operands and %u results are named, the types are of %u and %u",
      operands->len, results->len, out_program->operand_count, out_program->result_count);
}

/* ---- Ops in no region ------------------------------------------------------------------------ */

static status_t declare_results(graph_parser_t *parser, const GArray *results,
                                const program_t *program, failure_t *error) {
  for (uint32_t i = 0; i < results->len; i++) {
    block_value_t value = {.kind = BLOCK_MADE, .type = program->results[i]};
    STATUS_TRY(graph_declare(parser, &g_array_index(results, named_t, i), &value, error));
  }
  return STATUS_OK;
}

/* What a program line says of types is compared with the operands once all is read. */
static void add_op(graph_parser_t *parser, position_t position, GArray *results, GArray *operands,
                   const program_t *program) {
  uint32_t inputs = operands->len, outputs = results->len;
  quant_op_t *op = arena_alloc(parser->arena, sizeof *op);
  op->program = *program;
  quant_op_body_t *body = arena_alloc(&parser->scratch, sizeof *body);
  quant_op_body(op, body);
  g_array_append_vals(operands, results->data, outputs);
  quant_port_t *ports = arena_alloc_zeroed(&parser->scratch, (inputs + outputs) * sizeof ports[0]);
  block_region_t region = {.position = position,
                           .ports = ports,
                           .inners = body->inners,
                           .port_names = graph_keep(parser, operands)};
  region.region = (quant_region_t){.name = g_array_index(results, named_t, 0).name,
                                   .kernel = program->op->name,
                                   .is_op = true,
                                   .input_count = inputs,
                                   .output_count = outputs,
                                   .ports = ports,
                                   .inner_count = inputs + outputs,
                                   .inners = body->inners,
                                   .op_count = 1,
                                   .ops = op,
                                   .returns = body->returns};
  g_array_append_val(parser->block->regions, region);
}

static status_t parse_op(graph_parser_t *parser, position_t position, GArray *results,
                         GArray *operands, failure_t *error) {
  program_t program;
  STATUS_TRY(graph_take_op(parser, position, results, operands, &program, error));
  if (results->len == 0 || results->len + operands->len > QUANT_PORTS_MAX) {
    return graph_fail(position, error,
                      "an op in no region has a result, and at most %d operands and results",
                      (int)QUANT_PORTS_MAX);
  }
  STATUS_TRY(declare_results(parser, results, &program, error));
  add_op(parser, position, results, operands, &program);
  return STATUS_OK;
}

status_t graph_parse_op(graph_parser_t *parser, position_t position, failure_t *error) {
  GArray *results = g_array_new(FALSE, FALSE, sizeof(named_t));
  GArray *operands = g_array_new(FALSE, FALSE, sizeof(named_t));
  status_t status = parse_op(parser, position, results, operands, error);
  g_array_free(operands, TRUE);
  g_array_free(results, TRUE);
  return status;
}
