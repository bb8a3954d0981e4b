/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses data-movement ops by moving the interval of each element along the same strides as the
 * elements, and flushing it where the contract permits. */
#include "oracles/ops/data_movement/enclose.h"

#include "oracles/ops/data_movement/moves.h"

typedef struct boxes {
  const box_t *const *operands;
  box_t *result;
} boxes_t;

static void move_box(const move_t *move, size_t from, size_t to, void *context) {
  const boxes_t *boxes = (const boxes_t *)context;
  boxes->result[to] = boxes->operands[move->operand][from];
}

status_t data_movement_enclose(const enclosure_call_t *call,
                               box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  const element_t *element = program->results[0].element;
  if (!data_movement_is_defined(program) || element->components != 1) {
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "complex numbers, and broadcasts to other scales, are not enclosed");
  }
  boxes_t boxes = {call->operands, out_results[0]};
  moves_t moves = moves_make(program, FAULT_NONE);
  for (uint32_t i = 0; i < moves.count; i++) {
    move_each(program, &moves.items[i], move_box, &boxes);
  }
  bool flushes = call->contract != NULL && PERMITTED(call->contract, ftz) != FTZ_NONE &&
                 element->format != NULL;
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count && flushes; i++) {
    out_results[0][i] = box_flush(out_results[0][i], element->format);
  }
  return STATUS_OK;
}
