/* SPDX-License-Identifier: Apache-2.0 */
/* Rebuilds modules: what is reached from the results stays, and is numbered anew. */
#include "harness/shrink/module_edit.h"

#include <string.h>

#include "oracles/oracle.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* Results without data where there is no model, or it does not take the step. */
static void compute_step(const module_step_t *step, tensor_t *values, arena_t *arena) {
  const program_t *program = &step->program;
  const oracle_t *oracle = oracle_find(program->op);
  case_t instance = {.program = *program};
  tensor_t results[CASE_RESULTS_MAX];
  bool is_known = oracle != NULL && oracle->simulate != NULL;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = values[step->operands[i]];
    instance.operands[i].type = program->operands[i];
    is_known &= instance.operands[i].data != NULL;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    size_t bytes = type_bytes(&program->results[i]);
    if (bytes > 0) memset(results[i].data, 0, bytes);
    values[step->results[i]] = (tensor_t){.type = program->results[i]};
  }
  failure_t reason = {0};
  implementation_model_t schedule = schedule_plain();
  const oracle_call_t call = {.instance = &instance, .arena = arena, .error = &reason};
  if (!is_known || oracle->simulate(&call, &schedule, results) != STATUS_OK) return;
  for (uint32_t i = 0; i < program->result_count; i++) values[step->results[i]] = results[i];
}

module_edit_t module_edit_make(const case_t *from, arena_t *arena) {
  const module_t *module = module_of(&from->program);
  size_t count = module->value_count;
  module_edit_t edit = {.from = from,
                        .values = arena_alloc_zeroed(arena, count * sizeof(tensor_t)),
                        .instead = ARENA_NEW_ARRAY(arena, module_value_t, count),
                        .becomes_argument = ARENA_NEW_ARRAY(arena, bool, count)};
  for (uint32_t i = 0; i < from->program.operand_count; i++) edit.values[i] = from->operands[i];
  for (uint32_t i = 0; i < module->constant_count; i++) {
    edit.values[MODULE_ARGUMENTS_MAX + i] = module->constants[i];
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    compute_step(&module->steps[i], edit.values, arena);
  }
  module_edit_reset(&edit);
  return edit;
}

void module_edit_reset(module_edit_t *edit) {
  const module_t *module = module_of(&edit->from->program);
  for (uint32_t i = 0; i < module->value_count; i++) {
    edit->instead[i] = i;
    edit->becomes_argument[i] = false;
  }
  edit->return_count = module->return_count;
  memcpy(edit->returns, module->returns, sizeof edit->returns);
}

/* ---- What is left ---------------------------------------------------------------------------- */

typedef struct building {
  const module_edit_t *edit;
  const module_t *module;
  bool *is_used;           /* By value. */
  module_value_t *numbers; /* By value: its number afterwards. */
} building_t;

static module_value_t resolve(const module_edit_t *edit, module_value_t value) {
  while (edit->instead[value] != value) value = edit->instead[value];
  return value;
}

static bool is_step_used(const building_t *building, const module_step_t *step) {
  for (uint32_t i = 0; i < step->program.result_count; i++) {
    module_value_t value = step->results[i];
    if (building->is_used[value] && !building->edit->becomes_argument[value]) return true;
  }
  return false;
}

/* Steps take what was defined before them. */
static void mark_used(building_t *building) {
  const module_edit_t *edit = building->edit;
  for (uint32_t i = 0; i < edit->return_count; i++) {
    building->is_used[resolve(edit, edit->returns[i])] = true;
  }
  for (uint32_t i = building->module->step_count; i-- > 0;) {
    const module_step_t *step = &building->module->steps[i];
    if (!is_step_used(building, step)) continue;
    for (uint32_t k = 0; k < step->program.operand_count; k++) {
      building->is_used[resolve(edit, step->operands[k])] = true;
    }
  }
}

/* Operands of before, then new ones. */
static bool take_operands(building_t *building, case_t *out) {
  const module_edit_t *edit = building->edit;
  uint32_t count = 0;
  for (module_value_t value = 0; value < building->module->value_count; value++) {
    bool is_argument = value < MODULE_ARGUMENTS_MAX || edit->becomes_argument[value];
    if (!is_argument || !building->is_used[value]) continue;
    if (count == CASE_OPERANDS_MAX || edit->values[value].data == NULL) return false;
    out->operands[count] = edit->values[value];
    out->program.operands[count] = edit->values[value].type;
    building->numbers[value] = count++;
  }
  out->program.operand_count = count;
  return count > 0;
}

static void take_constants(building_t *building, arena_t *arena, module_t *out) {
  const module_t *module = building->module;
  tensor_t *constants = ARENA_NEW_ARRAY(arena, tensor_t, module->constant_count + 1);
  for (uint32_t i = 0; i < module->constant_count; i++) {
    module_value_t value = MODULE_ARGUMENTS_MAX + i;
    if (!building->is_used[value] || building->edit->becomes_argument[value]) continue;
    constants[out->constant_count++] = module->constants[i];
    building->numbers[value] = out->value_count++;
  }
  out->constants = constants;
}

static void take_steps(building_t *building, arena_t *arena, module_t *out) {
  const module_t *module = building->module;
  module_step_t *steps = ARENA_NEW_ARRAY(arena, module_step_t, module->step_count + 1);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    if (!is_step_used(building, step)) continue;
    module_step_t *made = &steps[out->step_count++];
    *made = *step;
    for (uint32_t k = 0; k < step->program.operand_count; k++) {
      made->operands[k] = building->numbers[resolve(building->edit, step->operands[k])];
    }
    for (uint32_t k = 0; k < step->program.result_count; k++) {
      made->results[k] = out->value_count++;
      /* Of a step with several results one may be an operand, and its own result unused. */
      bool is_own = !building->edit->becomes_argument[step->results[k]];
      if (is_own) building->numbers[step->results[k]] = made->results[k];
    }
  }
  out->steps = steps;
}

static void take_returns(const building_t *building, module_t *out, program_t *inout_program) {
  const module_edit_t *edit = building->edit;
  const program_t *before = &edit->from->program;
  for (uint32_t i = 0; i < edit->return_count; i++) {
    module_value_t value = resolve(edit, edit->returns[i]);
    out->returns[i] = building->numbers[value];
    inout_program->results[i] = edit->values[value].type;
    /* As the module saw it, if it is the same. */
    for (uint32_t k = 0; k < before->result_count; k++) {
      bool is_same = building->module->returns[k] == edit->returns[i] && value == edit->returns[i];
      if (is_same) inout_program->results[i] = before->results[k];
    }
  }
  out->return_count = edit->return_count;
  inout_program->result_count = edit->return_count;
}

bool module_edit_build(const module_edit_t *edit, arena_t *arena, case_t *out_case) {
  const module_t *module = module_of(&edit->from->program);
  building_t building = {.edit = edit,
                         .module = module,
                         .is_used = arena_alloc_zeroed(arena, module->value_count * sizeof(bool)),
                         .numbers = ARENA_NEW_ARRAY(arena, module_value_t, module->value_count)};
  *out_case = (case_t){.program = {.op = edit->from->program.op}};
  mark_used(&building);
  if (!take_operands(&building, out_case)) return false;
  module_t *made = arena_alloc_zeroed(arena, sizeof *made);
  made->value_count = MODULE_ARGUMENTS_MAX;
  take_constants(&building, arena, made);
  take_steps(&building, arena, made);
  take_returns(&building, made, &out_case->program);
  module_attributes_t *attributes = arena_alloc_zeroed(arena, sizeof *attributes);
  attributes->module = made;
  out_case->program.attributes = attributes;
  return made->step_count > 0;
}
