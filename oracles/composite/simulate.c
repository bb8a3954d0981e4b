/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of a composite op returns. */
#include <math.h>
#include <string.h>

#include "oracles/composite/norm_reading.h"
#include "oracles/composite/parts.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/formula/integers/integer_set.h"
#include "oracles/formula/model.h"

static uint64_t result_bits(const format_t *format, const implementation_model_t *schedule,
                            double value, size_t element) {
  uint64_t bits = format_from_double(format, value == value ? value : (double)NAN);
  return schedule->fault == FAULT_NONE ? bits
                                       : fault_spoil_bits(schedule->fault, format, bits, element);
}

static void store_part(const problem_t *problem, const part_t *part,
                       const implementation_model_t *schedule, const row_t *rows,
                       tensor_t *results) {
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const element_t *element = results[r].type.element;
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      size_t index = part_result_element(problem, part, r, i);
      size_t n = rows[r].count == 1 ? 0 : i;
      if (fault_skips_store(schedule->fault, index, &results[r])) continue;
      if (element->format == NULL) {
        uint64_t bits = integer_to_pattern(element, rows[r].integers[n].low);
        element_store(element, results[r].data, index, bits);
        continue;
      }
      double value = rows[r].values[n];
      element_store(element, results[r].data, index,
                    result_bits(element->format, schedule, value, index));
    }
  }
}

/* In binary64, which has not those of its smallest numbers. */
static bool has_inverse_of_epsilon(const problem_t *problem) {
  if (problem->composite->epsilon == NULL) return true;
  double epsilon = problem->composite->epsilon(&problem->instance->program);
  return epsilon == 0 || isfinite(1 / epsilon);
}

/* A formula whose steps neither overflow nor underflow is run by its name only, in binary64, which
 * has no wider type itself; else the first of the others is. */
static status_t model_variant(const problem_t *problem, const implementation_model_t *schedule,
                              variant_t *out_variant, failure_t *error) {
  const format_t *f64 = &format_table[FORMAT_f64];
  const char *formulas = problem->instance->program.op->formulas;
  variant_t variant = {.formula = model_formula(formulas, schedule)};
  implementation_model_t wide = *schedule;
  wide.native = schedule->native && !problem->formulas[variant.formula].is_running;
  variant.format = model_working_format(problem->format, &wide);
  if (problem->formulas[variant.formula].is_unbounded) {
    const char *name = contract_spelling(formulas, variant.formula);
    bool is_named = schedule->formula != NULL && strcmp(schedule->formula, name) == 0;
    if (is_named && (problem->format == f64 || !has_inverse_of_epsilon(problem))) {
      return status_fail(error, STATUS_UNSUPPORTED, "no model of %s, for which f64 is too narrow",
                         name);
    }
    if (is_named) variant.format = f64;
    while (!is_named && problem->formulas[variant.formula].is_unbounded) variant.formula++;
  }
  variant.rounds_normal = problem->formulas[variant.formula].has_normal &&
                          variant.format != problem->format && norm_may_round(problem->contract);
  *out_variant = variant;
  return STATUS_OK;
}

status_t composite_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                            tensor_t *inout_results) {
  contract_t contract = contract_backend();
  contract_set_value(&contract, "intermediate", INTERMEDIATE_WIDE); /* Models are told what is. */
  if (schedule->readings != NULL) {
    STATUS_TRY(contract_parse(str_from(schedule->readings), &contract, call->error));
  }
  problem_t problem = problem_make(call->instance, &contract, call->arena);
  variant_t variant;
  STATUS_TRY(model_variant(&problem, schedule, &variant, call->error));
  for (size_t group = 0; group < problem.layout.group_count; group++) {
    arena_mark_t mark = arena_mark(call->arena);
    part_t part = problem_part(&problem, group);
    row_t rows[CASE_RESULTS_MAX];
    const evaluation_t modelled = {.evaluator = &model_evaluator, .schedule = schedule};
    problem_evaluate(&problem, &part, &variant, &modelled, rows);
    store_part(&problem, &part, schedule, rows, inout_results);
    arena_rewind(call->arena, mark);
  }
  return STATUS_OK;
}
