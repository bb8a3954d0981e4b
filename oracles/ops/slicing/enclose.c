/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses slices, pads and reversals (theory.md, T261): the box of each element is that of the
 * element that it is a copy of. */
#include "oracles/ops/slicing/enclose.h"
#include "oracles/exact/box/box.h"
#include "oracles/ops/slicing/sources.h"

status_t slicing_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  const type_t *type = &program->results[0];
  if (type->element->components != 1) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "complex numbers are not enclosed");
  }
  /* Sources of these ops are told by the program alone. */
  const case_t instance = {.program = *program};
  const slicing_source_t *sources = slicing_sources(&instance, FAULT_NONE, call->arena);
  const format_t *format = type->element->format;
  bool flushes =
      call->contract != NULL && PERMITTED(call->contract, ftz) != FTZ_NONE && format != NULL;
  size_t count = type_element_count(type);
  for (size_t i = 0; i < count; i++) {
    box_t box = call->operands[sources[i].operand][sources[i].number];
    out_results[0][i] = flushes ? box_flush(box, format) : box;
  }
  return STATUS_OK;
}
