/* SPDX-License-Identifier: Apache-2.0 */
/* How much faster the fast accept sets of quantized dot_generals are than asking the exact side,
 * which is plain exact arithmetic, about every component.
 *
 *   bench_quantized > table */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

static const struct {
  const char *label;
  const char *contract;
  const char *line;
} rows[] = {
#define SQUARE(size, lhs, rhs, result)                                                        \
  "stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<" lhs ">[" size "," size \
  "] !quant.uniform<" rhs ">[" size "," size "] -> !quant.uniform<" result ">[" size "," size "]"
    {"i8 -> i8", "backend",
     SQUARE("256", "i8:f32,0x1.9p-5:3", "i8:f32,0x1.4p-6", "i8:f32,0x1.1p-1:-5")},
    {"ui8 -> i32", "backend",
     SQUARE("256", "ui8:f32,0x1.9p-5:128", "ui8:f32,0x1.4p-6", "i32:f32,0x1p-10")},
    {"i4 -> i8, bf16", "backend",
     SQUARE("256", "i4:bf16,0x1.9p-2", "i4:bf16,0x1.4p-3", "i8:bf16,0x1.1p+1")},
    {"i16 -> i16", "backend",
     SQUARE("256", "i16:f32,0x1.9p-12", "i16:f32,0x1.4p-11", "i16:f32,0x1.1p-3")},
    {"i32 -> i32, f64", "backend",
     SQUARE("256", "i32:f64,0x1.9p-12", "i32:f64,0x1.4p-11", "i32:f64,0x1.1p+8")},
    {"i8 -> i8, formula", "quantized=dequantize",
     SQUARE("256", "i8:f32,0x1.9p-5:3", "i8:f32,0x1.4p-6", "i8:f32,0x1.1p-1:-5")},
};

enum { ASKED = 200, ROUNDS = 3 };

/* Microseconds a component; the share that is not known is written to *out_unknown. */
static double time_fast(const oracle_t *oracle, const case_t *instance, const contract_t *contract,
                        double *out_unknown) {
  arena_t arena;
  arena_init(&arena);
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    arena_reset(&arena);
    accept_t accepts[CASE_RESULTS_MAX];
    failure_t error;
    double start = microseconds();
    const oracle_call_t call = {
        .instance = instance, .contract = contract, .arena = &arena, .error = &error};
    if (oracle->accept(&call, accepts) != STATUS_OK) {
      g_error("%s", error.text);
    }
    best = fmin(best, (microseconds() - start) / (double)accepts[0].count);
    size_t unknown = 0;
    for (size_t i = 0; i < accepts[0].count; i++) {
      unknown += accepts[0].decide != NULL && accepts[0].decide[i] != 0;
    }
    *out_unknown = (double)unknown / (double)accepts[0].count;
  }
  arena_deinit(&arena);
  return best;
}

static double time_exact(const oracle_t *oracle, const case_t *instance,
                         const contract_t *contract) {
  arena_t arena;
  arena_init(&arena);
  tensor_t result = tensor_make(&arena, &instance->program.results[0]);
  memset(result.data, 0, type_bytes(&result.type));
  size_t count = type_element_count(&result.type);
  double start = microseconds();
  for (size_t i = 0; i < ASKED; i++) {
    arena_mark_t mark = arena_mark(&arena);
    answer_t answer;
    failure_t error;
    size_t component = i * (count / ASKED);
    const oracle_call_t call = {.instance = instance,
                                .contract = contract,
                                .results = &result,
                                .arena = &arena,
                                .error = &error};
    if (oracle->decide(&call, 0, component, &answer) != STATUS_OK) {
      g_error("%s", error.text);
    }
    arena_rewind(&arena, mark);
  }
  double each = (microseconds() - start) / (double)ASKED;
  arena_deinit(&arena);
  return each;
}

int main(void) {
  printf("%-20s %14s %14s %8s %9s\n", "256 x 256 x 256", "fast us each", "exact", "ratio",
         "unknown");
  bool all_fast = true;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program;
    failure_t error;
    contract_t contract;
    if (program_parse(str_from(rows[i].line), &arena, &program, NULL, &error) != STATUS_OK ||
        contract_parse(str_from(rows[i].contract), &contract, &error) != STATUS_OK) {
      g_error("%s: %s", rows[i].label, error.text);
    }
    case_t instance = case_make(&arena, &program);
    rng_t rng = rng_make(1);
    for (uint32_t o = 0; o < 2; o++) {
      const element_t *element = program.operands[o].element;
      for (size_t e = 0; e < type_element_count(&program.operands[o]); e++) {
        element_store(element, instance.operands[o].data, e,
                      rng_bits(&rng) & element_mask(element));
      }
    }
    const oracle_t *oracle = oracle_find(program.op);
    double unknown, fast = time_fast(oracle, &instance, &contract, &unknown);
    double exact = time_exact(oracle, &instance, &contract);
    printf("%-20s %14.4f %14.2f %8.0f %8.2f%%\n", rows[i].label, fast, exact, exact / fast,
           100 * unknown);
    all_fast = all_fast && exact >= 200 * fast;
    arena_deinit(&arena);
  }
  printf("each at least 200 times faster: %s\n", all_fast ? "yes" : "no");
  return all_fast ? 0 : 1;
}
