/* SPDX-License-Identifier: Apache-2.0 */
/* Prints reduce_window and select_and_scatter as MLIR, with the regions of selection and body. */
#include "harness/model/mlir.h"
#include "oracles/ops/windowed/op/op.h"

static void print_list(const char *before, const dimension_list_t *list, GString *out_text) {
  g_string_append(out_text, before);
  dimension_list_print_mlir(list, out_text);
}

void reduce_window_print_mlir(const program_t *program, GString *out_text) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  mlir_open(program, program->op->name, out_text);
  print_list(" <{base_dilations = ", &attributes->base_dilations, out_text);
  g_string_append(out_text, ", padding = ");
  padding_list_print_mlir(&attributes->padding, out_text);
  print_list(", window_dilations = ", &attributes->window_dilations, out_text);
  print_list(", window_dimensions = ", &attributes->window_dimensions, out_text);
  print_list(", window_strides = ", &attributes->window_strides, out_text);
  g_string_append(out_text, "}> ({\n");
  reduction_print_region(&attributes->reduction, program->results, program->result_count, out_text);
  g_string_append(out_text, "    })");
  mlir_close(program, out_text);
}

/* The region of select, on the operand's type; a line that is not valid may lack even that. */
static void print_select(const program_t *program, GString *out_text) {
  static const char *const directions[WINDOWED_SELECT_COUNT] = {"GE", "GT", "LE", "LT"};
  const type_t *tensor = program->operand_count > 0 ? &program->operands[0] : &program->results[0];
  type_t scalar = *tensor;
  scalar.rank = 0;
  GString *type = g_string_new(NULL);
  type_print_mlir(&scalar, type);
  g_string_append_printf(out_text, "    ^select(%%lhs0: %s, %%rhs0: %s):\n", type->str, type->str);
  g_string_append_printf(out_text,
                         "      %%1 = \"stablehlo.compare\"(%%lhs0, %%rhs0) <{comparison_direction "
                         "= #stablehlo<comparison_direction %s>}> : (%s, %s) -> tensor<i1>\n",
                         directions[windowed_attributes(program)->select], type->str, type->str);
  g_string_append(out_text, "      \"stablehlo.return\"(%1) : (tensor<i1>) -> ()\n");
  g_string_free(type, TRUE);
}

void select_and_scatter_print_mlir(const program_t *program, GString *out_text) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  mlir_open(program, program->op->name, out_text);
  g_string_append(out_text, " <{padding = ");
  padding_list_print_mlir(&attributes->padding, out_text);
  print_list(", window_dimensions = ", &attributes->window_dimensions, out_text);
  print_list(", window_strides = ", &attributes->window_strides, out_text);
  g_string_append(out_text, "}> ({\n");
  print_select(program, out_text);
  g_string_append(out_text, "    }, {\n");
  reduction_print_region(&attributes->reduction, program->results, program->result_count, out_text);
  g_string_append(out_text, "    })");
  mlir_close(program, out_text);
}
