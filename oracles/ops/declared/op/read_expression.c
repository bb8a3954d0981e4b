/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a step of a declared op is: sums, products, quotients and calls of known functions, as
 * steps of a formula.  What may be fused is found by the evaluation. */
#include <inttypes.h>

#include "oracles/ops/declared/op/reader.h"

/* ---- Steps ----------------------------------------------------------------------------------- */

status_t reader_add_step(reader_t *reader, step_t step, uint16_t *out_step) {
  declared_formula_t *formula = reader->formula;
  if (__builtin_popcount(step.mask) > TYPE_RANK_MAX) {
    return reader_fail(reader, reader->scan.cursor,
                       "a step runs along more than %d indices; split the op in two",
                       (int)TYPE_RANK_MAX);
  }
  if (formula->step_count == DECLARED_STEPS_MAX) {
    return reader_fail(reader, reader->scan.cursor,
                       "the meaning has more than %d operations; split the op in two",
                       (int)DECLARED_STEPS_MAX);
  }
  *out_step = (uint16_t)formula->step_count;
  formula->steps[formula->step_count++] = step;
  return STATUS_OK;
}

status_t reader_add_unary(reader_t *reader, step_kind_t kind, uint16_t a, uint16_t *out_step) {
  const step_t *of = reader_step(reader, a);
  return reader_add_step(reader, (step_t){.kind = kind, .a = a, .mask = of->mask, .type = of->type},
                         out_step);
}

status_t reader_add_binary(reader_t *reader, step_kind_t kind, uint16_t a, uint16_t b,
                           uint16_t *out_step) {
  uint32_t mask = reader_step(reader, a)->mask | reader_step(reader, b)->mask;
  const element_t *type = reader_step(reader, a)->type;
  return reader_add_step(reader, (step_t){.kind = kind, .a = a, .b = b, .mask = mask, .type = type},
                         out_step);
}

status_t reader_add_number(reader_t *reader, str_t digits, uint16_t *out_step) {
  return reader_add_step(
      reader, (step_t){.kind = STEP_NUMBER, .decimal = reader_keep(reader, digits)}, out_step);
}

/* Numbers divided by their own sum, or multiplied by its inverse, have a theorem of their own
 * (theory.md, T67).  Products have not: the sum may hold them unrounded, and so other numbers than
 * are divided (T143). */
static status_t add_quotient(reader_t *reader, uint16_t a, uint16_t b, uint16_t *out_step) {
  const step_t *divisor = reader_step(reader, b);
  bool is_share = divisor->type == NULL && divisor->kind == STEP_SUM && divisor->a == a;
  if (!is_share) return reader_add_binary(reader, STEP_DIVIDE, a, b, out_step);
  if (reader_step(reader, a)->kind != STEP_MULTIPLY) {
    const step_t shares = {
        .kind = STEP_SHARES, .a = a, .over = divisor->over, .mask = reader_step(reader, a)->mask};
    return reader_add_step(reader, shares, out_step);
  }
  uint16_t one, inverse, quotient, product;
  STATUS_TRY(reader_add_number(reader, str_from("1"), &one));
  STATUS_TRY(reader_add_binary(reader, STEP_DIVIDE, one, b, &inverse));
  STATUS_TRY(reader_add_binary(reader, STEP_DIVIDE, a, b, &quotient));
  STATUS_TRY(reader_add_binary(reader, STEP_MULTIPLY, a, inverse, &product));
  return reader_add_binary(reader, STEP_EITHER, quotient, product, out_step);
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static status_t read_value(reader_t *reader, const char *at, str_t name, uint16_t *out_step) {
  for (uint32_t i = 0; i < reader->name_count; i++) {
    if (!str_equal_text(name, reader->names[i].name)) continue;
    *out_step = reader->names[i].step;
    return STATUS_OK;
  }
  const declaration_t *declaration = reader->declaration;
  for (uint16_t i = 0; i < declaration->attribute_count; i++) {
    if (!str_equal_text(name, declaration->attributes[i].name)) continue;
    static const char *const types[] = {[ATTRIBUTE_INTEGER] = "i64", [ATTRIBUTE_BOOLEAN] = "i1"};
    attribute_kind_t kind = declaration->attributes[i].kind;
    if (kind == ATTRIBUTE_POSITION) break;
    const element_t *type = kind == ATTRIBUTE_NUMBER ? NULL : element_named(types[kind]);
    return reader_add_step(reader, (step_t){.kind = STEP_ATTRIBUTE, .a = i, .type = type},
                           out_step);
  }
  if (str_equal_text(name, "inf")) return reader_add_number(reader, name, out_step);
  return reader_fail(reader, at,
                     "no value \"%.*s\": neither an operand, nor an attribute that is no position, "
                     "nor a line above",
                     STR_FORMAT(name));
}

/* "[P=0]" behind a value, its index and "=" read. */
static status_t read_pick(reader_t *reader, uint8_t index, uint16_t *inout_step) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  int64_t place = 0, size = reader->declaration->indices[index].fixed;
  if (scan_integer(&reader->scan, &place, NULL) != STATUS_OK || place < 0 || place >= size) {
    return reader_fail(reader, at, "expected a place from 0 to %" PRId64, size - 1);
  }
  STATUS_TRY(reader_expect(reader, "]"));
  return reader_add_step(reader,
                         (step_t){.kind = STEP_PICK,
                                  .a = *inout_step,
                                  .index = index,
                                  .place = place,
                                  .mask = reader_step(reader, *inout_step)->mask & ~(1U << index),
                                  .type = reader_step(reader, *inout_step)->type},
                         inout_step);
}

/* "[V=ids]", likewise. */
static status_t read_gather(reader_t *reader, uint8_t index, uint16_t *inout_step) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  uint16_t places;
  STATUS_TRY(reader_expression(reader, &places));
  STATUS_TRY(reader_expect(reader, "]"));
  STATUS_TRY(reader_require_places(reader, at, places));
  const step_t *of = reader_step(reader, *inout_step), *taken = reader_step(reader, places);
  bool is_operand = taken->kind == STEP_OPERAND;
  bool is_bounded = is_operand && reader->declaration->operands[taken->a].below == (int8_t)index;
  return reader_add_step(reader,
                         (step_t){.kind = STEP_GATHER,
                                  .a = *inout_step,
                                  .b = places,
                                  .index = index,
                                  .is_bounded = is_bounded,
                                  .mask = (of->mask & ~(1U << index)) | taken->mask,
                                  .type = of->type},
                         inout_step);
}

/* "[P=0]" or "[V=ids]" behind a value. */
static status_t read_places(reader_t *reader, uint16_t *inout_step) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  int index = reader_find_index(reader, reader_word(reader));
  uint32_t mask = reader_step(reader, *inout_step)->mask;
  const declared_index_t *indices = reader->declaration->indices;
  bool runs_along = index >= 0 && (mask >> index & 1) != 0 && !indices[index].is_group;
  bool is_place = reader_accept(reader, "=");
  reader_skip_blanks(reader);
  bool is_number = g_ascii_isdigit(scan_peek(&reader->scan));
  if (!runs_along || (is_place && is_number && indices[index].fixed == 0)) {
    return reader_fail(reader, at,
                       "expected an index of fixed size that the value runs along, as in "
                       "\"x[P=0]\" with \"index P = 2\", or integers as places along any: "
                       "\"table[V=ids]\"");
  }
  if (!is_place) return reader_fail_expecting(reader, "\"=\"");
  return is_number ? read_pick(reader, (uint8_t)index, inout_step)
                   : read_gather(reader, (uint8_t)index, inout_step);
}

static status_t read_digits(reader_t *reader, uint16_t *out_step) {
  const char *begin = reader->scan.cursor;
  char *end = NULL;
  g_autofree char *text = g_strndup(begin, (gsize)(reader->scan.end - begin));
  double value = g_ascii_strtod(text, &end);
  size_t size = (size_t)(end - text);
  bool is_hex = strpbrk(text, "xX") != NULL && strpbrk(text, "xX") < end;
  if (size == 0 || is_hex || !(value < 1e300)) {
    return reader_fail(reader, begin, "expected a decimal number below 1e300, such as 0.5");
  }
  reader->scan.cursor += size;
  return reader_add_number(reader, (str_t){begin, size}, out_step);
}

static status_t read_factor(reader_t *reader, uint16_t *out_step) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  char next = scan_peek(&reader->scan);
  if (reader_accept(reader, "-")) {
    STATUS_TRY(read_factor(reader, out_step));
    STATUS_TRY(reader_require_number(reader, at, "\"-\"", *out_step));
    return reader_add_unary(reader, STEP_NEGATE, *out_step, out_step);
  }
  if (reader_accept(reader, "(")) {
    STATUS_TRY(reader_expression(reader, out_step));
    STATUS_TRY(reader_expect(reader, ")"));
  } else if (g_ascii_isdigit(next)) {
    STATUS_TRY(read_digits(reader, out_step));
  } else {
    str_t word = reader_word(reader);
    if (!reader_is_name(word)) {
      reader->scan.cursor = at;
      return reader_fail_expecting(reader, "a value, a number, a function or \"(\"");
    }
    bool is_call = scan_peek(&reader->scan) == '(';
    STATUS_TRY(is_call ? reader_call(reader, at, word, out_step)
                       : read_value(reader, at, word, out_step));
  }
  while (reader_accept(reader, "[")) STATUS_TRY(read_places(reader, out_step));
  return STATUS_OK;
}

static status_t read_term(reader_t *reader, uint16_t *out_step) {
  STATUS_TRY(read_factor(reader, out_step));
  for (;;) {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    bool is_product = reader_accept(reader, "*");
    if (!is_product && !reader_accept(reader, "/")) return STATUS_OK;
    uint16_t other;
    STATUS_TRY(read_factor(reader, &other));
    STATUS_TRY(reader_match(reader, at, is_product ? "\"*\"" : "\"/\"", out_step, &other));
    STATUS_TRY(reader_require_number(reader, at, is_product ? "\"*\"" : "\"/\"", *out_step));
    if (!is_product) {
      STATUS_TRY(reader_require_divisor(reader, at, other));
      STATUS_TRY(add_quotient(reader, *out_step, other, out_step));
      continue;
    }
    STATUS_TRY(reader_add_binary(reader, STEP_MULTIPLY, *out_step, other, out_step));
  }
}

static status_t read_sum(reader_t *reader, uint16_t *out_step) {
  STATUS_TRY(read_term(reader, out_step));
  for (;;) {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor, *what = "\"-\"";
    bool is_sum = reader_accept(reader, "+");
    if (!is_sum && !reader_accept(reader, "-")) return STATUS_OK;
    if (is_sum) what = "\"+\"";
    uint16_t other;
    STATUS_TRY(read_term(reader, &other));
    STATUS_TRY(reader_match(reader, at, what, out_step, &other));
    STATUS_TRY(reader_require_number(reader, at, what, *out_step));
    step_kind_t kind = is_sum ? STEP_ADD : STEP_SUBTRACT;
    STATUS_TRY(reader_add_binary(reader, kind, *out_step, other, out_step));
  }
}

typedef struct comparison_row {
  const char *text;
  step_comparison_t comparison;
  bool is_turned; /* With the right side on the left. */
} comparison_row_t;

static const comparison_row_t comparisons[] = {
    {"<=", STEP_LESS_EQUAL, false}, {">=", STEP_LESS_EQUAL, true}, {"==", STEP_EQUAL, false},
    {"!=", STEP_NOT_EQUAL, false},  {"<", STEP_LESS, false},       {">", STEP_LESS, true},
};

/* Parentheses nest no deeper than the line is long, which the reader of files bounds. */
status_t reader_expression(reader_t *reader, uint16_t *out_step) {
  STATUS_TRY(read_sum(reader, out_step));
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  const comparison_row_t *row = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(comparisons) && row == NULL; i++) {
    if (reader_accept(reader, comparisons[i].text)) row = &comparisons[i];
  }
  if (row == NULL) return STATUS_OK;
  uint16_t other;
  g_autofree char *quoted = g_strdup_printf("\"%s\"", row->text);
  STATUS_TRY(read_sum(reader, &other));
  STATUS_TRY(reader_match(reader, at, quoted, out_step, &other));
  uint32_t mask = reader_step(reader, *out_step)->mask | reader_step(reader, other)->mask;
  const step_t step = {.kind = STEP_COMPARE,
                       .a = row->is_turned ? other : *out_step,
                       .b = row->is_turned ? *out_step : other,
                       .mask = mask,
                       .type = element_named("i1"),
                       .comparison = row->comparison};
  return reader_add_step(reader, step, out_step);
}
