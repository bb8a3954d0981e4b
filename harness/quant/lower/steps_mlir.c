/* SPDX-License-Identifier: Apache-2.0 */
/* One function: each op as its row prints it (mlir_print_op()). */
#include <string.h>

#include "harness/model/mlir.h"
#include "harness/quant/lower/export.h"

typedef struct printer {
  const quant_steps_t *steps;
  GString *text;
  char **names;  /* By tensor: its SSA name without '%', owned; NULL while it is not defined. */
  type_t *types; /* By tensor: the type that this name has. */
  uint32_t cast_count;
} printer_t;

static void define(printer_t *self, uint32_t tensor, char *name, const type_t *type) {
  self->names[tensor] = name;
  self->types[tensor] = *type;
}

/* The name under which `name` has another type: the same bits, seen otherwise. */
static char *cast(printer_t *self, const char *name, const type_t *from, const type_t *to) {
  if (type_equal(from, to)) return g_strdup(name);
  char *seen = g_strdup_printf("seen%u", self->cast_count++);
  g_string_append_printf(self->text, "    %%%s = \"stablehlo.bitcast_convert\"(%%%s) : (", seen,
                         name);
  type_print_mlir(from, self->text);
  g_string_append(self->text, ") -> ");
  type_print_mlir(to, self->text);
  g_string_append_c(self->text, '\n');
  return seen;
}

/* ---- Constants ------------------------------------------------------------------------------- */

static bool is_splat(const tensor_t *data) {
  size_t count = type_element_count(&data->type), bytes = element_bytes(data->type.element);
  for (size_t i = 1; i < count; i++) {
    if (memcmp(data->data, data->data + i * bytes, bytes) != 0) return false;
  }
  return count > 0;
}

/* Data in hexadecimal, as MLIR takes it: little-endian bytes, one element where all are alike. */
static void print_constant(printer_t *self, uint32_t tensor) {
  const tensor_t *data = self->steps->tensors[tensor].constant;
  const type_t plain = type_make(data->type.element, data->type.rank, data->type.dims);
  char *name = g_strdup_printf("t%u", tensor);
  g_string_append_printf(self->text, "    %%%s = \"stablehlo.constant\"() <{value = dense<", name);
  size_t bytes = is_splat(data) ? element_bytes(plain.element) : type_bytes(&plain);
  if (bytes > 0) g_string_append(self->text, "\"0x");
  for (size_t i = 0; i < bytes; i++) g_string_append_printf(self->text, "%02X", data->data[i]);
  g_string_append(self->text, bytes > 0 ? "\"> : " : "> : ");
  type_print_mlir(&plain, self->text);
  g_string_append(self->text, "}> : () -> ");
  type_print_mlir(&plain, self->text);
  g_string_append_c(self->text, '\n');
  define(self, tensor, name, &plain);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void print_step(printer_t *self, uint32_t number) {
  const quant_step_t *step = &self->steps->steps[number];
  const program_t *program = &step->program;
  char *operands[CASE_OPERANDS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    uint32_t tensor = step->operands[i];
    operands[i] = cast(self, self->names[tensor], &self->types[tensor], &program->operands[i]);
  }
  const char *results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    char *name = program->result_count > 1 ? g_strdup_printf("r%u.%u", number, i)
                                           : g_strdup_printf("r%u", number);
    define(self, step->results[i], name, &program->results[i]);
    results[i] = name;
  }
  g_string_append(self->text, "    ");
  mlir_print_op(program, results, (const char *const *)operands, "", self->text);
  g_string_append_c(self->text, '\n');
  for (uint32_t i = 0; i < program->operand_count; i++) g_free(operands[i]);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void print_signature(printer_t *self) {
  const quant_steps_t *steps = self->steps;
  g_string_append(self->text, "module {\n  func.func @main(");
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    uint32_t tensor = steps->inputs[i];
    char *name = g_strdup_printf("t%u", tensor);
    g_string_append_printf(self->text, "%s%%%s: ", i == 0 ? "" : ", ", name);
    type_print_mlir(&steps->tensors[tensor].type, self->text);
    define(self, tensor, name, &steps->tensors[tensor].type);
  }
  g_string_append(self->text, ") -> (");
  for (uint32_t i = 0; i < steps->graph->output_count; i++) {
    if (i > 0) g_string_append(self->text, ", ");
    type_print_mlir(&steps->tensors[steps->outputs[i]].type, self->text);
  }
  g_string_append(self->text, ") {\n");
}

static void print_return(printer_t *self) {
  const quant_steps_t *steps = self->steps;
  uint32_t count = steps->graph->output_count;
  g_string_append(self->text, "    return");
  for (uint32_t i = 0; i < count; i++) {
    const char *name = self->names[steps->outputs[i]];
    g_string_append_printf(self->text, "%s%%%s", i == 0 ? " " : ", ", name);
  }
  for (uint32_t i = 0; i < count; i++) {
    g_string_append(self->text, i == 0 ? " : " : ", ");
    type_print_mlir(&self->types[steps->outputs[i]], self->text);
  }
  g_string_append(self->text, "\n  }\n}\n");
}

void quant_steps_print_mlir(const quant_steps_t *steps, GString *out_text) {
  printer_t self = {.steps = steps,
                    .text = out_text,
                    .names = g_new0(char *, steps->tensor_count),
                    .types = g_new0(type_t, steps->tensor_count)};
  print_signature(&self);
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    if (steps->tensors[i].constant != NULL) print_constant(&self, i);
  }
  for (uint32_t i = 0; i < steps->step_count; i++) print_step(&self, i);
  print_return(&self);
  for (uint32_t i = 0; i < steps->tensor_count; i++) g_free(self.names[i]);
  g_free(self.names);
  g_free(self.types);
}
