/* SPDX-License-Identifier: Apache-2.0 */
/* How fast schedules are followed: one of them (simulate), all of them (the exact set), and their
 * extremes (the hull), the last against MPFR and the any-order bound.
 *
 *   bench_in_order [ROUNDS] > tables
 *
 * Each figure is the median over rounds, each round with data of its own; the time is that of this
 * thread. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/rng.h"
#include "oracles/exact/in_order/hull.h"
#include "oracles/exact/in_order/set.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS_MAX = 99, TERMS_MAX = 1024 };

/* Data to sum. */
typedef struct distribution {
  const char *name;
  double low; /* Uniform in [low, 1], times a power of two within 2^-spread .. 2^spread. */
  int spread;
} distribution_t;

static const distribution_t distributions[] = {
    {"[-1,1]", -1, 0}, {"[0,1]", 0, 0}, {"2^+-10", -1, 10}};

static double draw(rng_t *rng, const format_t *format, const distribution_t *distribution) {
  double fraction = (double)(rng_bits(rng) >> 11) * 0x1p-53;
  double value = distribution->low + (1 - distribution->low) * fraction;
  int exponent = (int)rng_between(rng, -distribution->spread, distribution->spread);
  return format_round_double(format, ldexp(value, exponent));
}

/* One sum of exactly as many bits as any sum of f32 needs, by the loop anybody would write first.
 */
static double time_mpfr_sum(const double *terms, size_t count) {
  enum { EXACT_BITS = 300, SUMS = 10 };
  mpfr_t sum;
  mpfr_init2(sum, EXACT_BITS);
  double start = microseconds();
  for (int i = 0; i < SUMS; i++) {
    mpfr_set_zero(sum, 1);
    for (size_t j = 0; j < count; j++) mpfr_add_d(sum, sum, terms[j], MPFR_RNDN);
  }
  double elapsed = microseconds() - start;
  mpfr_clear(sum);
  return elapsed / (int)SUMS;
}

static void bench_simulate(const char *type, const char *name,
                           const implementation_model_t *schedule, size_t rounds) {
  enum { CALLS = 50 };
  char *line = g_strdup_printf(
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] %s[16,16] %s[16,16] -> %s[16,16]", type,
      type, type);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error;
  if (program_parse(str_from(line), &arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  case_t instance = case_make(&arena, &program);
  rng_t rng = rng_make(1);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const element_t *element = program.operands[i].element;
    for (size_t j = 0; j < type_component_count(&program.operands[i]); j++) {
      double value = draw(&rng, &format_table[FORMAT_bf16], &distributions[0]);
      uint64_t bits = element->format != NULL ? format_from_double(element->format, value)
                                              : rng_bits(&rng) & element_mask(element);
      element_store(element, instance.operands[i].data, j, bits);
    }
  }
  tensor_t result = tensor_make(&arena, &program.results[0]);
  arena_mark_t mark = arena_mark(&arena);
  double times[ROUNDS_MAX];
  for (size_t round = 0; round < rounds; round++) {
    double start = microseconds();
    for (int call = 0; call < CALLS; call++) {
      arena_rewind(&arena, mark);
      const oracle_call_t other_call = {.instance = &instance, .arena = &arena};
      dot_general_simulate(&other_call, schedule, &result);
    }
    times[round] = (microseconds() - start) / (int)CALLS;
  }
  printf("%-13s %-12s %8.2f\n", type, name, median(times, rounds));
  arena_deinit(&arena);
  g_free(line);
}

static void bench_all_simulations(size_t rounds) {
  static const char *const types[] = {"f32", "f64", "bf16", "f8E4M3FN", "i8", "complex<f32>"};
  static const struct {
    const char *name;
    implementation_model_t schedule;
  } rows[] = {{"sequential", {.init_count = 1}},
              {"sequential+fma", {.init_count = 1, .fused = true}},
              {"pairwise", {.init_count = 1, .order.kind = SUM_HALVES}},
              {"shuffled", {.init_count = 1, .order.kind = SUM_SHUFFLED}}};
  printf("one schedule: dot_general 16x16x16\n%-13s %-12s %8s\n", "type", "schedule", "us");
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    for (size_t j = 0; j < G_N_ELEMENTS(rows); j++) {
      bench_simulate(types[i], rows[j].name, &rows[j].schedule, rounds);
    }
  }
}

static void bench_set(const format_t *format, const distribution_t *distribution, size_t count,
                      size_t rounds) {
  double times[ROUNDS_MAX], sizes[ROUNDS_MAX], terms[TERMS_MAX];
  rng_t rng = rng_make(count);
  arena_t arena;
  arena_init(&arena);
  for (size_t round = 0; round < rounds; round++) {
    for (size_t i = 0; i < count; i++) terms[i] = draw(&rng, format, distribution);
    schedules_t schedules = {.format = format, .count = count, .left = terms};
    schedule_set_t set = {.count = 0};
    double start = microseconds();
    status_t status = schedule_set_make(&schedules, UINT64_MAX, &arena, &set, NULL);
    times[round] = microseconds() - start;
    g_assert(status == STATUS_OK);
    sizes[round] = (double)set.count;
    arena_reset(&arena);
  }
  printf("%-6s %-8s %5zu %10.3f", format->name, distribution->name, count,
         median(times, rounds) / 1000);
  printf(" %10.3f %6.0f\n", times[rounds - 1] / 1000, median(sizes, rounds));
  arena_deinit(&arena);
}

static void bench_all_sets(size_t rounds) {
  static const int formats[] = {FORMAT_f32, FORMAT_bf16, FORMAT_f64};
  static const size_t counts[] = {8, 16, 32, 64};
  printf("\nall schedules: the exact set of a sum\n%-6s %-8s %5s %10s %10s %6s\n", "type", "values",
         "terms", "median ms", "worst ms", "size");
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    for (size_t j = 0; j < G_N_ELEMENTS(distributions); j++) {
      for (size_t k = 0; k < G_N_ELEMENTS(counts); k++) {
        bench_set(&format_table[formats[i]], &distributions[j], counts[k], rounds);
      }
    }
  }
}

static void bench_hull(const format_t *format, const distribution_t *distribution, size_t count,
                       size_t rounds) {
  double times[ROUNDS_MAX], sums[ROUNDS_MAX], terms[TERMS_MAX];
  double narrowing = 0;
  rng_t rng = rng_make(count);
  arena_t arena;
  arena_init(&arena);
  for (size_t round = 0; round < rounds; round++) {
    double magnitude = 0;
    for (size_t i = 0; i < count; i++) {
      terms[i] = draw(&rng, format, distribution);
      magnitude += fabs(terms[i]);
    }
    schedules_t schedules = {.format = format, .count = count, .left = terms};
    schedule_hull_t hull = {.low = 0, .high = 0};
    double start = microseconds();
    status_t status = schedule_hull_make(&schedules, UINT64_MAX, &arena, &hull, NULL);
    times[round] = microseconds() - start;
    g_assert(status == STATUS_OK);
    double any_order = 2 * (double)(count - 1) * ldexp(magnitude, -format->precision);
    narrowing += any_order / (hull.high - hull.low) / (double)rounds;
    sums[round] = time_mpfr_sum(terms, count);
    arena_reset(&arena);
  }
  double time = median(times, rounds);
  printf("%-6s %-8s %5zu %10.3f %10.1f %10.1f\n", format->name, distribution->name, count,
         time / 1000, time / median(sums, rounds), narrowing);
  arena_deinit(&arena);
}

static void bench_all_hulls(size_t rounds) {
  static const int formats[] = {FORMAT_f32, FORMAT_bf16, FORMAT_f64};
  static const size_t counts[] = {32, 64, 128, 256, 512};
  printf(
      "\nall schedules: the hull of a sum; `MPFR sums` tells how many plain sums of the same "
      "terms\n"
      "take the same time, `narrower` how many times wider 2 (n-1) u sum|x| is, on average\n"
      "%-6s %-8s %5s %10s %10s %10s\n",
      "type", "values", "terms", "median ms", "MPFR sums", "narrower");
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    for (size_t j = 0; j < G_N_ELEMENTS(distributions); j++) {
      for (size_t k = 0; k < G_N_ELEMENTS(counts); k++) {
        bench_hull(&format_table[formats[i]], &distributions[j], counts[k], rounds);
      }
    }
  }
}

int main(int argc, char **argv) {
  enum { ROUNDS = 9 };
  guint64 rounds = ROUNDS;
  if (argc > 2 ||
      (argc == 2 && !g_ascii_string_to_unsigned(argv[1], 10, 1, ROUNDS_MAX, &rounds, NULL))) {
    fprintf(stderr, "usage: bench_in_order [ROUNDS], at most %d\n", ROUNDS_MAX);
    return 2;
  }
  bench_all_simulations((size_t)rounds);
  bench_all_sets((size_t)rounds);
  bench_all_hulls((size_t)rounds);
  return 0;
}
