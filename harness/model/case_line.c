/* SPDX-License-Identifier: Apache-2.0 */
/* The case line: grammar and bounds are in case_line.md. */
#include "harness/model/case.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_program(const program_t *program,
                          void (*print_type)(const type_t *type, GString *out_text),
                          GString *out_text) {
  g_string_append(out_text, program->op->name);
  program_print_attributes(program, out_text);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_c(out_text, ' ');
    print_type(&program->operands[i], out_text);
  }
  g_string_append(out_text, " ->");
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_string_append_c(out_text, ' ');
    print_type(&program->results[i], out_text);
  }
}

void program_print(const program_t *program, GString *out_text) {
  print_program(program, type_print, out_text);
}

void program_print_compiled(const program_t *program, GString *out_text) {
  print_program(program, type_print_compiled, out_text);
}

void case_print(const case_t *instance, GString *out_text) {
  program_print(&instance->program, out_text);
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    g_string_append(out_text, " : ");
    tensor_print_data(&instance->operands[i], out_text);
  }
}

/* ---- Parsing --------------------------------------------------------------------------------- */

/* A line is printable ASCII: nothing that a terminal, a shell or a database could change unseen. */
static status_t check_line(str_t line, failure_t *error) {
  if (line.size > CASE_LINE_BYTES_MAX) {
    return status_fail(error, STATUS_INVALID, "a line of %zu bytes is too long: at most %d",
                       line.size, (int)CASE_LINE_BYTES_MAX);
  }
  bool is_clean = true;
  for (size_t i = 0; i < line.size; i++) is_clean &= line.data[i] >= ' ' && line.data[i] <= '~';
  if (is_clean) return STATUS_OK;
  scan_t scan = scan_make(line);
  while (*scan.cursor >= ' ' && *scan.cursor <= '~') scan.cursor++;
  return scan_fail(&scan, error, "byte 0x%02x: a line is printable ASCII",
                   (unsigned)(unsigned char)*scan.cursor);
}

static status_t parse_op(scan_t *scan, const op_t **out_op, failure_t *error) {
  scan_t start = *scan;
  *out_op = op_find(scan_until(scan, " "));
  if (*out_op != NULL) return STATUS_OK;
  return scan_fail_expecting(&start, error,
                             "an op (`assay ops` lists them, --ops adds those of a file)");
}

/* A broken rule of the type is reported at its first column. */
static status_t parse_type(scan_t *scan, arena_t *arena, bool may_be_large, type_t *out_type,
                           failure_t *error) {
  scan_t start = *scan;
  STATUS_TRY(type_parse(scan, arena, out_type, error));
  failure_t reason;
  status_t status =
      may_be_large ? type_check_large(out_type, &reason) : type_check(out_type, &reason);
  if (status == STATUS_OK) return STATUS_OK;
  return scan_fail(&start, error, "%.250s", reason.text);
}

/* The types on one side of the arrow. */
typedef struct type_side {
  const char *stop; /* What comes behind them. */
  uint32_t count_max;
  bool may_be_large; /* type_check_large() is enough. */
  type_t *types;
  uint32_t *count;
} type_side_t;

/* { " " type }, up to what comes behind them or the end. */
static status_t parse_types(scan_t *scan, arena_t *arena, const type_side_t *out_side,
                            failure_t *error) {
  uint32_t count_max = out_side->count_max;
  uint32_t count = 0;
  while (!scan_at_end(scan)) {
    scan_t ahead = *scan;
    if (scan_accept(&ahead, out_side->stop)) break;
    STATUS_TRY(scan_expect(scan, " ", error));
    if (count == count_max) {
      return scan_fail(scan, error, "there are at most %u types on this side of the arrow",
                       count_max);
    }
    STATUS_TRY(parse_type(scan, arena, out_side->may_be_large, &out_side->types[count], error));
    count++;
  }
  *out_side->count = count;
  return STATUS_OK;
}

/* op attributes { " " type } " ->" { " " type }, up to the end or " :". */
static status_t parse_program(scan_t *scan, arena_t *arena, bool may_be_large, program_t *program,
                              failure_t *error) {
  STATUS_TRY(parse_op(scan, &program->op, error));
  STATUS_TRY(program_parse_attributes(scan, arena, program, error));
  const type_side_t operands = {" ->", CASE_OPERANDS_MAX, may_be_large, program->operands,
                                &program->operand_count};
  const type_side_t results = {" :", CASE_RESULTS_MAX, may_be_large, program->results,
                               &program->result_count};
  STATUS_TRY(parse_types(scan, arena, &operands, error));
  STATUS_TRY(scan_expect(scan, " ->", error));
  STATUS_TRY(parse_types(scan, arena, &results, error));
  if (program->result_count > 0) return STATUS_OK;
  return scan_fail_expecting(scan, error, "a result type");
}

static status_t check_constraints(const scan_t *start, const program_t *program,
                                  const char **out_violation, failure_t *error) {
  const op_constraint_t *broken = program_broken(program);
  if (out_violation != NULL) {
    *out_violation = broken == NULL ? NULL : broken->id;
  } else if (broken != NULL) {
    g_autoptr(GString) text = g_string_new(NULL);
    op_constraint_explain(program->op, broken, text);
    return scan_fail(start, error, "%.250s", text->str);
  }
  if (dynamic_fits(program)) return STATUS_OK;
  return scan_fail(
      start, error,
      "which sizes are '?' does not fit the op: a dimension is '?' in all operands and "
      "results that have it, of a valid program of an op that tells its axes");
}

static status_t parse_line(str_t line, arena_t *arena, bool may_be_large, program_t *out_program,
                           const char **out_violation, failure_t *error) {
  STATUS_TRY(check_line(line, error));
  scan_t scan = scan_make(line);
  scan_t start = scan;
  program_t program = {.op = NULL};
  STATUS_TRY(parse_program(&scan, arena, may_be_large, &program, error));
  if (!scan_at_end(&scan)) return scan_fail_expecting(&scan, error, "the end of the line");
  STATUS_TRY(check_constraints(&start, &program, out_violation, error));
  *out_program = program;
  return STATUS_OK;
}

status_t program_parse(str_t line, arena_t *arena, program_t *out_program,
                       const char **out_violation, failure_t *error) {
  return parse_line(line, arena, false, out_program, out_violation, error);
}

status_t program_parse_large(str_t line, arena_t *arena, program_t *out_program,
                             const char **out_violation, failure_t *error) {
  return parse_line(line, arena, true, out_program, out_violation, error);
}

/* Storage values are those of the storage range. */
static status_t check_stored(const scan_t *field, const tensor_t *tensor, failure_t *error) {
  const quantization_t *quantization = tensor->type.quantization;
  if (quantization == NULL) return STATUS_OK;
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    int64_t stored = element_signed_value(element, element_load(element, tensor->data, i));
    if (stored >= quantization->storage_min && stored <= quantization->storage_max) continue;
    return scan_fail(field, error, "%" G_GINT64_FORMAT " is outside of the storage range", stored);
  }
  return STATUS_OK;
}

status_t case_parse(str_t line, arena_t *arena, case_t *out_case, const char **out_violation,
                    failure_t *error) {
  STATUS_TRY(check_line(line, error));
  scan_t scan = scan_make(line);
  scan_t start = scan;
  case_t instance = {.program = {.op = NULL}};
  program_t *program = &instance.program;
  STATUS_TRY(parse_program(&scan, arena, false, program, error));
  const char *violation = NULL;
  STATUS_TRY(check_constraints(&start, program, out_violation == NULL ? NULL : &violation, error));
  for (uint32_t i = 0; i < program->operand_count; i++) {
    STATUS_TRY(scan_expect(&scan, " : ", error));
    scan_t field = scan;
    tensor_t *operand = &instance.operands[i];
    STATUS_TRY(tensor_parse_data(&scan, &program->operands[i], arena, operand, error));
    STATUS_TRY(check_stored(&field, operand, error));
  }
  if (!scan_at_end(&scan)) return scan_fail_expecting(&scan, error, "the end of the line");
  if (out_violation != NULL) *out_violation = violation;
  *out_case = instance;
  return STATUS_OK;
}
