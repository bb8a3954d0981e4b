/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a declaration line by line: the signature, then the meaning (harness/docs/ops/op-files.md).
 */
#include <inttypes.h>

#include "oracles/ops/declared/op/reader.h"

enum { LINE_BYTES_MAX = 1000 };

/* ---- Formulas -------------------------------------------------------------------------------- */

/* Floats come first among results, and beside f32 there is no type of more bits. */
static status_t check_types(const reader_t *reader) {
  declaration_t *declaration = reader->declaration;
  bool has_f32 = false;
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    const element_t *element = declaration->operands[i].element;
    has_f32 |= element != NULL && element->format != NULL;
    declaration->has_quantized |= declaration->operands[i].is_quantized;
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    const declared_tensor_t *result = &declaration->results[i];
    bool is_float = result->element == NULL || result->element->format != NULL;
    has_f32 |= result->element != NULL && is_float;
    declaration->has_quantized |= result->is_quantized;
    if (is_float && declaration->float_result_count < i) {
      return reader_fail_in_line(reader, result->line,
                                 "result %s is of floats: declare it above those that are not",
                                 result->name);
    }
    if (is_float) declaration->float_result_count = i + 1;
  }
  if (has_f32 || declaration->has_quantized) declaration->types &= 0x7; /* All but f64. */
  if (declaration->types != 0) return STATUS_OK;
  return reader_fail_in_line(reader, 1,
                             "beside operands and results that are of f32 or quantized there are "
                             "no programs of f64: \"types f16 bf16 f32\"");
}

/* What no problem can be made of: asked where the signature ends. */
static status_t check_signature(const reader_t *reader) {
  const declaration_t *declaration = reader->declaration;
  uint32_t known = 0;
  for (uint16_t i = 0; i < CASE_OPERANDS_MAX + CASE_RESULTS_MAX; i++) {
    known |= declared_tensor(declaration, i)->mask;
  }
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    const declared_index_t *index = &declaration->indices[i];
    if ((known >> i & 1) != 0 || index->fixed > 0) continue;
    return reader_fail_in_line(reader, index->line,
                               "no operand and no result runs along index %s, so that its size is "
                               "not known; give it one above, as in \"index %s = 2\"",
                               index->name, index->name);
  }
  return check_types(reader);
}

/* Of integers and booleans; floats are computed with in one type, and quantized ones stand for
 * floats. */
static const element_t *type_of_step(const declared_tensor_t *tensor) {
  bool is_float =
      tensor->element == NULL || tensor->element->format != NULL || tensor->is_quantized;
  return is_float ? NULL : tensor->element;
}

/* Nothing but operands is known at the start of a formula. */
static status_t start_formula(reader_t *reader, const char *name) {
  declaration_t *declaration = reader->declaration;
  STATUS_TRY(check_signature(reader));
  reader->formula = &declaration->formulas[declaration->formula_count++];
  reader->formula->name = name;
  reader->name_count = 0;
  memset(reader->has_result, 0, sizeof reader->has_result);
  for (uint16_t i = 0; i < declaration->operand_count; i++) {
    uint16_t step;
    STATUS_TRY(reader_add_step(
        reader,
        (step_t){.kind = declaration->operands[i].is_quantized ? STEP_DEQUANTIZE : STEP_OPERAND,
                 .a = i,
                 .mask = declaration->operands[i].mask,
                 .type = type_of_step(&declaration->operands[i])},
        &step));
    reader->names[reader->name_count++] = (known_name_t){declaration->operands[i].name, step};
  }
  return STATUS_OK;
}

static status_t end_formula(const reader_t *reader) {
  if (reader->formula == NULL) return STATUS_OK;
  for (uint32_t i = 0; i < reader->declaration->result_count; i++) {
    if (reader->has_result[i]) continue;
    const char *name = reader->declaration->results[i].name;
    return reader_fail(reader, reader->scan.begin,
                       "nothing says what result %s is; write \"%s = ...\"", name, name);
  }
  return STATUS_OK;
}

/* "formula online": those of the permission, in its order. */
static status_t read_formula(reader_t *reader) {
  declaration_t *declaration = reader->declaration;
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t name = scan_until(&reader->scan, " ");
  const char *permission = declaration->op.formulas;
  if (permission == NULL) {
    return reader_fail(reader, reader->scan.begin,
                       "an op of several formulas names their permission first: \"formulas "
                       "softmax\"");
  }
  STATUS_TRY(end_formula(reader));
  uint32_t count = contract_value_count(permission);
  const char *wanted = declaration->formula_count < count
                           ? contract_spelling(permission, (uint8_t)declaration->formula_count)
                           : NULL;
  if (count > DECLARED_FORMULAS_MAX) {
    return reader_fail(reader, at, "permission %s has more than %d values", permission,
                       (int)DECLARED_FORMULAS_MAX);
  }
  if (wanted == NULL || !str_equal_text(name, wanted)) {
    return reader_fail(reader, at, "expected %s, the next value of permission %s",
                       wanted == NULL ? "no formula more" : wanted, permission);
  }
  STATUS_TRY(reader_expect_end(reader));
  return start_formula(reader, wanted);
}

/* "name = expression" */
static status_t read_step(reader_t *reader, const char *at, str_t name) {
  declaration_t *declaration = reader->declaration;
  if (reader->formula == NULL && declaration->op.formulas != NULL) {
    return reader_fail(reader, at, "a formula of permission %s comes first: \"formula %s\"",
                       declaration->op.formulas, contract_spelling(declaration->op.formulas, 0));
  }
  if (reader->formula == NULL) STATUS_TRY(start_formula(reader, NULL));
  for (uint32_t i = 0; i < reader->name_count; i++) {
    if (!str_equal_text(name, reader->names[i].name)) continue;
    return reader_fail(reader, at, "\"%.*s\" is known already; choose another name",
                       STR_FORMAT(name));
  }
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    if (!str_equal_text(name, declaration->attributes[i].name)) continue;
    return reader_fail(reader, at, "\"%.*s\" is an attribute; choose another name",
                       STR_FORMAT(name));
  }
  if (reader->name_count == DECLARED_STEPS_MAX) {
    return reader_fail(reader, at, "the meaning has more than %d lines", (int)DECLARED_STEPS_MAX);
  }
  STATUS_TRY(reader_expect(reader, "="));
  uint16_t step;
  STATUS_TRY(reader_expression(reader, &step));
  STATUS_TRY(reader_expect_end(reader));
  reader->names[reader->name_count++] = (known_name_t){reader_keep(reader, name), step};
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    if (!str_equal_text(name, declaration->results[i].name)) continue;
    const bool is_quantized = declaration->results[i].is_quantized;
    if (reader_step(reader, step)->kind == STEP_OPERAND && !is_quantized) {
      return reader_fail(reader, at, "result %s is an operand as it is: nothing is computed",
                         declaration->results[i].name);
    }
    if (reader_step(reader, step)->mask != declaration->results[i].mask) {
      return reader_fail(reader, at,
                         "result %s does not run along the indices of its declaration: compute it "
                         "along these and no others",
                         declaration->results[i].name);
    }
    const element_t *wanted = type_of_step(&declaration->results[i]);
    const element_t *given = reader_step(reader, step)->type;
    if (is_quantized && given == element_named("i32")) wanted = given; /* What is stored. */
    if (is_quantized && given != wanted) {
      return reader_fail(reader, at,
                         "result %s is quantized, and this is %s: give it a float, or i32 to be "
                         "stored",
                         declaration->results[i].name, reader_type_name(reader, step));
    }
    if (wanted != NULL && reader_is_literal(reader, step)) {
      STATUS_TRY(reader_literal(reader, at, wanted, &step));
    }
    if (reader_step(reader, step)->type != wanted) {
      return reader_fail(reader, at, "result %s is %s, and this is %s: write \"convert(..., %s)\"",
                         declaration->results[i].name, wanted == NULL ? "a float" : wanted->name,
                         reader_type_name(reader, step), wanted == NULL ? "float" : wanted->name);
    }
    reader->formula->results[i] = step;
    reader->has_result[i] = true;
  }
  return STATUS_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static status_t check_order(const reader_t *reader, const char *at, bool is_op) {
  if (is_op && reader->declaration->op.name != NULL) {
    return reader_fail(reader, at, "a file declares one op; put the other in a file of its own");
  }
  if (!is_op && reader->declaration->op.name == NULL) {
    return reader_fail(reader, at, "the first line names the op: \"op PREFIX.NAME\"");
  }
  return STATUS_OK;
}

static status_t read_line(reader_t *reader) {
  reader_skip_blanks(reader);
  if (scan_at_end(&reader->scan)) return STATUS_OK;
  const char *at = reader->scan.cursor;
  str_t word = reader_word(reader);
  declaration_t *declaration = reader->declaration;
  bool is_blank_next = scan_peek(&reader->scan) == ' ' || scan_at_end(&reader->scan);
  if (!is_blank_next && scan_peek(&reader->scan) != '=') {
    return reader_fail_expecting(reader, "a word of the signature, or \"NAME = ...\"");
  }
  STATUS_TRY(check_order(reader, at, str_equal_text(word, "op")));
  if (str_equal_text(word, "op")) return reader_op(reader);
  scan_t ahead = reader->scan;
  while (scan_accept(&ahead, " ")) continue;
  if (scan_peek(&ahead) == '=' && reader_is_name(word)) return read_step(reader, at, word);
  if (str_equal_text(word, "formula")) return read_formula(reader);
  if (reader->formula != NULL) {
    return reader_fail(reader, at,
                       "expected \"NAME = ...\": the signature ends where the meaning "
                       "begins");
  }
  if (str_equal_text(word, "summary")) return reader_summary(reader);
  if (str_equal_text(word, "types")) return reader_types(reader);
  if (str_equal_text(word, "attribute")) return reader_attribute(reader);
  if (str_equal_text(word, "index")) return reader_index(reader);
  if (str_equal_text(word, "formulas")) return reader_formulas(reader);
  if (str_equal_text(word, "operand")) {
    return reader_tensor(reader, "an operand", CASE_OPERANDS_MAX, &declaration->operand_count,
                         declaration->operands);
  }
  if (str_equal_text(word, "result")) {
    return reader_tensor(reader, "a result", CASE_RESULTS_MAX, &declaration->result_count,
                         declaration->results);
  }
  return reader_fail(reader, at,
                     "expected op, summary, types, attribute, index, operand, result, formulas, "
                     "formula or \"NAME = ...\"");
}

static status_t read_lines(reader_t *reader, str_t text) {
  const char *next = text.data, *end = text.data + text.size;
  size_t line = 0;
  while (next < end) {
    const char *newline = memchr(next, '\n', (size_t)(end - next));
    const char *line_end = newline == NULL ? end : newline;
    reader->line = reader->numbers == NULL ? line + 1 : reader->numbers[line];
    line++;
    reader->scan = scan_make((str_t){next, (size_t)(line_end - next)});
    for (const char *at = next; at < line_end; at++) {
      if (*at < ' ' || *at > '~') {
        return reader_fail(reader, at, "byte 0x%02x: a line is printable ASCII, blanks no tabs",
                           (unsigned)(unsigned char)*at);
      }
    }
    if (line_end - next > LINE_BYTES_MAX) {
      return reader_fail(reader, next, "a line has at most %d bytes", (int)LINE_BYTES_MAX);
    }
    const char *comment = memchr(next, '#', (size_t)(line_end - next));
    if (comment != NULL) reader->scan.end = comment;
    while (reader->scan.end > next && reader->scan.end[-1] == ' ') reader->scan.end--;
    STATUS_TRY(read_line(reader));
    next = line_end + (newline != NULL);
  }
  return STATUS_OK;
}

/* What is missing at the end of the file. */
static status_t check_whole(reader_t *reader) {
  const declaration_t *declaration = reader->declaration;
  reader->line++;
  reader->scan = scan_make(str_from(""));
  const char *missing = NULL;
  if (declaration->op.name == NULL) missing = "op PREFIX.NAME";
  if (missing == NULL && declaration->op.summary == NULL) missing = "summary TEXT";
  if (missing == NULL && declaration->operand_count == 0) missing = "operand x[N]";
  if (missing == NULL && declaration->result_count == 0) missing = "result y[N]";
  if (missing == NULL && reader->formula == NULL) missing = "y = ...";
  if (missing != NULL) {
    return reader_fail(reader, reader->scan.begin, "the file ends without \"%s\"", missing);
  }
  STATUS_TRY(end_formula(reader));
  if (declaration->op.formulas == NULL) return STATUS_OK;
  if (declaration->formula_count == contract_value_count(declaration->op.formulas)) {
    return STATUS_OK;
  }
  return reader_fail(
      reader, reader->scan.begin, "the file ends without \"formula %s\"",
      contract_spelling(declaration->op.formulas, (uint8_t)declaration->formula_count));
}

void declared_free(declaration_t *declaration) {
  for (uint32_t i = 0; i < declaration->reading_count; i++) declared_free(declaration->readings[i]);
  arena_deinit(&declaration->arena);
  g_free(declaration);
}

status_t declaration_read(str_t text, const size_t *numbers, const char *path,
                          declaration_t **out_declaration, failure_t *error) {
  declaration_t *declaration = g_new0(declaration_t, 1);
  arena_init(&declaration->arena);
  declaration->types = 0xf;
  reader_t *reader = g_new0(reader_t, 1);
  *reader =
      (reader_t){.path = path, .numbers = numbers, .declaration = declaration, .error = error};
  status_t status = read_lines(reader, text);
  if (status == STATUS_OK) status = check_whole(reader);
  declaration->path = arena_copy_text(&declaration->arena, path, strlen(path));
  if (status == STATUS_OK) declared_analyse(declaration);
  g_free(reader);
  if (status != STATUS_OK) {
    declared_free(declaration);
    return status;
  }
  *out_declaration = declaration;
  return STATUS_OK;
}

status_t declared_parse(str_t text, const char *path, declaration_t **out_declaration,
                        failure_t *error) {
  const str_t main = {text.data, declaration_find_readings(text)};
  declaration_t *declaration = NULL;
  STATUS_TRY(declaration_read(main, NULL, path, &declaration, error));
  const reader_t reader = {.path = path, .declaration = declaration, .error = error};
  status_t status = declaration_read_readings(&reader, text);
  if (status != STATUS_OK) {
    declared_free(declaration);
    return status;
  }
  declaration->text = arena_copy_text(&declaration->arena, text.data, text.size);
  declared_make_row(declaration);
  *out_declaration = declaration;
  return STATUS_OK;
}
