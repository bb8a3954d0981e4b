/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the constraints of reduce_window and select_and_scatter in order; both use one table-
 * driven check of per-dimension lists. */
#include "oracles/ops/windowed/op/op.h"

static bool elements_equal(const type_t *a, const type_t *b) {
  scalar_type_t left = scalar_type_of(a);
  scalar_type_t right = scalar_type_of(b);
  return scalar_type_equal(&left, &right);
}

static bool takes_all(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!reduction_takes(&program->operands[i])) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!reduction_takes(&program->results[i])) return false;
  }
  return true;
}

/* A list that has one positive entry for each dimension, and what it breaks if it has not. */
typedef struct list_rule {
  const dimension_list_t *list;
  const char *size_id;
  const char *positive_id;
} list_rule_t;

static const char *validate_lists(const list_rule_t *rules, size_t count, uint32_t rank) {
  for (size_t i = 0; i < count; i++) {
    if (rules[i].list->count != rank) return rules[i].size_id;
    if (!dimension_list_is_positive(rules[i].list)) return rules[i].positive_id;
  }
  return NULL;
}

/* ---- reduce_window --------------------------------------------------------------------------- */

static const char *validate_inputs(const program_t *program) {
  uint32_t inputs = program->result_count;
  for (uint32_t i = 0; i < inputs; i++) {
    if (program->operands[inputs + i].rank != 0) return "types";
  }
  for (uint32_t i = 0; i < inputs; i++) {
    const type_t *input = &program->operands[i];
    if (!type_shapes_equal(input, &program->operands[0])) return "C2";
    if (!elements_equal(input, &program->operands[inputs + i])) return "C3";
  }
  return NULL;
}

static const char *validate_results(const program_t *program) {
  type_t counts = windowed_counts(windowed_attributes(program), &program->operands[0]);
  for (uint32_t i = 1; i < program->result_count; i++) {
    if (!type_shapes_equal(&program->results[i], &program->results[0])) return "C14";
  }
  return type_shapes_equal(&program->results[0], &counts) ? NULL : "C15";
}

const char *reduce_window_validate(const program_t *program) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  uint32_t inputs = program->result_count;
  if (inputs == 0 || inputs > CASE_RESULTS_MAX || program->operand_count != 2 * inputs) return "C1";
  if (!takes_all(program)) return "types";
  const char *violation = validate_inputs(program);
  if (violation != NULL) return violation;
  const list_rule_t rules[] = {
      {&attributes->window_dimensions, "C4", "C5"},
      {&attributes->window_strides, "C6", "C7"},
      {&attributes->base_dilations, "C8", "C9"},
      {&attributes->window_dilations, "C10", "C11"},
  };
  uint32_t rank = program->operands[0].rank;
  violation = validate_lists(rules, G_N_ELEMENTS(rules), rank);
  if (violation != NULL) return violation;
  if (attributes->padding.count != rank) return "C12";
  reduction_types_t types = windowed_types(program);
  violation = reduction_validate(&attributes->reduction, &types, "C13", "C16");
  if (violation == NULL) violation = validate_results(program);
  return violation != NULL ? violation : reduction_check_model(&attributes->reduction, &types);
}

/* ---- select_and_scatter ---------------------------------------------------------------------- */

/* What the ops of select are known to compare. */
static bool is_ordered(const element_t *element) { return element->kind != ELEMENT_COMPLEX; }

static const char *validate_windows(const program_t *program) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  const type_t *operand = &program->operands[SELECT_OPERAND];
  const list_rule_t rules[] = {
      {&attributes->window_dimensions, "C4", "C5"},
      {&attributes->window_strides, "C6", "C7"},
  };
  const char *violation = validate_lists(rules, G_N_ELEMENTS(rules), operand->rank);
  if (violation != NULL) return violation;
  if (attributes->padding.count != operand->rank) return "C8";
  type_t counts = windowed_counts(attributes, operand);
  return type_shapes_equal(&program->operands[SELECT_SOURCE], &counts) ? NULL : "C2";
}

const char *select_and_scatter_validate(const program_t *program) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  if (program->operand_count != 3 || program->result_count != 1) return "types";
  if (!takes_all(program)) return "types";
  const type_t *operand = &program->operands[SELECT_OPERAND];
  const type_t *init = &program->operands[SELECT_INIT];
  if (init->rank != 0 || attributes->select >= WINDOWED_SELECT_COUNT) return "types";
  if (!elements_equal(operand, &program->operands[SELECT_SOURCE])) return "C1";
  if (!elements_equal(operand, init)) return "C3";
  const char *violation = validate_windows(program);
  if (violation != NULL) return violation;
  reduction_types_t types = windowed_types(program);
  violation = reduction_validate(&attributes->reduction, &types, "C10", "C12");
  if (violation != NULL) return violation;
  if (!type_shapes_equal(&program->results[0], operand)) return "C11";
  violation = reduction_check_model(&attributes->reduction, &types);
  return violation == NULL && !is_ordered(operand->element) ? "order" : violation;
}
