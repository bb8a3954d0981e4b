/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the module, function and types around one op in generic MLIR, and cuts the op alone out
 * of that text so that every op is printed in one place only. */
#include "harness/model/mlir.h"

#include "harness/model/op.h"

static void print_types(const type_t *types, uint32_t count, GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    type_print_mlir(&types[i], out_text);
  }
}

/* A lone result type stands without parentheses. */
static void print_result_types(const program_t *program, GString *out_text) {
  bool alone = program->result_count == 1;
  if (!alone) g_string_append_c(out_text, '(');
  print_types(program->results, program->result_count, out_text);
  if (!alone) g_string_append_c(out_text, ')');
}

/* "(%arg0, %arg1)" */
static void print_arguments(const program_t *program, GString *out_text) {
  g_string_append_c(out_text, '(');
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(out_text, "%s%%arg%u", i == 0 ? "" : ", ", i);
  }
  g_string_append_c(out_text, ')');
}

void mlir_open(const program_t *program, const char *name, GString *out_text) {
  g_string_append(out_text, "module {\n  func.func @main(");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(out_text, "%s%%arg%u: ", i == 0 ? "" : ", ", i);
    type_print_mlir(&program->operands[i], out_text);
  }
  g_string_append(out_text, ") -> ");
  print_result_types(program, out_text);
  g_string_append(out_text, " {\n    %0");
  if (program->result_count > 1) g_string_append_printf(out_text, ":%u", program->result_count);
  g_string_append_printf(out_text, " = \"%s\"", name);
  print_arguments(program, out_text);
}

void mlir_close(const program_t *program, GString *out_text) {
  g_string_append(out_text, " : (");
  print_types(program->operands, program->operand_count, out_text);
  g_string_append(out_text, ") -> ");
  print_result_types(program, out_text);
  g_string_append(out_text, "\n    return");
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_string_append(out_text, i == 0 ? " %0" : ", %0");
    if (program->result_count > 1) g_string_append_printf(out_text, "#%u", i);
  }
  g_string_append(out_text, " : ");
  print_types(program->results, program->result_count, out_text);
  g_string_append(out_text, "\n  }\n}\n");
}

static void open_with_properties(const program_t *program, attribute_order_t order,
                                 GString *out_text) {
  mlir_open(program, program->op->name, out_text);
  if (program->op->attribute_rows == NULL) return;
  g_string_append(out_text, " <{");
  attributes_print_mlir(program, order, out_text);
  g_string_append(out_text, "}>");
}

void mlir_print_module(const program_t *program, GString *out_text) {
  open_with_properties(program, ATTRIBUTES_AS_LISTED, out_text);
  mlir_close(program, out_text);
}

void mlir_open_regions(const program_t *program, attribute_order_t order, GString *out_text) {
  open_with_properties(program, order, out_text);
  g_string_append(out_text, " ({\n");
}

void mlir_close_regions(const program_t *program, GString *out_text) {
  g_string_append(out_text, "    })");
  mlir_close(program, out_text);
}

void program_print_mlir_to_run(const program_t *program, GString *out_text) {
  const op_t *op = program->op;
  void (*print)(const program_t *, GString *) = op->print_mlir_to_run;
  (print != NULL ? print : op->print_mlir)(program, out_text);
}

void mlir_print_scalar(const element_t *element, GString *out_text) {
  type_t scalar = type_make(element, 0, NULL);
  type_print_mlir(&scalar, out_text);
}

/* ---- An op alone ----------------------------------------------------------------------------- */

static void print_names(const char *const *names, uint32_t count, GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    g_string_append_printf(out_text, "%s%%%s", i == 0 ? "" : ", ", names[i]);
  }
}

/* What mlir_open() and mlir_close() put around the op is cut off again, so that there is one place
 * in which each op is printed. */
void mlir_print_op(const program_t *program, const char *const *results,
                   const char *const *operands, const char *indent, GString *out_text) {
  GString *module = g_string_new(NULL);
  program->op->print_mlir(program, module);
  const char *begin = strstr(strstr(module->str, "\n    %0"), " = \"");
  const char *end = g_strrstr(module->str, "\n    return");
  GString *arguments = g_string_new(NULL);
  print_arguments(program, arguments);
  const char *list = strstr(begin, arguments->str);
  g_assert(list != NULL && list < end);
  print_names(results, program->result_count, out_text);
  g_string_append_len(out_text, begin, list - begin + 1);
  print_names(operands, program->operand_count, out_text);
  for (const char *p = list + arguments->len - 1; p < end; p++) {
    g_string_append_c(out_text, *p);
    if (*p == '\n') g_string_append(out_text, indent);
  }
  g_string_free(arguments, TRUE);
  g_string_free(module, TRUE);
}
