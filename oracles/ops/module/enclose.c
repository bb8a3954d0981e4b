/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses a module step by step (theory.md, T174 to T178, T213): each step by its own oracle, its
 * operands in the boxes of what was made before.  Where intermediate values may be wider, a box
 * holds what is not rounded too; where scales may be merged, what they may be off by.  Sums of
 * known operands of which few values are left are held against the step's exact side. */
#include <math.h>

#include "oracles/ops/module/module.h"

/* Units roundoff of the expressed type by which numbers are off before they are quantized: where
 * kernels multiply scales into one another (theory.md, T177), and where quotients are computed
 * wider (theory.md, T176). */
static const double merged_roundings = 8 * (1 + 0x1p-5); /* T177 */
static const double wider_roundings = 2;                 /* T176 */

/* Zero points of up to this magnitude are added within that (theory.md, T176). */
static const double small_zero_point = 0x1p8; /* T176 */

typedef struct walk {
  const module_t *module;
  contract_t contract; /* Of the steps. */
  uint8_t intermediates;
  box_t **boxes;                 /* By value: what later steps may see. */
  box_t **stored;                /* By value: what is returned of it; the same array where alike. */
  box_t **rounded;               /* By value: what its exact numbers are rounded to, or NULL. */
  const tensor_t **known;        /* By value: its bits where there is one possibility, or NULL. */
  const module_step_t *combined; /* The step whose numbers are; see algebra.c, ... */
  bool is_scaled;                /* ... and scales.c. */
  arena_t *arena;
  failure_t *error;
} walk_t;

static box_t *boxes_of(walk_t *walk, const tensor_t *tensor) {
  size_t count = type_element_count(&tensor->type);
  box_t *boxes = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  for (size_t i = 0; i < count; i++) boxes[i] = box_make_point(tensor, i);
  return boxes;
}

/* ---- One step -------------------------------------------------------------------------------- */

static status_t fail_at(walk_t *walk, const module_step_t *step, const char *reason) {
  g_autoptr(GString) name = g_string_new(NULL);
  module_print_value(step->results[0], name);
  return status_fail(walk->error, STATUS_UNSUPPORTED, "%s (%s) is not enclosed: %.250s", name->str,
                     step->program.op->name, reason);
}

/* By the step's oracle; `program` may be its program seen otherwise. */
static status_t enclose_by_oracle(walk_t *walk, const module_step_t *step, const program_t *program,
                                  const contract_t *contract, const box_t *const operands[],
                                  box_t *const out_results[]) {
  const oracle_t *oracle = oracle_find(program->op);
  if (oracle == NULL || oracle->enclose == NULL) return fail_at(walk, step, "no oracle does that");
  failure_t reason = {0};
  const enclosure_call_t call = {.program = program,
                                 .contract = contract,
                                 .operands = operands,
                                 .arena = walk->arena,
                                 .error = &reason,
                                 .are_stored = contract != NULL &&
                                               walk->intermediates == INTERMEDIATES_ROUNDED &&
                                               !walk->is_scaled};
  status_t status = oracle->enclose(&call, out_results);
  if (status == STATUS_OK) return status;
  if (status == STATUS_INVALID) return status_fail(walk->error, status, "%s", reason.text);
  return fail_at(walk, step, reason.text);
}

static void unite(const box_t *other, size_t count, box_t *inout_boxes) {
  for (size_t i = 0; i < count; i++) inout_boxes[i] = box_unite(inout_boxes[i], other[i]);
}

/* The numbers that the operand of a uniform_quantize stands for, as a kernel has them. */
static box_t *numbers_of_operand(walk_t *walk, const module_step_t *step, const box_t *boxes) {
  const type_t *type = &step->program.operands[0];
  bool is_merged = walk->intermediates == INTERMEDIATES_EITHER;
  const format_t *format = step->program.results[0].quantization->expressed->format;
  double roundings = is_merged ? merged_roundings : wider_roundings;
  size_t count = type_element_count(type);
  box_t *numbers = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  for (size_t i = 0; i < count; i++) {
    numbers[i] =
        module_widen(box_value(type, i, boxes[i]), roundings * module_roundoff(format), format);
  }
  return numbers;
}

/* Quantizes what is not rounded, or off by roundings of scales: both as the type computes and
 * exactly.  A zero point of more than 8 bits may cost a step. */
static status_t add_unrounded_quantize(walk_t *walk, const module_step_t *step,
                                       const box_t *operand, box_t *inout_result) {
  program_t program = step->program;
  const quantization_t *result = program.results[0].quantization;
  const type_t *type = &step->program.operands[0];
  program.operands[0] = type_make(result->expressed, type->rank, type->dims);
  size_t count = type_element_count(type);
  const box_t *numbers[] = {numbers_of_operand(walk, step, operand)};
  box_t *made[] = {ARENA_NEW_ARRAY(walk->arena, box_t, count)};
  const contract_t *contracts[] = {&walk->contract, NULL};
  for (size_t i = 0; i < G_N_ELEMENTS(contracts); i++) {
    STATUS_TRY(enclose_by_oracle(walk, step, &program, contracts[i], numbers, made));
    unite(made[0], count, inout_result);
  }
  for (size_t i = 0; i < count; i++) {
    double zero_point = fabs((double)quantization_zero_point(&program.results[0], i));
    if (zero_point <= small_zero_point) continue;
    bool is_known = zero_point < ldexp(1, result->expressed->format->precision + 9);
    inout_result[i] = box_clamp(box_widen(inout_result[i], is_known ? 1 : 0x1p33),
                                (double)result->storage_min, (double)result->storage_max);
  }
  return STATUS_OK;
}

/* By the op on quantized types, where scales may be merged: T213, and T178. */
static status_t add_quantized_op(walk_t *walk, const module_step_t *step, box_t *inout_result) {
  module_quantized_t quantized;
  if (walk->intermediates != INTERMEDIATES_EITHER ||
      !module_find_quantized(walk->module, step, &quantized)) {
    return STATUS_OK;
  }
  const contract_t contract = module_contract_of_quantized(&walk->contract);
  const type_t *type = &quantized.program.results[0];
  size_t count = type_element_count(type);
  const box_t *stored[] = {walk->boxes[quantized.sources[0]], walk->boxes[quantized.sources[1]]};
  box_t *made[] = {ARENA_NEW_ARRAY(walk->arena, box_t, count)};
  STATUS_TRY(enclose_by_oracle(walk, step, &quantized.program, &contract, stored, made));
  for (size_t i = 0; i < count && quantized.has_maximum; i++) {
    double zero_point = (double)quantization_zero_point(type, i);
    made[0][i] = (box_t){MAX(made[0][i].low, zero_point), MAX(made[0][i].high, zero_point)};
  }
  unite(made[0], count, inout_result);
  return STATUS_OK;
}

/* What later steps may see of a result of floats, and what may be returned of it. */
static void widen_floats(walk_t *walk, const module_step_t *step, uint32_t result,
                         const box_t *stored, const box_t *exact) {
  const type_t *type = &step->program.results[result];
  const format_t *format = type->element->format;
  size_t count = type_element_count(type);
  bool is_merged =
      walk->intermediates == INTERMEDIATES_EITHER && module_step_is(step, "uniform_dequantize");
  bool selects = module_step_selects(step);
  box_t *seen = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  box_t *returned = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  box_t *rounded = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  for (size_t i = 0; i < count; i++) {
    box_t number = exact == NULL ? stored[i] : exact[i];
    seen[i] = selects ? box_unite(stored[i], number) : module_unrounded(stored[i], number, format);
    if (is_merged)
      seen[i] = box_unite(seen[i],
                          module_widen(number, merged_roundings * module_roundoff(format), format));
    box_t wider = module_widen(number, 2 * module_wider_roundoff(format), format);
    rounded[i] = box_is_finite(wider) ? box_round(wider, format) : box_whole_line();
    returned[i] = box_unite(stored[i], rounded[i]);
  }
  walk->rounded[step->results[result]] = rounded;
  walk->boxes[step->results[result]] = seen;
  walk->stored[step->results[result]] = returned;
}

static status_t enclose_asked(void *context, const program_t *program, const contract_t *contract,
                              const box_t *const operands[], box_t *const out_results[]) {
  walk_t *walk = context;
  return enclose_by_oracle(walk, walk->combined, program, contract, operands, out_results);
}

static status_t add_algebra(walk_t *walk, const module_step_t *step, box_t *inout_boxes) {
  module_others_t others;
  if (!module_find_others(walk->module, step, &walk->contract, walk->arena, &others)) {
    return STATUS_OK;
  }
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
  const walk_t *walk = context;
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
static void narrow(walk_t *walk, const module_step_t *step, box_t *inout_boxes) {
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
static status_t enclose_stored(walk_t *walk, const module_step_t *step, const box_t *const given[],
                               box_t *out_made[CASE_RESULTS_MAX]) {
  const program_t *program = &step->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    out_made[i] = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  }
  STATUS_TRY(enclose_by_oracle(walk, step, program, &walk->contract, given, out_made));
  narrow(walk, step, out_made[0]);
  if (walk->intermediates == INTERMEDIATES_ROUNDED) module_share(step, given[0], out_made[0]);
  STATUS_TRY(add_algebra(walk, step, out_made[0]));
  bool is_quantize = module_step_is(step, "uniform_quantize");
  if (walk->intermediates == INTERMEDIATES_ROUNDED || !is_quantize) return STATUS_OK;
  STATUS_TRY(add_unrounded_quantize(walk, step, given[0], out_made[0]));
  return add_quantized_op(walk, step, out_made[0]);
}

/* The exact results, for ops that have some; boxes are NULL for those that have none. */
static status_t enclose_exactly(walk_t *walk, const module_step_t *step, const box_t *const given[],
                                box_t *out_exact[CASE_RESULTS_MAX]) {
  const program_t *program = &step->program;
  box_t *made[CASE_RESULTS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->result_count; i++) {
    made[i] = ARENA_NEW_ARRAY(walk->arena, box_t, type_element_count(&program->results[i]));
  }
  status_t status = enclose_by_oracle(walk, step, program, NULL, given, made);
  if (status == STATUS_INVALID) return status;
  for (uint32_t i = 0; i < program->result_count && status == STATUS_OK; i++) {
    out_exact[i] = made[i];
  }
  return STATUS_OK;
}

/* The only bits of a step's result, or NULL: T217. */
static const tensor_t *settle(walk_t *walk, const module_step_t *step, const box_t *stored,
                              const box_t *exact) {
  case_t known;
  bool may_be_wider = walk->intermediates != INTERMEDIATES_ROUNDED;
  if (may_be_wider && exact == NULL) return NULL;
  if (step->program.result_count != 1 || !find_known(walk, step, &known)) return NULL;
  return module_settle(step, &known, &walk->contract, stored, may_be_wider ? exact : NULL,
                       walk->arena);
}

static status_t walk_step(walk_t *walk, const module_step_t *step) {
  const program_t *program = &step->program;
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  box_t *made[CASE_RESULTS_MAX] = {NULL}, *exact[CASE_RESULTS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = walk->boxes[step->operands[i]];
  STATUS_TRY(enclose_stored(walk, step, given, made));
  bool may_be_wider = walk->intermediates != INTERMEDIATES_ROUNDED;
  if (may_be_wider) STATUS_TRY(enclose_exactly(walk, step, given, exact));
  for (uint32_t i = 0; i < program->result_count; i++) {
    const type_t *type = &program->results[i];
    bool is_float = type->element->format != NULL && type->quantization == NULL;
    module_value_t value = step->results[i];
    walk->boxes[value] = walk->stored[value] = made[i];
    walk->rounded[value] = NULL;
    walk->known[value] = i == 0 ? settle(walk, step, made[0], exact[0]) : NULL;
    if (walk->known[value] != NULL) {
      walk->boxes[value] = walk->stored[value] = boxes_of(walk, walk->known[value]);
    } else if (is_float && may_be_wider) {
      widen_floats(walk, step, i, made[i], exact[i]);
    } else {
      walk->known[value] = module_find_bits(type, made[i], walk->arena);
    }
  }
  return STATUS_OK;
}

static bool is_enclosed(const type_t *type) { return type->element->components == 1; }

static status_t fail_complex(const walk_t *walk) {
  return status_fail(walk->error, STATUS_UNSUPPORTED, "complex numbers are not enclosed");
}

/* The boxes of a step of which exact real results are asked for. */
static status_t walk_exactly(walk_t *walk, const module_step_t *step) {
  const program_t *program = &step->program;
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  box_t *made[CASE_RESULTS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = walk->boxes[step->operands[i]];
  for (uint32_t i = 0; i < program->result_count; i++) {
    made[i] = ARENA_NEW_ARRAY(walk->arena, box_t, type_element_count(&program->results[i]));
    walk->boxes[step->results[i]] = walk->stored[step->results[i]] = made[i];
  }
  return enclose_by_oracle(walk, step, program, NULL, given, made);
}

/* Encloses constants and steps; operands and what is known of them are there. */
static status_t walk_module(walk_t *walk, const program_t *program, bool is_exact,
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

static walk_t walk_make(const program_t *program, const contract_t *contract, arena_t *arena,
                        failure_t *error) {
  const module_t *module = module_of(program);
  walk_t walk = {.module = module,
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
static void find_root(const walk_t *walk, module_value_t value, module_set_t *out_set) {
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
  walk_t walk = walk_make(program, contract, arena, error);
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
  walk_t walk = walk_make(program, call->contract, &arena, call->error);
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
