/* SPDX-License-Identifier: Apache-2.0 */
/* A module as MLIR: each step as its op's row prints it (mlir_print_op()). */
#include "harness/kinds/module/module.h"
#include "harness/model/mlir.h"

typedef struct printer {
  const program_t *program;
  GString *text;
  uint32_t cast_count;
} printer_t;

static char *name_of(module_value_t value) {
  bool is_argument = value < MODULE_ARGUMENTS_MAX;
  return is_argument ? g_strdup_printf("arg%u", value)
                     : g_strdup_printf("v%u", value - MODULE_ARGUMENTS_MAX);
}

/* The name under which a value has a type: its own, or that of the same bits seen otherwise. */
static char *seen_as(printer_t *self, module_value_t value, const type_t *type) {
  const type_t *defined = module_type(self->program, value);
  char *name = name_of(value);
  bool is_constant = module_constant(module_of(self->program), value) != NULL;
  const type_t plain = type_make(defined->element, defined->rank, defined->dims);
  if (is_constant) defined = &plain; /* As it is printed. */
  if (type_equal(defined, type)) return name;
  char *seen = g_strdup_printf("seen%u", self->cast_count++);
  g_string_append_printf(self->text, "    %%%s = \"stablehlo.bitcast_convert\"(%%%s) : (", seen,
                         name);
  type_print_mlir(defined, self->text);
  g_string_append(self->text, ") -> ");
  type_print_mlir(type, self->text);
  g_string_append_c(self->text, '\n');
  g_free(name);
  return seen;
}

/* Data in hexadecimal, as MLIR takes it: little-endian bytes, of what is stored. */
static void print_constant(printer_t *self, const tensor_t *data, module_value_t value) {
  g_autofree char *name = name_of(value);
  const type_t plain = type_make(data->type.element, data->type.rank, data->type.dims);
  size_t bytes = type_bytes(&plain);
  g_string_append_printf(self->text, "    %%%s = \"stablehlo.constant\"() <{value = dense<", name);
  if (bytes > 0) g_string_append(self->text, "\"0x");
  for (size_t i = 0; i < bytes; i++) g_string_append_printf(self->text, "%02X", data->data[i]);
  g_string_append(self->text, bytes > 0 ? "\"> : " : "> : ");
  type_print_mlir(&plain, self->text);
  g_string_append(self->text, "}> : () -> ");
  type_print_mlir(&plain, self->text);
  g_string_append_c(self->text, '\n');
}

static void print_step(printer_t *self, const module_step_t *step) {
  const program_t *program = &step->program;
  char *operands[CASE_OPERANDS_MAX];
  char *results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    operands[i] = seen_as(self, step->operands[i], &program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) results[i] = name_of(step->results[i]);
  g_string_append(self->text, "    ");
  mlir_print_op(program, (const char *const *)results, (const char *const *)operands, "",
                self->text);
  g_string_append_c(self->text, '\n');
  for (uint32_t i = 0; i < program->operand_count; i++) g_free(operands[i]);
  for (uint32_t i = 0; i < program->result_count; i++) g_free(results[i]);
}

static void print_types(const type_t *types, uint32_t count, GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    type_print_mlir(&types[i], out_text);
  }
}

static void print_signature(const program_t *program, GString *out_text) {
  g_string_append(out_text, "module {\n  func.func @main(");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(out_text, "%s%%arg%u: ", i == 0 ? "" : ", ", i);
    type_print_mlir(&program->operands[i], out_text);
  }
  g_string_append(out_text, ") -> (");
  print_types(program->results, program->result_count, out_text);
  g_string_append(out_text, ") {\n");
}

static void print_return(printer_t *self) {
  const program_t *program = self->program;
  const module_t *module = module_of(program);
  char *names[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    names[i] = seen_as(self, module->returns[i], &program->results[i]);
  }
  g_string_append(self->text, "    return");
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_string_append_printf(self->text, "%s%%%s", i == 0 ? " " : ", ", names[i]);
    g_free(names[i]);
  }
  g_string_append(self->text, " : ");
  print_types(program->results, program->result_count, self->text);
  g_string_append(self->text, "\n  }\n}\n");
}

void module_print_mlir(const program_t *program, GString *out_text) {
  printer_t self = {.program = program, .text = out_text};
  const module_t *module = module_of(program);
  print_signature(program, out_text);
  for (uint32_t i = 0; i < module->constant_count; i++) {
    print_constant(&self, &module->constants[i], MODULE_ARGUMENTS_MAX + i);
  }
  for (uint32_t i = 0; i < module->step_count; i++) print_step(&self, &module->steps[i]);
  print_return(&self);
}
