/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/exec/process/sized_module.h"

#include "harness/exec/process/shapes.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"

char *sized_module_line(const program_t *program) {
  if (!program_is_dynamic(program) || op_has_folder(str_from(program->op->name))) return NULL;
  GString *line = g_string_new(NULL);
  program_print(program, line);
  return g_string_free(line, FALSE);
}

char *sized_module(const char *line, const call_shapes_t *shapes) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error;
  status_t status = program_parse(str_from(line), &arena, &program, NULL, &error);
  g_assert(status == STATUS_OK); /* It was printed from a valid one. */
  dynamic_clear(&program);
  if (shapes != NULL) {
    size_types(program.operands, program.operand_count, shapes->operands, program.operands);
    size_types(program.results, program.result_count, shapes->results, program.results);
  }
  GString *text = g_string_new(NULL);
  program_print_mlir_to_run(&program, text);
  arena_deinit(&arena);
  return g_string_free(text, FALSE);
}
