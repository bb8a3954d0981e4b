/* SPDX-License-Identifier: Apache-2.0 */
/* The float form: operands dequantized, the op in high precision. */
#include "harness/quant/lower/state.h"

status_t region_float_op(region_export_t *self, const quant_op_t *op, failure_t *error) {
  exporter_t *exporter = self->exporter;
  const program_t *program = &op->program;
  uint32_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const inner_state_t *state = &self->states[op->operands[i]];
    STATUS_TRY(state_to_float(exporter, state, &operands[i], error));
  }
  const char *names[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    names[i] = region_name(self, op->results[i], NULL);
  }
  const new_step_t step = {
      .program = program, .operands = operands, .names = names, .declared = program->results};
  STATUS_TRY(exporter_emit(exporter, &step, results, error));
  for (uint32_t i = 0; i < program->result_count; i++) {
    self->states[op->results[i]] =
        state_of_float(&program->results[i], (int32_t)results[i], NULL, names[i]);
  }
  return STATUS_OK;
}
