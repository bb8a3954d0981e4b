/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/exec/process/compiled.h"

#include "harness/exec/process/shapes.h"
#include "harness/exec/process/sized_module.h"
#include "harness/model/op.h"

process_handle_t *process_handle_make(const greeting_t *greeting, uint64_t id,
                                      const program_t *program) {
  process_handle_t *handle = g_new0(process_handle_t, 1);
  GString *line = g_string_new(NULL);
  GString *mlir = g_string_new(NULL);
  program_print_compiled(program, line);
  bool is_sized = greeting->takes_mlir && greeting->wants_sized_modules;
  char *sized_line = is_sized ? sized_module_line(program) : NULL;
  if (sized_line != NULL) {
    g_autofree char *module = sized_module(sized_line, NULL);
    g_string_assign(mlir, module);
  } else if (greeting->takes_mlir) {
    program_print_mlir_to_run(program, mlir);
  }
  *handle = (process_handle_t){.id = id,
                               .line = g_string_free(line, FALSE),
                               .mlir = g_string_free(mlir, FALSE),
                               .sized_line = sized_line,
                               .operand_count = program->operand_count,
                               .result_count = program->result_count};
  copy_types(program->operands, program->operand_count, handle->operands);
  copy_types(program->results, program->result_count, handle->results);
  return handle;
}

void process_handle_free(process_handle_t *handle) {
  g_free(handle->line);
  g_free(handle->mlir);
  g_free(handle->sized_line);
  g_free(handle->implementation);
  g_free(handle);
}
