/* SPDX-License-Identifier: Apache-2.0 */
/* The float form: operands dequantized or widened, the op in high precision; and ops on the
 * narrower floats that a kernel takes. */
#include "harness/quant/lower/state.h"

status_t region_float_op(region_export_t *self, const quant_op_t *op, failure_t *error) {
  exporter_t *exporter = self->exporter;
  const program_t *program = &op->program;
  uint32_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const inner_state_t *state = &self->states[op->operands[i]];
    STATUS_TRY(state_to_type(exporter, state, &program->operands[i], &operands[i], error));
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

/* ---- Narrower floats ------------------------------------------------------------------------- */

/* Whether an inner tensor holds nothing of what the region's ports give: its own constants alone,
 * moved about. */
static bool is_of_own_constants(const region_export_t *self, uint32_t inner) {
  const quant_region_t *region = self->region;
  if (inner < region->input_count) return false;
  if (region->inners[inner].constant != NULL) return true;
  for (uint32_t i = 0; i < region->op_count; i++) {
    const quant_op_t *op = &region->ops[i];
    if (op->results[0] != inner) continue;
    bool is_own = true;
    for (uint32_t k = 0; k < op->program.operand_count; k++) {
      is_own = is_own && is_of_own_constants(self, op->operands[k]);
    }
    return is_own;
  }
  return false;
}

/* The 16-bit float that all operands of the op are stored as, the region's own constants left out;
 * or NULL. */
static const element_t *narrow_element(const region_export_t *self, const quant_op_t *op) {
  const element_t *element = NULL;
  for (uint32_t i = 0; i < op->program.operand_count; i++) {
    const inner_state_t *state = &self->states[op->operands[i]];
    if (state->kind != INNER_FLOAT) return NULL;
    bool is_narrow = state->type.element != op->program.operands[i].element;
    bool is_free = !is_narrow && state->constant != NULL;
    if (is_free && is_of_own_constants(self, op->operands[i])) continue;
    if (!is_narrow || (element != NULL && element != state->type.element)) return NULL;
    element = state->type.element;
  }
  return element;
}

/* Types of floats over shapes are those of `element`. */
static type_t narrowed(const type_t *type, const element_t *element) {
  bool is_float = type->element->kind == ELEMENT_FLOAT;
  return type_make(is_float ? element : type->element, type->rank, type->dims);
}

static status_t emit_narrow(region_export_t *self, const quant_op_t *op, const element_t *operand,
                            const element_t *result, failure_t *error) {
  exporter_t *exporter = self->exporter;
  program_t program = op->program;
  uint32_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
  const char *names[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = narrowed(&program.operands[i], operand);
    STATUS_TRY(state_to_type(exporter, &self->states[op->operands[i]], &program.operands[i],
                             &operands[i], error));
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    program.results[i] = narrowed(&program.results[i], result);
    names[i] = region_name(self, op->results[i], NULL);
  }
  const new_step_t step = {
      .program = &program, .operands = operands, .names = names, .declared = program.results};
  STATUS_TRY(exporter_emit(exporter, &step, results, error));
  for (uint32_t i = 0; i < program.result_count; i++) {
    self->states[op->results[i]] =
        state_of_float(&program.results[i], (int32_t)results[i], NULL, names[i]);
  }
  return STATUS_OK;
}

status_t region_narrow_op(region_export_t *self, const quant_op_t *op, failure_t *error) {
  const element_t *narrow = narrow_element(self, op);
  if (narrow == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "%s: its operands are not stored as one float",
                       op->program.op->name);
  }
  const element_t *own = op->program.results[0].element;
  const quant_spec_t *spec = region_port_spec(self, op->results[0]);
  bool is_kept = spec != NULL && spec->kind == QUANT_SPEC_KEEP && spec->expressed == own;
  if (is_kept) {
    exporter_mark_t mark = exporter_mark(self->exporter);
    if (emit_narrow(self, op, narrow, own, NULL) == STATUS_OK) return STATUS_OK;
    exporter_rewind(self->exporter, mark);
  }
  return emit_narrow(self, op, narrow, narrow, error);
}
