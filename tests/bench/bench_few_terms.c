/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and dot products of few f32 terms in any order, uniform in -1 .. 1, under contract backend:
 * of 25 neighbours of a sequential result how many some tree was found for, how many conform, and
 * what an answer costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness/base/rng.h"
#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/sum/problem.h"

enum { CASES = 40, NEIGHBOURS = 12 };

typedef struct row {
  size_t reached;
  size_t accepted;
  size_t asked;
} row_t;

static void take_case(rng_t *rng, size_t count, bool are_products, arena_t *arena, row_t *row) {
  const format_t *f32 = &format_table[FORMAT_f32];
  const contract_t contract = contract_backend();
  double left[FEW_TERMS_MAX], right[FEW_TERMS_MAX];
  float sum = 0;
  for (size_t i = 0; i < count; i++) {
    left[i] = (float)ldexp((double)rng_between(rng, -(1 << 30), 1 << 30), -30);
    right[i] = are_products ? (float)ldexp((double)rng_between(rng, -(1 << 30), 1 << 30), -30) : 1;
    sum += (float)(left[i] * right[i]);
  }
  const double *factors = are_products ? right : NULL;
  const few_terms_t terms = {.format = f32,
                             .count = count,
                             .left = left,
                             .right = factors,
                             .may_fuse = true,
                             .may_widen = true};
  const sum_problem_t question = {.format = f32,
                                  .count = count,
                                  .left = left,
                                  .right = factors,
                                  .left_format = f32,
                                  .right_format = f32};
  int64_t middle = format_ordinal(f32, format_from_double(f32, (double)sum));
  for (int64_t k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
    uint64_t bits = format_from_ordinal(f32, middle + k);
    double hull[2];
    answer_t answer;
    failure_t error;
    if (sum_answer(&question, &contract, bits, arena, &answer, &error) != STATUS_OK) {
      fprintf(stderr, "bench_few_terms: %s\n", error.text);
      exit(3);
    }
    few_terms_word_t word = few_terms_ask(&terms, format_to_double(f32, bits), arena, hull);
    row->reached += word == FEW_TERMS_REACHED;
    row->accepted += answer.conforms;
    row->asked++;
  }
}

static void print_row(size_t count, bool are_products) {
  rng_t rng = rng_make(count);
  arena_t arena;
  arena_init(&arena);
  row_t row = {0};
  clock_t start = clock();
  for (int i = 0; i < CASES; i++) {
    take_case(&rng, count, are_products, &arena, &row);
    arena_reset(&arena);
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("%5zu  %-8s  %7zu  %8zu  %5.3f  %9.1f\n", count, are_products ? "products" : "terms",
         row.reached, row.accepted, (double)row.accepted / (double)row.reached,
         seconds / (double)row.asked / 2 * 1e6);
  arena_deinit(&arena);
}

int main(void) {
  printf("count  what      reached  accepted  ratio  us an ask\n");
  for (size_t count = 2; count <= FEW_TERMS_MAX; count++) {
    print_row(count, false);
    print_row(count, true);
  }
  return 0;
}
