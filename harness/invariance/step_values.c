/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the steps of a module: a model gives the values of each, and its oracle is asked whether
 * any others conform. */
#include "harness/invariance/step_values.h"

#include "harness/kinds/module/module.h"
#include "harness/power/tolerance.h"
#include "oracles/ops/module/module.h"

/* Elements of all steps together: each is asked about some dozen times. */
enum { ELEMENTS_MAX = 4096 };

typedef struct walk {
  const contract_t *contract;
  arena_t *arena;
  const module_t *module;
  tensor_t *values; /* By value. */
} walk_t;

static case_t case_of_step(const walk_t *walk, const module_step_t *step) {
  case_t instance = {.program = step->program};
  for (uint32_t i = 0; i < step->program.operand_count; i++) {
    instance.operands[i] =
        (tensor_t){.type = step->program.operands[i], .data = walk->values[step->operands[i]].data};
  }
  return instance;
}

/* Whether each element has no other conforming value than that of `results`. */
static bool has_one_value(const walk_t *walk, const oracle_t *oracle, const case_t *instance,
                          tensor_t *results) {
  decision_memo_t memo;
  decision_memo_init(&memo);
  const tolerance_question_t question = {.oracle = oracle,
                                         .instance = instance,
                                         .contract = walk->contract,
                                         .results = results,
                                         .memo = &memo,
                                         .arena = walk->arena};
  bool is_one = true;
  for (uint32_t i = 0; i < instance->program.result_count && is_one; i++) {
    size_t count = type_component_count(&results[i].type);
    for (size_t k = 0; k < count && is_one; k++) {
      tolerance_t tolerance;
      failure_t ignored;
      status_t status = tolerance_find(&question, i, k, &tolerance, &ignored);
      is_one = status == STATUS_OK && tolerance.is_measured && !tolerance.holds_nan &&
               tolerance.form == ACCEPTED_ONE_VALUE;
    }
  }
  decision_memo_deinit(&memo);
  return is_one;
}

static bool has_floats(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (program->results[i].element->format != NULL) return true;
  }
  return false;
}

/* Whether the values are the exact ones, by the step's enclosure in real numbers. */
static bool is_enclosed_exactly(const walk_t *walk, const oracle_t *oracle, const case_t *instance,
                                const tensor_t *results) {
  const program_t *program = &instance->program;
  const box_t *operands[CASE_OPERANDS_MAX];
  box_t *exact[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    size_t count = type_element_count(&program->operands[i]);
    box_t *boxes = ARENA_NEW_ARRAY(walk->arena, box_t, count);
    for (size_t k = 0; k < count; k++) boxes[k] = box_make_point(&instance->operands[i], k);
    operands[i] = boxes;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    exact[i] = ARENA_NEW_ARRAY(walk->arena, box_t, type_element_count(&program->results[i]));
  }
  failure_t ignored;
  const enclosure_call_t call = {.program = program,
                                 .operands = operands,
                                 .arena = walk->arena,
                                 .error = &ignored,
                                 .are_stored = true};
  if (oracle->enclose(&call, exact) != STATUS_OK) return false;
  for (uint32_t i = 0; i < program->result_count; i++) {
    for (size_t k = 0; k < type_element_count(&results[i].type); k++) {
      const box_t value = box_make_point(&results[i], k);
      if (exact[i][k].low != value.low || exact[i][k].high != value.high) return false;
    }
  }
  return true;
}

/* The same by the exact values that come with the accept sets, as far as binary64 has them. */
static bool is_referenced_exactly(const walk_t *walk, const oracle_t *oracle,
                                  const case_t *instance, const tensor_t *results) {
  failure_t ignored;
  accept_t accepts[CASE_RESULTS_MAX];
  const oracle_call_t call = {
      .instance = instance, .contract = walk->contract, .arena = walk->arena, .error = &ignored};
  if (oracle->accept(&call, accepts) != STATUS_OK) return false;
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    const accept_t *accept = &accepts[i];
    const format_t *format = results[i].type.element->format;
    if (format == NULL) continue;
    if (accept->reference == NULL) return false;
    for (size_t k = 0; k < accept->count; k++) {
      uint64_t bits = element_load(results[i].type.element, results[i].data, k);
      bool has_tail = accept->reference_tail != NULL && accept->reference_tail[k] != 0;
      if (has_tail || accept->reference[k] != format_to_double(format, bits)) return false;
    }
  }
  return true;
}

/* Whether nothing was rounded, so that values that stay wider are the same. */
static bool is_exact(const walk_t *walk, const oracle_t *oracle, const case_t *instance,
                     const tensor_t *results) {
  if (!has_floats(&instance->program)) return true;
  return oracle->enclose != NULL ? is_enclosed_exactly(walk, oracle, instance, results)
                                 : is_referenced_exactly(walk, oracle, instance, results);
}

/* Computes a step's results; false where they are not the only ones. */
static bool walk_step(walk_t *walk, const module_step_t *step) {
  bool may_be_wider = !module_rounds_all(walk->contract);
  const oracle_t *oracle = oracle_find(step->program.op);
  if (oracle == NULL || oracle->simulate == NULL || oracle->decide == NULL) return false;
  const case_t instance = case_of_step(walk, step);
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < step->program.result_count; i++) {
    const type_t *type = &step->program.results[i];
    bool is_plain = type->quantization == NULL && type->element->components == 1;
    if (!is_plain && may_be_wider) return false; /* Scales may be merged. */
    results[i] = tensor_make(walk->arena, type);
    if (type_bytes(type) > 0) memset(results[i].data, 0, type_bytes(type));
  }
  failure_t ignored;
  const oracle_call_t call = {.instance = &instance, .arena = walk->arena, .error = &ignored};
  const implementation_model_t schedule = schedule_plain();
  if (oracle->simulate(&call, &schedule, results) != STATUS_OK) return false;
  if (!has_one_value(walk, oracle, &instance, results)) return false;
  if (may_be_wider && !is_exact(walk, oracle, &instance, results)) return false;
  for (uint32_t i = 0; i < step->program.result_count; i++) {
    walk->values[step->results[i]] = results[i];
  }
  return true;
}

static bool is_too_large(const module_t *module) {
  size_t count = 0;
  for (uint32_t i = 0; i < module->step_count; i++) {
    const program_t *program = &module->steps[i].program;
    for (uint32_t k = 0; k < program->result_count; k++) {
      count += type_component_count(&program->results[k]);
    }
  }
  return count > ELEMENTS_MAX;
}

bool step_values_find(const case_t *instance, const contract_t *contract, arena_t *arena,
                      tensor_t out_results[CASE_RESULTS_MAX]) {
  if (!program_is_module(&instance->program)) return false;
  const module_t *module = module_of(&instance->program);
  if (is_too_large(module) || !module_keeps_steps(contract)) return false;
  walk_t walk = {.contract = contract,
                 .arena = arena,
                 .module = module,
                 .values = ARENA_NEW_ARRAY(arena, tensor_t, module->value_count)};
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    walk.values[i] = instance->operands[i];
  }
  for (uint32_t i = 0; i < module->constant_count; i++) {
    walk.values[MODULE_ARGUMENTS_MAX + i] = module->constants[i];
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    if (!walk_step(&walk, &module->steps[i])) return false;
  }
  for (uint32_t i = 0; i < module->return_count; i++) {
    out_results[i] = walk.values[module->returns[i]];
  }
  return true;
}
