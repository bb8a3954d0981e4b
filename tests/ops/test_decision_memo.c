/* SPDX-License-Identifier: Apache-2.0 */
/* What an oracle remembers from one component to the next changes no answer: each question, with
 * the memo of all before it and what accept() kept, under two contracts in turn, is answered as
 * with a memo of its own. What it saves is in tests/bench/bench_decision_memo.c. */
#include <glib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/oracle.h"

enum { QUESTIONS_IN_A_ROW = 3 }; /* Under one contract. */

typedef struct row {
  const char *line;
  uint64_t bits[5];  /* Of operands, again and again, ... */
  uint64_t guess[3]; /* ... and of results, some of which conform. */
  size_t conforming; /* So many, of sums as counted by hand. */
} row_t;

static const row_t rows[] = {
    {"stablehlo.logistic bf16[300] -> bf16[300]",
     {0x3f80, 0xbf80, 0x0000, 0x4000, 0x7fc0},
     {0x3f3b, 0x3f00, 0x3e8a},
     120},
    {"byteir.softmax axis=1 bf16[150,2] -> bf16[150,2]",
     {0x3f80, 0xbf80, 0x0000, 0x4000, 0x3f80},
     {0x3f3b, 0x3f00, 0x3e8a},
     120},
    {"stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[2,2] "
     "window_strides=[2,2] padding=[[0,0],[0,0]] f32[8,8] f32[4,4] f32[] -> f32[8,8]",
     {0x3f800000, 0x3f800000, 0x40000000, 0x3f800000, 0x40000000},
     {0x3f800000, 0x40000000, 0x40400000},
     12},
    /* Reductions keep where terms lie, and operands in the type that they are added in. */
    {"stablehlo.reduce body=add dims=[1] bf16[40,3] bf16[] -> f32[40]",
     {0x3f80, 0x3f80, 0x4000, 0x3f80, 0x4000},
     {0x40800000, 0x40a00000, 0x40c00000},
     28},
    {"stablehlo.reduce body=sum_count dims=[1] f32[40,3] i32[40,3] f32[] i32[] -> f32[40] i32[40]",
     {0x3f800000, 0x3f800000, 0x40000000, 0x3f800000, 0x40000000},
     {0x40800000, 0x40a00000, 0x40c00000},
     28},
    {"stablehlo.reduce_window body=add window_dimensions=[2] window_strides=[1] "
     "base_dilations=[1] window_dilations=[1] padding=[[0,0]] !quant.uniform<i8:f32,0x1p+0>[40] "
     "!quant.uniform<i8:f32,0x1p+0>[] -> !quant.uniform<i8:f32,0x1p+0>[39]",
     {1, 2, 3, 1, 2},
     {3, 5, 4},
     28},
    /* These share the values of their replicas, too. */
    {"stablehlo.all_reduce replica_groups=[[0,1]] body=add f32[2,31] f32[2,31] -> f32[2,31] "
     "f32[2,31]",
     {0x3f800000, 0x3f800000, 0x40000000, 0x3f800000, 0x40000000},
     {0x40000000, 0x40400000, 0x40000000},
     50},
    {"stablehlo.reduce_scatter replica_groups=[[0,1]] scatter_dimension=0 body=add f64[2,40] -> "
     "f64[2,20]",
     {0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000, 0x3ff0000000000000, 0},
     {0x4000000000000000, 0x4008000000000000, 0x3ff0000000000000},
     17},
    /* Its questions take over what the accept sets were made of. */
    {"stablehlo.batch_norm_training epsilon=0x1p-10 feature_index=1 "
     "!quant.uniform<i8:f32,0x1p-4>[30,1] !quant.uniform<i8:f32,0x1p-4>[1] "
     "!quant.uniform<i8:f32,0x1p-4>[1] -> !quant.uniform<i8:f32,0x1p-4>[30,1] "
     "!quant.uniform<i8:f32,0x1p-4>[1] !quant.uniform<i8:f32,0x1p-4>[1]",
     {16, 16, 32, 16, 32},
     {17, 3, 36},
     20},
};

static void fill(const tensor_t *tensor, const uint64_t *bits, size_t count, size_t first) {
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    element_store(tensor->type.element, tensor->data, i, bits[(first + i) % count]);
  }
}

static bool ask(const case_t *instance, const contract_t *contract, const tensor_t *results,
                decision_memo_t *memo, void **kept, size_t component) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  const oracle_call_t call = {.instance = instance,
                              .contract = contract,
                              .results = results,
                              .memo = memo,
                              .kept = kept,
                              .is_brief = true,
                              .arena = &arena,
                              .error = &error};
  answer_t answer = {0};
  const oracle_t *oracle = oracle_find(instance->program.op);
  g_assert_cmpint(oracle->decide(&call, 0, component, &answer), ==, STATUS_OK);
  arena_deinit(&arena);
  return answer.conforms;
}

static void test_answers(gconstpointer data) {
  const row_t *row = data;
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  case_t instance = {0};
  program_t *program = &instance.program;
  const char *violation = NULL;
  status_t status = program_parse(str_from(row->line), &arena, program, &violation, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = tensor_make(&arena, &program->operands[i]);
    bool is_init = program->operands[i].rank == 0; /* 0: any number of others would be a sum. */
    fill(&instance.operands[i], is_init ? (const uint64_t[]){0} : row->bits,
         is_init ? 1 : G_N_ELEMENTS(row->bits), 0);
  }
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(&arena, &program->results[i]);
  }
  contract_t contracts[2];
  g_assert_cmpint(contract_parse(str_from("backend"), &contracts[0], &error), ==, STATUS_OK);
  g_assert_cmpint(contract_parse(str_from("backend,ftz=both"), &contracts[1], &error), ==,
                  STATUS_OK);
  void *kept = NULL; /* Of the first contract. */
  const oracle_call_t accepting = {.instance = &instance,
                                   .contract = &contracts[0],
                                   .kept = &kept,
                                   .arena = &arena,
                                   .error = &error};
  accept_t accepts[CASE_RESULTS_MAX];
  g_assert_cmpint(oracle_find(program->op)->accept(&accepting, accepts), ==, STATUS_OK);
  decision_memo_t memo;
  decision_memo_init(&memo);
  size_t conforming = 0, count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < 2 * count; i++) {
    for (uint32_t r = 0; i % count == 0 && r < program->result_count; r++) {
      fill(&results[r], row->guess, G_N_ELEMENTS(row->guess), i / count); /* Others each time. */
    }
    const contract_t *contract = &contracts[i / QUESTIONS_IN_A_ROW % 2];
    bool remembered = ask(&instance, contract, results, &memo, &kept, i % count);
    decision_memo_t fresh;
    decision_memo_init(&fresh);
    g_assert_cmpint(remembered, ==, ask(&instance, contract, results, &fresh, NULL, i % count));
    decision_memo_deinit(&fresh);
    conforming += remembered;
  }
  g_assert_cmpuint(conforming, ==, row->conforming);
  decision_memo_deinit(&memo);
  arena_deinit(&arena);
}

/* Numbers of some generator, and then zeros, which are of none: what was found in the former is not
 * said of the latter. */
static void test_other_results(void) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  case_t instance = {0};
  const char *violation = NULL;
  str_t line = str_from("byteir.rng_uniform f32[] f32[] i64[] i64[] -> f32[300]");
  g_assert_cmpint(program_parse(line, &arena, &instance.program, &violation, &error), ==,
                  STATUS_OK);
  static const uint64_t scalars[] = {0, 0x3f800000, 1, 2};
  for (uint32_t i = 0; i < instance.program.operand_count; i++) {
    instance.operands[i] = tensor_make(&arena, &instance.program.operands[i]);
    fill(&instance.operands[i], &scalars[i], 1, 0);
  }
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from("backend"), &contract, &error), ==, STATUS_OK);
  tensor_t result = tensor_make(&arena, &instance.program.results[0]);
  uint64_t state = 7, bits[300] = {0};
  for (size_t i = 0; i < G_N_ELEMENTS(bits); i++) {
    double uniform = (double)(rng_splitmix(&state) >> 40) / (1 << 24);
    bits[i] = format_from_double(&format_table[FORMAT_f32], uniform);
  }
  const bool remembers = oracle_find(instance.program.op)->remembers_results;
  decision_memo_t memo;
  decision_memo_init(&memo);
  for (int is_zeros = 0; is_zeros < 2; is_zeros++) {
    const uint64_t zero = 0;
    fill(&result, is_zeros ? &zero : bits, is_zeros ? 1 : G_N_ELEMENTS(bits), 0);
    if (remembers) decision_memo_deinit(&memo);
    if (remembers) decision_memo_init(&memo);
    /* The first answers for all of them. */
    g_assert_cmpint(ask(&instance, &contract, &result, &memo, NULL, 0), ==, !is_zeros);
  }
  decision_memo_deinit(&memo);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *name = g_strdup_printf("/decision_memo/%zu", i);
    g_test_add_data_func(name, &rows[i], test_answers);
    g_free(name);
  }
  g_test_add_func("/decision_memo/other_results", test_other_results);
  return g_test_run();
}
