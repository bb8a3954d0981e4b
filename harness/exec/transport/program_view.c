/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the ABI's view of a program (types, attributes as text, case line, MLIR) in an arena that
 * lives for one call. */
#include "harness/exec/transport/program_view.h"

#include "harness/kinds/module/module.h"

static const char *finish_text(GString *text, arena_t *arena) {
  const char *copy = arena_copy_text(arena, text->str, text->len);
  g_string_free(text, TRUE);
  return copy;
}

static assay_type_t view_type(const type_t *type, arena_t *arena) {
  assay_type_t view = {.element = type->element->name, .dims = type->dims, .rank = type->rank};
  if (type->dynamic_dims != 0) {
    int64_t *dims = ARENA_NEW_ARRAY(arena, int64_t, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) {
      dims[i] = (type->dynamic_dims >> i & 1) != 0 ? -1 : type->dims[i];
    }
    view.dims = dims;
  }
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

static const assay_module_t *view_module(const module_t *module, arena_t *arena) {
  assay_type_t *types = ARENA_NEW_ARRAY(arena, assay_type_t, module->constant_count);
  const void **data = ARENA_NEW_ARRAY(arena, const void *, module->constant_count);
  for (uint32_t i = 0; i < module->constant_count; i++) {
    types[i] = view_type(&module->constants[i].type, arena);
    data[i] = module->constants[i].data;
  }
  assay_step_t *steps = ARENA_NEW_ARRAY(arena, assay_step_t, module->step_count);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    steps[i] = (assay_step_t){.program = program_view(&step->program, arena),
                              .operands = step->operands,
                              .results = step->results};
  }
  assay_module_t *view = arena_alloc(arena, sizeof *view);
  *view = (assay_module_t){.struct_size = sizeof *view,
                           .value_count = module->value_count,
                           .constants_begin = MODULE_ARGUMENTS_MAX,
                           .constant_count = module->constant_count,
                           .step_count = module->step_count,
                           .constant_types = types,
                           .constant_data = data,
                           .steps = steps,
                           .returns = module->returns};
  return view;
}

const assay_program_t *program_view(const program_t *program, arena_t *arena) {
  op_attribute_t attributes[OP_ATTRIBUTES_MAX];
  size_t attribute_count = op_attributes(program, arena, attributes);
  assay_attribute_t *views = ARENA_NEW_ARRAY(arena, assay_attribute_t, attribute_count);
  for (size_t i = 0; i < attribute_count; i++) {
    views[i] = (assay_attribute_t){.key = attributes[i].key, .value = attributes[i].value};
  }
  GString *line = g_string_new(NULL);
  program_print_compiled(program, line);
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
  /* What is not wired has no values. */
  bool is_module = program_is_module(program) && program_broken(program) == NULL;
  if (is_module) view->module = view_module(module_of(program), arena);
  return view;
}
