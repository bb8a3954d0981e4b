/* SPDX-License-Identifier: Apache-2.0 */
/* What the ends of what conforms take an element, by ranges as assay_accept() has them and by a
 * search that asks about patterns alone, on the same data in one run, under contract `wide`; the
 * search on some of the elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "harness/power/accepted_ends.h"
#include "harness/power/measure.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS = 5, SEARCHED = 16 };

static const char *const LINES[] = {
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[64,64] f32[64,64] -> f32[64,64]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[64,512] f32[512,64] -> f32[64,64]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[64,512] bf16[512,64] -> bf16[64,64]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[32,12] f32[12,32] -> f32[32,32]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[32,6] f32[6,32] -> f32[32,32]",
    "stablehlo.reduce body=add dims=[1] f32[1024,256] f32[] -> f32[1024]",
    "stablehlo.add f32[1024] f32[1024] -> f32[1024]",
    "stablehlo.exponential f32[1024] -> f32[1024]",
    "byteir.softmax axis=1 f32[16,64] -> f32[16,64]",
    "byteir.softmax axis=1 bf16[16,64] -> bf16[16,64]",
    "byteir.layer_norm epsilon=0x1p-17 axis=[1] f32[16,64] f32[64] f32[64] -> f32[16,64]",
    "byteir.gelu approximate=erf f32[256] -> f32[256]",
};

static void fail(const char *line, const failure_t *failure) {
  fprintf(stderr, "bench_accept_sets: %s: %s\n", line, failure->text);
  exit(3);
}

/* A case with everything that both ways begin from. */
typedef struct subject {
  const char *line;
  case_t instance;
  contract_t contract;
  accept_t accepts[CASE_RESULTS_MAX];
  tensor_t results[CASE_RESULTS_MAX];
  tolerance_question_t question;
} subject_t;

static void subject_init(subject_t *subject, const char *line, arena_t *arena) {
  failure_t failure = {0};
  program_t program;
  subject->line = line;
  subject->contract = contract_wide();
  if (program_parse(str_from(line), arena, &program, NULL, &failure) != STATUS_OK)
    fail(line, &failure);
  subject->instance = case_make(arena, &program);
  rng_t rng = rng_make(7);
  gen_data_in_stratum(&rng, STRATUM_deployment, &subject->instance);
  for (uint32_t i = 0; i < program.operand_count; i++) { /* Initial values of sums. */
    tensor_t *operand = &subject->instance.operands[i];
    if (operand->type.rank == 0) memset(operand->data, 0, type_bytes(&operand->type));
  }
  const oracle_t *oracle = oracle_find(program.op);
  const oracle_call_t call = {.instance = &subject->instance,
                              .contract = &subject->contract,
                              .arena = arena,
                              .error = &failure};
  const uint8_t *known[CASE_RESULTS_MAX];
  status_t status = oracle->accept(&call, subject->accepts);
  if (status == STATUS_OK)
    status = power_fill_known(oracle, &call, subject->accepts, subject->results, known);
  if (status != STATUS_OK) fail(line, &failure);
  const element_t *element = subject->results[0].type.element;
  for (size_t i = 0; i < subject->accepts[0].count; i++) { /* Models may compute in bf16. */
    uint64_t bits;
    if (power_find_held(&subject->accepts[0], element, i, &bits))
      element_store(element, subject->results[0].data, i, bits);
  }
  subject->question = (tolerance_question_t){.oracle = oracle,
                                             .instance = &subject->instance,
                                             .contract = &subject->contract,
                                             .results = subject->results,
                                             .arena = arena};
}

/* An element, all of them asked about. */
static double time_ranges(const subject_t *subject) {
  const size_t count = type_component_count(&subject->results[0].type);
  accepted_ends_t *ends = g_new(accepted_ends_t, count);
  failure_t failure = {0};
  decision_memo_t memo;
  decision_memo_init(&memo);
  tolerance_question_t question = subject->question;
  question.memo = &memo;
  question.accepts = subject->accepts;
  double begin = microseconds();
  status_t status = accepted_ends_find(&question, 0, (component_span_t){0, count}, ends, &failure);
  double taken = microseconds() - begin;
  if (status != STATUS_OK) fail(subject->line, &failure);
  decision_memo_deinit(&memo);
  g_free(ends);
  return taken / (double)count;
}

/* Likewise, what was done of each before. */
static double time_search(const subject_t *subject) {
  failure_t failure = {0};
  decision_memo_t memo;
  decision_memo_init(&memo);
  tolerance_question_t question = subject->question;
  question.memo = &memo;
  special_pattern_t patterns[SPECIAL_PATTERN_COUNT];
  special_patterns(subject->results[0].type.element->format, patterns);
  double begin = microseconds();
  for (size_t i = 0; i < SEARCHED; i++) {
    tolerance_t tolerance;
    status_t status = tolerance_find(&question, 0, i, &tolerance, &failure);
    for (size_t k = 0; k < SPECIAL_PATTERN_COUNT && status == STATUS_OK; k++) {
      answer_t answer;
      status = tolerance_ask(&question, 0, i, patterns[k].bits, &answer, &failure);
    }
    if (status != STATUS_OK) fail(subject->line, &failure);
  }
  double taken = microseconds() - begin;
  decision_memo_deinit(&memo);
  return taken / (double)SEARCHED;
}

int main(void) {
  printf("%10s %10s %8s\n", "search us", "ranges us", "ratio");
  for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
    arena_t arena;
    arena_init(&arena);
    subject_t subject;
    subject_init(&subject, LINES[i], &arena);
    double search[ROUNDS], ranges[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      search[round] = time_search(&subject);
      ranges[round] = time_ranges(&subject);
    }
    double of_search = median(search, ROUNDS), of_ranges = median(ranges, ROUNDS);
    printf("%10.1f %10.2f %8.1f  %s\n", of_search, of_ranges, of_search / of_ranges, LINES[i]);
    arena_deinit(&arena);
  }
  return 0;
}
