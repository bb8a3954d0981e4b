/* SPDX-License-Identifier: Apache-2.0 */
/* What an oracle remembers from one component to the next makes questions cheaper, and no dearer
 * the more have been asked, of elementwise ops and of short rows. */
#include <glib.h>
#include <string.h>
#include <time.h>

#include "oracles/oracle.h"

enum { ELEMENTS = 8192, QUARTER = ELEMENTS / 4 };

typedef struct asked {
  arena_t arena;
  case_t instance;
  contract_t contract;
  tensor_t result;
  decision_memo_t memo;
} asked_t;

/* bf16 numbers from 1 on, and results that are wrong everywhere. */
static void asked_make(asked_t *asked, const char *line) {
  arena_init(&asked->arena);
  failure_t error = {0};
  program_t *program = &asked->instance.program;
  const char *violation = NULL;
  status_t status = program_parse(str_from(line), &asked->arena, program, &violation, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  g_assert_cmpint(contract_parse(str_from("backend"), &asked->contract, &error), ==, STATUS_OK);
  asked->instance.operands[0] = tensor_make(&asked->arena, &program->operands[0]);
  asked->result = tensor_make(&asked->arena, &program->results[0]);
  const element_t *element = program->operands[0].element;
  for (size_t i = 0; i < ELEMENTS; i++) {
    element_store(element, asked->instance.operands[0].data, i, 0x3f80 + i % 512);
    element_store(element, asked->result.data, i, 0x4000);
  }
  decision_memo_init(&asked->memo);
}

/* Processor time of the questions about `count` elements from `first` on, in seconds. */
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
  clock_t begin = clock();
  for (size_t i = first; i < first + count; i++) {
    arena_mark_t mark = arena_mark(&asked->arena);
    answer_t answer = {0};
    g_assert_cmpint(oracle->decide(&call, 0, i, &answer), ==, STATUS_OK);
    g_assert_false(answer.conforms);
    arena_rewind(&asked->arena, mark);
  }
  return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static void test_questions_do_not_slow_one_another_down(gconstpointer line) {
  asked_t asked;
  asked_make(&asked, (const char *)line);
  double early = ask(&asked, 0, QUARTER);
  ask(&asked, QUARTER, 2 * (size_t)QUARTER);
  double late = ask(&asked, 3 * (size_t)QUARTER, QUARTER);
  g_test_message("the first quarter took %.3f s, the last one %.3f s", early, late);
  g_assert_cmpfloat(late, <, 3 * early + 0.05);
  decision_memo_deinit(&asked.memo);
  arena_deinit(&asked.arena);
}

/* Where elements of windows tie, sources may go to several elements: what is to be known of all
 * windows for that is found once, not for each question. */
static void test_windows_are_looked_at_once(void) {
  asked_t asked;
  arena_init(&asked.arena);
  failure_t error = {0};
  const char *violation = NULL;
  program_t *program = &asked.instance.program;
  const char line[] =
      "stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[2,2] "
      "window_strides=[2,2] padding=[[0,0],[0,0]] f32[128,128] f32[64,64] f32[] -> f32[128,128]";
  status_t status = program_parse(str_from(line), &asked.arena, program, &violation, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  g_assert_cmpint(contract_parse(str_from("backend,ftz=both"), &asked.contract, &error), ==,
                  STATUS_OK);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    asked.instance.operands[i] = tensor_make(&asked.arena, &program->operands[i]);
    size_t count = type_element_count(&program->operands[i]);
    for (size_t e = 0; e < count; e++) { /* Numbers 1 and 2. */
      uint64_t bits = i == 2 ? 0 : (e * 7 / 3) % 2 == 0 ? 0x3f800000 : 0x40000000;
      element_store(program->operands[i].element, asked.instance.operands[i].data, e, bits);
    }
  }
  asked.result = tensor_make(&asked.arena, &program->results[0]);
  for (size_t e = 0; e < type_element_count(&program->results[0]); e++) {
    element_store(program->results[0].element, asked.result.data, e, 0x40e00000);
  }
  decision_memo_init(&asked.memo);
  double first = ask(&asked, 0, 1), others = ask(&asked, 1, 32) / 32;
  g_test_message("the first question took %.6f s, others %.6f s", first, others);
  g_assert_cmpfloat(others, <, first / 3);
  decision_memo_deinit(&asked.memo);
  arena_deinit(&asked.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/decision_memo/elements", "stablehlo.logistic bf16[8192] -> bf16[8192]",
                       test_questions_do_not_slow_one_another_down);
  g_test_add_data_func("/decision_memo/rows", "byteir.softmax axis=1 bf16[4096,2] -> bf16[4096,2]",
                       test_questions_do_not_slow_one_another_down);
  g_test_add_func("/decision_memo/windows", test_windows_are_looked_at_once);
  return g_test_run();
}
