/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the accept sets of conversions and elementwise ops are, against asking about every
 * element: with MPFR, of convert and of integers in integers.
 *
 *   bench_conversions [ROUNDS] > table
 *
 * 65536 elements, drawn as the generator draws edges; a few are asked about.  Each figure is the
 * median over rounds, in which all take turns; the time is that of this thread. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/gen/gen.h"
#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99, ASKED = 1024 };

#define I8 "!quant.uniform<i8:f32,0x1.99999ap-4:3>[65536]"

static const struct {
  const char *name;
  const char *line;
} programs[] = {
    {"f32 to bf16", "stablehlo.convert f32[65536] -> bf16[65536]"},
    {"f32 to f8E4M3", "stablehlo.convert f32[65536] -> f8E4M3[65536]"},
    {"i32 to f32", "stablehlo.convert i32[65536] -> f32[65536]"},
    {"quantize", "stablehlo.uniform_quantize f32[65536] -> " I8},
    {"quantize bf16",
     "stablehlo.uniform_quantize bf16[65536] -> !quant.uniform<i8:bf16,0x1.9ap-4:3>[65536]"},
    {"requantize", "stablehlo.uniform_quantize " I8 " -> !quant.uniform<i8:f32,0x1p-3:-1>[65536]"},
    {"dequantize", "stablehlo.uniform_dequantize " I8 " -> f32[65536]"},
    {"add f32", "stablehlo.add f32[65536] f32[65536] -> f32[65536]"},
    {"multiply bf16", "stablehlo.multiply bf16[65536] bf16[65536] -> bf16[65536]"},
    {"multiply i32", "stablehlo.multiply i32[65536] i32[65536] -> i32[65536]"},
    {"add quantized", "stablehlo.add " I8 " " I8 " -> " I8},
};

static case_t make_case(const char *line, arena_t *arena) {
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  case_t instance = case_make(arena, &program);
  rng_t rng = rng_make(1);
  gen_data_in_regime(&rng, REGIME_edges, &instance);
  return instance;
}

static double time_accept(const oracle_t *oracle, const case_t *instance,
                          const contract_t *contract, arena_t *arena, tensor_t *result) {
  accept_t accepts[CASE_RESULTS_MAX];
  arena_mark_t mark = arena_mark(arena);
  double start = microseconds();
  const oracle_call_t call = {.instance = instance, .contract = contract, .arena = arena};
  status_t status = oracle->accept(&call, accepts);
  double elapsed = microseconds() - start;
  g_assert(status == STATUS_OK);
  for (size_t i = 0; i < accepts[0].count; i++) { /* What is then asked about. */
    element_store(result->type.element, result->data, i, accepts[0].bits[i]);
  }
  arena_rewind(arena, mark);
  return elapsed;
}

static double time_ask(const oracle_t *oracle, const case_t *instance, const contract_t *contract,
                       arena_t *arena, const tensor_t *result) {
  answer_t answer;
  double start = microseconds();
  for (size_t i = 0; i < ASKED; i++) {
    const oracle_call_t call = {
        .instance = instance, .contract = contract, .results = result, .arena = arena};
    status_t status = oracle->decide(&call, 0, i, &answer);
    g_assert(status == STATUS_OK);
  }
  return microseconds() - start;
}

static void bench(const char *name, const char *line, size_t rounds) {
  arena_t arena;
  arena_init(&arena);
  const case_t instance = make_case(line, &arena);
  const oracle_t *oracle = oracle_find(instance.program.op);
  const contract_t contract = contract_backend();
  tensor_t result = tensor_make(&arena, &instance.program.results[0]);
  double accept[ROUNDS_MAX], decide[ROUNDS_MAX];
  for (size_t i = 0; i < rounds; i++) {
    accept[i] = time_accept(oracle, &instance, &contract, &arena, &result);
    decide[i] = time_ask(oracle, &instance, &contract, &arena, &result);
  }
  double accept_time = 1e3 * median(accept, rounds) / (double)type_element_count(&result.type);
  double ask_time = 1e3 * median(decide, rounds) / (double)ASKED;
  printf("%-14s %10.2f %10.1f %8.1f\n", name, accept_time, ask_time, ask_time / accept_time);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 9;
  if (rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_conversions [ROUNDS], at most %d\n", ROUNDS_MAX);
    return 2;
  }
  printf("ns an element      accept        ask    ratio\n");
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    bench(programs[i].name, programs[i].line, (size_t)rounds);
  }
  return 0;
}
