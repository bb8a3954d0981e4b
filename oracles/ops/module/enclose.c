/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses a module step by step (theory.md, T174 to T178, T213): each step by its own oracle, its
 * operands in the boxes of what was made before.  Where intermediate values may be wider, a box
 * holds what is not rounded too; where scales may be merged, what they may be off by.  Sums of
 * known operands of which few values are left are held against the step's exact side. */
#include <math.h>

#include "oracles/ops/module/walk.h"

static box_t *boxes_of(module_walk_t *walk, const tensor_t *tensor) {
  size_t count = type_element_count(&tensor->type);
  box_t *boxes = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  for (size_t i = 0; i < count; i++) boxes[i] = box_make_point(tensor, i);
  return boxes;
}

/* ---- One step -------------------------------------------------------------------------------- */

static status_t fail_at(module_walk_t *walk, const module_step_t *step, const char *reason) {
  g_autoptr(GString) name = g_string_new(NULL);
  module_print_value(step->results[0], name);
  return status_fail(walk->error, STATUS_UNSUPPORTED, "%s (%s) is not enclosed: %.250s", name->str,
                     step->program.op->name, reason);
}

static enclosure_call_t call_make(const module_walk_t *walk, const program_t *program,
                                  const contract_t *contract, const box_t *const operands[]) {
  return (enclosure_call_t){.program = program,
                            .contract = contract,
                            .operands = operands,
                            .arena = walk->arena,
                            .are_stored = contract != NULL &&
                                          walk->intermediates == INTERMEDIATES_ROUNDED &&
                                          !walk->is_scaled};
}

/* By the step's oracle. */
static status_t ask(module_walk_t *walk, const module_step_t *step, enclosure_call_t *inout_call,
                    box_t *const out_results[]) {
  const oracle_t *oracle = oracle_find(inout_call->program->op);
  if (oracle == NULL || oracle->enclose == NULL) return fail_at(walk, step, "no oracle does that");
  failure_t reason = {0};
  inout_call->error = &reason;
  status_t status = oracle->enclose(inout_call, out_results);
  if (status == STATUS_OK) return status;
  if (status == STATUS_INVALID) return status_fail(walk->error, status, "%s", reason.text);
  return fail_at(walk, step, reason.text);
}

status_t module_walk_enclose(module_walk_t *walk, const module_step_t *step,
                             const program_t *program, const contract_t *contract,
                             const box_t *const operands[], box_t *const out_results[]) {
  enclosure_call_t call = call_make(walk, program, contract, operands);
  return ask(walk, step, &call, out_results);
}

static status_t enclose_asked(void *context, const program_t *program, const contract_t *contract,
                              const box_t *const operands[], box_t *const out_results[]) {
  module_walk_t *walk = context;
  return module_walk_enclose(walk, walk->combined, program, contract, operands, out_results);
}

static status_t add_algebra(module_walk_t *walk, const module_step_t *step, box_t *inout_boxes,
                            bool *out_has_others) {
  module_others_t others;
  *out_has_others = module_find_others(walk->module, step, &walk->contract, walk->arena, &others);
  if (!*out_has_others) return STATUS_OK;
  walk->combined = step;
  const module_algebra_t algebra = {.boxes = walk->boxes,
                                    .contract = &walk->contract,
                                    .may_be_wider = walk->intermediates != INTERMEDIATES_ROUNDED,
                                    .arena = walk->arena,
                                    .enclose = enclose_asked,
                                    .context = walk,
                                    .is_scaled = &walk->is_scaled};
  return module_add_others(&algebra, step, &others, inout_boxes);
}

/* ---- Few values ------------------------------------------------------------------------------ */

/* The operands' bits, if all are known. */
static bool find_known(const void *context, const module_step_t *step, case_t *out_case) {
  const module_walk_t *walk = context;
  const program_t *program = &step->program;
  module_others_t others;
  bool is_open = module_find_others(walk->module, step, &walk->contract, walk->arena, &others);
  if (is_open) return false; /* It has no result of its own (T238). */
  out_case->program = *program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *known = walk->known[step->operands[i]];
    if (known == NULL) return false;
    out_case->operands[i] = (tensor_t){.type = program->operands[i], .data = known->data};
  }
  return true;
}

/* A sum of known operands that may not stay unrounded: T178. */
static void narrow(module_walk_t *walk, const module_step_t *step, box_t *inout_boxes) {
  case_t known;
  bool is_float = step->program.results[0].element->format != NULL;
  bool may_be_unrounded = is_float && walk->intermediates != INTERMEDIATES_ROUNDED;
  if (!module_step_sums(step) || step->program.result_count != 1 || may_be_unrounded) return;
  if (find_known(walk, step, &known)) {
    module_narrow(&known, &walk->contract, walk->arena, inout_boxes);
  }
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* What conforming steps store. */
static status_t enclose_stored(module_walk_t *walk, const module_step_t *step,
                               const box_t *const given[], module_made_t *out_made) {
  const program_t *program = &step->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    out_made->stored[i] = ARENA_NEW_ARRAY(walk->arena, box_t, count);
    out_made->kept[i] = ARENA_NEW_ARRAY(walk->arena, box_t, count);
    for (size_t k = 0; k < count; k++) out_made->kept[i][k] = box_whole_line();
  }
  bool is_rounded = walk->intermediates == INTERMEDIATES_ROUNDED;
  box_t *stored = out_made->stored[0];
  enclosure_call_t call = call_make(walk, program, &walk->contract, given);
  call.kept = is_rounded ? NULL : out_made->kept;
  STATUS_TRY(ask(walk, step, &call, out_made->stored));
  narrow(walk, step, stored);
  if (is_rounded) module_share(step, given[0], stored);
  STATUS_TRY(add_algebra(walk, step, stored, &out_made->has_others));
  if (is_rounded || !module_step_is(step, "uniform_quantize")) return STATUS_OK;
  STATUS_TRY(module_add_unrounded_quantize(walk, step, given[0], stored));
  return module_add_quantized_op(walk, step, stored);
}

/* The exact results, for ops that have some; boxes are NULL for those that have none. */
static status_t enclose_exactly(module_walk_t *walk, const module_step_t *step,
                                const box_t *const given[], box_t *out_exact[CASE_RESULTS_MAX]) {
  const program_t *program = &step->program;
  box_t *made[CASE_RESULTS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->result_count; i++) {
    made[i] = ARENA_NEW_ARRAY(walk->arena, box_t, type_element_count(&program->results[i]));
  }
  status_t status = module_walk_enclose(walk, step, program, NULL, given, made);
  if (status == STATUS_INVALID) return status;
  for (uint32_t i = 0; i < program->result_count && status == STATUS_OK; i++) {
    out_exact[i] = made[i];
  }
  return STATUS_OK;
}

/* The only bits of a step's result, or NULL: T217. */
static const tensor_t *settle(module_walk_t *walk, const module_step_t *step, const box_t *stored,
                              const box_t *exact) {
  case_t known;
  bool may_be_wider = walk->intermediates != INTERMEDIATES_ROUNDED;
  if (may_be_wider && exact == NULL) return NULL;
  if (step->program.result_count != 1 || !find_known(walk, step, &known)) return NULL;
  return module_settle(step, &known, &walk->contract, stored, may_be_wider ? exact : NULL,
                       walk->arena);
}

static status_t walk_step(module_walk_t *walk, const module_step_t *step) {
  const program_t *program = &step->program;
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  module_made_t made = {.has_others = false};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = walk->boxes[step->operands[i]];
  STATUS_TRY(enclose_stored(walk, step, given, &made));
  bool may_be_wider = walk->intermediates != INTERMEDIATES_ROUNDED;
  if (may_be_wider) STATUS_TRY(enclose_exactly(walk, step, given, made.exact));
  for (uint32_t i = 0; i < program->result_count; i++) {
    const type_t *type = &program->results[i];
    bool is_float = type->element->format != NULL && type->quantization == NULL;
    module_value_t value = step->results[i];
    walk->boxes[value] = walk->stored[value] = made.stored[i];
    walk->rounded[value] = NULL;
    walk->known[value] = i == 0 ? settle(walk, step, made.stored[0], made.exact[0]) : NULL;
    if (walk->known[value] != NULL) {
      walk->boxes[value] = walk->stored[value] = boxes_of(walk, walk->known[value]);
      continue;
    }
    bool is_widened = is_float && may_be_wider;
    if (is_widened) STATUS_TRY(module_widen_floats(walk, step, i, &made));
    walk->known[value] = module_find_bits(type, walk->boxes[value], !is_widened, walk->arena);
  }
  return STATUS_OK;
}

static bool is_enclosed(const type_t *type) { return type->element->components == 1; }

static status_t fail_complex(const module_walk_t *walk) {
  return status_fail(walk->error, STATUS_UNSUPPORTED, "complex numbers are not enclosed");
}

/* The boxes of a step of which exact real results are asked for. */
static status_t walk_exactly(module_walk_t *walk, const module_step_t *step) {
  const program_t *program = &step->program;
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  box_t *made[CASE_RESULTS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = walk->boxes[step->operands[i]];
  for (uint32_t i = 0; i < program->result_count; i++) {
    made[i] = ARENA_NEW_ARRAY(walk->arena, box_t, type_element_count(&program->results[i]));
    walk->boxes[step->results[i]] = walk->stored[step->results[i]] = made[i];
  }
  return module_walk_enclose(walk, step, program, NULL, given, made);
}

/* Encloses constants and steps; operands and what is known of them are there. */
static status_t walk_module(module_walk_t *walk, const program_t *program, bool is_exact,
                            box_t *out_results[CASE_RESULTS_MAX]) {
  const module_t *module = walk->module;
  for (uint32_t i = 0; i < module->constant_count; i++) {
    const tensor_t *constant = &module->constants[i];
    if (!is_enclosed(&constant->type)) return fail_complex(walk);
    walk->known[MODULE_ARGUMENTS_MAX + i] = constant;
    walk->boxes[MODULE_ARGUMENTS_MAX + i] = walk->stored[MODULE_ARGUMENTS_MAX + i] =
        boxes_of(walk, constant);
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    for (uint32_t k = 0; k < step->program.result_count; k++) {
      if (!is_enclosed(&step->program.results[k])) return fail_complex(walk);
    }
    STATUS_TRY(is_exact ? walk_exactly(walk, step) : walk_step(walk, step));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = walk->stored[module->returns[i]];
  }
  return STATUS_OK;
}

static module_walk_t walk_make(const program_t *program, const contract_t *contract, arena_t *arena,
                               failure_t *error) {
  const module_t *module = module_of(program);
  module_walk_t walk = {.module = module,
                        .boxes = ARENA_NEW_ARRAY(arena, box_t *, module->value_count),
                        .stored = ARENA_NEW_ARRAY(arena, box_t *, module->value_count),
                        .rounded = ARENA_NEW_ARRAY(arena, box_t *, module->value_count),
                        .known = ARENA_NEW_ARRAY(arena, const tensor_t *, module->value_count),
                        .arena = arena,
                        .error = error};
  if (contract == NULL) return walk;
  walk.contract = module_contract_of_steps(contract);
  walk.intermediates = PERMITTED(contract, intermediates);
  return walk;
}

/* What a result is held against beside its boxes. */
static void find_root(const module_walk_t *walk, module_value_t value, module_set_t *out_set) {
  const module_rooting_t rooting = {.find_known = find_known,
                                    .context = walk,
                                    .contract = &walk->contract,
                                    .may_be_wider = walk->intermediates != INTERMEDIATES_ROUNDED,
                                    .arena = walk->arena};
  module_value_t source = value;
  out_set->has_root = module_find_root(walk->module, &source, &rooting, &out_set->root);
  out_set->rounded = out_set->has_root ? walk->rounded[source] : NULL;
}

status_t module_enclose(const case_t *instance, const contract_t *contract, arena_t *arena,
                        module_set_t out_sets[CASE_RESULTS_MAX], failure_t *error) {
  const program_t *program = &instance->program;
  module_walk_t walk = walk_make(program, contract, arena, error);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    if (!is_enclosed(&operand->type)) return fail_complex(&walk);
    walk.known[i] = operand;
    walk.boxes[i] = walk.stored[i] = boxes_of(&walk, operand);
  }
  box_t *boxes[CASE_RESULTS_MAX];
  STATUS_TRY(walk_module(&walk, program, false, boxes));
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_sets[i].boxes = boxes[i];
    find_root(&walk, module_of(program)->returns[i], &out_sets[i]);
  }
  return STATUS_OK;
}

status_t module_enclose_boxes(const enclosure_call_t *call,
                              box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  arena_t arena; /* The walk keeps boxes, which outlive what the steps' oracles take back. */
  arena_init(&arena);
  module_walk_t walk = walk_make(program, call->contract, &arena, call->error);
  box_t *results[CASE_RESULTS_MAX] = {NULL};
  status_t status = STATUS_OK;
  for (uint32_t i = 0; i < program->operand_count && status == STATUS_OK; i++) {
    size_t count = type_element_count(&program->operands[i]);
    walk.known[i] = NULL;
    walk.boxes[i] = walk.stored[i] = ARENA_NEW_ARRAY(&arena, box_t, count);
    if (count > 0) memcpy(walk.boxes[i], call->operands[i], count * sizeof(box_t));
    if (!is_enclosed(&program->operands[i])) status = fail_complex(&walk);
  }
  if (status == STATUS_OK) status = walk_module(&walk, program, call->contract == NULL, results);
  for (uint32_t i = 0; i < program->result_count && status == STATUS_OK; i++) {
    size_t count = type_element_count(&program->results[i]);
    if (count > 0) memcpy(out_results[i], results[i], count * sizeof(box_t));
  }
  arena_deinit(&arena);
  return status;
}
