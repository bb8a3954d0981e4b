/* SPDX-License-Identifier: Apache-2.0 */
/* Programs from typed values: each is spelled as the case line has it, and the line is then parsed
 * and checked as any other. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"

/* ---- Beginning ------------------------------------------------------------------------------- */

static size_t row_count(const op_t *op) {
  size_t count = 0;
  while (op->attribute_rows != NULL && op->attribute_rows[count].key != NULL) count++;
  return count;
}

static status_t new_program(call_t *call, const char *name, assay_program_handle_t **out_program) {
  if (out_program == NULL) return fail_null(call, "out_program", "give where the program goes");
  if (name == NULL) return fail_null(call, "op", "name one, such as \"stablehlo.dot_general\"");
  const op_t *op = op_find(str_from(name));
  if (op == NULL) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "there is no op '%.80s'; assay_op_name() and `assay ops` list them", name);
  }
  assay_program_handle_t *program = g_new0(assay_program_handle_t, 1);
  arena_init(&program->arena);
  program->op = op;
  program->attributes = g_new0(char *, row_count(op) + 1);
  program->operands = g_ptr_array_new_with_free_func(g_free);
  program->results = g_ptr_array_new_with_free_func(g_free);
  *out_program = program;
  return STATUS_OK;
}

int32_t assay_program_new(const char *op, assay_program_handle_t **out_program,
                          assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, new_program(&call, op, out_program));
}

static status_t check_unfinished(call_t *call, const assay_program_handle_t *program) {
  if (program == NULL) return fail_null(call, "program", "make one with assay_program_new()");
  if (!program->is_finished) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "the program is finished and changes no more; make another one");
}

/* ---- Types ----------------------------------------------------------------------------------- */

typedef struct shape {
  const char *element;
  uint32_t rank;
  const int64_t *dims;
} shape_t;

static status_t add_type(call_t *call, const assay_program_handle_t *program, bool is_result,
                         const shape_t *shape) {
  STATUS_TRY(check_unfinished(call, program));
  const uint32_t count_max = is_result ? CASE_RESULTS_MAX : CASE_OPERANDS_MAX;
  const char *what = is_result ? "result" : "operand";
  GPtrArray *types = is_result ? program->results : program->operands;
  if (types->len == count_max) {
    return status_fail(&call->failure, STATUS_INVALID, "a program has at most %u %ss", count_max,
                       what);
  }
  if (shape->element == NULL) return fail_null(call, "element", "name a type, such as \"f32\"");
  if (shape->rank > TYPE_RANK_MAX) {
    return status_fail(&call->failure, STATUS_INVALID, "%s %u has rank %u; at most %d dimensions",
                       what, types->len, shape->rank, (int)TYPE_RANK_MAX);
  }
  if (shape->rank > 0 && shape->dims == NULL) {
    return fail_null(call, "dims", "give as many sizes as rank says");
  }
  arena_t arena;
  arena_init(&arena);
  type_t type;
  scan_t scan = scan_make(str_from(shape->element));
  status_t status = type_parse_element(&scan, &arena, &type, &call->failure);
  if (status == STATUS_OK && !scan_at_end(&scan)) {
    status = scan_fail_expecting(&scan, &call->failure, "the end of the element type");
  }
  if (status == STATUS_OK) {
    type.rank = shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) type.dims[i] = shape->dims[i];
    status = type_check_large(&type, &call->failure);
  }
  if (status == STATUS_OK) {
    GString *text = g_string_new(NULL);
    type_print(&type, text);
    g_ptr_array_add(types, g_string_free(text, FALSE));
  }
  arena_deinit(&arena);
  return status;
}

int32_t assay_program_add_operand(assay_program_handle_t *program, const char *element,
                                  uint32_t rank, const int64_t *dims, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, add_type(&call, program, false, &(shape_t){element, rank, dims}));
}

int32_t assay_program_add_result(assay_program_handle_t *program, const char *element,
                                 uint32_t rank, const int64_t *dims, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, add_type(&call, program, true, &(shape_t){element, rank, dims}));
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static status_t find_row(call_t *call, const assay_program_handle_t *program, const char *key,
                         size_t *out_row) {
  STATUS_TRY(check_unfinished(call, program));
  if (key == NULL) return fail_null(call, "key", "name an attribute");
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t i = 0; i < row_count(program->op); i++) {
    *out_row = i;
    if (g_str_equal(program->op->attribute_rows[i].key, key)) return STATUS_OK;
    g_string_append_printf(known, "%s%s", i == 0 ? "" : ", ", program->op->attribute_rows[i].key);
  }
  return status_fail(&call->failure, STATUS_INVALID, "%s has no attribute '%.60s'; it has %.250s",
                     program->op->name, key, known->len == 0 ? "none" : known->str);
}

/* Takes `text`. */
static int32_t set_attribute(assay_program_handle_t *program, const char *key, GString *text,
                             assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  size_t row = 0;
  status_t status = find_row(&call, program, key, &row);
  if (status == STATUS_OK && text == NULL) {
    status = status_fail(&call.failure, STATUS_INVALID,
                         "attribute '%.60s' has no values; give an array, or a count of 0", key);
  }
  if (status != STATUS_OK) {
    if (text != NULL) g_string_free(text, TRUE);
    return call_end(&call, status);
  }
  g_free(program->attributes[row]);
  program->attributes[row] = g_string_free(text, FALSE);
  return call_end(&call, STATUS_OK);
}

static void print_integers(const int64_t *values, size_t count, GString *text) {
  g_string_append_c(text, '[');
  for (size_t i = 0; i < count; i++) {
    g_string_append_printf(text, "%s%" PRId64, i == 0 ? "" : ",", values[i]);
  }
  g_string_append_c(text, ']');
}

/* No list of a program is longer: what is longer is an error of the line, not read here. */
enum { LIST_MAX = 1 << 16 };
static bool is_list(const void *values, size_t count) {
  return count == 0 || (values != NULL && count <= LIST_MAX);
}

/* Whether the attribute is a number, which may be given as an integer too. */
static bool is_number(const assay_program_handle_t *program, const char *key) {
  if (program == NULL || key == NULL) return false;
  for (size_t i = 0; i < row_count(program->op); i++) {
    const attribute_row_t *row = &program->op->attribute_rows[i];
    if (strcmp(row->key, key) == 0) return row->codec == &attribute_number;
  }
  return false;
}

int32_t assay_program_set_integer(assay_program_handle_t *program, const char *key, int64_t value,
                                  assay_error_t *error) {
  if (is_number(program, key)) return assay_program_set_number(program, key, (double)value, error);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%" PRId64, value);
  return set_attribute(program, key, text, error);
}

int32_t assay_program_set_integers(assay_program_handle_t *program, const char *key,
                                   const int64_t *values, size_t count, assay_error_t *error) {
  if (!is_list(values, count)) return set_attribute(program, key, NULL, error);
  GString *text = g_string_new(NULL);
  print_integers(values, count, text);
  return set_attribute(program, key, text, error);
}

int32_t assay_program_set_number(assay_program_handle_t *program, const char *key, double value,
                                 assay_error_t *error) {
  GString *text = g_string_new(NULL);
  call_t call; /* Spells it in the C locale. */
  call_begin(&call, NULL);
  g_string_append_printf(text, "%a", value);
  call_end(&call, STATUS_OK);
  return set_attribute(program, key, text, error);
}

static const char *spell_boolean(int32_t value) { return value != 0 ? "true" : "false"; }

int32_t assay_program_set_boolean(assay_program_handle_t *program, const char *key, int32_t value,
                                  assay_error_t *error) {
  return set_attribute(program, key, g_string_new(spell_boolean(value)), error);
}

int32_t assay_program_set_booleans(assay_program_handle_t *program, const char *key,
                                   const int32_t *values, size_t count, assay_error_t *error) {
  if (!is_list(values, count)) return set_attribute(program, key, NULL, error);
  GString *text = g_string_new("[");
  for (size_t i = 0; i < count; i++) {
    g_string_append_printf(text, "%s%s", i == 0 ? "" : ",", spell_boolean(values[i]));
  }
  g_string_append_c(text, ']');
  return set_attribute(program, key, text, error);
}

int32_t assay_program_set_text(assay_program_handle_t *program, const char *key, const char *value,
                               assay_error_t *error) {
  return set_attribute(program, key, value == NULL ? NULL : g_string_new(value), error);
}

int32_t assay_program_set_texts(assay_program_handle_t *program, const char *key,
                                const char *const *texts, size_t count, assay_error_t *error) {
  bool has_all = is_list(texts, count);
  for (size_t i = 0; has_all && i < count; i++) has_all = texts[i] != NULL;
  if (!has_all) return set_attribute(program, key, NULL, error);
  GString *text = g_string_new("[");
  for (size_t i = 0; i < count; i++) {
    g_string_append_printf(text, "%s%s", i == 0 ? "" : ",", texts[i]);
  }
  g_string_append_c(text, ']');
  return set_attribute(program, key, text, error);
}

int32_t assay_program_set_dimension_pair(assay_program_handle_t *program, const char *key,
                                         const int64_t *left, const int64_t *right, size_t count,
                                         assay_error_t *error) {
  if (!is_list(left, count) || !is_list(right, count)) {
    return set_attribute(program, key, NULL, error);
  }
  GString *text = g_string_new(NULL);
  print_integers(left, count, text);
  g_string_append_c(text, 'x');
  print_integers(right, count, text);
  return set_attribute(program, key, text, error);
}

int32_t assay_program_set_integer_rows(assay_program_handle_t *program, const char *key,
                                       const int64_t *values, size_t rows, size_t columns,
                                       assay_error_t *error) {
  size_t count;
  bool is_whole = !__builtin_mul_overflow(rows, columns, &count) && rows <= LIST_MAX;
  if (!is_whole || !is_list(values, count)) return set_attribute(program, key, NULL, error);
  GString *text = g_string_new("[");
  for (size_t i = 0; i < rows; i++) {
    if (i > 0) g_string_append_c(text, ',');
    print_integers(columns == 0 ? NULL : values + i * columns, columns, text);
  }
  g_string_append_c(text, ']');
  return set_attribute(program, key, text, error);
}
