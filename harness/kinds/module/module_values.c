/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of a module are: types, constants and definitions; whether they fit; copies. */
#include "harness/kinds/module/module.h"

const tensor_t *module_constant(const module_t *module, module_value_t value) {
  if (value < MODULE_ARGUMENTS_MAX) return NULL;
  uint32_t number = value - MODULE_ARGUMENTS_MAX;
  return number < module->constant_count ? &module->constants[number] : NULL;
}

/* The step and which of its results; NULL if none defines it. */
static const module_step_t *find_definition(const module_t *module, module_value_t value,
                                            uint32_t *out_result) {
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    for (uint32_t k = 0; k < step->program.result_count; k++) {
      if (step->results[k] != value) continue;
      *out_result = k;
      return step;
    }
  }
  return NULL;
}

const module_step_t *module_definition(const module_t *module, module_value_t value) {
  uint32_t unused;
  return find_definition(module, value, &unused);
}

const type_t *module_type(const program_t *program, module_value_t value) {
  if (value < MODULE_ARGUMENTS_MAX) {
    return value < program->operand_count ? &program->operands[value] : NULL;
  }
  const module_t *module = module_of(program);
  const tensor_t *constant = module_constant(module, value);
  if (constant != NULL) return &constant->type;
  uint32_t result = 0;
  const module_step_t *step = find_definition(module, value, &result);
  return step == NULL ? NULL : &step->program.results[result];
}

bool module_sees(const type_t *defined, const type_t *seen) {
  return defined != NULL && defined->element == seen->element && type_shapes_equal(defined, seen);
}

bool module_is_wired(const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    for (uint32_t k = 0; k < step->program.operand_count; k++) {
      if (!module_sees(module_type(program, step->operands[k]), &step->program.operands[k])) {
        return false;
      }
    }
  }
  if (module->return_count != program->result_count) return false;
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!module_sees(module_type(program, module->returns[i]), &program->results[i])) return false;
  }
  return true;
}

bool module_steps_are_valid(const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    if (program_broken(&module->steps[i].program) != NULL) return false;
  }
  return module->step_count > 0;
}

const module_t *module_copy(const module_t *module, arena_t *arena) {
  module_t *copy = arena_alloc(arena, sizeof *copy);
  tensor_t *constants = ARENA_NEW_ARRAY(arena, tensor_t, module->constant_count + 1);
  module_step_t *steps = ARENA_NEW_ARRAY(arena, module_step_t, module->step_count + 1);
  for (uint32_t i = 0; i < module->constant_count; i++) {
    constants[i] = tensor_copy(arena, &module->constants[i]);
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    steps[i] = module->steps[i];
    steps[i].program = program_copy(arena, &module->steps[i].program);
  }
  *copy = *module;
  copy->constants = constants;
  copy->steps = steps;
  return copy;
}
