/* SPDX-License-Identifier: Apache-2.0 */
/* The text of target.md, line by line.  A row is made in a draft and copied at its `end`. */
#include <inttypes.h>

#include "harness/quant/target/library.h"
#include "harness/quant/target/rule_text.h"

/* ---- Words ----------------------------------------------------------------------------------- */

static void skip_blanks(scan_t *scan) {
  while (scan_peek(scan) == ' ' || scan_peek(scan) == '\t') scan->cursor++;
}

status_t table_take_name(scan_t *scan, const char *what, str_t *out_name, failure_t *error) {
  skip_blanks(scan);
  const char *start = scan->cursor;
  while (g_ascii_isalnum(scan_peek(scan)) || scan_peek(scan) == '_' || scan_peek(scan) == '.' ||
         scan_peek(scan) == '-') {
    scan->cursor++;
  }
  *out_name = (str_t){.data = start, .size = (size_t)(scan->cursor - start)};
  if (out_name->size == 0) return scan_fail_expecting(scan, error, what);
  if (out_name->size <= QUANT_NAME_BYTES_MAX) return STATUS_OK;
  return scan_fail(scan, error, "a name has at most %d bytes", (int)QUANT_NAME_BYTES_MAX);
}

bool table_at_line_end(scan_t *scan) {
  skip_blanks(scan);
  return scan_at_end(scan);
}

static char *copy_name(arena_t *arena, str_t name) {
  return arena_copy_text(arena, name.data, name.size);
}

/* ---- Ports ----------------------------------------------------------------------------------- */

/* ["<" min ":" max ">"] */
static status_t parse_range(scan_t *scan, quant_signature_port_t *port, failure_t *error) {
  scan_t start = *scan;
  int64_t full_min = element_integer_min(port->storage);
  int64_t full_max = (int64_t)element_integer_max(port->storage);
  port->storage_min = full_min;
  port->storage_max = full_max;
  if (!scan_accept(scan, "<")) return STATUS_OK;
  STATUS_TRY(scan_integer(scan, &port->storage_min, error));
  STATUS_TRY(scan_expect(scan, ":", error));
  STATUS_TRY(scan_integer(scan, &port->storage_max, error));
  STATUS_TRY(scan_expect(scan, ">", error));
  bool is_right = port->storage_min >= full_min && port->storage_max <= full_max &&
                  port->storage_min < port->storage_max;
  if (is_right) return STATUS_OK;
  return scan_fail(&start, error, "storage range %" PRId64 ":%" PRId64 " is empty or exceeds %s",
                   port->storage_min, port->storage_max, port->storage->name);
}

static status_t parse_storage(scan_t *scan, quant_signature_port_t *port, failure_t *error) {
  skip_blanks(scan);
  scan_t start = *scan;
  port->kind = QUANT_PORT_STORAGE;
  port->storage = element_find(scan_until(scan, "< \t"));
  bool is_storage =
      port->storage != NULL && element_is_integer(port->storage) && port->storage->bits <= 32;
  if (!is_storage)
    return scan_fail_expecting(
        &start, error, "an integer type of 2 to 32 bits, or of a port bf16, f16, float or *");
  return parse_range(scan, port, error);
}

static status_t parse_kind(scan_t *scan, quant_signature_port_t *port, failure_t *error) {
  skip_blanks(scan);
  if (scan_accept(scan, "*")) {
    port->kind = QUANT_PORT_WILDCARD;
    return STATUS_OK;
  }
  scan_t ahead = *scan;
  str_t word = scan_until(&ahead, " \t");
  const element_t *element = element_find(word);
  bool is_narrow = element != NULL && element->kind == ELEMENT_FLOAT && element->bits == 16;
  if (!is_narrow && !str_equal_text(word, "float")) return parse_storage(scan, port, error);
  *scan = ahead;
  port->kind = QUANT_PORT_FLOAT;
  port->storage = is_narrow ? element : NULL;
  return STATUS_OK;
}

static status_t parse_axis(scan_t *scan, quant_signature_port_t *port, failure_t *error) {
  scan_t start = *scan;
  int64_t axis;
  STATUS_TRY(scan_integer(scan, &axis, error));
  if (axis < 0 || axis >= TYPE_RANK_MAX) {
    return scan_fail(&start, error, "an axis is in 0..%d", TYPE_RANK_MAX - 1);
  }
  port->axis = (int32_t)axis;
  return STATUS_OK;
}

/* One of target/target.md's words; which ports it is for is told by check_port(). */
static status_t parse_port_word(scan_t *scan, quant_signature_port_t *port, failure_t *error) {
  const struct {
    const char *word;
    bool *flag;
  } flags[] = {{"symmetric", &port->is_symmetric},
               {"constant", &port->is_constant},
               {"optional", &port->is_optional},
               {"repeated", &port->is_repeated}};
  scan_t start = *scan;
  if (scan_accept(scan, "axis=")) {
    if (port->axis != -1) return scan_fail(&start, error, "a word may be given only once");
    return parse_axis(scan, port, error);
  }
  str_t word = scan_until(scan, " \t");
  for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
    if (!str_equal_text(word, flags[i].word)) continue;
    if (*flags[i].flag) return scan_fail(&start, error, "a word may be given only once");
    *flags[i].flag = true;
    return STATUS_OK;
  }
  return scan_fail_expecting(&start, error,
                             "symmetric, axis=N, constant, optional, repeated or the end");
}

/* The rules of target/target.md about words, and about ports one after another. */
static status_t check_port(const scan_t *scan, const target_draft_t *draft,
                           const quant_signature_port_t *port, failure_t *error) {
  const quant_signature_port_t *last =
      draft->row.port_count == 0 ? NULL : &draft->ports[draft->row.port_count - 1];
  bool follows_input = last != NULL && !last->is_output;
  if (port->kind == QUANT_PORT_FLOAT && (port->is_symmetric || port->axis != -1)) {
    return scan_fail(scan, error, "a float port has neither zero points nor scales");
  }
  if (port->is_symmetric && port->kind == QUANT_PORT_STORAGE &&
      (port->storage_min > 0 || port->storage_max < 0)) {
    return scan_fail(scan, error, "a symmetric port has 0 in its storage range");
  }
  if (port->is_output) {
    bool is_inputs = port->is_constant || port->is_optional || port->is_repeated;
    if (is_inputs) {
      return scan_fail(scan, error, "an output is not constant, optional or repeated");
    }
    return STATUS_OK;
  }
  if (last != NULL && last->is_output) return scan_fail(scan, error, "inputs precede outputs");
  if (follows_input && last->is_repeated) {
    return scan_fail(scan, error, "a repeated input is the last");
  }
  if (port->is_repeated && (port->is_optional || (follows_input && last->is_optional))) {
    return scan_fail(scan, error, "beside a repeated input none is optional");
  }
  if (follows_input && last->is_optional && !port->is_optional) {
    return scan_fail(scan, error, "optional inputs are the last");
  }
  return STATUS_OK;
}

static status_t parse_port(table_reader_t *reader, bool is_output, failure_t *error) {
  scan_t *scan = &reader->scan;
  target_draft_t *draft = &reader->draft;
  quant_signature_port_t port = {.axis = -1, .is_output = is_output};
  if (draft->row.rule_count > 0) return scan_fail(scan, error, "ports precede rules");
  if (draft->row.port_count == QUANT_PORTS_MAX) {
    return scan_fail(scan, error, "a row has at most %d ports", (int)QUANT_PORTS_MAX);
  }
  str_t name;
  STATUS_TRY(table_take_name(scan, "the name of the port", &name, error));
  for (uint32_t i = 0; i < draft->row.port_count; i++) {
    if (!str_equal_text(name, draft->ports[i].name)) continue;
    return scan_fail(scan, error, "a port of this row is called %s already", draft->ports[i].name);
  }
  STATUS_TRY(parse_kind(scan, &port, error));
  while (!table_at_line_end(scan)) STATUS_TRY(parse_port_word(scan, &port, error));
  STATUS_TRY(check_port(scan, draft, &port, error));
  port.name = copy_name(reader->arena, name);
  draft->ports[draft->row.port_count++] = port;
  return STATUS_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* NAME [NAME ...]: as many rows alike. */
static status_t begin_row(table_reader_t *reader, failure_t *error) {
  target_draft_t *draft = &reader->draft;
  *draft = (target_draft_t){.is_open = true, .row = {.line = reader->line}};
  do {
    str_t kernel;
    if (draft->kernel_count == TARGET_KERNELS_MAX) {
      return scan_fail(&reader->scan, error, "a row is of at most %d kernels",
                       (int)TARGET_KERNELS_MAX);
    }
    STATUS_TRY(table_take_name(&reader->scan, "the name of a kernel", &kernel, error));
    if (str_equal_text(kernel, QUANT_RESCALE_KERNEL)) {
      return scan_fail(&reader->scan, error, "%s is what Assay inserts and no kernel of a table",
                       QUANT_RESCALE_KERNEL);
    }
    draft->kernels[draft->kernel_count] = copy_name(reader->arena, kernel);
    STATUS_TRY(table_check_new_row(reader, draft->kernels[draft->kernel_count++], error));
  } while (!table_at_line_end(&reader->scan));
  draft->row.kernel = draft->kernels[0];
  return STATUS_OK;
}

static status_t end_row(table_reader_t *reader, failure_t *error) {
  target_draft_t *draft = &reader->draft;
  uint32_t count = draft->row.port_count;
  if (count == 0 || !draft->ports[count - 1].is_output) {
    return scan_fail(&reader->scan, error, "kernel %s has no output", draft->row.kernel);
  }
  STATUS_TRY(table_check_rules(&reader->scan, draft, error));
  quant_signature_port_t *ports = ARENA_NEW_ARRAY(reader->arena, quant_signature_port_t, count);
  memcpy(ports, draft->ports, count * sizeof ports[0]);
  draft->row.ports = ports;
  quant_rule_use_t *rules = ARENA_NEW_ARRAY(reader->arena, quant_rule_use_t, draft->row.rule_count);
  memcpy(rules, draft->rules, draft->row.rule_count * sizeof rules[0]);
  draft->row.rules = rules;
  for (uint32_t i = 0; i < draft->kernel_count; i++) {
    draft->row.kernel = draft->kernels[i];
    g_array_append_val(reader->rows, draft->row);
  }
  draft->is_open = false;
  return STATUS_OK;
}

static status_t parse_row_line(table_reader_t *reader, str_t word, failure_t *error) {
  if (str_equal_text(word, "in")) return parse_port(reader, false, error);
  if (str_equal_text(word, "out")) return parse_port(reader, true, error);
  if (str_equal_text(word, "rule")) {
    return table_parse_rule(reader, error);
  }
  if (str_equal_text(word, "end")) return end_row(reader, error);
  return scan_fail(&reader->scan, error, "expected in, out, rule or end");
}

/* ---- The table ------------------------------------------------------------------------------- */

static status_t parse_head_line(table_reader_t *reader, str_t word, failure_t *error) {
  if (reader->table.name == NULL) {
    if (!str_equal_text(word, "table")) {
      return scan_fail(&reader->scan, error, "expected the line table NAME first");
    }
    str_t name;
    STATUS_TRY(table_take_name(&reader->scan, "the name of the table", &name, error));
    reader->table.name = copy_name(reader->arena, name);
    return STATUS_OK;
  }
  if (!str_equal_text(word, "default")) {
    return scan_fail(&reader->scan, error, "expected the line default TYPE second");
  }
  reader->table.default_port = (quant_signature_port_t){.name = "default", .axis = -1};
  return parse_storage(&reader->scan, &reader->table.default_port, error);
}

/* The rest of the line is a path. */
static status_t parse_library(table_reader_t *reader, failure_t *error) {
  scan_t *scan = &reader->scan;
  if (reader->table.library != NULL) return scan_fail(scan, error, "a table has one library");
  if (reader->rows->len > 0) return scan_fail(scan, error, "the library precedes all kernels");
  skip_blanks(scan);
  scan_t start = *scan;
  g_autofree char *path = g_strndup(scan->cursor, (size_t)(scan->end - scan->cursor));
  g_strchomp(path);
  if (path[0] == '\0') return scan_fail_expecting(scan, error, "the path of a shared object");
  scan->cursor = scan->end;
  if (reader->folder == NULL) {
    return scan_fail(&start, error, "a table that is not read from a file loads no library");
  }
  failure_t reason;
  status_t status = quant_library_load(path, reader->folder, reader->arena, &reader->table.library,
                                       &reader->library, &reason);
  return status == STATUS_OK ? STATUS_OK : scan_fail(&start, error, "%s", reason.text);
}

static status_t parse_line(table_reader_t *reader, failure_t *error) {
  scan_t *scan = &reader->scan;
  if (table_at_line_end(scan)) return STATUS_OK;
  str_t word;
  STATUS_TRY(table_take_name(scan, "a word", &word, error));
  if (reader->table.default_port.storage == NULL) {
    STATUS_TRY(parse_head_line(reader, word, error));
  } else if (reader->draft.is_open) {
    STATUS_TRY(parse_row_line(reader, word, error));
  } else if (reader->pattern.is_open) {
    STATUS_TRY(table_parse_pattern_line(reader, word, error));
  } else if (str_equal_text(word, "kernel")) {
    STATUS_TRY(begin_row(reader, error));
  } else if (str_equal_text(word, "library")) {
    STATUS_TRY(parse_library(reader, error));
  } else if (str_equal_text(word, "pattern")) {
    STATUS_TRY(table_begin_pattern(reader, error));
  } else {
    return scan_fail(scan, error, "expected kernel NAME or pattern KERNEL");
  }
  return table_at_line_end(scan) ? STATUS_OK
                                 : scan_fail_expecting(scan, error, "the end of the line");
}

static status_t check_end(const table_reader_t *reader, failure_t *error) {
  const quant_target_t *table = &reader->table;
  if (table->name == NULL) {
    return scan_fail(&reader->scan, error, "expected the line table NAME first");
  }
  if (table->default_port.storage == NULL) {
    return scan_fail(&reader->scan, error, "expected the line default TYPE second");
  }
  if (reader->pattern.is_open) {
    return scan_fail(&reader->scan, error, "pattern %s of line %u has no end",
                     reader->pattern.pattern.kernel, reader->pattern.pattern.line);
  }
  if (!reader->draft.is_open) return STATUS_OK;
  return scan_fail(&reader->scan, error, "kernel %s of line %u has no end",
                   reader->draft.row.kernel, reader->draft.row.line);
}

/* Lines without their comments; the reader's scan stays on the line that failed. */
static status_t parse_lines(table_reader_t *reader, str_t text, failure_t *error) {
  scan_t rest = scan_make(text);
  do {
    const char *start = rest.cursor;
    const char *newline = memchr(start, '\n', (size_t)(rest.end - start));
    const char *end = newline == NULL ? rest.end : newline;
    const char *comment = memchr(start, '#', (size_t)(end - start));
    const char *stop = comment == NULL ? end : comment;
    reader->line++;
    reader->scan = scan_make((str_t){.data = start, .size = (size_t)(stop - start)});
    STATUS_TRY(parse_line(reader, error));
    rest.cursor = newline == NULL ? rest.end : newline + 1;
  } while (!scan_at_end(&rest));
  return check_end(reader, error);
}

static void *keep(arena_t *arena, GArray *array) {
  size_t bytes = array->len * (size_t)g_array_get_element_size(array);
  return bytes == 0 ? NULL : memcpy(arena_alloc(arena, bytes), array->data, bytes);
}

status_t quant_target_parse_in(const char *folder, str_t text, arena_t *arena,
                               quant_target_t *out_table, failure_t *error) {
  table_reader_t reader = {.arena = arena,
                           .folder = folder,
                           .rows = g_array_new(FALSE, FALSE, sizeof(quant_target_row_t)),
                           .patterns = g_array_new(FALSE, FALSE, sizeof(quant_pattern_t))};
  failure_t reason;
  status_t status = parse_lines(&reader, text, &reason);
  if (status == STATUS_OK) {
    reader.table.rows = keep(arena, reader.rows);
    reader.table.row_count = reader.rows->len;
    reader.table.patterns = keep(arena, reader.patterns);
    reader.table.pattern_count = reader.patterns->len;
    *out_table = reader.table;
  } else {
    (void)status_fail_at(error, status, reason.column, "line %u, %s", reader.line, reason.text);
  }
  g_array_free(reader.patterns, TRUE);
  g_array_free(reader.rows, TRUE);
  return status;
}

status_t quant_target_parse(str_t text, arena_t *arena, quant_target_t *out_table,
                            failure_t *error) {
  return quant_target_parse_in(NULL, text, arena, out_table, error);
}
