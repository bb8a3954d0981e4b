/* What one concrete implementation of a composite op returns. */
#include <string.h>

#include "oracles/composite_parts.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/fault_values.h"
#include "oracles/formula/model.h"

/* The formula that the schedule names, if the op has it; else the tightest. */
static uint8_t formula_of(const problem_t *problem, const schedule_t *schedule) {
  const char *permission = problem->instance->program.op->formulas;
  if (schedule->formula == NULL || permission == NULL) return 0;
  for (uint8_t formula = 0; formula < problem_formula_count(problem); formula++) {
    if (strcmp(contract_spelling(permission, formula), schedule->formula) == 0) return formula;
  }
  return 0;
}

/* The working format: that of the operands, f32 for those of 16 bits, or a wider one. */
static const format_t *format_of(const problem_t *problem, const schedule_t *schedule) {
  const format_t *format = problem->format;
  if (format->bits == 16 && !schedule->native) format = &format_table[FORMAT_f32];
  const format_t *wider = schedule->accumulator;
  return wider != NULL && arithmetic_format_holds(wider, format) ? wider : format;
}

static uint64_t result_bits(const format_t *format, const schedule_t *schedule, double value,
                            size_t element) {
  uint64_t bits = format_from_double(format, value == value ? value : (double)NAN);
  return schedule->fault == FAULT_NONE ? bits
                                       : fault_spoil_bits(schedule->fault, format, bits, element);
}

static void store_part(const problem_t *problem, const part_t *part, const schedule_t *schedule,
                       const row_t *rows, tensor_t *results) {
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const element_t *element = results[r].type.element;
    for (size_t i = 0; i < part_result_count(problem, part, r); i++) {
      size_t index = part_result_element(problem, part, r, i);
      double value = rows[r].values[rows[r].count == 1 ? 0 : i];
      if (fault_skips_store(schedule->fault, index, &results[r])) continue;
      element_store(element, results[r].data, index,
                    result_bits(element->format, schedule, value, index));
    }
  }
}

status_t composite_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                            tensor_t *inout_results, failure_t *error) {
  (void)error;
  const contract_t contract = contract_backend();
  problem_t problem = problem_make(instance, &contract, arena);
  const reading_t reading = {.formula = formula_of(&problem, schedule),
                             .format = format_of(&problem, schedule)};
  for (size_t group = 0; group < problem.layout.group_count; group++) {
    arena_mark_t mark = arena_mark(arena);
    part_t part = problem_part(&problem, group);
    row_t rows[CASE_RESULTS_MAX];
    problem_evaluate(&problem, &part, &reading, &model_evaluator, NULL, schedule, rows);
    store_part(&problem, &part, schedule, rows, inout_results);
    arena_rewind(arena, mark);
  }
  return STATUS_OK;
}
