/* SPDX-License-Identifier: Apache-2.0 */
/* What an oracle remembers from one component to the next (decision_memo_t) has to make questions
 * cheaper, and none dearer the more have been asked: of elementwise ops and short rows the last
 * quarter of the questions against the first, of windows the first question against a later one.
 *
 *   bench_decision_memo > table */
#include <stdio.h>
#include <string.h>

#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS = 5 };

/* A case whose results are wrong everywhere, and its questions. */
typedef struct asked {
  arena_t arena;
  case_t instance;
  contract_t contract;
  tensor_t result;
  decision_memo_t memo;
} asked_t;

static void fill(const tensor_t *tensor, const uint64_t *bits, size_t count) {
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    element_store(tensor->type.element, tensor->data, i, bits[i % count]);
  }
}

static void asked_make(asked_t *asked, const char *line, const char *contract, const uint64_t *bits,
                       size_t count, uint64_t wrong) {
  arena_init(&asked->arena);
  failure_t error = {0};
  program_t *program = &asked->instance.program;
  const char *violation = NULL;
  status_t status = program_parse(str_from(line), &asked->arena, program, &violation, &error);
  if (status == STATUS_OK) status = contract_parse(str_from(contract), &asked->contract, &error);
  if (status != STATUS_OK) {
    fprintf(stderr, "bench_decision_memo: %s\n", error.text);
    exit(3);
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    asked->instance.operands[i] = tensor_make(&asked->arena, &program->operands[i]);
    bool is_init = program->operands[i].rank == 0; /* 0: any number of others would be a sum. */
    fill(&asked->instance.operands[i], is_init ? (const uint64_t[]){0} : bits, is_init ? 1 : count);
  }
  asked->result = tensor_make(&asked->arena, &program->results[0]);
  fill(&asked->result, &wrong, 1);
  decision_memo_init(&asked->memo);
}

static void asked_end(asked_t *asked) {
  decision_memo_deinit(&asked->memo);
  arena_deinit(&asked->arena);
}

/* Microseconds of the questions about `count` components from `first` on. */
static double ask(asked_t *asked, size_t first, size_t count) {
  const oracle_t *oracle = oracle_find(asked->instance.program.op);
  failure_t error = {0};
  const oracle_call_t call = {.instance = &asked->instance,
                              .contract = &asked->contract,
                              .results = &asked->result,
                              .memo = &asked->memo,
                              .is_brief = true,
                              .arena = &asked->arena,
                              .error = &error};
  double begin = microseconds();
  for (size_t i = first; i < first + count; i++) {
    arena_mark_t mark = arena_mark(&asked->arena);
    answer_t answer = {0};
    if (oracle->decide(&call, 0, i, &answer) != STATUS_OK || answer.conforms) exit(3);
    arena_rewind(&asked->arena, mark);
  }
  return microseconds() - begin;
}

static void bench_quarters(const char *line) {
  enum { NUMBERS = 512, ELEMENTS = 8192, QUARTER = ELEMENTS / 4 };
  uint64_t bits[NUMBERS]; /* bf16, from 1 on. */
  for (size_t i = 0; i < NUMBERS; i++) bits[i] = 0x3f80 + i;
  double ratios[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    asked_t asked;
    asked_make(&asked, line, "backend", bits, NUMBERS, 0x4000);
    double early = ask(&asked, 0, QUARTER);
    ask(&asked, QUARTER, 2 * (size_t)QUARTER);
    ratios[i] = ask(&asked, 3 * (size_t)QUARTER, QUARTER) / early;
    asked_end(&asked);
  }
  printf("%-60s last / first quarter  %8.2f\n", line, median(ratios, ROUNDS));
}

/* Where elements of windows tie, sources may go to several elements: what is to be known of all
 * windows for that is found once. */
static void bench_windows(void) {
  const char line[] =
      "stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[2,2] "
      "window_strides=[2,2] padding=[[0,0],[0,0]] f32[128,128] f32[64,64] f32[] -> f32[128,128]";
  const uint64_t bits[] = {0x3f800000, 0x3f800000, 0x40000000, 0x3f800000, 0x40000000};
  double ratios[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    asked_t asked;
    asked_make(&asked, line, "backend,ftz=both", bits, sizeof bits / sizeof *bits, 0x40e00000);
    double first = ask(&asked, 0, 1);
    ratios[i] = ask(&asked, 1, 32) / 32 / first;
    asked_end(&asked);
  }
  printf("%-60.60s a later / first question  %8.5f\n", line, median(ratios, ROUNDS));
}

int main(void) {
  bench_quarters("stablehlo.logistic bf16[8192] -> bf16[8192]");
  bench_quarters("byteir.softmax axis=1 bf16[4096,2] -> bf16[4096,2]");
  bench_windows();
  return 0;
}
