/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/composite/repeats.h"

#include "harness/base/rng.h"

/* Whether a result element depends on nothing but one element of each operand, all of the same
 * number, or the only one. */
static bool is_told_by_elements(const problem_t *problem) {
  const composite_t *composite = problem->composite;
  if (!problem->layout.is_elementwise || composite->derived_count > 0) return false;
  if (composite->loads_patterns || problem->quantized != NULL || problem->boxes != NULL) {
    return false;
  }
  for (uint32_t i = 0; i < problem->instance->program.operand_count; i++) {
    composite_role_t role = composite->operand_roles[i];
    if (role != COMPOSITE_ELEMENT && role != COMPOSITE_SCALAR) return false;
    if (problem->instance->operands[i].type.quantization != NULL) return false;
  }
  return true;
}

repeats_t repeats_make(const problem_t *problem, size_t count) {
  repeats_t repeats = {.problem = problem};
  if (count < 2 || !is_told_by_elements(problem)) return repeats;
  size_t slots = 4;
  while (slots < 2 * count) slots *= 2;
  repeats.mask = slots - 1;
  repeats.slots = arena_alloc_zeroed(problem->arena, slots * sizeof *repeats.slots);
  return repeats;
}

static uint64_t pattern(const problem_t *problem, uint32_t operand, size_t element) {
  bool is_only = problem->composite->operand_roles[operand] == COMPOSITE_SCALAR;
  const tensor_t *tensor = &problem->instance->operands[operand];
  return element_load(tensor->type.element, tensor->data, is_only ? 0 : element);
}

static bool is_same(const problem_t *problem, size_t a, size_t b) {
  bool is_same = true;
  for (uint32_t i = 0; i < problem->instance->program.operand_count; i++) {
    is_same = is_same && pattern(problem, i, a) == pattern(problem, i, b);
  }
  return is_same;
}

size_t repeats_find(repeats_t *inout_repeats, size_t element) {
  const problem_t *problem = inout_repeats->problem;
  size_t *slots = inout_repeats->slots;
  if (slots == NULL) return element;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < problem->instance->program.operand_count; i++) {
    hash ^= pattern(problem, i, element);
    hash = rng_splitmix(&hash);
  }
  size_t slot = (size_t)hash & inout_repeats->mask;
  for (; slots[slot] != 0; slot = (slot + 1) & inout_repeats->mask) {
    if (is_same(problem, slots[slot] - 1, element)) return slots[slot] - 1;
  }
  slots[slot] = element + 1;
  return element;
}
