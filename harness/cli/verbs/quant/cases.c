/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an exported model as case lines. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/verbs/quant/measure.h"

typedef struct printing {
  const quant_steps_t *steps;
  tensor_t *tensors; /* By tensor. */
  arena_t *arena;
  FILE *file;
} printing_t;

static void print_case(const printing_t *printing, const quant_step_t *step,
                       const case_t *instance) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  fprintf(printing->file, "# %s\n%s\n", printing->steps->tensors[step->results[0]].name, line->str);
  g_string_free(line, TRUE);
}

/* Prints the step and computes what the next ones need by the plain model. */
static status_t print_step(printing_t *printing, const quant_step_t *step, failure_t *error) {
  const program_t *program = &step->program;
  case_t instance = {.program = *program};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = printing->tensors[step->operands[i]];
    instance.operands[i].type = program->operands[i];
  }
  print_case(printing, step, &instance);
  tensor_t results[CASE_RESULTS_MAX];
  const contract_t contract = contract_backend();
  STATUS_TRY(quant_model_step(&instance, &contract, printing->arena, results, error));
  for (uint32_t i = 0; i < program->result_count; i++) {
    printing->tensors[step->results[i]] = results[i];
  }
  return STATUS_OK;
}

static status_t print_all(printing_t *printing, uint64_t seed, failure_t *error) {
  const quant_steps_t *steps = printing->steps;
  rng_t rng = rng_make(seed);
  const tensor_t *inputs = quant_draw_inputs(&rng, steps->graph, false, printing->arena);
  size_t bytes = steps->tensor_count * sizeof(tensor_t);
  printing->tensors = arena_alloc_zeroed(printing->arena, bytes);
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    if (steps->tensors[i].constant != NULL) printing->tensors[i] = *steps->tensors[i].constant;
  }
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    printing->tensors[steps->inputs[i]] = inputs[i];
  }
  for (uint32_t i = 0; i < steps->step_count; i++) {
    STATUS_TRY(print_step(printing, &steps->steps[i], error));
  }
  return STATUS_OK;
}

status_t quant_print_cases(const quant_steps_t *steps, const char *seed, FILE *file,
                           failure_t *error) {
  uint64_t number;
  STATUS_TRY(arguments_parse_seed(seed, &number, error));
  arena_t arena;
  arena_init(&arena);
  printing_t printing = {.steps = steps, .arena = &arena, .file = file};
  status_t status = print_all(&printing, number, error);
  arena_deinit(&arena);
  return status;
}
