/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of 16-bit floats with any number of initial values: how many can be told by the closure
 * within so many pairs of values, and what that takes.  Terms and initial values are of ordinary
 * size; "short" ones have three significant bits.  What is wanted is about the sum of the terms. */
#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "harness/base/rng.h"
#include "oracles/exact/closure/closed_sum.h"
#include "tests/bench/bench_timing.h"

enum { ROUNDS = 9, TERMS_MAX = 8 };

static double draw(rng_t *rng, const format_t *format, bool is_short) {
  double significand =
      1 + (double)rng_below(rng, is_short ? 4 : 1 << 20) * (is_short ? 0.25 : 0x1p-20);
  double sign = rng_one_in(rng, 2) ? -1 : 1;
  return format_round_double(format, sign * ldexp(significand, (int)rng_between(rng, -3, 3)));
}

static void print_row(const format_t *format, const char *contract_text, bool is_short,
                      size_t count) {
  static const size_t works[] = {1 << 20, 1 << 22, 1 << 24, 1 << 26};
  contract_t contract;
  if (contract_parse(str_from(contract_text), &contract, NULL) != STATUS_OK) return;
  rng_t rng = rng_make(count);
  arena_t arena;
  arena_init(&arena);
  size_t told[G_N_ELEMENTS(works)] = {0};
  double times[G_N_ELEMENTS(works)][ROUNDS];
  for (size_t round = 0; round < ROUNDS; round++) {
    double terms[TERMS_MAX], wanted = 0;
    for (size_t i = 0; i < count; i++) {
      terms[i] = draw(&rng, format, is_short);
      wanted += terms[i];
    }
    const closed_sum_t sum = {.format = format,
                              .count = count,
                              .terms = terms,
                              .init = draw(&rng, format, is_short),
                              .contract = &contract};
    uint32_t *least = ARENA_NEW_ARRAY(&arena, uint32_t, (size_t)1 << format->bits);
    for (size_t i = 0; i < G_N_ELEMENTS(works); i++) {
      double start = microseconds();
      told[i] += closed_sum_make(&sum, wanted, works[i], &arena, least);
      times[i][round] = microseconds() - start;
    }
    arena_reset(&arena);
  }
  printf("%-5s %-32s %-5s %3zu", format->name, contract_text, is_short ? "short" : "full", count);
  for (size_t i = 0; i < G_N_ELEMENTS(works); i++) {
    printf("  %zu/%d %8.2f", told[i], (int)ROUNDS, median(times[i], ROUNDS) / 1000);
  }
  printf("\n");
  arena_deinit(&arena);
}

int main(void) {
  static const int formats[] = {FORMAT_bf16, FORMAT_f16};
  static const char *const contracts[] = {"spec", "spec,init_count=few", "spec,order=any",
                                          "spec,order=any,init_count=few"};
  printf(
      "type  contract                         bits  terms  told, ms of 2^20, 2^22, 2^24, 2^26 "
      "pairs\n");
  for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
    for (size_t c = 0; c < G_N_ELEMENTS(contracts); c++) {
      for (int is_short = 0; is_short < 2; is_short++) {
        for (size_t count = 1; count <= TERMS_MAX; count++) {
          print_row(&format_table[formats[f]], contracts[c], is_short == 1, count);
        }
      }
    }
  }
  return 0;
}
