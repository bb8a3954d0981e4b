/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of stablehlo.batch_norm_training and stablehlo.batch_norm_grad. */
#include "oracles/composite/quantized.h"
#include "oracles/ops/batch_norm/formulas.h"

static composite_layout_t layout(const program_t *program, arena_t *arena) {
  dimension_list_t terms = batch_norm_terms(program);
  return composite_layout_rows(&program->operands[0], &terms, arena);
}

static double epsilon_of(const program_t *program) {
  return batch_norm_attributes(program)->epsilon;
}

static const composite_t training = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT, COMPOSITE_GROUP, COMPOSITE_GROUP},
    .result_roles = {COMPOSITE_ELEMENT, COMPOSITE_GROUP, COMPOSITE_GROUP},
    .formulas = batch_norm_training_formulas,
    .takes_groups_together = true,
    .epsilon = epsilon_of,
};

static const composite_t grad = {
    .layout = layout,
    .operand_roles = {COMPOSITE_ELEMENT, COMPOSITE_GROUP, COMPOSITE_GROUP, COMPOSITE_GROUP,
                      COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT, COMPOSITE_GROUP, COMPOSITE_GROUP},
    .formulas = batch_norm_grad_formulas,
    .takes_groups_together = true,
    .epsilon = epsilon_of,
};

/* ---- Element types --------------------------------------------------------------------------- */

status_t batch_norm_check_element(const program_t *program, failure_t *error) {
  static const int known[] = {FORMAT_f16, FORMAT_bf16, FORMAT_f32, FORMAT_f64};
  const type_t *operand = &program->operands[0];
  bool is_quantized = composite_is_quantized(program);
  const element_t *element = is_quantized ? operand->quantization->expressed : operand->element;
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
    if (element->format == &format_table[known[i]]) return STATUS_OK;
  }
  return status_fail(error, STATUS_UNSUPPORTED, "it is not specified how %s of %s is computed",
                     program->op->name, element->name);
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  STATUS_TRY(batch_norm_check_element(&call->instance->program, call->error));
  return composite_is_quantized(&call->instance->program)
             ? composite_quantized_accept(call, out_accepts)
             : composite_accept(call, out_accepts);
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  STATUS_TRY(batch_norm_check_element(&call->instance->program, call->error));
  return composite_is_quantized(&call->instance->program)
             ? composite_quantized_decide(call, result, component, out_answer)
             : composite_decide(call, result, component, out_answer);
}

static status_t ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                       accepted_ranges_t *out_ranges) {
  STATUS_TRY(batch_norm_check_element(&call->instance->program, call->error));
  return composite_ranges(call, result, span, out_ranges);
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  return composite_is_quantized(&call->instance->program)
             ? composite_quantized_audit(call, accepts, result, component)
             : composite_audit(call, accepts, result, component);
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  STATUS_TRY(batch_norm_check_element(&call->instance->program, call->error));
  return composite_is_quantized(&call->instance->program)
             ? composite_quantized_find_formula(call, out_formula, out_found)
             : composite_find_formula(call, accepts, out_formula, out_found);
}

/* Quantized results are too coarse to tell. */
static status_t explain_rows(const oracle_call_t *call, row_answer_t *out_answer) {
  if (!composite_is_quantized(&call->instance->program)) {
    return composite_explain_rows(call, out_answer);
  }
  *out_answer = (row_answer_t){.agrees = true};
  return STATUS_OK;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const oracle_t training_oracle = {
    .op_name = "stablehlo.batch_norm_training",
    .composite = &training,
    .accept = accept,
    .decide = decide,
    .ranges = ranges,
    .audit = audit,
    .simulate = batch_norm_simulate,
    .find_formula = find_formula,
    .explain_rows = explain_rows,
};

static const oracle_t grad_oracle = {
    .op_name = "stablehlo.batch_norm_grad",
    .composite = &grad,
    .accept = accept,
    .decide = decide,
    .ranges = ranges,
    .audit = audit,
    .simulate = batch_norm_simulate,
    .find_formula = find_formula,
    .explain_rows = explain_rows,
};

extern const oracle_t *const batch_norm_oracles[];
const oracle_t *const batch_norm_oracles[] = {&training_oracle, &grad_oracle, NULL};
