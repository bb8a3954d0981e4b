/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of programs of several steps: a value becomes an operand, an earlier value is
 * returned, a step is left out. */
#include "harness/shrink/module_edit.h"
#include "harness/shrink/state.h"

static uint32_t defined_count(const module_t *module) {
  return module->value_count - MODULE_ARGUMENTS_MAX;
}

/* The last values first, which leave the fewest steps behind them. */
static bool cut(module_edit_t *edit, uint32_t number) {
  const module_t *module = module_of(&edit->from->program);
  uint32_t first_step = module->constant_count;
  if (number >= defined_count(module) - first_step) return false;
  edit->becomes_argument[module->value_count - 1 - number] = true;
  return true;
}

static bool cut_constant(module_edit_t *edit, uint32_t number) {
  if (number >= module_of(&edit->from->program)->constant_count) return false;
  edit->becomes_argument[MODULE_ARGUMENTS_MAX + number] = true;
  return true;
}

/* The first values first. */
static bool return_earlier(module_edit_t *edit, uint32_t number) {
  const module_t *module = module_of(&edit->from->program);
  module_value_t value = MODULE_ARGUMENTS_MAX + module->constant_count + number;
  if (value >= module->value_count) return false;
  edit->return_count = 1;
  edit->returns[0] = value;
  return true;
}

/* A step's only result becomes one of its operands. */
static bool leave_out(module_edit_t *edit, uint32_t number) {
  const module_t *module = module_of(&edit->from->program);
  const module_step_t *step = &module->steps[number / CASE_OPERANDS_MAX];
  uint32_t operand = number % CASE_OPERANDS_MAX;
  const program_t *program = &step->program;
  if (operand >= program->operand_count || program->result_count != 1) return false;
  if (!module_sees(&program->results[0], &program->operands[operand])) return false;
  edit->instead[step->results[0]] = step->operands[operand];
  return true;
}

/* True once a change of the kind was taken: then the best case is another one. */
static bool try_changes(shrink_t *shrink, uint32_t count,
                        bool (*apply)(module_edit_t *edit, uint32_t number)) {
  arena_t arena;
  arena_init(&arena);
  module_edit_t edit = module_edit_make(&shrink->best, &arena);
  bool is_taken = false;
  for (uint32_t i = 0; i < count && !is_taken && !shrink_is_over(shrink); i++) {
    arena_mark_t mark = arena_mark(&arena);
    module_edit_reset(&edit);
    case_t candidate;
    if (apply(&edit, i) && module_edit_build(&edit, &arena, &candidate)) {
      is_taken = shrink_try(shrink, &candidate);
    }
    arena_rewind(&arena, mark);
  }
  arena_deinit(&arena);
  return is_taken;
}

bool shrink_modules(shrink_t *shrink) {
  bool is_changed = false, is_taken = true;
  while (is_taken && !shrink_is_over(shrink)) {
    const module_t *module = module_of(&shrink->best.program);
    uint32_t values = defined_count(module);
    is_taken = try_changes(shrink, values, cut) || try_changes(shrink, values, return_earlier) ||
               try_changes(shrink, module->step_count * CASE_OPERANDS_MAX, leave_out) ||
               try_changes(shrink, module->constant_count, cut_constant);
    is_changed |= is_taken;
  }
  return is_changed;
}
