/* SPDX-License-Identifier: Apache-2.0 */
/* What contract `shared=once` costs: the time to find numbers that explain whole rows, beside that
 * of the accept sets of their elements, for rows that a model computed.
 *
 *   bench_rows [ROUNDS] > table
 *
 * Rows of numbers N(0, 1), by four models in turn; each figure is the median over rounds; the time
 * is that of this thread. */
#include <stdio.h>

#include "tests/bench/bench_timing.h"
#include "tests/formula/common_factor.h"

enum { ROUNDS_MAX = 99 };

static const struct {
  sum_order_kind_t kind;
  bool fused, other_way;
} models[] = {{SUM_SEQUENTIAL, false, false},
              {SUM_HALVES, true, false},
              {SUM_RANDOM, false, false},
              {SUM_LANES, true, true}};

static implementation_model_t model_numbered(size_t model) {
  implementation_model_t schedule = schedule_plain();
  schedule.order =
      (sum_order_t){.kind = models[model].kind, .width = models[model].kind == SUM_LANES ? 8 : 0};
  schedule.fused = models[model].fused;
  schedule.other_way = models[model].other_way;
  schedule.seed = 7;
  return schedule;
}

typedef struct times {
  double accept, explain;
} times_t;

static times_t time_rows(const case_t *instance, size_t model, arena_t *arena) {
  arena_mark_t mark = arena_mark(arena);
  contract_t contract;
  failure_t error = {0};
  status_t status = contract_parse(str_from("wide,shared=once"), &contract, &error);
  g_assert(status == STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    results[r] = tensor_make(arena, &instance->program.results[r]);
  }
  const oracle_t *oracle = oracle_find(instance->program.op);
  const oracle_call_t call = {.instance = instance,
                              .contract = &contract,
                              .results = results,
                              .arena = arena,
                              .error = &error};
  const implementation_model_t schedule = model_numbered(model);
  status = oracle->simulate(&call, &schedule, results);
  g_assert(status == STATUS_OK);
  accept_t accepts[CASE_RESULTS_MAX];
  double begin = microseconds();
  status = oracle->accept(&call, accepts);
  double middle = microseconds();
  g_assert(status == STATUS_OK);
  row_answer_t answer;
  status = oracle->explain_rows(&call, &answer);
  double end = microseconds();
  g_assert(status == STATUS_OK && answer.agrees);
  arena_rewind(arena, mark);
  return (times_t){middle - begin, end - middle};
}

static void bench(const common_factor_op_t *op, const char *type, size_t count, size_t rounds) {
  double accept[ROUNDS_MAX], explain[ROUNDS_MAX];
  double largest = 0;
  for (size_t i = 0; i < rounds; i++) {
    arena_t arena;
    arena_init(&arena);
    const case_t instance = common_factor_case_of(op, type, count, i, &arena);
    times_t times = time_rows(&instance, i % G_N_ELEMENTS(models), &arena);
    accept[i] = times.accept;
    explain[i] = times.explain;
    largest = fmax(largest, times.explain / times.accept);
    arena_deinit(&arena);
  }
  double of_accept = median(accept, rounds), of_explain = median(explain, rounds);
  printf("%-20s %-5s %6zu %10.1f %10.1f %8.2f %8.2f\n", op->name, type, count, of_accept,
         of_explain, of_explain / of_accept, largest);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
  if (rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_rows [ROUNDS], at most %d\n", ROUNDS_MAX);
    return 2;
  }
  static const char *const types[] = {"f32", "bf16", "f16"};
  static const size_t counts[] = {16, 64, 300, 1024, 4096};
  printf("us a row                     n     accept    explain    ratio  largest\n");
  for (size_t o = 0; o < G_N_ELEMENTS(common_factor_ops); o++) {
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      for (size_t n = 0; n < G_N_ELEMENTS(counts); n++) {
        bench(&common_factor_ops[o], types[t], counts[n], (size_t)rounds);
      }
    }
  }
  return 0;
}
