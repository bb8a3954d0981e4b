/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a diverging case once more and decides every element, to print a bug report with
 * inputs, observed and expected values. */
#include "reports/verdict/reproducer.h"

#include "harness/run/execute_twice.h"
#include "reports/verdict/c_array.h"
#include "reports/verdict/describe.h"

/* What is due of a wrong component, in words; NULL if it is not wrong, or nobody knows. */
static char *find_expected(const case_runner_t *walk, const expectation_t *expectation,
                           const reproducer_t *reproducer, uint32_t result, size_t component,
                           arena_t *arena) {
  answer_t answer;
  failure_t error;
  const oracle_call_t call = {.instance = &reproducer->instance,
                              .contract = &walk->contract,
                              .results = reproducer->results,
                              .arena = arena,
                              .error = &error};
  status_t status = expectation->oracle->decide(&call, result, component, &answer);
  if (status != STATUS_OK || answer.conforms) return NULL;
  return arena_copy_text(arena, answer.expected, strlen(answer.expected));
}

static void find_all_expected(const case_runner_t *walk, const expectation_t *expectation,
                              reproducer_t *reproducer, arena_t *arena) {
  const case_t *instance = &reproducer->instance;
  bool is_judged = expectation->broken == NULL && expectation->oracle != NULL &&
                   expectation->oracle_status == STATUS_OK;
  for (uint32_t result = 0; result < instance->program.result_count && is_judged; result++) {
    const element_t *element = instance->program.results[result].element;
    const accept_t *accept = &expectation->accepts[result];
    const tensor_t *tensor = &reproducer->results[result];
    size_t count = type_component_count(&instance->program.results[result]);
    char **expected = ARENA_NEW_ARRAY(arena, char *, count);
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = element_load(element, tensor->data, i);
      bool is_held =
          accept_holds(accept, element, i, bits) && !accept_differs_from_twin(accept, tensor, i);
      expected[i] = is_held ? NULL : find_expected(walk, expectation, reproducer, result, i, arena);
    }
    reproducer->expected[result] = expected;
  }
}

static void find_results(case_runner_t *walk, executor_t *executor,
                         const expectation_t *expectation, const preparation_t *preparation,
                         reproducer_t *reproducer, arena_t *arena) {
  const program_t *program = &reproducer->instance.program;
  if (preparation->outcome != EXECUTOR_OK) return;
  if (!case_runner_is_executed(preparation, program, expectation->broken)) return;
  executions_t executions;
  execution_t last =
      execute_twice(executor, preparation->program, &reproducer->instance, arena, &executions);
  if (last.outcome != EXECUTOR_OK || executions.wrote_out_of_bounds) return;
  reproducer->has_results = true;
  memcpy(reproducer->results, executions.results, sizeof reproducer->results);
  find_all_expected(walk, expectation, reproducer, arena);
}

status_t reproducer_make(case_runner_t *walk, executor_t *executor, const case_t *instance,
                         arena_t *arena, reproducer_t *out_reproducer, failure_t *error) {
  *out_reproducer = (reproducer_t){.instance = *instance};
  const program_t *program = &instance->program;
  const op_constraint_t *broken =
      program_broken_under(program, program_broken(program), &walk->contract);
  expectation_t expectation;
  STATUS_TRY(case_runner_expect(walk, instance, broken, arena, &expectation, error));
  preparation_t preparation;
  case_runner_prepare(walk, program, broken, executor, &preparation);
  STATUS_TRY(case_runner_run_prepared(walk, &expectation, &preparation, &out_reproducer->verdict,
                                      NULL, error));
  if (out_reproducer->verdict.outcome == OUTCOME_failed) return STATUS_OK;
  find_results(walk, executor, &expectation, &preparation, out_reproducer, arena);
  return STATUS_OK;
}

size_t reproducer_operand_elements(const case_t *instance) {
  size_t count = 0;
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    count += type_element_count(&instance->operands[i].type);
  }
  return count;
}

void reproducer_print_c(const reproducer_t *reproducer, const executor_t *executor,
                        const char *replay, GString *out_text) {
  GString *notes = g_string_new(NULL);
  g_string_append_printf(notes, "%s: ", executor_version(executor));
  describe_verdict(&reproducer->instance.program, &reproducer->verdict, notes);
  g_string_append_printf(notes, "\n%s\n", replay);
  c_result_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) {
    results[i] = (c_result_t){.got = &reproducer->results[i], .expected = reproducer->expected[i]};
  }
  c_array_print(&reproducer->instance, notes->str, reproducer->has_results ? results : NULL,
                out_text);
  g_string_free(notes, TRUE);
}
