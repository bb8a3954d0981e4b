/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model for results, and measures accept sets in numbers of the result's format. */
#include "harness/cli/verbs/cases/expected.h"

#include <math.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/model/op.h"
#include "harness/run/case_runner.h"

/* What StableHLO's expect_close permits where nothing is said: taken where no fast accept set is
 * known. */
enum { ULPS_UNKNOWN = 3 };

status_t expected_of_model(const case_t *instance, arena_t *arena, tensor_t *out_results,
                           failure_t *error) {
  const executor_options_t options = {.find_builtin = builtin_find};
  const program_t *program = &instance->program;
  executor_t *executor;
  STATUS_TRY(executor_open("model:sequential", &options, &executor, error));
  executor_program_t *compiled;
  char reason[192] = "";
  executor_outcome_t outcome =
      executor_compile(executor, program, &compiled, reason, sizeof reason);
  if (outcome == EXECUTOR_OK) {
    for (uint32_t i = 0; i < program->result_count; i++) {
      out_results[i] = tensor_make(arena, &program->results[i]);
    }
    execution_t execution =
        executor_execute(executor, compiled, instance->operands, 0, out_results);
    outcome = execution.outcome;
    g_strlcpy(reason, execution.reason, sizeof reason);
  }
  executor_close(executor);
  if (outcome == EXECUTOR_OK) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "no results are known that %s could be expected to give: %s",
                     program->op->name, reason);
}

/* Patterns of a format in the order of their values. */
static int64_t position(const format_t *format, uint64_t bits) {
  uint64_t sign = UINT64_C(1) << (format->bits - 1);
  return (bits & sign) != 0 ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static uint64_t distance(const format_t *format, uint64_t bits, double to) {
  if (!isfinite(to)) return 0;
  int64_t here = position(format, bits), there = position(format, format_from_double(format, to));
  return here < there ? (uint64_t)there - (uint64_t)here : (uint64_t)here - (uint64_t)there;
}

/* Of one component, farthest of the ends of its intervals. */
static uint64_t farthest(const accept_t *accept, const format_t *format, uint64_t bits, size_t i) {
  const bool is_asked = accept->decide != NULL && accept->decide[i] != 0;
  uint64_t found = is_asked ? ULPS_UNKNOWN : 0;
  if (accept->low == NULL || !isfinite(format_to_double(format, bits))) return found;
  if (accept->low[i] <= accept->high[i]) {
    found = MAX(found, distance(format, bits, accept->low[i]));
    found = MAX(found, distance(format, bits, accept->high[i]));
  }
  if (accept->other_low != NULL && accept->other_low[i] <= accept->other_high[i]) {
    found = MAX(found, distance(format, bits, accept->other_low[i]));
    found = MAX(found, distance(format, bits, accept->other_high[i]));
  }
  return found;
}

static uint64_t ulps_of(const accept_t *accept, const tensor_t *result) {
  const element_t *element = result->type.element;
  if (element->format == NULL || result->type.quantization != NULL) return 0;
  uint64_t found = 0;
  for (size_t i = 0; i < type_component_count(&result->type); i++) {
    uint64_t bits = element_load(element, result->data, i);
    found = MAX(found, farthest(accept, element->format, bits, i));
  }
  return found;
}

status_t expected_measure(const case_t *instance, const tensor_t *results, uint32_t unjudged,
                          arena_t *arena, checked_result_t *out_checked, failure_t *error) {
  contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  expectation_t expectation;
  const op_constraint_t *broken =
      program_broken_under(&instance->program, program_broken(&instance->program), &contract);
  STATUS_TRY(case_runner_expect(&walk, instance, broken, arena, &expectation, error));
  const bool is_known = expectation.oracle_status == STATUS_OK && broken == NULL;
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    out_checked[i] = (checked_result_t){0};
    if ((unjudged >> i & 1) != 0) continue;
    out_checked[i].expected = &results[i];
    out_checked[i].ulps = is_known ? ulps_of(&expectation.accepts[i], &results[i]) : ULPS_UNKNOWN;
  }
  return STATUS_OK;
}
