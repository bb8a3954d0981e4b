/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a graph's text, and the words in them. */
#include "harness/quant/graph/text.h"

/* ---- Failures -------------------------------------------------------------------------------- */

status_t graph_fail(position_t position, failure_t *error, const char *format, ...) {
  char text[ERROR_TEXT_BYTES - 64];
  va_list arguments;
  va_start(arguments, format);
  g_vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status_fail_at(error, STATUS_INVALID, position.column, "line %u, column %u: %s",
                        position.line, position.column, text);
}

position_t graph_position(const graph_parser_t *parser) {
  return (position_t){.line = parser->line, .column = (uint32_t)scan_column(&parser->scan)};
}

status_t graph_pass(const graph_parser_t *parser, status_t status, const failure_t *reason,
                    failure_t *error) {
  if (status == STATUS_OK) return STATUS_OK;
  position_t position = graph_position(parser);
  if (reason->column != 0) position.column = (uint32_t)reason->column;
  (void)graph_fail(position, error, "%s", failure_reason(reason));
  return status;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static status_t check_bytes(graph_parser_t *parser, failure_t *error) {
  for (scan_t scan = parser->scan; !scan_at_end(&scan); scan.cursor++) {
    char c = *scan.cursor;
    if ((c >= ' ' && c <= '~') || is_blank(c)) continue;
    parser->scan = scan;
    return graph_fail(graph_position(parser), error,
                      "byte 0x%02x: outside of comments a text is printable ASCII",
                      (unsigned)(unsigned char)c);
  }
  return STATUS_OK;
}

status_t graph_next_line(graph_parser_t *parser, bool *out_is_line, failure_t *error) {
  while (parser->rest < parser->end) {
    size_t left = (size_t)(parser->end - parser->rest);
    const char *newline = memchr(parser->rest, '\n', left);
    const char *line_end = newline == NULL ? parser->end : newline;
    const char *comment = memchr(parser->rest, '#', (size_t)(line_end - parser->rest));
    const char *last = comment == NULL ? line_end : comment;
    while (last > parser->rest && is_blank(last[-1])) last--;
    parser->scan = scan_make((str_t){parser->rest, (size_t)(last - parser->rest)});
    parser->rest = newline == NULL ? parser->end : newline + 1;
    parser->line++;
    STATUS_TRY(check_bytes(parser, error));
    *out_is_line = !graph_at_end(parser);
    if (*out_is_line) return STATUS_OK;
  }
  *out_is_line = false;
  return STATUS_OK;
}

/* ---- Words ----------------------------------------------------------------------------------- */

void graph_skip_blanks(graph_parser_t *parser) {
  while (is_blank(scan_peek(&parser->scan))) parser->scan.cursor++;
}

bool graph_at_end(graph_parser_t *parser) {
  graph_skip_blanks(parser);
  return scan_at_end(&parser->scan);
}

bool graph_accept(graph_parser_t *parser, const char *word) {
  graph_skip_blanks(parser);
  return scan_accept(&parser->scan, word);
}

bool graph_keyword(graph_parser_t *parser, const char *word) {
  graph_skip_blanks(parser);
  scan_t ahead = parser->scan;
  if (!scan_accept(&ahead, word)) return false;
  if (!scan_at_end(&ahead) && !is_blank(scan_peek(&ahead))) return false;
  parser->scan = ahead;
  return true;
}

status_t graph_expect(graph_parser_t *parser, const char *word, failure_t *error) {
  graph_skip_blanks(parser);
  failure_t reason = {0};
  return graph_pass(parser, scan_expect(&parser->scan, word, &reason), &reason, error);
}

static status_t fail_expecting(const graph_parser_t *parser, const char *what, failure_t *error) {
  failure_t reason = {0};
  return graph_pass(parser, scan_fail_expecting(&parser->scan, &reason, what), &reason, error);
}

status_t graph_expect_end(graph_parser_t *parser, failure_t *error) {
  return graph_at_end(parser) ? STATUS_OK : fail_expecting(parser, "the end of the line", error);
}

status_t graph_take_name(graph_parser_t *parser, named_t *out_name, failure_t *error) {
  graph_skip_blanks(parser);
  position_t position = graph_position(parser);
  scan_t *scan = &parser->scan;
  const char *start = scan->cursor;
  while (g_ascii_isalnum(scan_peek(scan)) || scan_peek(scan) == '_' || scan_peek(scan) == '.' ||
         scan_peek(scan) == '-') {
    /* An arrow ends a name: "f(x)->(y)". */
    if (scan_peek(scan) == '-' && scan->cursor + 1 < scan->end && scan->cursor[1] == '>') break;
    scan->cursor++;
  }
  size_t size = (size_t)(scan->cursor - start);
  if (size == 0) return fail_expecting(parser, "a name", error);
  if (size > QUANT_NAME_BYTES_MAX) {
    return graph_fail(position, error, "a name has at most %d bytes", (int)QUANT_NAME_BYTES_MAX);
  }
  char name[QUANT_NAME_BYTES_MAX + 1];
  memcpy(name, start, size);
  name[size] = '\0';
  *out_name =
      (named_t){.name = g_string_chunk_insert_const(parser->names, name), .position = position};
  return STATUS_OK;
}

status_t graph_take_names(graph_parser_t *parser, GArray *names, failure_t *error) {
  do {
    named_t name;
    STATUS_TRY(graph_take_name(parser, &name, error));
    g_array_append_val(names, name);
  } while (graph_accept(parser, ","));
  return STATUS_OK;
}

status_t graph_take_type(graph_parser_t *parser, type_t *out_type, failure_t *error) {
  graph_skip_blanks(parser);
  failure_t reason = {0};
  scan_t scan = parser->scan;
  status_t status = type_parse(&scan, parser->arena, out_type, &reason);
  if (status == STATUS_OK) status = type_check(out_type, &reason);
  STATUS_TRY(graph_pass(parser, status, &reason, error));
  parser->scan = scan;
  return STATUS_OK;
}

status_t graph_take_spec(graph_parser_t *parser, quant_spec_t *out_spec, failure_t *error) {
  *out_spec = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  if (graph_at_end(parser) || scan_peek(&parser->scan) == '=') return STATUS_OK;
  failure_t reason = {0};
  status_t status = quant_spec_parse(&parser->scan, parser->arena, out_spec, &reason);
  return graph_pass(parser, status, &reason, error);
}

status_t graph_take_data(graph_parser_t *parser, const type_t *type, const tensor_t **out_tensor,
                         failure_t *error) {
  STATUS_TRY(graph_expect(parser, "=", error));
  graph_skip_blanks(parser);
  failure_t reason = {0};
  status_t status = graph_data_parse(&parser->scan, type, parser->arena, out_tensor, &reason);
  STATUS_TRY(graph_pass(parser, status, &reason, error));
  return graph_expect_end(parser, error);
}

void *graph_keep(graph_parser_t *parser, GArray *array) {
  size_t bytes = array->len * (size_t)g_array_get_element_size(array);
  void *kept = arena_alloc(&parser->scratch, bytes);
  if (bytes > 0) memcpy(kept, array->data, bytes);
  return kept;
}
