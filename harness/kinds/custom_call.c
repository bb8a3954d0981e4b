/* SPDX-License-Identifier: Apache-2.0 */
/* Text and MLIR of ops spelled as custom_call, all derived from the op's attribute table. */
#include "harness/kinds/custom_call.h"

#include "harness/model/mlir.h"

void custom_call_print_mlir(const program_t *program, GString *out_text) {
  custom_call_print_module(program, "stablehlo", out_text);
}

bool custom_call_is_of(const op_t *op) { return op->print_mlir == custom_call_print_mlir; }

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
