/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs to say which dot algorithms could have given some results, beside the accept set of
 * the plain f32 product, for 32x32x64 in f32.
 *
 *   bench_algorithms [ROUNDS [REGIME]] > table
 *
 * Each figure is the median over rounds, each round with data of its own; the time is that of this
 * thread. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/oracle.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99 };

static const char line[] =
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[32,64] f32[64,32] -> f32[32,32]";

typedef struct timing {
  double accept;     /* The plain accept set. */
  double consistent; /* All algorithms. */
  size_t held;       /* How many there were. */
} timing_t;

static timing_t time_case(rng_t *rng, gen_regime_t regime, const char *algorithm, arena_t *arena) {
  failure_t error = {0};
  program_t program;
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  case_t instance = case_make(arena, &program);
  gen_data_in_regime(rng, regime, &instance);
  const oracle_t *oracle = oracle_find(program.op);
  implementation_model_t schedule = schedule_plain();
  schedule.algorithm = algorithm;
  tensor_t results[CASE_RESULTS_MAX];
  results[0] = tensor_make(arena, &program.results[0]);
  const oracle_call_t call = {.instance = &instance, .arena = arena, .error = &error};
  if (oracle->simulate(&call, &schedule, results) != STATUS_OK) {
    g_error("%s", error.text);
  }
  const contract_t contract = contract_backend();
  accept_t accepts[CASE_RESULTS_MAX];
  double begin = microseconds();
  const oracle_call_t accept_call = {
      .instance = &instance, .contract = &contract, .arena = arena, .error = &error};
  if (oracle->accept(&accept_call, accepts) != STATUS_OK) {
    g_error("%s", error.text);
  }
  timing_t timing = {.accept = microseconds() - begin};
  g_autoptr(GString) names = g_string_new(NULL);
  begin = microseconds();
  const oracle_call_t results_call = {.instance = &instance,
                                      .contract = &contract,
                                      .results = results,
                                      .arena = arena,
                                      .error = &error};
  if (oracle->consistent(&results_call, names) != STATUS_OK) {
    g_error("%s", error.text);
  }
  timing.consistent = microseconds() - begin;
  for (const char *c = names->str; *c != '\0'; c++) timing.held += *c == '|';
  timing.held += names->len > 0;
  return timing;
}

static void bench(gen_regime_t regime, const char *algorithm, size_t rounds) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(1);
  double accept[ROUNDS_MAX], consistent[ROUNDS_MAX], ratio[ROUNDS_MAX], held[ROUNDS_MAX];
  for (size_t i = 0; i < rounds; i++) {
    arena_reset(&arena);
    timing_t timing = time_case(&rng, regime, algorithm, &arena);
    accept[i] = timing.accept;
    consistent[i] = timing.consistent;
    ratio[i] = timing.consistent / timing.accept;
    held[i] = (double)timing.held;
  }
  printf("%-16s %-18s %9.0f %11.0f %7.1f %6.0f\n", gen_regime_name(regime), algorithm,
         median(accept, rounds), median(consistent, rounds), median(ratio, rounds),
         median(held, rounds));
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  size_t rounds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 21;
  if (rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_algorithms [ROUNDS [REGIME]], 1 to %d\n", ROUNDS_MAX);
    return 2;
  }
  static const gen_regime_t regimes[] = {REGIME_uniform,    REGIME_small_integers,
                                         REGIME_cancelling, REGIME_boundaries,
                                         REGIME_split,      REGIME_zeros};
  static const char *const algorithms[] = {"F32_F32_F32", "BF16_BF16_F32", "BF16_BF16_F32_X3",
                                           "BF16_BF16_F32_X9"};
  printf("%-16s %-18s %9s %11s %7s %6s\n", "data", "ran", "accept us", "all algs us", "ratio",
         "held");
  for (size_t i = 0; i < G_N_ELEMENTS(regimes); i++) {
    if (argc > 2 && strcmp(gen_regime_name(regimes[i]), argv[2]) != 0) continue;
    for (size_t j = 0; j < G_N_ELEMENTS(algorithms); j++) bench(regimes[i], algorithms[j], rounds);
  }
  return 0;
}
