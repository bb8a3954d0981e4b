/* SPDX-License-Identifier: Apache-2.0 */
/* Accept sets of nearest-neighbour resize. The fast side copies the element at the exact
 * coordinate; the exact side searches all elements whose index some permitted coordinate
 * computation gives. */
#include "oracles/ops/byteir_resize/nearest.h"

#include <stdio.h>

#include "generated/byteir_resize_permissions.h"
#include "oracles/copied.h"

/* ---- Fast side ------------------------------------------------------------------------------- */

/* The elements at the floors of the exact coordinates. */
void resize_nearest_accept(const oracle_call_t *call, accept_t *out_accept) {
  resize_grid_t grid = resize_grid_make(
      call->instance, PERMITTED(call->contract, resize_scale) == RESIZE_SCALE_GIVEN);
  const tensor_t *input = &call->instance->operands[0];
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, grid.count);
  *out_accept = (accept_t){.count = grid.count, .bits = bits};
  arena_mark_t mark = arena_mark(call->arena);
  int64_t *indices[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < grid.rank; dim++) {
    const resize_axis_t *axis = &grid.axes[dim];
    indices[dim] = ARENA_NEW_ARRAY(call->arena, int64_t, (size_t)axis->resized);
    for (int64_t position = 0; grid.count > 0 && position < axis->resized; position++) {
      indices[dim][position] = resize_indices_make(axis, position).exact;
    }
  }
  for (size_t i = 0; i < grid.count; i++) {
    int64_t place[TYPE_RANK_MAX];
    resize_positions(&grid, i, place);
    for (uint32_t dim = 0; dim < grid.rank; dim++) place[dim] = indices[dim][place[dim]];
    bits[i] = element_load(input->type.element, input->data, resize_element(&grid, place));
  }
  arena_rewind(call->arena, mark);
}

/* ---- One component --------------------------------------------------------------------------- */

/* What a component may be, in words. */
static void describe_element(const element_t *element, uint64_t bits, answer_t *answer) {
  size_t bytes = sizeof answer->expected;
  if (answer->expected[0] != '\0') g_strlcat(answer->expected, " or ", bytes);
  copied_print(element, bits, answer->expected, bytes);
}

static void note_kind(const element_t *element, uint64_t from, answer_t *answer) {
  const format_t *format = element->format;
  answer->nan_expected &= format != NULL && format_is_nan(format, from);
  answer->infinity_expected &= format != NULL && format_is_infinity(format, from);
}

static void measure_copy(const element_t *element, uint64_t bits, answer_t *answer) {
  answer->has_reference = element->format != NULL && !format_is_nan(element->format, bits) &&
                          !format_is_infinity(element->format, bits);
}

/* The next indices, as an odometer; false after the last. */
static bool advance(const resize_grid_t *grid, const resize_indices_t *ranges, int64_t *indices) {
  for (uint32_t dim = grid->rank; dim-- > 0;) {
    if (++indices[dim] <= ranges[dim].last) return true;
    indices[dim] = ranges[dim].first;
  }
  return false;
}

/* Holds the result against the elements that every dimension permits. */
static bool find_copy(const resize_grid_t *grid, const contract_t *contract, size_t component,
                      uint64_t bits, answer_t *inout_answer) {
  const tensor_t *input = &grid->instance->operands[0];
  const element_t *element = input->type.element;
  resize_indices_t ranges[TYPE_RANK_MAX];
  int64_t positions[TYPE_RANK_MAX], indices[TYPE_RANK_MAX];
  resize_positions(grid, component, positions);
  for (uint32_t dim = 0; dim < grid->rank; dim++) {
    ranges[dim] = resize_indices_make(&grid->axes[dim], positions[dim]);
    indices[dim] = ranges[dim].first;
  }
  do {
    uint64_t from = element_load(element, input->data, resize_element(grid, indices));
    describe_element(element, from, inout_answer);
    note_kind(element, from, inout_answer);
    if (copied_conforms(element, contract, from, bits)) return true;
  } while (advance(grid, ranges, indices));
  return false;
}

void resize_nearest_decide(const case_t *instance, const contract_t *contract, size_t component,
                           const tensor_t *result, answer_t *out_answer) {
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, component);
  answer_t answer = {.nan_expected = true, .infinity_expected = true};
  bool differ = resize_scales_differ(instance);
  bool with_ratio = !differ || PERMITTED(contract, resize_scale) != RESIZE_SCALE_GIVEN;
  bool with_given = differ && PERMITTED(contract, resize_scale) != RESIZE_SCALE_RATIO;
  for (int given = with_ratio ? 0 : 1; given <= (with_given ? 1 : 0); given++) {
    resize_grid_t grid = resize_grid_make(instance, given == 1);
    answer.conforms = find_copy(&grid, contract, component, bits, &answer);
    if (answer.conforms && given == 1 && with_ratio) {
      snprintf(answer.observed, sizeof answer.observed, "resize_scale=given");
    }
    if (answer.conforms) break;
  }
  if (answer.conforms) measure_copy(element, bits, &answer);
  *out_answer = answer;
}
