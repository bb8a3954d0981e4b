/* SPDX-License-Identifier: Apache-2.0 */
/* Finished programs: checked, and read. */
#include <string.h>

#include "harness/api/handles.h"

/* ---- Checking -------------------------------------------------------------------------------- */

/* Of an attribute that is one of some words: ", one of nearest, linear". */
static char *list_words(const attribute_row_t *row) {
  GString *text = g_string_new(NULL);
  if (row->codec != &attribute_word) return g_string_free(text, FALSE);
  for (size_t i = 0; row->words[i] != NULL; i++) {
    g_string_append_printf(text, "%s%s", i == 0 ? ", one of " : ", ", row->words[i]);
  }
  return g_string_free(text, FALSE);
}

/* Which attribute is there not, if one must be: said before the line is parsed, which would only
 * tell at which column. */
static status_t check_attributes(call_t *call, const assay_program_handle_t *program) {
  const attribute_row_t *rows = program->op->attribute_rows;
  for (size_t i = 0; rows != NULL && rows[i].key != NULL; i++) {
    if (program->attributes[i] != NULL || rows[i].codec->is_absent != NULL) continue;
    g_autofree char *words = list_words(&rows[i]);
    return status_fail(&call->failure, STATUS_INVALID,
                       "%s needs attribute '%s'%s; it is set by a call of "
                       "assay_program_set_...(), and in Python by a keyword, %s=",
                       program->op->name, rows[i].key, words, rows[i].key);
  }
  return STATUS_OK;
}

static char *spell_line(const assay_program_handle_t *program) {
  GString *line = g_string_new(program->op->name);
  const attribute_row_t *rows = program->op->attribute_rows;
  for (size_t i = 0; rows != NULL && rows[i].key != NULL; i++) {
    if (program->attributes[i] == NULL) continue;
    g_string_append_printf(line, " %s=%s", rows[i].key, program->attributes[i]);
  }
  for (guint i = 0; i < program->operands->len; i++) {
    g_string_append_printf(line, " %s", (const char *)g_ptr_array_index(program->operands, i));
  }
  g_string_append(line, " ->");
  for (guint i = 0; i < program->results->len; i++) {
    g_string_append_printf(line, " %s", (const char *)g_ptr_array_index(program->results, i));
  }
  return g_string_free(line, FALSE);
}

static status_t parse_valid(call_t *call, const char *line, arena_t *arena, program_t *out) {
  const char *violation = NULL;
  STATUS_TRY(program_parse_large(str_from(line), arena, out, &violation, &call->failure));
  if (violation == NULL) return STATUS_OK;
  const op_constraint_t *broken = op_constraint_find(out->op, violation);
  g_autoptr(GString) text = g_string_new(NULL);
  op_constraint_explain(out->op, broken, text);
  status_t status = op_constraint_is_forbidden(broken) ? STATUS_INVALID : STATUS_UNSUPPORTED;
  return status_fail(&call->failure, status, "the program %.400s", text->str);
}

static char *element_text(arena_t *arena, const type_t *type) {
  g_autoptr(GString) text = g_string_new(NULL);
  type_print_element(type, text);
  return arena_copy_text(arena, text->str, text->len);
}

/* All that is read of a program, once it is there. */
static void complete(assay_program_handle_t *program) {
  const program_t *finished = &program->program;
  arena_t *arena = &program->arena;
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(finished, text);
  program->line = arena_copy_text(arena, text->str, text->len);
  g_string_truncate(text, 0);
  finished->op->print_mlir(finished, text);
  program->mlir = arena_copy_text(arena, text->str, text->len);
  for (uint32_t i = 0; i < finished->operand_count; i++) {
    program->operand_elements[i] = element_text(arena, &finished->operands[i]);
  }
  for (uint32_t i = 0; i < finished->result_count; i++) {
    program->result_elements[i] = element_text(arena, &finished->results[i]);
  }
  program->attribute_count = op_attributes(finished, arena, program->attribute_texts);
  program->op = finished->op;
  program->is_finished = true;
}

static status_t finish(call_t *call, assay_program_handle_t *program) {
  if (program == NULL) return fail_null(call, "program", "make one with assay_program_new()");
  if (program->is_finished) return STATUS_OK;
  STATUS_TRY(check_attributes(call, program));
  g_autofree char *line = spell_line(program);
  status_t status = parse_valid(call, line, &program->arena, &program->program);
  if (status != STATUS_OK) {
    size_t length = strlen(call->failure.text);
    g_snprintf(call->failure.text + length, sizeof call->failure.text - length, "; in '%s'", line);
    return status;
  }
  complete(program);
  return STATUS_OK;
}

int32_t assay_program_finish(assay_program_handle_t *program, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, finish(&call, program));
}

static status_t parse_program(call_t *call, const char *line,
                              assay_program_handle_t **out_program) {
  if (out_program == NULL) return fail_null(call, "out_program", "give where the program goes");
  if (line == NULL) return fail_null(call, "line", "give a program line");
  assay_program_handle_t *program = g_new0(assay_program_handle_t, 1);
  arena_init(&program->arena);
  status_t status = parse_valid(call, line, &program->arena, &program->program);
  if (status != STATUS_OK) {
    assay_program_free(program);
    return status;
  }
  complete(program);
  *out_program = program;
  return STATUS_OK;
}

int32_t assay_program_parse(const char *line, assay_program_handle_t **out_program,
                            assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, parse_program(&call, line, out_program));
}

assay_program_handle_t *program_handle_new(const program_t *program) {
  assay_program_handle_t *handle = g_new0(assay_program_handle_t, 1);
  arena_init(&handle->arena);
  /* By its line: what it points to becomes the handle's. */
  g_autoptr(GString) line = g_string_new(NULL);
  program_print(program, line);
  const char *violation = NULL;
  failure_t failure;
  status_t status = program_parse((str_t){line->str, line->len}, &handle->arena, &handle->program,
                                  &violation, &failure);
  g_assert(status == STATUS_OK);
  complete(handle);
  return handle;
}

void assay_program_free(assay_program_handle_t *program) {
  if (program == NULL) return;
  if (program->attributes != NULL) {
    for (size_t i = 0;
         program->op->attribute_rows != NULL && program->op->attribute_rows[i].key != NULL; i++) {
      g_free(program->attributes[i]);
    }
    g_free(program->attributes);
    g_ptr_array_unref(program->operands);
    g_ptr_array_unref(program->results);
  }
  arena_deinit(&program->arena);
  g_free(program);
}

bool program_is_large(const program_t *program) {
  bool is_large = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_large |= type_check(&program->operands[i], NULL) != STATUS_OK;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    is_large |= type_check(&program->results[i], NULL) != STATUS_OK;
  }
  return is_large;
}

status_t check_bounded(call_t *call, const assay_program_handle_t *program) {
  STATUS_TRY(check_finished(call, program));
  if (!program_is_large(&program->program)) return STATUS_OK;
  return status_fail(&call->failure, STATUS_UNSUPPORTED,
                     "a tensor has more than %d elements or %d bytes: only assay_check() takes "
                     "such, of ops that it can cut into parts",
                     (int)TYPE_ELEMENTS_MAX, (int)TYPE_BYTES_MAX);
}

/* ---- Reading --------------------------------------------------------------------------------- */

status_t check_finished(call_t *call, const assay_program_handle_t *program) {
  if (program == NULL) {
    return fail_null(call, "program", "make one with assay_program_new() or assay_program_parse()");
  }
  if (program->is_finished) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "the program is not finished; call assay_program_finish() first");
}

static bool is_finished(const assay_program_handle_t *program) {
  return program != NULL && program->is_finished;
}

const char *assay_program_line(const assay_program_handle_t *program) {
  return is_finished(program) ? program->line : NULL;
}
const char *assay_program_op(const assay_program_handle_t *program) {
  return is_finished(program) ? program->op->name : NULL;
}
const char *assay_program_mlir(const assay_program_handle_t *program) {
  return is_finished(program) ? program->mlir : NULL;
}
uint32_t assay_program_operand_count(const assay_program_handle_t *program) {
  return is_finished(program) ? program->program.operand_count : 0;
}
uint32_t assay_program_result_count(const assay_program_handle_t *program) {
  return is_finished(program) ? program->program.result_count : 0;
}

static status_t read_attribute(call_t *call, const assay_program_handle_t *program, uint32_t index,
                               const char **out_key, const char **out_value) {
  STATUS_TRY(check_finished(call, program));
  if (out_key == NULL || out_value == NULL) {
    return fail_null(call, "out_key or out_value", "give where both go");
  }
  if (index >= program->attribute_count) {
    return status_fail(&call->failure, STATUS_INVALID, "there is no attribute %u; %s has %zu here",
                       index, program->op->name, program->attribute_count);
  }
  *out_key = program->attribute_texts[index].key;
  *out_value = program->attribute_texts[index].value;
  return STATUS_OK;
}

int32_t assay_program_attribute(const assay_program_handle_t *program, uint32_t index,
                                const char **out_key, const char **out_value,
                                assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_attribute(&call, program, index, out_key, out_value));
}

const char *attribute_text(const assay_program_handle_t *program, const char *key) {
  for (size_t i = 0; i < program->attribute_count; i++) {
    if (g_str_equal(program->attribute_texts[i].key, key)) return program->attribute_texts[i].value;
  }
  return NULL;
}

static status_t read_integers(call_t *call, const assay_program_handle_t *program, const char *key,
                              int64_t *out_values, size_t capacity, size_t *out_count) {
  STATUS_TRY(check_finished(call, program));
  if (key == NULL) return fail_null(call, "key", "name an attribute");
  if (out_count == NULL) return fail_null(call, "out_count", "give where the count goes");
  if (capacity > 0 && out_values == NULL) {
    return fail_null(call, "out_values", "give room for `capacity` integers");
  }
  const char *text = attribute_text(program, key);
  if (text == NULL) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "%s has no attribute '%.60s' here; assay_program_attribute() lists them",
                       program->op->name, key);
  }
  size_t count = 0;
  for (const char *at = text; *at != '\0';) {
    bool begins = g_ascii_isdigit(*at) || (*at == '-' && g_ascii_isdigit(at[1]));
    if (!begins) {
      at++;
      continue;
    }
    char *end;
    int64_t value = g_ascii_strtoll(at, &end, 10);
    if (count < capacity) out_values[count] = value;
    count++;
    at = end;
  }
  *out_count = count;
  return STATUS_OK;
}

int32_t assay_program_integers(const assay_program_handle_t *program, const char *key,
                               int64_t *out_values, size_t capacity, size_t *out_count,
                               assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_integers(&call, program, key, out_values, capacity, out_count));
}

static status_t read_type(call_t *call, const assay_program_handle_t *program, bool is_result,
                          uint32_t index, assay_tensor_t *out_type) {
  STATUS_TRY(check_finished(call, program));
  if (out_type == NULL) return fail_null(call, "out_type", "give where the type goes");
  STATUS_TRY(check_struct(call, "assay_tensor_t", out_type->struct_size, sizeof *out_type));
  const program_t *finished = &program->program;
  uint32_t count = is_result ? finished->result_count : finished->operand_count;
  if (index >= count) {
    return status_fail(&call->failure, STATUS_INVALID, "there is no %s %u; the program has %u",
                       is_result ? "result" : "operand", index, count);
  }
  const type_t *type = is_result ? &finished->results[index] : &finished->operands[index];
  const assay_tensor_t shown = {
      .rank = type->rank,
      .element = is_result ? program->result_elements[index] : program->operand_elements[index],
      .dims = type->dims};
  write_struct(out_type, &shown, sizeof shown);
  return STATUS_OK;
}

int32_t assay_program_operand_type(const assay_program_handle_t *program, uint32_t index,
                                   assay_tensor_t *out_type, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_type(&call, program, false, index, out_type));
}

int32_t assay_program_result_type(const assay_program_handle_t *program, uint32_t index,
                                  assay_tensor_t *out_type, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_type(&call, program, true, index, out_type));
}
