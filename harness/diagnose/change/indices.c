/* SPDX-License-Identifier: Apache-2.0 */
/* Indices that are of no element are taken for the nearest one, where the op has another meaning
 * for them: operands of integers are clamped to one of the sizes of the result. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

static uint64_t clamped(const element_t *element, uint64_t bits, uint64_t last) {
  const bool is_negative =
      element->kind == ELEMENT_SIGNED && element_signed_value(element, bits) < 0;
  return is_negative ? 0 : MIN(bits, last);
}

/* The operand with indices from 0 to `last`; false if it has no other ones. */
static bool clamp_operand(solver_t *solver, uint32_t operand, uint64_t last, case_t *out_case) {
  *out_case = *solver->question->instance;
  tensor_t *tensor = &out_case->operands[operand];
  *tensor = tensor_copy(solver->arena, tensor);
  const element_t *element = tensor->type.element;
  bool is_changed = false;
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    const uint64_t bits = element_load(element, tensor->data, i);
    const uint64_t index = clamped(element, bits, last);
    is_changed |= index != bits;
    element_store(element, tensor->data, i, index);
  }
  return is_changed;
}

static void test_size(solver_t *solver, uint32_t operand, uint32_t dim, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  const type_t *result = &program->results[solver->verdict->result];
  case_t changed;
  if (result->dims[dim] < 1) return;
  if (!clamp_operand(solver, operand, (uint64_t)result->dims[dim] - 1, &changed)) return;
  char key[CAUSE_KEY_BYTES], detail[CAUSE_DETAIL_BYTES];
  g_snprintf(key, sizeof key, "operand %u is clamped", operand);
  g_snprintf(detail, sizeof detail, "operand %u is clamped to dimension %u of the result", operand,
             dim);
  const change_t change = {
      .cause = CAUSE_operand_clamped, .key = key, .instance = &changed, .tried = result->rank};
  change_test(solver, &change, detail, found);
}

void change_indices(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  const type_t *result = &program->results[solver->verdict->result];
  if (change_has_starts(program) || !solver_tests(solver, CAUSE_operand_clamped)) return;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    if (type->quantization != NULL || !element_is_integer(type->element)) continue;
    for (uint32_t dim = 0; dim < result->rank; dim++) {
      arena_mark_t mark = arena_mark(solver->arena);
      test_size(solver, i, dim, found);
      arena_rewind(solver->arena, mark);
    }
  }
}
