/* SPDX-License-Identifier: Apache-2.0 */
/* Prints reduce_window and select_and_scatter as MLIR, with the regions of selection and body. */
#include "harness/model/mlir.h"
#include "oracles/ops/windowed/op/op.h"

void reduce_window_print_mlir(const program_t *program, GString *out_text) {
  mlir_open_regions(program, ATTRIBUTES_BY_NAME, out_text);
  reduction_print_region(&windowed_attributes(program)->reduction, program->results,
                         program->result_count, out_text);
  mlir_close_regions(program, out_text);
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
  mlir_open_regions(program, ATTRIBUTES_BY_NAME, out_text);
  print_select(program, out_text);
  g_string_append(out_text, "    }, {\n");
  reduction_print_region(&windowed_attributes(program)->reduction, program->results,
                         program->result_count, out_text);
  mlir_close_regions(program, out_text);
}
