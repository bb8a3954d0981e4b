/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers make of sums and products with several numbers: (x + c) + d becomes x + (c + d),
 * and (x c) d becomes x (c d), where the second of these is computed before (theory.md, T238, and
 * T271 of numbers that are divided by). */
#include "generated/pointwise_permissions.h"
#include "oracles/ops/module/module.h"
#include "oracles/ops/pointwise/parts.h"

/* Whether a value is one whatever the operands: a constant, or a step's of such values. */
static bool *find_constants(const module_t *module, arena_t *arena) {
  bool *are_constant = ARENA_NEW_ARRAY(arena, bool, module->value_count);
  for (module_value_t value = 0; value < module->value_count; value++) {
    are_constant[value] = module_constant(module, value) != NULL;
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    const module_step_t *step = &module->steps[i];
    bool is_constant = true;
    for (uint32_t k = 0; k < step->program.operand_count; k++) {
      is_constant = is_constant && are_constant[step->operands[k]];
    }
    for (uint32_t k = 0; k < step->program.result_count; k++) {
      are_constant[step->results[k]] = is_constant;
    }
  }
  return are_constant;
}

static bool is_of_plain_floats(const program_t *program) {
  const type_t *types[] = {&program->operands[0], &program->operands[1], &program->results[0]};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    const element_t *element = types[i]->element;
    bool is_plain = types[i]->quantization == NULL && element->format != NULL &&
                    element->components == 1 && element == types[0]->element;
    if (!is_plain) return false;
  }
  return true;
}

/* Which operand is a number, of a step that adds, subtracts, multiplies or divides by one; -1 if
 * none is. */
static int find_number(const module_step_t *step, bool adds, bool divides,
                       const bool *are_constant) {
  bool is_quotient = module_step_is(step, "divide");
  bool is_meant = adds ? module_step_is(step, "add") || module_step_is(step, "subtract")
                       : module_step_is(step, "multiply") || (divides && is_quotient);
  if (!is_meant || !is_of_plain_floats(&step->program)) return -1;
  bool is_left = are_constant[step->operands[0]], is_right = are_constant[step->operands[1]];
  if (is_left == is_right) return -1;
  bool takes_right_alone = is_quotient || module_step_is(step, "subtract");
  if (is_left && takes_right_alone) return -1;
  return is_left ? 0 : 1;
}

bool module_divides_numbers(const contract_t *contract) {
  return PERMITTED(contract, algebra) >= ALGEBRA_QUOTIENTS &&
         PERMITTED(contract, division) == DIVISION_RECIPROCAL;
}

bool module_find_numbers(const module_t *module, const module_step_t *step, bool divides,
                         arena_t *arena, module_numbers_t *out_numbers) {
  bool adds = module_step_is(step, "add") || module_step_is(step, "subtract");
  const bool *are_constant = find_constants(module, arena);
  module_numbers_t found = {.adds = adds};
  uint32_t count = 0;
  while (step != NULL && count < MODULE_NUMBERS_MAX) {
    int number = find_number(step, adds, divides, are_constant);
    if (number < 0) break;
    found.items[count++] = (module_number_t){.base = step->operands[1 - number],
                                             .number = step->operands[number],
                                             .is_negated = module_step_is(step, "subtract"),
                                             .is_inverted = module_step_is(step, "divide")};
    step = module_definition(module, step->operands[1 - number]);
  }
  if (count < 2) return false;
  found.count = count;
  for (uint32_t i = 0; i < count; i++) out_numbers->items[i] = found.items[count - 1 - i];
  out_numbers->count = count;
  out_numbers->adds = adds;
  return true;
}

program_t module_program_of_numbers(const module_step_t *step, const module_numbers_t *numbers) {
  program_t program = step->program;
  const char *name = numbers->adds ? "stablehlo.add" : "stablehlo.multiply";
  program.op = op_find(str_from(name));
  return program;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

/* The sums or products of the numbers from the first to the last of a range, in any way. */
typedef struct ranges {
  const module_algebra_t *algebra;
  const program_t *program;
  size_t elements;
  box_t *boxes[MODULE_NUMBERS_MAX][MODULE_NUMBERS_MAX]; /* By first and last. */
} ranges_t;

static void unite(const box_t *other, size_t count, box_t *inout_boxes) {
  for (size_t i = 0; i < count; i++) inout_boxes[i] = box_unite(inout_boxes[i], other[i]);
}

/* As it is added, or multiplied: of a divisor the inverse, as it is stored or kept. */
static status_t find_boxes(const ranges_t *ranges, const module_number_t *number,
                           box_t *out_boxes) {
  const box_t *own = ranges->algebra->boxes[number->number];
  if (number->is_inverted) {
    program_t program = *ranges->program;
    program.op = op_find(str_from("stablehlo.divide"));
    box_t *ones = ARENA_NEW_ARRAY(ranges->algebra->arena, box_t, ranges->elements);
    for (size_t i = 0; i < ranges->elements; i++) ones[i] = box_point(1);
    const box_t *operands[] = {ones, own};
    return module_combine(ranges->algebra, &program, operands, out_boxes);
  }
  for (size_t i = 0; i < ranges->elements; i++) {
    out_boxes[i] = number->is_negated ? (box_t){-own[i].high, -own[i].low} : own[i];
  }
  return STATUS_OK;
}

status_t module_combine(const module_algebra_t *algebra, const program_t *program,
                        const box_t *const operands[], box_t *out_boxes) {
  const type_t *type = &program->results[0];
  size_t elements = type_element_count(type);
  box_t *stored[] = {out_boxes};
  STATUS_TRY(algebra->enclose(algebra->context, program, algebra->contract, operands, stored));
  if (!algebra->may_be_wider) return STATUS_OK;
  box_t *exact[] = {ARENA_NEW_ARRAY(algebra->arena, box_t, elements)};
  STATUS_TRY(algebra->enclose(algebra->context, program, NULL, operands, exact));
  for (size_t i = 0; i < elements; i++) {
    out_boxes[i] = module_unrounded(out_boxes[i], exact[0][i], type->element->format);
  }
  return STATUS_OK;
}

static status_t fill_range(ranges_t *ranges, uint32_t first, uint32_t last) {
  arena_t *arena = ranges->algebra->arena;
  box_t *boxes = ARENA_NEW_ARRAY(arena, box_t, ranges->elements);
  box_t *other = ARENA_NEW_ARRAY(arena, box_t, ranges->elements);
  for (uint32_t split = first; split < last; split++) {
    box_t *made = split == first ? boxes : other;
    const box_t *parts[] = {ranges->boxes[first][split], ranges->boxes[split + 1][last]};
    STATUS_TRY(module_combine(ranges->algebra, ranges->program, parts, made));
    if (split > first) unite(other, ranges->elements, boxes);
  }
  ranges->boxes[first][last] = boxes;
  return STATUS_OK;
}

static status_t fill_ranges(ranges_t *ranges, const module_numbers_t *numbers) {
  for (uint32_t i = 0; i < numbers->count; i++) {
    ranges->boxes[i][i] = ARENA_NEW_ARRAY(ranges->algebra->arena, box_t, ranges->elements);
    STATUS_TRY(find_boxes(ranges, &numbers->items[i], ranges->boxes[i][i]));
  }
  for (uint32_t length = 2; length <= numbers->count; length++) {
    for (uint32_t first = 0; first + length <= numbers->count; first++) {
      STATUS_TRY(fill_range(ranges, first, first + length - 1));
    }
  }
  return STATUS_OK;
}

status_t module_add_algebra(const module_algebra_t *algebra, const module_step_t *step,
                            const module_numbers_t *numbers, box_t *inout_boxes) {
  const program_t program = module_program_of_numbers(step, numbers);
  ranges_t ranges = {
      .algebra = algebra, .program = &program, .elements = type_element_count(&program.results[0])};
  if (numbers->count == MODULE_NUMBERS_MAX) { /* There may be more. */
    for (size_t i = 0; i < ranges.elements; i++) inout_boxes[i] = box_whole_line();
    return STATUS_OK;
  }
  STATUS_TRY(fill_ranges(&ranges, numbers));
  box_t *made[] = {ARENA_NEW_ARRAY(algebra->arena, box_t, ranges.elements)};
  for (uint32_t first = 0; first + 1 < numbers->count; first++) {
    const box_t *operands[] = {algebra->boxes[numbers->items[first].base],
                               ranges.boxes[first][numbers->count - 1]};
    STATUS_TRY(algebra->enclose(algebra->context, &program, algebra->contract, operands, made));
    unite(made[0], ranges.elements, inout_boxes);
  }
  return STATUS_OK;
}

bool module_keeps_steps(const contract_t *contract) {
  return PERMITTED(contract, algebra) == ALGEBRA_NONE;
}

/* ---- A model --------------------------------------------------------------------------------- */

contract_t module_contract_of_model(const implementation_model_t *schedule) {
  contract_t contract = contract_backend();
  bool reads = schedule->readings != NULL && schedule->fault == FAULT_NONE;
  if (reads) (void)contract_parse(str_from(schedule->readings), &contract, NULL);
  return contract;
}

/* A number of the chain, as it is added or multiplied. */
static status_t find_own(const oracle_call_t *call, const module_step_t *step,
                         const module_number_t *number, const implementation_model_t *schedule,
                         const tensor_t *values, tensor_t *out_own) {
  const type_t *type = &step->program.results[0];
  *out_own = values[number->number];
  out_own->type = *type;
  if (!number->is_negated && !number->is_inverted) return STATUS_OK;
  const module_term_t own = {.value = number->number}, one = {.is_one = true};
  program_t program = {.op = op_find(str_from("stablehlo.negate")),
                       .operand_count = 1,
                       .result_count = 1,
                       .operands = {*type, *type},
                       .results = {*type}};
  module_term_t term = {.program = &program, .operands = {&own}};
  if (number->is_inverted) {
    program.op = op_find(str_from("stablehlo.divide"));
    program.operand_count = 2;
    term.operands[0] = &one;
    term.operands[1] = &own;
  }
  return module_simulate_term(call, &term, type, schedule, values, out_own);
}

/* The numbers of all of the chain, or of its end alone, first to last. */
status_t module_simulate_numbers(const oracle_call_t *call, const module_step_t *step,
                                 const module_numbers_t *numbers,
                                 const implementation_model_t *schedule, tensor_t *values) {
  const program_t program = module_program_of_numbers(step, numbers);
  const uint32_t first = schedule->other_way ? numbers->count - 2 : 0;
  tensor_t combined = {.data = NULL};
  for (uint32_t i = first; i < numbers->count; i++) {
    tensor_t own;
    STATUS_TRY(find_own(call, step, &numbers->items[i], schedule, values, &own));
    if (i == first) {
      combined = own;
      continue;
    }
    tensor_t made = tensor_make(call->arena, &program.results[0]);
    const tensor_t *operands[] = {&combined, &own};
    STATUS_TRY(module_simulate_program(call, &program, operands, schedule, &made));
    combined = made;
  }
  tensor_t result = tensor_make(call->arena, &program.results[0]);
  const tensor_t *operands[] = {&values[numbers->items[first].base], &combined};
  STATUS_TRY(module_simulate_program(call, &program, operands, schedule, &result));
  values[step->results[0]] = result;
  return STATUS_OK;
}
