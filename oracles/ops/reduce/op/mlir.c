/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a reduce as MLIR: dimensions and the region of its body. */
#include <inttypes.h>

#include "harness/model/mlir.h"
#include "oracles/ops/reduce/op/op.h"

void reduce_print_mlir(const program_t *program, GString *out_text) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  mlir_open(program, program->op->name, out_text);
  g_string_append(out_text, " <{dimensions = array<i64");
  for (uint32_t i = 0; i < attributes->dimensions.count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? ": " : ", ",
                           attributes->dimensions.dims[i]);
  }
  g_string_append(out_text, ">}> ({\n");
  reduction_print_region(&attributes->reduction, program->results, program->result_count, out_text);
  g_string_append(out_text, "    })");
  mlir_close(program, out_text);
}
