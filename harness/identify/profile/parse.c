/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive-descent parser for the text of a profile. Requires every term exactly once and the
 * canonical spelling. */
#include "harness/identify/profile/arithmetic.h"
#include "harness/identify/profile/builder.h"

/* Parsing under way. */
typedef struct parser {
  scan_t scan;
  failure_t *error;
  profile_t profile;
  arithmetic_list_t arithmetics;
  profile_builder_t builder;
  uint8_t *seen; /* By term. */
  size_t seen_count;
  int depth;
} parser_t;

static status_t parse_format(parser_t *parser, const char *key, const format_t **out_format) {
  STATUS_TRY(scan_expect(&parser->scan, key, parser->error));
  str_t name = scan_until(&parser->scan, " /");
  *out_format = format_find(name);
  if (*out_format != NULL) return STATUS_OK;
  return scan_fail(&parser->scan, parser->error, "there is no float format \"%.*s\"",
                   STR_FORMAT(name));
}

/* A format, and how wider numbers are rounded to it. */
static status_t parse_read(parser_t *parser, const char *key, const format_t **out_format,
                           rounding_t *out_rounding) {
  STATUS_TRY(parse_format(parser, key, out_format));
  *out_rounding = scan_accept(&parser->scan, "/trunc")  ? ROUNDING_TOWARD_ZERO
                  : scan_accept(&parser->scan, "/away") ? ROUNDING_NEAREST_AWAY
                                                        : ROUNDING_NEAREST_EVEN;
  return STATUS_OK;
}

static status_t parse_arithmetic(parser_t *parser) {
  scan_t *scan = &parser->scan;
  arithmetic_list_t *list = &parser->arithmetics;
  if (list->count == ARITHMETICS_MAX) {
    return scan_fail(scan, parser->error, "more than %d arithmetics", ARITHMETICS_MAX);
  }
  char key[] = {' ', (char)('a' + list->count), '=', '\0'};
  profile_node_t row = {.rounding = ROUNDING_NEAREST_EVEN};
  STATUS_TRY(parse_format(parser, key, &row.format));
  if (scan_accept(scan, "/trunc")) row.rounding = ROUNDING_TOWARD_ZERO;
  row.overflows = scan_accept(scan, "/inf");
  row.fused = scan_accept(scan, "/fused");
  if (scan_accept(scan, "/aligned")) {
    enum { ALIGNED_BITS_MAX = 4096 };
    int64_t bits;
    STATUS_TRY(scan_integer(scan, &bits, parser->error));
    if (bits < 1 || bits > ALIGNED_BITS_MAX) {
      return scan_fail(scan, parser->error, "an adder of %d bits", (int)bits);
    }
    row.aligned_bits = (int)bits;
    row.by_field = scan_accept(scan, "/field");
    row.cuts_sum = scan_accept(scan, "/cut");
  }
  list->rows[list->count++] = row;
  return STATUS_OK;
}

static status_t parse_word(parser_t *parser, const char *const words[], size_t count,
                           size_t *out_word) {
  str_t word = scan_until(&parser->scan, " ");
  for (size_t i = 0; i < count; i++) {
    if (!str_equal_text(word, words[i])) continue;
    *out_word = i;
    return STATUS_OK;
  }
  return scan_fail(&parser->scan, parser->error, "unknown word \"%.*s\"", STR_FORMAT(word));
}

static status_t parse_header(parser_t *parser) {
  static const char *const starts[] = {"none", "zero", "first"};
  scan_t *scan = &parser->scan;
  profile_t *profile = &parser->profile;
  int64_t terms;
  STATUS_TRY(scan_expect(scan, "profile v1 terms=", parser->error));
  STATUS_TRY(scan_integer(scan, &terms, parser->error));
  if (terms < 0 || terms > PROFILE_TERMS_MAX) {
    return scan_fail(scan, parser->error, "0 to %d terms", PROFILE_TERMS_MAX);
  }
  profile->term_count = (size_t)terms;
  STATUS_TRY(parse_read(parser, " left=", &profile->left, &profile->left_rounding));
  if (scan_accept(scan, " right=")) {
    STATUS_TRY(parse_read(parser, "", &profile->right, &profile->right_rounding));
    STATUS_TRY(parse_format(parser, " product=", &profile->product));
  }
  STATUS_TRY(parse_format(parser, " result=", &profile->result));
  size_t start = 0;
  STATUS_TRY(scan_expect(scan, " start=", parser->error));
  STATUS_TRY(parse_word(parser, starts, G_N_ELEMENTS(starts), &start));
  STATUS_TRY(scan_expect(scan, " flush=", parser->error));
  if (!scan_accept(scan, "none")) {
    profile->flushes_inputs = scan_accept(scan, "inputs");
    scan_accept(scan, ",");
    profile->flushes_sums = scan_accept(scan, "sums");
    scan_accept(scan, ",");
    profile->flushes_outputs = scan_accept(scan, "outputs");
  }
  profile->starts_at_zero = start > 0;
  profile->zero_is_first = start == 2;
  while (!scan_accept(scan, " tree=")) STATUS_TRY(parse_arithmetic(parser));
  return STATUS_OK;
}

static status_t take_term(parser_t *parser, int64_t term, GArray *items) {
  if (term < 0 || term >= (int64_t)parser->profile.term_count) {
    return scan_fail(&parser->scan, parser->error, "term %d of %zu", (int)term,
                     parser->profile.term_count);
  }
  if (parser->seen[term] != 0) {
    return scan_fail(&parser->scan, parser->error, "term %d occurs twice", (int)term);
  }
  parser->seen[term] = 1;
  parser->seen_count++;
  uint32_t id = (uint32_t)term;
  g_array_append_val(items, id);
  return STATUS_OK;
}

/* A term or a run of terms. */
static status_t parse_terms(parser_t *parser, GArray *items) {
  scan_t *scan = &parser->scan;
  int64_t first;
  STATUS_TRY(scan_integer(scan, &first, parser->error));
  STATUS_TRY(take_term(parser, first, items));
  if (!scan_accept(scan, "..")) return STATUS_OK;
  int64_t last;
  int64_t step = 1;
  STATUS_TRY(scan_integer(scan, &last, parser->error));
  if (scan_accept(scan, ":")) STATUS_TRY(scan_integer(scan, &step, parser->error));
  bool is_run = step > -PROFILE_TERMS_MAX && step < PROFILE_TERMS_MAX && step != 0 && last >= 0 &&
                last < PROFILE_TERMS_MAX && (last - first) % step == 0 && (last - first) / step > 0;
  if (!is_run) return scan_fail(scan, parser->error, "a run that does not end");
  while (first != last) {
    first += step;
    STATUS_TRY(take_term(parser, first, items));
  }
  return STATUS_OK;
}

static status_t parse_node(parser_t *parser, uint32_t *out_id);

static status_t parse_item(parser_t *parser, GArray *items) {
  scan_t *scan = &parser->scan;
  char next = scan_peek(scan);
  if (g_ascii_isdigit(next)) return parse_terms(parser, items);
  bool is_init = next == 'i' && (scan->cursor + 1 == scan->end || scan->cursor[1] == ' ' ||
                                 scan->cursor[1] == ')' || scan->cursor[1] == ']');
  uint32_t id = (uint32_t)parser->profile.term_count;
  if (is_init) {
    scan_accept(scan, "i");
    parser->profile.has_init = true;
  } else {
    STATUS_TRY(parse_node(parser, &id));
  }
  g_array_append_val(items, id);
  return STATUS_OK;
}

static status_t parse_items(parser_t *parser, const char *closing, GArray *items) {
  STATUS_TRY(parse_item(parser, items));
  while (!scan_accept(&parser->scan, closing)) {
    STATUS_TRY(scan_expect(&parser->scan, " ", parser->error));
    STATUS_TRY(parse_item(parser, items));
  }
  return STATUS_OK;
}

static uint32_t add_items(parser_t *parser, const uint32_t *items, size_t count, bool is_chain,
                          const profile_node_t *like) {
  if (!is_chain) return profile_builder_add(&parser->builder, items, count, like);
  uint32_t id = items[0];
  for (size_t i = 1; i < count; i++) {
    uint32_t children[] = {id, items[i]};
    id = profile_builder_add(&parser->builder, children, 2, like);
  }
  return id;
}

static status_t parse_node(parser_t *parser, uint32_t *out_id) {
  scan_t *scan = &parser->scan;
  char letter = scan_peek(scan);
  size_t row = 0;
  if (letter >= 'a' && letter <= 'z') {
    row = (size_t)(letter - 'a');
    scan->cursor++;
  }
  if (row >= parser->arithmetics.count) {
    return scan_fail(scan, parser->error, "arithmetic %c is not listed", (char)('a' + row));
  }
  bool is_chain = scan_accept(scan, "[");
  if (!is_chain) STATUS_TRY(scan_expect(scan, "(", parser->error));
  if (++parser->depth > PROFILE_DEPTH_MAX) {
    return scan_fail(scan, parser->error, "brackets deeper than %d", PROFILE_DEPTH_MAX);
  }
  GArray *items = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  status_t status = parse_items(parser, is_chain ? "]" : ")", items);
  if (status == STATUS_OK) {
    *out_id = add_items(parser, (const uint32_t *)(const void *)items->data, items->len, is_chain,
                        &parser->arithmetics.rows[row]);
  }
  g_array_unref(items);
  parser->depth--;
  return status;
}

static status_t parse_tree(parser_t *parser) {
  profile_t *profile = &parser->profile;
  if (profile->term_count == 0 && profile->right != NULL) {
    return scan_expect(&parser->scan, "0", parser->error);
  }
  GArray *items = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  status_t status = parse_item(parser, items);
  bool is_one = status != STATUS_OK || items->len == 1;
  g_array_unref(items);
  STATUS_TRY(status);
  if (!is_one) return scan_fail(&parser->scan, parser->error, "a tree has one root");
  if (parser->seen_count != profile->term_count) {
    return scan_fail(&parser->scan, parser->error, "%zu of %zu terms occur", parser->seen_count,
                     profile->term_count);
  }
  return STATUS_OK;
}

static status_t parse_program_line(parser_t *parser) {
  scan_t *scan = &parser->scan;
  STATUS_TRY(scan_expect(scan, " : ", parser->error));
  size_t size = (size_t)(scan->end - scan->cursor);
  char *line = arena_copy_text(parser->builder.arena, scan->cursor, size);
  parser->profile.program_line = line;
  parser->profile.op = arena_copy_text(parser->builder.arena, line, strcspn(line, " "));
  profile_builder_finish(&parser->builder, &parser->profile);
  return STATUS_OK;
}

static status_t require_canonical(const profile_t *profile, str_t text, failure_t *error) {
  GString *again = g_string_new(NULL);
  profile_print(profile, again);
  bool same = str_equal_text(text, again->str);
  size_t column = 0;
  while (column < text.size && column < again->len && text.data[column] == again->str[column]) {
    column++;
  }
  status_t status = STATUS_OK;
  if (!same) {
    status = status_fail_at(error, STATUS_INVALID, column + 1,
                            "not the canonical spelling: expected \"%.40s\"", again->str + column);
  }
  g_string_free(again, TRUE);
  return status;
}

status_t profile_parse(str_t text, arena_t *arena, profile_t *out_profile, failure_t *error) {
  parser_t parser = {.scan = scan_make(text), .error = error};
  STATUS_TRY(parse_header(&parser));
  parser.builder = profile_builder_make(parser.profile.term_count, arena);
  parser.seen = g_new0(uint8_t, parser.profile.term_count + 1);
  status_t status = parse_tree(&parser);
  if (status == STATUS_OK) status = parse_program_line(&parser);
  g_free(parser.seen);
  profile_builder_free(&parser.builder);
  STATUS_TRY(status);
  STATUS_TRY(require_canonical(&parser.profile, text, error));
  *out_profile = parser.profile;
  return STATUS_OK;
}
