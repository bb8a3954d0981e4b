/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the ABI's view of a program (types, attributes as text, case line, MLIR) in an arena that
 * lives for one call. */
#include "harness/exec/transport/program_view.h"

static const char *finish_text(GString *text, arena_t *arena) {
  const char *copy = arena_copy_text(arena, text->str, text->len);
  g_string_free(text, TRUE);
  return copy;
}

static assay_type_t view_type(const type_t *type, arena_t *arena) {
  assay_type_t view = {.element = type->element->name, .dims = type->dims, .rank = type->rank};
  if (type->quantization != NULL) {
    GString *element = g_string_new(NULL);
    type_print_element(type, element);
    view.element = finish_text(element, arena);
  }
  return view;
}

static const assay_type_t *view_types(const type_t *types, uint32_t count, arena_t *arena) {
  assay_type_t *views = ARENA_NEW_ARRAY(arena, assay_type_t, count);
  for (uint32_t i = 0; i < count; i++) views[i] = view_type(&types[i], arena);
  return views;
}

const assay_program_t *program_view(const program_t *program, arena_t *arena) {
  op_attribute_t attributes[OP_ATTRIBUTES_MAX];
  size_t attribute_count = op_attributes(program, arena, attributes);
  assay_attribute_t *views = ARENA_NEW_ARRAY(arena, assay_attribute_t, attribute_count);
  for (size_t i = 0; i < attribute_count; i++) {
    views[i] = (assay_attribute_t){.key = attributes[i].key, .value = attributes[i].value};
  }
  GString *line = g_string_new(NULL);
  program_print(program, line);
  GString *mlir = g_string_new(NULL);
  program_print_mlir_to_run(program, mlir);

  assay_program_t *view = arena_alloc(arena, sizeof *view);
  *view =
      (assay_program_t){.struct_size = sizeof *view,
                        .operand_count = program->operand_count,
                        .result_count = program->result_count,
                        .attribute_count = (uint32_t)attribute_count,
                        .op = program->op->name,
                        .program_line = finish_text(line, arena),
                        .mlir = finish_text(mlir, arena),
                        .operands = view_types(program->operands, program->operand_count, arena),
                        .results = view_types(program->results, program->result_count, arena),
                        .attributes = views};
  return view;
}
