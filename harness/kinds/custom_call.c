/* SPDX-License-Identifier: Apache-2.0 */
/* Text and MLIR of ops spelled as custom_call, all derived from the op's attribute table. */
#include "harness/kinds/custom_call.h"

#include "harness/model/mlir.h"

void custom_call_print_mlir(const program_t *program, GString *out_text) {
  custom_call_print_module(program, "stablehlo", out_text);
}

void custom_call_print_shaped_mlir(const program_t *program, GString *out_text) {
  custom_call_print_mlir(program, out_text);
}

static bool has_shape(const op_t *op) { return op->print_mlir == custom_call_print_shaped_mlir; }

bool custom_call_is_of(const op_t *op) {
  return op->print_mlir == custom_call_print_mlir || has_shape(op);
}

/* All attributes of custom_call are written out, the defaults too, as ByteIR's frontends do. */
void custom_call_print_module(const program_t *program, const char *dialect, GString *out_text) {
  g_autofree char *name = g_strdup_printf("%s.custom_call", dialect);
  mlir_open(program, name, out_text);
  g_string_append(out_text, " {api_version = 1 : i32, backend_config = \"\", byteir_attrs = {");
  attributes_print_mlir(program, ATTRIBUTES_BY_NAME, out_text);
  g_string_append_printf(
      out_text, "}, call_target_name = \"%s\", called_computations = [], has_side_effect = false}",
      program->op->name);
  mlir_close(program, out_text);
}

/* The types of shapes, which no other operand has. */
static void make_indices(const program_t *program, GString *inout_text) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].rank != 1) continue;
    g_autofree char *shape =
        g_strdup_printf("tensor<%" G_GINT64_FORMAT "xi64>", program->operands[i].dims[0]);
    g_autofree char *indices =
        g_strdup_printf("tensor<%" G_GINT64_FORMAT "xindex>", program->operands[i].dims[0]);
    g_string_replace(inout_text, shape, indices, 0);
  }
}

void custom_call_print_document(const program_t *program, GString *out_text) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (program->op->attribute_rows != NULL) {
    custom_call_print_module(program, "mhlo", text);
  } else {
    mlir_open(program, "mhlo.custom_call", text);
    g_string_append_printf(text, " {call_target_name = \"%s\", has_side_effect = false}",
                           program->op->name);
    mlir_close(program, text);
  }
  if (has_shape(program->op)) make_indices(program, text);
  g_string_append(out_text, text->str);
}
