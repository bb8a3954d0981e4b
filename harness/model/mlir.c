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
  g_string_append_printf(out_text, " = \"%s\"(", name);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(out_text, "%s%%arg%u", i == 0 ? "" : ", ", i);
  }
  g_string_append_c(out_text, ')');
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

void mlir_print_scalar(const element_t *element, GString *out_text) {
  type_t scalar = type_make(element, 0, NULL);
  type_print_mlir(&scalar, out_text);
}
