/* SPDX-License-Identifier: Apache-2.0 */
/* The lines "pattern KERNEL" to "end" of a table. */
#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/target/rule_text.h"

/* ---- The kernel's ports ---------------------------------------------------------------------- */

static const quant_target_row_t *find_row(const table_reader_t *reader, const char *kernel) {
  for (uint32_t r = 0; r < reader->rows->len; r++) {
    const quant_target_row_t *row = &g_array_index(reader->rows, quant_target_row_t, r);
    if (strcmp(row->kernel, kernel) == 0) return row;
  }
  return NULL;
}

/* Of the row that patterns of the kernel are about: its first. */
static uint32_t count_inputs(const quant_target_row_t *row) {
  uint32_t count = 0;
  while (count < row->port_count && !row->ports[count].is_output) count++;
  return count;
}

static bool are_alike(const quant_target_row_t *a, const quant_target_row_t *b) {
  if (a->port_count != b->port_count) return false;
  for (uint32_t p = 0; p < a->port_count; p++) {
    const quant_signature_port_t *in_a = &a->ports[p], *in_b = &b->ports[p];
    if (strcmp(in_a->name, in_b->name) != 0 || in_a->is_output != in_b->is_output ||
        in_a->is_optional != in_b->is_optional || in_a->is_repeated != in_b->is_repeated) {
      return false;
    }
  }
  return true;
}

status_t table_begin_pattern(table_reader_t *reader, failure_t *error) {
  scan_t *scan = &reader->scan;
  (void)table_at_line_end(scan);
  scan_t start = *scan;
  str_t name;
  STATUS_TRY(table_take_name(scan, "the name of a kernel", &name, error));
  const char *kernel = arena_copy_text(reader->arena, name.data, name.size);
  const quant_target_row_t *row = find_row(reader, kernel);
  if (row == NULL) {
    return scan_fail(&start, error, "no row above is of kernel %.64s", kernel);
  }
  for (uint32_t r = 0; r < reader->rows->len; r++) {
    const quant_target_row_t *other = &g_array_index(reader->rows, quant_target_row_t, r);
    if (strcmp(other->kernel, kernel) != 0 || are_alike(row, other)) continue;
    return scan_fail(&start, error,
                     "the rows of kernel %.64s name their ports differently (line %u and %u), so "
                     "that no pattern can speak of them",
                     kernel, row->line, other->line);
  }
  uint32_t inputs = count_inputs(row);
  if (row->port_count != inputs + 1) {
    return scan_fail(&start, error, "a pattern is of a kernel with one output, %.64s has %u",
                     kernel, row->port_count - inputs);
  }
  const char **ports = ARENA_NEW_ARRAY(reader->arena, const char *, inputs + 1);
  for (uint32_t i = 0; i < inputs; i++) ports[i] = row->ports[i].name;
  reader->pattern = (pattern_draft_t){
      .is_open = true,
      .row = row,
      .pattern = {.kernel = kernel, .line = reader->line, .port_count = inputs, .ports = ports}};
  return STATUS_OK;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static bool find_line(const pattern_draft_t *draft, str_t name, uint32_t *out_line) {
  for (uint32_t i = 0; i < draft->pattern.line_count; i++) {
    if (!str_equal_text(name, draft->lines[i].name)) continue;
    *out_line = i;
    return true;
  }
  return false;
}

/* "count(" NAME ")", after the bracket. */
static status_t parse_count(scan_t *scan, const pattern_draft_t *draft, quant_argument_kind_t kind,
                            quant_argument_t *out_argument, failure_t *error) {
  scan_t start = *scan;
  str_t name;
  STATUS_TRY(table_take_name(scan, "the name of a line", &name, error));
  *out_argument = (quant_argument_t){.kind = kind};
  if (!find_line(draft, name, &out_argument->index)) {
    return scan_fail(&start, error, "no line above is called %.*s", (int)MIN(name.size, 64),
                     name.data);
  }
  const char *op = draft->lines[out_argument->index].op->name;
  bool is_reduction =
      strcmp(op, "stablehlo.reduce") == 0 || strcmp(op, "stablehlo.reduce_window") == 0;
  if (!is_reduction) return scan_fail(&start, error, "count() is of a reduction, not of %s", op);
  return scan_expect(scan, ")", error);
}

static status_t parse_number(scan_t *scan, quant_argument_t *out_argument, failure_t *error) {
  scan_t start = *scan;
  char copy[64] = "";
  str_t text = scan_until(scan, ",) \t");
  if (text.size < sizeof copy) memcpy(copy, text.data, text.size);
  char *end = copy;
  double number = g_ascii_strtod(copy, &end);
  if (copy[0] == '\0' || *end != '\0' || isnan(number)) {
    return scan_fail_expecting(&start, error, "a number such as 0, 0.5 or -inf");
  }
  *out_argument = (quant_argument_t){.kind = QUANT_ARGUMENT_NUMBER, .number = number};
  return STATUS_OK;
}

/* The result of a line above, or an input of the kernel. */
static status_t parse_tensor(scan_t *scan, const pattern_draft_t *draft,
                             quant_argument_t *out_argument, failure_t *error) {
  const quant_pattern_t *pattern = &draft->pattern;
  scan_t start = *scan, ahead = *scan;
  str_t word = scan_until(&ahead, ",) \t");
  bool is_all = word.size > 3 && memcmp(word.data + word.size - 3, "...", 3) == 0;
  str_t name;
  if (is_all) {
    name = (str_t){word.data, word.size - 3};
    *scan = ahead;
  } else {
    STATUS_TRY(
        table_take_name(scan, "a line above, an input of the kernel or a number", &name, error));
  }
  *out_argument = (quant_argument_t){.kind = QUANT_ARGUMENT_LINE};
  if (!is_all && find_line(draft, name, &out_argument->index)) return STATUS_OK;
  for (uint32_t i = 0; i < pattern->port_count; i++) {
    if (!str_equal_text(name, pattern->ports[i])) continue;
    if (is_all != draft->row->ports[i].is_repeated) {
      return scan_fail(&start, error, "input %s is %srepeated: write %s%s", pattern->ports[i],
                       is_all ? "not " : "", pattern->ports[i], is_all ? "" : "...");
    }
    out_argument->kind = is_all ? QUANT_ARGUMENT_PORTS : QUANT_ARGUMENT_PORT;
    out_argument->index = i;
    return STATUS_OK;
  }
  return scan_fail(&start, error, "no line above and no input of kernel %.64s is called %.*s",
                   pattern->kernel, (int)MIN(name.size, 64), name.data);
}

static status_t parse_argument(scan_t *scan, const pattern_draft_t *draft,
                               quant_argument_t *out_argument, failure_t *error) {
  if (scan_accept(scan, "1/count(")) {
    return parse_count(scan, draft, QUANT_ARGUMENT_SHARE, out_argument, error);
  }
  if (scan_accept(scan, "count(")) {
    return parse_count(scan, draft, QUANT_ARGUMENT_COUNT, out_argument, error);
  }
  bool is_number = g_ascii_isdigit(scan_peek(scan)) || scan_peek(scan) == '-';
  if (is_number) return parse_number(scan, out_argument, error);
  return parse_tensor(scan, draft, out_argument, error);
}

/* After the bracket. */
static status_t parse_arguments(scan_t *scan, const pattern_draft_t *draft,
                                quant_pattern_line_t *line, failure_t *error) {
  do {
    (void)table_at_line_end(scan);
    if (line->argument_count == CASE_OPERANDS_MAX) {
      return scan_fail(scan, error, "an op has at most %d operands", (int)CASE_OPERANDS_MAX);
    }
    if (line->argument_count > 0 &&
        line->arguments[line->argument_count - 1].kind == QUANT_ARGUMENT_PORTS) {
      return scan_fail(scan, error, "a repeated input is the last argument");
    }
    STATUS_TRY(parse_argument(scan, draft, &line->arguments[line->argument_count++], error));
    (void)table_at_line_end(scan);
  } while (scan_accept(scan, ","));
  return scan_expect(scan, ")", error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* "ATTRIBUTE=TEXT", up to a blank. */
static status_t parse_condition(table_reader_t *reader, quant_pattern_line_t *line,
                                failure_t *error) {
  scan_t *scan = &reader->scan;
  if (line->condition_count == QUANT_PATTERN_CONDITIONS_MAX) {
    return scan_fail(scan, error, "a line has at most %d conditions",
                     (int)QUANT_PATTERN_CONDITIONS_MAX);
  }
  str_t key;
  STATUS_TRY(table_take_name(scan, "ATTRIBUTE=TEXT or the end", &key, error));
  STATUS_TRY(scan_expect(scan, "=", error));
  scan_t start = *scan;
  str_t text = scan_until(scan, " \t");
  if (text.size == 0) return scan_fail_expecting(&start, error, "what the attribute is to be");
  const char dim[] = "dim(";
  if (text.size > strlen(dim) && memcmp(text.data, dim, strlen(dim)) == 0) {
    scan_t inside = start;
    (void)scan_accept(&inside, dim);
    str_t port = scan_until(&inside, ",)");
    bool is_port = false;
    for (uint32_t i = 0; i < reader->pattern.pattern.port_count; i++) {
      if (str_equal_text(port, reader->pattern.pattern.ports[i])) is_port = true;
    }
    int64_t number = -1;
    bool is_whole = is_port && scan_accept(&inside, ",") &&
                    scan_integer(&inside, &number, NULL) == STATUS_OK && number >= 0 &&
                    number < TYPE_RANK_MAX && scan_accept(&inside, ")") &&
                    inside.cursor == scan->cursor;
    if (!is_whole) {
      return scan_fail_expecting(&start, error, "dim(INPUT,N), dimension N of an input");
    }
  }
  line->conditions[line->condition_count++] =
      (quant_condition_t){.attribute = arena_copy_text(reader->arena, key.data, key.size),
                          .text = arena_copy_text(reader->arena, text.data, text.size)};
  return STATUS_OK;
}

static status_t parse_op(scan_t *scan, const op_t **out_op, failure_t *error) {
  (void)table_at_line_end(scan);
  scan_t start = *scan;
  str_t name = scan_until(scan, "( \t");
  *out_op = op_find(name);
  if (*out_op == NULL) {
    return scan_fail_expecting(&start, error, "an op (`assay ops` lists them)");
  }
  (void)table_at_line_end(scan);
  return scan_expect(scan, "(", error);
}

/* A line that may be left out has a result of some line to stand for, or an input. */
static status_t check_optional(const scan_t *scan, const pattern_draft_t *draft,
                               const quant_pattern_line_t *line, failure_t *error) {
  if (!line->is_optional) return STATUS_OK;
  uint32_t count = 1;
  for (uint32_t i = 0; i < draft->pattern.line_count; i++) count += draft->lines[i].is_optional;
  if (count > QUANT_PATTERN_OPTIONAL_MAX) {
    return scan_fail(scan, error, "a pattern has at most %d lines that may be left out",
                     (int)QUANT_PATTERN_OPTIONAL_MAX);
  }
  bool is_tensor = line->arguments[0].kind == QUANT_ARGUMENT_LINE ||
                   line->arguments[0].kind == QUANT_ARGUMENT_PORT;
  if (is_tensor) return STATUS_OK;
  return scan_fail(scan, error,
                   "%s may be left out, so that its first argument is to be a line or an input",
                   line->name);
}

/* NAME ("=" | "?=") OP "(" ARGUMENT {"," ARGUMENT} ")" {ATTRIBUTE=TEXT} */
static status_t parse_line(table_reader_t *reader, str_t name, failure_t *error) {
  scan_t *scan = &reader->scan;
  pattern_draft_t *draft = &reader->pattern;
  uint32_t known;
  scan_t start = *scan;
  if (draft->pattern.line_count == QUANT_PATTERN_LINES_MAX) {
    return scan_fail(scan, error, "a pattern has at most %d lines", (int)QUANT_PATTERN_LINES_MAX);
  }
  if (find_line(draft, name, &known)) {
    return scan_fail(&start, error, "a line above is called %.*s already", (int)MIN(name.size, 64),
                     name.data);
  }
  for (uint32_t i = 0; i < draft->pattern.port_count; i++) {
    if (!str_equal_text(name, draft->pattern.ports[i])) continue;
    return scan_fail(&start, error, "%s is an input of the kernel", draft->pattern.ports[i]);
  }
  quant_pattern_line_t line = {.name = arena_copy_text(reader->arena, name.data, name.size)};
  (void)table_at_line_end(scan);
  line.is_optional = scan_accept(scan, "?=");
  if (!line.is_optional) STATUS_TRY(scan_expect(scan, "=", error));
  STATUS_TRY(parse_op(scan, &line.op, error));
  STATUS_TRY(parse_arguments(scan, draft, &line, error));
  while (!table_at_line_end(scan)) STATUS_TRY(parse_condition(reader, &line, error));
  STATUS_TRY(check_optional(&start, draft, &line, error));
  draft->lines[draft->pattern.line_count++] = line;
  return STATUS_OK;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Which lines the `from`-th needs, with or without those that may be left out. */
static void mark_needed(const pattern_draft_t *draft, uint32_t from, bool without_optional,
                        bool *is_needed, bool *is_port_needed) {
  const quant_pattern_line_t *line = &draft->lines[from];
  bool is_left_out = without_optional && line->is_optional;
  is_needed[from] = true;
  for (uint32_t i = 0; i < (is_left_out ? 1 : line->argument_count); i++) {
    const quant_argument_t *argument = &line->arguments[i];
    if (argument->kind == QUANT_ARGUMENT_LINE) {
      mark_needed(draft, argument->index, without_optional, is_needed, is_port_needed);
    } else if (argument->kind == QUANT_ARGUMENT_PORT || argument->kind == QUANT_ARGUMENT_PORTS) {
      is_port_needed[argument->index] = true;
    }
  }
}

static status_t check_pattern(const scan_t *scan, const pattern_draft_t *draft, failure_t *error) {
  const quant_pattern_t *pattern = &draft->pattern;
  const char *output = draft->row->ports[pattern->port_count].name;
  const char *last = pattern->line_count == 0 ? "" : draft->lines[pattern->line_count - 1].name;
  if (strcmp(last, output) != 0) {
    return scan_fail(scan, error, "the last line of a pattern of %.64s makes its output, %.64s",
                     pattern->kernel, output);
  }
  bool is_needed[QUANT_PATTERN_LINES_MAX] = {false}, is_there[QUANT_PORTS_MAX] = {false};
  mark_needed(draft, pattern->line_count - 1, false, is_needed, is_there);
  for (uint32_t i = 0; i < pattern->line_count; i++) {
    if (is_needed[i]) continue;
    return scan_fail(scan, error, "nothing uses %.64s", draft->lines[i].name);
  }
  bool is_needed_least[QUANT_PATTERN_LINES_MAX] = {false}, is_least[QUANT_PORTS_MAX] = {false};
  mark_needed(draft, pattern->line_count - 1, true, is_needed_least, is_least);
  bool has_op = false;
  for (uint32_t i = 0; i < pattern->line_count; i++) {
    has_op |= is_needed_least[i] && !draft->lines[i].is_optional;
  }
  if (!has_op) return scan_fail(scan, error, "all lines of the pattern may be left out");
  for (uint32_t p = 0; p < pattern->port_count; p++) {
    if (is_least[p] || draft->row->ports[p].is_optional) continue;
    return scan_fail(scan, error, "input %.64s of the kernel is missing in the pattern%s",
                     pattern->ports[p],
                     is_there[p] ? " where lines are left out, and it is not optional" : "");
  }
  return STATUS_OK;
}

static status_t end_pattern(table_reader_t *reader, failure_t *error) {
  pattern_draft_t *draft = &reader->pattern;
  STATUS_TRY(check_pattern(&reader->scan, draft, error));
  uint32_t count = draft->pattern.line_count;
  quant_pattern_line_t *lines = ARENA_NEW_ARRAY(reader->arena, quant_pattern_line_t, count);
  memcpy(lines, draft->lines, count * sizeof lines[0]);
  draft->pattern.lines = lines;
  g_array_append_val(reader->patterns, draft->pattern);
  draft->is_open = false;
  return STATUS_OK;
}

status_t table_parse_pattern_line(table_reader_t *reader, str_t word, failure_t *error) {
  bool is_end = str_equal_text(word, "end") && table_at_line_end(&reader->scan);
  return is_end ? end_pattern(reader, error) : parse_line(reader, word, error);
}

status_t table_check_new_row(const table_reader_t *reader, const char *kernel, failure_t *error) {
  for (uint32_t i = 0; i < reader->patterns->len; i++) {
    const quant_pattern_t *pattern = &g_array_index(reader->patterns, quant_pattern_t, i);
    if (strcmp(pattern->kernel, kernel) != 0) continue;
    return scan_fail(&reader->scan, error,
                     "all rows of kernel %.64s stand above its patterns (line %u)", kernel,
                     pattern->line);
  }
  return STATUS_OK;
}
