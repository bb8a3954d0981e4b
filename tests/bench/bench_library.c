/* SPDX-License-Identifier: Apache-2.0 */
/* What a check through libassay costs over the oracle and the judge themselves, on the same data:
 * at most 1.2 times at 64^3.  Ratios of medians in one run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/api/assay/assay.h"
#include "harness/judge/judge.h"
#include "harness/model/op.h"
#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS = 301 };

static const char *const LINES[] = {
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[64,64] f32[64,64] -> f32[64,64]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[64,64] bf16[64,64] -> f32[64,64]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[8,8] f32[8,8] -> f32[8,8]",
    "byteir.softmax axis=1 f32[32,128] -> f32[32,128]",
    "stablehlo.add f32[64,64] f32[64,64] -> f32[64,64]"};

/* The same case on both sides. */
typedef struct subject {
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  assay_question_t question;
  assay_tensor_t operands[CASE_OPERANDS_MAX];
  assay_tensor_t result;
} subject_t;

static void must(int32_t status, const assay_error_t *error) {
  if (status == ASSAY_OK) return;
  fprintf(stderr, "bench_library: %s\n", error->text);
  exit(3);
}

static void fill(tensor_t *tensor, uint64_t seed) {
  rng_t rng = rng_make(seed);
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    double value = (double)rng_below(&rng, 1 << 20) / (1 << 20) - 0.5;
    element_store(element, tensor->data, i, format_from_double(element->format, value));
  }
}

static void subject_init(subject_t *subject, const char *line, arena_t *arena,
                         assay_context_t *context) {
  failure_t failure = {0};
  program_t program;
  if (program_parse(str_from(line), arena, &program, NULL, &failure) != STATUS_OK) {
    fprintf(stderr, "bench_library: %s: %s\n", line, failure.text);
    exit(3);
  }
  assay_error_t error = {.struct_size = sizeof error};
  assay_program_handle_t *handle = NULL;
  must(assay_program_parse(line, &handle, &error), &error);
  subject->instance = case_make(arena, &program);
  subject->results[0] = tensor_make(arena, &program.results[0]);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    fill(&subject->instance.operands[i], i + 1);
    subject->operands[i].struct_size = sizeof subject->operands[i];
    must(assay_program_operand_type(handle, i, &subject->operands[i], &error), &error);
    subject->operands[i].data = subject->instance.operands[i].data;
  }
  subject->result.struct_size = sizeof subject->result;
  must(assay_program_result_type(handle, 0, &subject->result, &error), &error);
  subject->result.data = subject->results[0].data;
  subject->question = (assay_question_t){.struct_size = sizeof subject->question,
                                         .program = handle,
                                         .operands = subject->operands,
                                         .results = &subject->result,
                                         .operand_count = program.operand_count,
                                         .result_count = 1};
  must(assay_simulate(context, &subject->question, "pairwise", &error), &error);
}

typedef struct asker {
  const oracle_t *oracle;
  arena_t *arena;
} asker_t;

static status_t decide(void *context, const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  const asker_t *asker = (const asker_t *)context;
  oracle_call_t asked = *call;
  asked.arena = asker->arena;
  return oracle_decide_with_memo(asker->oracle->decide, &asked, result, component, out_answer);
}

static double time_bare(const subject_t *subject, arena_t *arena) {
  arena_reset(arena);
  double begin = microseconds();
  failure_t failure = {0};
  const contract_t contract = contract_backend();
  asker_t asker = {oracle_find(subject->instance.program.op), arena};
  const oracle_call_t call = {
      .instance = &subject->instance, .contract = &contract, .arena = arena, .error = &failure};
  accept_t accepts[CASE_RESULTS_MAX];
  if (asker.oracle->accept(&call, accepts) != STATUS_OK) exit(3);
  const judge_t judge = {.decide = decide, .decide_context = &asker, .contract = contract};
  verdict_t verdict;
  status_t status =
      judge_results(&judge, &subject->instance, accepts, subject->results, &verdict, &failure);
  if (status != STATUS_OK || verdict.outcome != OUTCOME_conforms) exit(3);
  return microseconds() - begin;
}

static double time_library(const subject_t *subject, assay_context_t *context) {
  assay_error_t error = {.struct_size = sizeof error};
  assay_verdict_t *verdict = NULL;
  assay_verdict_info_t info = {.struct_size = sizeof info};
  double begin = microseconds();
  must(assay_check(context, &subject->question, &verdict, &error), &error);
  must(assay_verdict_info(verdict, &info, &error), &error);
  assay_verdict_free(verdict);
  if (info.outcome != ASSAY_CONFORMS) exit(3);
  return microseconds() - begin;
}

int main(void) {
  assay_error_t error = {.struct_size = sizeof error};
  assay_context_t *context = NULL;
  must(assay_context_new(&context, &error), &error);
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  printf("%10s %10s %6s\n", "oracle us", "library us", "ratio");
  for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
    subject_t subject;
    subject_init(&subject, LINES[i], &arena, context);
    double bare[ROUNDS], library[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      bare[round] = time_bare(&subject, &scratch);
      library[round] = time_library(&subject, context);
    }
    double of_oracle = median(bare, ROUNDS), of_library = median(library, ROUNDS);
    printf("%10.1f %10.1f %6.2f  %s\n", of_oracle, of_library, of_library / of_oracle, LINES[i]);
  }
  return 0;
}
