/* SPDX-License-Identifier: Apache-2.0 */
/* Op `module`: a program of several steps, compiled and run as one.  Executors that take it get the
 * text of all steps and one MLIR module; harness/docs/ops/quantized-models.md shows regions of
 * quantized models as such programs. */
#include "oracles/ops/module/op/op.h"
#include "harness/model/mlir.h"

static const attribute_row_t attribute_rows[] = {
    {ATTRIBUTE("steps", module_steps, module_attributes_t, module)}, ATTRIBUTES_END};

/* What a value sees of itself in its storage range. */
static bool has_stored_constants(const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->constant_count; i++) {
    const tensor_t *constant = &module->constants[i];
    const quantization_t *quantization = constant->type.quantization;
    const element_t *element = constant->type.element;
    if (quantization == NULL) continue;
    for (size_t k = 0; k < type_element_count(&constant->type); k++) {
      int64_t stored = element_signed_value(element, element_load(element, constant->data, k));
      if (stored < quantization->storage_min || stored > quantization->storage_max) return false;
    }
  }
  return true;
}

static const op_constraint_t constraints[] = {
    OP_UNMODELLED("steps", "there is a step, and each step alone is a program that is modelled",
                  module_steps_are_valid),
    OP_UNMODELLED(
        "types",
        "each value has the shape and the storage type that it is taken with, and what is "
        "returned are the results",
        module_is_wired),
    OP_UNMODELLED("constants", "constants lie in their storage ranges", has_stored_constants),
    OP_CONSTRAINTS_END,
};

/* The steps' ops without their dialects, in their order: "dot_general+add+maximum". */
static void print_algorithm(const program_t *program, GString *out_text) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const char *name = module->steps[i].program.op->name, *dot = strrchr(name, '.');
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : "+", dot == NULL ? name : dot + 1);
  }
}

static void print_words(const program_t *program, GString *out_text) {
  const module_t *module = module_of(program);
  g_string_append_printf(out_text, "runs %u steps as one: ", module->step_count);
  print_algorithm(program, out_text);
}

/* Programs that are not wired have no names for their values. */
static void print_mlir(const program_t *program, GString *out_text) {
  if (program_broken(program) == NULL) {
    module_print_mlir(program, out_text);
  } else {
    mlir_open(program, program->op->name, out_text);
    mlir_close(program, out_text);
  }
}

static const char *const policies[] = {"intermediates", "algebra", "division", NULL};
static const char *const readings[] = {"algebra=constants", "algebra=quotients",
                                       "algebra=quotients,division=reciprocal", "algebra=scales",
                                       NULL};

const op_t module_op = {
    .name = MODULE_OP,
    .spec = "StableHLO specification, Programs",
    .summary = "several steps, compiled and run as one program",
    .attributes_bytes = sizeof(module_attributes_t),
    .attribute_rows = attribute_rows,
    .constraints = constraints,
    .draw = module_draw,
    .print_algorithm = print_algorithm,
    .formulas = "intermediates",
    .policies = policies,
    .readings = readings,
    .is_compound = true,
    .axes = module_axes,
    .with_axes = module_with_axes,
    .print_mlir = print_mlir,
    .print_words = print_words,
};

extern const op_t *const module_ops[];
const op_t *const module_ops[] = {&module_op, NULL};
